"""A release as a folder: written whole or not at all."""

from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from analysis.publishing import contents, croissant, statements
from analysis.publishing.edition import Edition
from analysis.publishing.statements import Statements
from data.console.errors import InputError
from data.files.whole import whole_folder
from data.labelled import release_tables
from data.labelled.releases import CHECKSUMS, Facts, Release, digests, read_tables
from data.storage.manifest import plain


def write(edition: Edition, words: Statements, facts: Facts, folder: Path) -> None:
    """Write the release beside `folder` and move it there once it is whole.

    Raises InputError where `folder` is not empty, at the start or because another release came first.
    """
    _demand_empty(folder)
    with whole_folder(folder) as unfinished:
        _fill(unfinished, edition, words, facts)
        _demand_empty(folder)


def _demand_empty(folder: Path) -> None:
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        found = "a folder with files in it" if folder.is_dir() else "a file"
        raise InputError(folder, expected="a new or empty folder", found=found, remedy="name another or empty it")


def _fill(folder: Path, edition: Edition, words: Statements, facts: Facts) -> None:
    (folder / "data").mkdir()
    for name, table in edition.tables().items():
        for stem, rows in contents.split_table(name, table).items():
            pq.write_table(_typed(name, rows, facts), folder / "data" / f"{stem}.parquet")
    release = Release(
        tables=read_tables(folder, without_text=facts.without_text),
        statements=statements.plain(words),
        facts=facts,
        manifests=plain(edition.manifests),
    )
    texts = contents.derive(release, contents.count_numbers(release), folder)
    for name, text in texts.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    croissant.load(folder, texts["croissant.json"])
    lines = [f"{digest}  {name}\n" for name, digest in sorted(digests(folder).items())]
    (folder / CHECKSUMS).write_text("".join(lines), encoding="utf-8")


def _typed(name: str, rows: pd.DataFrame, facts: Facts) -> pa.Table:
    schema = release_tables.arrow_schema(name, without_text=facts.without_text)
    return pa.Table.from_pandas(rows[schema.names], schema, preserve_index=False).replace_schema_metadata(None)
