"""A release as a folder: written whole or not at all."""

from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from analysis.publishing import contents, croissant
from data.console.errors import InputError
from data.files.whole import whole_folder
from data.labelled import release_tables
from data.labelled.releases import CHECKSUMS, Release, digests, read_tables
from data.storage.manifest import plain


def write(release: Release, folder: Path) -> None:
    """Write the release beside `folder` and move it there once it is whole.

    Raises InputError where `folder` is not empty, at the start or because another release came first.
    """
    _require_empty(folder)
    with whole_folder(folder) as unfinished:
        _fill(unfinished, release)
        _require_empty(folder)


def _require_empty(folder: Path) -> None:
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        found = "a folder with files in it" if folder.is_dir() else "a file"
        raise InputError(folder, expected="a new or empty folder", found=found, remedy="name another or empty it")


def _fill(folder: Path, release: Release) -> None:
    (folder / "data").mkdir()
    for name, table in release.tables.items():
        schema = release_tables.arrow_schema(name, without_text=release.facts.without_text)
        for stem, rows in contents.split_table(name, table).items():
            typed = pa.Table.from_pandas(rows[schema.names], schema, preserve_index=False)
            pq.write_table(typed.replace_schema_metadata(None), folder / "data" / f"{stem}.parquet")
    tables = read_tables(folder, without_text=release.facts.without_text)
    written = replace(release, tables=tables, manifests=plain(release.manifests))
    texts = contents.derive(written, contents.count_numbers(written), folder)
    for name, text in texts.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    croissant.load(folder, texts["croissant.json"])
    lines = [f"{digest}  {name}\n" for name, digest in sorted(digests(folder).items())]
    (folder / CHECKSUMS).write_text("".join(lines), encoding="utf-8")
