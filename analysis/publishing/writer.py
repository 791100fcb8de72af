"""A release as a folder: written whole or not at all, read back, its checksums."""

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from analysis.datasets.releases import CHECKSUMS, FORMAT, digests, read_tables, sha256
from analysis.publishing import card, card_numbers, croissant, edition, fetch_lists, tsv
from data.errors import InputError
from data.files import whole_folder
from data.labelled import parade
from data.labelled.parade import SPLITS
from data.manifest import plain

TYPES = {
    "votes": pa.int64(),
    "n_votes": pa.int64(),
    "binary": pa.int64(),
    "share": pa.float64(),
    "overlap": pa.float64(),
    "posterior": pa.float64(),
    "scores": pa.list_(pa.int64()),
    "parents": pa.list_(pa.string()),
    "replaced_in": pa.int64(),
    "guide_version": pa.string(),
    "consent_version": pa.string(),
    "known_score": pa.int64(),
}
"""Columns whose type must not follow from what happens to be in them; the rest are texts."""


def write(made: edition.Edition, said: dict[str, Any], facts: dict[str, Any], folder: Path) -> None:
    """Writes the release beside `folder` and moves it there when it is whole; raises InputError if it is not empty."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        found = "a folder with files in it" if folder.is_dir() else "a file"
        raise InputError(folder, expected="a new or empty folder", found=found, remedy="name another or empty it")
    with whole_folder(folder) as unfinished:
        _write_tables(made, unfinished)
        _dump(unfinished / "manifests.json", made.manifests)
        _dump(unfinished / "statements.json", {"format": FORMAT, "said": said, "release": facts})
        counted = card_numbers.count(read_tables(unfinished), facts["synonyms"], facts["rule"]["paraphrase_from"])
        _dump(unfinished / "numbers.json", counted)
        _put(unfinished / "README.md", card.render(said, plain(counted), shown(facts, made.tables(), made.manifests)))
        if facts["without_text"] and made.provenance is not None and len(made.provenance):
            (unfinished / fetch_lists.FOLDER).mkdir()
            for name, listed in fetch_lists.write_lists(made.pairs, made.provenance).items():
                _put(unfinished / name, listed)
        _put(unfinished / "CITATION.cff", card.cite(said))
        _put(unfinished / "croissant.json", describe(unfinished, said))
        croissant.check(unfinished, record_sets(unfinished))
        lines = [f"{digest}  {name}" for name, digest in sorted(digests(unfinished).items())]
        _put(unfinished / CHECKSUMS, "\n".join(lines) + "\n")


def shown(facts: dict[str, Any], tables: dict[str, pd.DataFrame], manifests: list[dict[str, Any]]) -> dict[str, Any]:
    """What the card shows of the release's own facts."""
    told = {name: facts[name] for name in ("name", "simulated", "permissions", "recipe")}
    config: dict[str, Any] = next((one["config"] for one in manifests if one["table"] == "definitions"), {})
    fetching = fetch_lists.list_commands(tables["provenance"], config) if "provenance" in tables else []
    return told | {"tables": sorted(tables), "fetching": fetching}


def _write_tables(made: edition.Edition, folder: Path) -> None:
    for name in ("data", "tsv"):
        (folder / name).mkdir()
    for name, table in made.tables().items():
        for stem, rows in _parts(name, table):
            pq.write_table(_typed(rows), folder / "data" / f"{stem}.parquet")
            _put(folder / "tsv" / f"{stem}.tsv", tsv.as_tsv(rows))
    if "first" in made.pairs:
        parade.write(tsv.publishable(made.pairs), folder / "published")


def _parts(name: str, table: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
    if name != "pairs":
        return [(name, table)]
    return [(split, rows) for split in SPLITS if len(rows := table[table["split"] == split])]


def _typed(rows: pd.DataFrame) -> pa.Table:
    arrow = pa.Table.from_pandas(rows.reset_index(drop=True), preserve_index=False).replace_schema_metadata(None)
    fields = [pa.field(one.name, TYPES.get(one.name, _settled(one.type))) for one in arrow.schema]
    return arrow.cast(pa.schema(fields))


def _settled(column: pa.DataType) -> pa.DataType:
    return pa.string() if pa.types.is_null(column) or pa.types.is_large_string(column) else column


def record_sets(folder: Path) -> dict[str, int]:
    """The name of each record set of the metadata with its number of rows."""
    rows = {path.stem: pq.read_metadata(path).num_rows for path in sorted((folder / "data").glob("*.parquet"))}
    several = sum(name in SPLITS for name in rows) > 1
    return {_record_set(name, several): n for name, n in rows.items()}


def _record_set(stem: str, several: bool) -> str:
    if stem not in SPLITS:
        return stem
    return f"pairs_{stem}" if several else "pairs"


def describe(folder: Path, said: dict[str, Any]) -> str:
    """The Croissant metadata of the Parquet files in the folder."""
    names = [f"data/{path.name}" for path in sorted((folder / "data").glob("*.parquet"))]
    files: dict[str, list[str]] = {}
    for name in names:
        table = "pairs" if Path(name).stem in SPLITS else Path(name).stem
        files.setdefault(table, []).append(name)
    return croissant.describe(folder, files, said, {name: sha256(folder / name) for name in names})


def _put(path: Path, content: str) -> None:
    path.write_text(content, encoding="utf-8")


def _dump(path: Path, content: Any) -> None:
    _put(path, json.dumps(plain(content), ensure_ascii=False, indent=1, allow_nan=False) + "\n")
