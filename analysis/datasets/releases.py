"""Reading a published release."""

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from data.errors import InputError, TableError
from data.labelled.parade import SPLITS

FORMAT = "parade-release/1"
CHECKSUMS = "checksums.txt"


@dataclass(frozen=True, kw_only=True)
class Release:
    """The content of a release folder."""

    tables: dict[str, pd.DataFrame]
    said: dict[str, Any]
    """The publisher's statements."""
    facts: dict[str, Any]
    """name, simulated, permissions, recipe, scheme, synonyms, rule (of `recount`), without_text."""


def read(folder: Path) -> Release:
    """The release in the folder; raises InputError or TableError if there is none or it is incomplete."""
    if not folder.is_dir():
        raise InputError(folder, expected="a release folder", found="no such folder", remedy="check the path")
    if not (folder / CHECKSUMS).is_file():
        raise InputError(
            folder,
            expected=f"a release folder with {CHECKSUMS}",
            found="an incomplete release or another folder",
            remedy="write it again with `python -m analysis.release`",
        )
    missing = sorted(name for name in read_checksums(folder) if not (folder / name).is_file())
    if missing:
        raise TableError(
            folder, expected="every file of its checksums", found=f"no {missing[0]}", remedy="download it again"
        )
    try:
        head = json.loads((folder / "statements.json").read_text(encoding="utf-8"))
        return Release(tables=read_tables(folder), said=head["said"], facts=head["release"])
    except (OSError, ValueError, KeyError, pa.ArrowException) as fault:
        found = f"{type(fault).__name__}: {fault}".splitlines()[0]
        raise TableError(folder, expected="a complete release", found=found, remedy="download it again") from fault


def read_manifests(folder: Path) -> list[dict[str, Any]]:
    """The manifests of the tables that the release was made from."""
    manifests: list[dict[str, Any]] = json.loads((folder / "manifests.json").read_text(encoding="utf-8"))
    return manifests


def read_tables(folder: Path) -> dict[str, pd.DataFrame]:
    """The tables of the Parquet files, those of the splits as one, in the order in which they were written."""
    files = sorted((folder / "data").glob("*.parquet"))
    if not any(path.stem in SPLITS for path in files):
        raise FileNotFoundError(f"no {' or '.join(SPLITS)} in {folder / 'data'}")
    arrows = {path.stem: pq.read_table(path) for path in files}
    pairs = pa.concat_tables([arrows.pop(split) for split in SPLITS if split in arrows])
    return {"pairs": _frame(pairs.sort_by("pair_id"))} | {name: _frame(table) for name, table in arrows.items()}


def _frame(arrow: pa.Table) -> pd.DataFrame:
    frame: pd.DataFrame = arrow.to_pandas(types_mapper=pd.ArrowDtype)
    return frame


def read_checksums(folder: Path) -> dict[str, str]:
    """The SHA-256 of each file as the release states it."""
    lines = (folder / CHECKSUMS).read_text(encoding="utf-8").splitlines()
    return {name: digest for digest, _, name in (line.partition("  ") for line in lines)}


def digests(folder: Path) -> dict[str, str]:
    """The SHA-256 of every file except the checksums themselves, by its path in the folder."""
    files = [path for path in sorted(folder.rglob("*")) if path.is_file() and path != folder / CHECKSUMS]
    return {path.relative_to(folder).as_posix(): sha256(path) for path in files}


def sha256(path: Path) -> str:
    """The SHA-256 of the bytes of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
