"""Texts of one's own to start from: definitions, the abstracts of papers, or a file with one sentence per line.

Each reader yields frames with the columns source_id, position, text, entity and licence.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd

from data.console.errors import InputError, TableError
from data.contract.tables.definitions import Definitions
from data.files import sheets
from data.storage.store import Store
from generation.engines.tokenizers import Splitter

BATCH_TEXTS = 2_000
COLUMNS = ["source_id", "position", "text", "entity", "licence"]
EXPECTED = "a text file, plain or .gz,"
HALVES = re.compile(r"[\ud800-\udfff]")
"""Halves of characters that JSON may hold by themselves and no text in UTF-8 can."""


def read_definitions(store: Store) -> Iterator[pd.DataFrame]:
    """The store's definitions as they are, in their own case. Raises TableError where there are none."""
    rows = store.read(Definitions, ["definition_id", "entity", "text"])
    if rows.empty:
        raise TableError(
            "definitions",
            expected="rows",
            found="none",
            remedy=f"run `python -m crawler.definitions --store {store.root}` first, or give --papers or --lines",
        )
    yield rows.rename(columns={"definition_id": "source_id"}).assign(position=0, licence=None)[COLUMNS]


def read_lines(path: Path, licence: str | None) -> Iterator[pd.DataFrame]:
    """The lines of a text file, plain or .gz, numbered from 1; empty lines are left out.

    Raises InputError where its first line is JSON.
    """
    rows: list[tuple[str, str]] = []
    for number, line in enumerate(sheets.read_lines(path, EXPECTED), start=1):
        if number == 1:
            _refuse_json(path, line)
        if line.strip():
            rows.append((str(number), line))
        if len(rows) == BATCH_TEXTS:
            yield _frame(rows, licence)
            rows = []
    yield _frame(rows, licence)


def read_papers(path: Path, licence: str | None, splitter: Splitter) -> Iterator[pd.DataFrame]:
    """The sentences of the abstracts in a file of JSON lines with the fields id and abstract, plain or .gz.

    A paper's own field `license` or `licence` goes before `licence`. Raises InputError for a line that is no paper.
    """
    papers: list[dict[str, Any]] = []
    for number, line in enumerate(sheets.read_lines(path, EXPECTED), start=1):
        if line.strip():
            papers.append(_paper(path, number, line))
        if len(papers) == BATCH_TEXTS:
            yield _sentences(papers, licence, splitter)
            papers = []
    yield _sentences(papers, licence, splitter)


def _sentences(papers: list[dict[str, Any]], licence: str | None, splitter: Splitter) -> pd.DataFrame:
    abstracts = [HALVES.sub("\N{REPLACEMENT CHARACTER}", paper["abstract"] or "") for paper in papers]
    rows = [
        (str(paper["id"]), position, text, None, paper.get("license") or paper.get("licence") or licence)
        for paper, sentences in zip(papers, splitter(abstracts), strict=True)
        for position, text in enumerate(sentences)
    ]
    return pd.DataFrame(rows, columns=COLUMNS)


def _paper(path: Path, number: int, line: str) -> dict[str, Any]:
    paper = _parse(line)
    found = line.strip()[:60]
    if isinstance(paper, dict) and "id" in paper and "abstract" in paper:
        if isinstance(paper["id"], str | int) and isinstance(paper["abstract"], str | None):
            return paper
        found = f"id {json.dumps(paper['id'])[:40]}, abstract {json.dumps(paper['abstract'])[:40]}"
    raise InputError(
        f"{path}, line {number}",
        expected="a paper as JSON with the fields id (text or a number) and abstract (text, or null for none)",
        found=found,
        remedy="correct the line, or give a file of one sentence per line by --lines",
    )


def _refuse_json(path: Path, line: str) -> None:
    if isinstance(_parse(line), dict | list):
        remedy = "give papers with the fields id and abstract by --papers"
        raise InputError(f"{path}, line 1", expected="a sentence", found=f"JSON: {line[:60]}", remedy=remedy)


def _parse(line: str) -> Any:
    """What the line says as JSON; None where it is no JSON."""
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def _frame(rows: list[tuple[str, str]], licence: str | None) -> pd.DataFrame:
    frame = pd.DataFrame(rows, columns=["source_id", "text"])
    return frame.assign(position=0, entity=None, licence=licence)[COLUMNS]
