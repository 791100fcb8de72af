"""Texts of one's own to start from: definitions, the abstracts of papers, or a file with one sentence per line.

Each reader yields frames with the columns source_id, position, text, entity and licence.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from data.console.errors import InputError, TableError
from data.console.messages import quantity, say
from data.contract.tables.definitions import Definitions
from data.files import sheets
from data.files.papers import reader
from data.files.papers.files import Columns
from data.storage.store import Store
from data.texts.reading import without_markup
from generation.engines.tokenizers import Splitter

BATCH_TEXTS = 2_000
COLUMNS = ["source_id", "position", "text", "entity", "licence"]
EXPECTED = "a text file, plain or .gz,"


def read_definitions(store: Store) -> Iterator[pd.DataFrame]:
    """The store's definitions as they are, in their own case. Raises TableError where there are none."""
    rows = store.read(Definitions, ["definition_id", "entity", "text"])
    if rows.empty:
        raise TableError(
            "definitions",
            expected="rows",
            found="none",
            remedy=f"run `python -m crawler.definitions --store {store.address}` first, or give --papers or --lines",
        )
    yield rows.rename(columns={"definition_id": "source_id"}).assign(position=0, licence=None)[COLUMNS]


def read_lines(path: Path, licence: str | None) -> Iterator[pd.DataFrame]:
    """The lines of a text file, plain or .gz, numbered from 1, without markup, of which a line says how much there was;
    empty lines are left out.

    Raises InputError where it is a table (.csv, .tsv) or its first line is JSON.
    """
    rows: list[tuple[str, str]] = []
    marked: list[int] = []
    for number, line in enumerate(sheets.read_lines(path, EXPECTED), start=1):
        if number == 1:
            _refuse_table(path, line)
        text = without_markup(line)
        if text != line:
            marked.append(number)
        if text.strip():
            rows.append((str(number), text))
        if len(rows) == BATCH_TEXTS:
            yield _frame(rows, licence)
            rows = []
    yield _frame(rows, licence)
    if marked:
        say(f"{path}: markup dropped from {quantity(len(marked), 'line')}, the first line {marked[0]}")


def parse_columns(mapping: Sequence[str]) -> Columns:
    """What the user says about the columns of papers, of which the abstract is needed. Raises InputError."""
    return replace(Columns.parse(mapping), needed="abstract", otherwise="sentences, one per line, go to --lines")


def read_papers(
    paths: Sequence[Path], columns: Columns, licence: str | None, splitter: Splitter, seen: reader.Summary
) -> Iterator[pd.DataFrame]:
    """The sentences of the papers' abstracts; a paper without an id is named by its file and row.

    A paper's own licence goes before `licence`. Raises InputError for files of which no record can be read.
    """
    for papers in seen.watch(reader.distinct(reader.read_papers(paths, columns, seen.dropped))):
        ids = pc.coalesce(papers["id"], papers["row"]).to_pylist()
        licences = pc.coalesce(papers["licence"], pa.scalar(licence, pa.string())).to_pylist()
        parts = splitter(papers["abstract"].fill_null("").to_pylist())
        rows = [
            (id_, position, text, None, own)
            for id_, own, sentences in zip(ids, licences, parts, strict=True)
            for position, text in enumerate(sentences)
        ]
        yield pd.DataFrame(rows, columns=COLUMNS)


def _refuse_table(path: Path, line: str) -> None:
    found = "JSON" if isinstance(_parse(line), dict | list) else None
    if found or path.name.removesuffix(".gz").endswith((".csv", ".tsv")):
        remedy = "give papers by --papers, sentences one per line in a text file"
        raise InputError(
            f"{path}, line 1", expected="a sentence", found=f"{found or 'a table'}: {line[:60]}", remedy=remedy
        )


def _parse(line: str) -> Any:
    """What the line says as JSON; None where it is no JSON."""
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def _frame(rows: list[tuple[str, str]], licence: str | None) -> pd.DataFrame:
    frame = pd.DataFrame(rows, columns=["source_id", "text"])
    return frame.assign(position=0, entity=None, licence=licence)[COLUMNS]
