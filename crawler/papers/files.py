"""Files of papers, recognised by their content: JSON lines and lists (including OpenAlex and arXiv), CSV (including
Zotero), Parquet, BibTeX, RIS, NBIB and PubMed XML.
"""

import codecs
import io
import json
import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

import pandas as pd
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
from lxml import etree

from crawler.papers import capped
from crawler.papers.bibliographies import Record, read_bibtex, read_nbib, read_pubmed, read_ris
from crawler.papers.exports import ZOTERO, as_plain
from data.console.errors import InputError

FIELDS = ("id", "title", "abstract", "year", "venue")

_BATCH = 5_000
_HEAD = 4096
_PARQUET = b"PAR1"
_MAX_ROW_BYTES = 16 * 2**20
_TORN = (OSError, EOFError, zlib.error, capped.TooLongError)


class UnknownKindError(InputError):
    """A file of something else than papers."""


@dataclass(frozen=True, kw_only=True)
class Columns:
    """What the files call the fields of a paper."""

    names: Mapping[str, str]
    """Field -> column, for every field."""
    mapped: frozenset[str]
    """The fields whose column the user named: these are required, like the title."""

    @classmethod
    def parse(cls, mapping: Sequence[str]) -> "Columns":
        """From texts `field=column`. Raises InputError for anything else."""
        pairs = {field: column for field, _, column in (part.partition("=") for part in mapping)}
        if not all(pairs.values()) or not pairs.keys() <= set(FIELDS):
            raise InputError(
                "--columns",
                expected="field=COLUMN with a field of " + ", ".join(FIELDS),
                found=" ".join(mapping),
                remedy="write for example --columns title=Title abstract=Abstract",
            )
        return cls(names={field: field for field in FIELDS} | pairs, mapped=frozenset(pairs))

    def check(self, path: Path, found: Iterable[str]) -> None:
        """Raise InputError where the column of the title or of a mapped field is missing, or where any occurs twice.

        It is an UnknownKindError where no column is named like a title or an abstract.
        """
        present = list(found)
        fault = InputError if self.may_be_papers(present) else UnknownKindError
        for field in FIELDS:
            if (n := present.count(self.names[field])) > 1:
                raise InputError(
                    path,
                    expected=f"one column {self.names[field]!r} for the {field}",
                    found=str(n),
                    remedy=f"rename the others, or map another with --columns {field}=COLUMN",
                )
            if (field == "title" or field in self.mapped) and self.names[field] not in present:
                raise fault(
                    path,
                    expected=f"a column {self.names[field]!r} for the {field}",
                    found="the columns " + " ".join(", ".join(map(str, present)).split()),
                    remedy=f"map it with --columns {field}=COLUMN (a plain list of terms goes to --terms)",
                )

    def may_be_papers(self, found: Iterable[str]) -> bool:
        """Whether one of the columns is named like a title or an abstract."""
        known = {name.lower() for name in ("title", "abstract", self.names["title"], self.names["abstract"])}
        return any(str(name).strip(' "').lower() in known for name in found)


Reader = Callable[[Path, io.BufferedReader, Columns], Iterator[pa.RecordBatch]]
"""Yields the fields of a file's papers, as text, or raises InputError."""


_BIBLIOGRAPHIES: Mapping[bytes, Callable[[BinaryIO], Iterator[Record]]] = {
    rb"(?s)(?:%[^\n]*\n\s*)*@\s*\w+\s*[{(]": read_bibtex,
    rb"TY  - ": read_ris,
    rb"PMID- ": read_nbib,
    rb"(?s)(?:<\?xml.{0,200}?\?>\s*)?(?:<!DOCTYPE\s+PubmedArticleSet.{0,300}?>\s*)?<PubmedArticle": read_pubmed,
}
"""How a file of each kind begins, and its reader."""


def is_parquet(path: Path, file: io.BufferedReader) -> bool:
    """Whether the file is no text. Raises InputError where its start cannot be read."""
    try:
        return file.peek(_HEAD).startswith(_PARQUET)
    except _TORN as fault:
        raise _torn(path, "its first line", fault) from fault


def choose_reader(path: Path, file: io.BufferedReader) -> Reader:
    """The reader for a file, by how the file begins. Raises InputError for an unknown kind."""
    try:
        start = file.peek(_HEAD).removeprefix(codecs.BOM_UTF8).lstrip()
    except _TORN as fault:
        raise _torn(path, "its first line", fault) from fault
    if start.startswith(_PARQUET):
        return _read_parquet
    if start.startswith(b"["):
        return _read_json_list
    if start.startswith(b"{"):
        return _read_json_lines if _is_line(start) else _read_json_list
    for mark, read in _BIBLIOGRAPHIES.items():
        if re.match(mark, start):
            return partial(_read_bibliography, read)
    if not start or start.startswith(b"<"):
        found = "other XML or HTML" if start else "nothing"
        raise UnknownKindError(path, expected="papers in a known format", found=found, remedy="convert it")
    return _read_csv


def _is_line(start: bytes) -> bool:
    """Whether an object may be a paper: no response that lists papers, as OpenAlex returns it, and on one line."""
    return re.match(rb'\{\s*"(?:meta|results)"\s*:|\{[ \t]*\r?\n', start) is None


def _read_bibliography(
    read: Callable[[BinaryIO], Iterator[Record]], path: Path, file: io.BufferedReader, columns: Columns
) -> Iterator[pa.RecordBatch]:
    """The records of a bibliography, whose fields need no mapping."""
    del columns
    records = read(file)
    try:
        while batch := list(islice(records, _BATCH)):
            arrays = [pa.array([record.get(field) for record in batch], pa.string()) for field in FIELDS]
            yield pa.RecordBatch.from_arrays(arrays, list(FIELDS))
    except (*_TORN, etree.XMLSyntaxError, ValueError, KeyError, TypeError, IndexError) as fault:
        raise _torn(path, "its records", fault) from fault


def _read_json_list(path: Path, file: io.BufferedReader, columns: Columns) -> Iterator[pa.RecordBatch]:
    """A list of papers, or a response whose `results` are one."""
    try:
        tree = json.loads(capped.whole(file), strict=False)
    except (*_TORN, ValueError, RecursionError) as fault:
        raise _torn(path, "a list of papers", fault) from fault
    listed = tree.get("results") if isinstance(tree, dict) else tree
    if not isinstance(listed, list) or not listed or not all(isinstance(paper, dict) for paper in listed):
        raise UnknownKindError(path, expected="a list of papers", found="other JSON", remedy="write one paper per line")
    papers = [(number, as_plain(paper)) for number, paper in enumerate(listed, 1)]
    columns.check(path, papers[0][1])
    yield _batch(path, papers, columns)


def _read_json_lines(path: Path, file: io.BufferedReader, columns: Columns) -> Iterator[pa.RecordBatch]:
    lines = _numbered_lines(path, file)
    checked = False
    while some := list(islice(lines, _BATCH)):
        papers = [(number, as_plain(_parse(path, number, line))) for number, line in some]
        if not checked:
            columns.check(path, papers[0][1])
            checked = True
        yield _batch(path, papers, columns)


def _batch(path: Path, papers: list[tuple[int, dict[str, Any]]], columns: Columns) -> pa.RecordBatch:
    return pa.RecordBatch.from_arrays([_texts(path, field, columns, papers) for field in FIELDS], list(FIELDS))


def _numbered_lines(path: Path, file: io.BufferedReader) -> Iterator[tuple[int, bytes]]:
    """The lines that are not blank, with their numbers from 1."""
    number = 0
    try:
        for number, line in enumerate(capped.lines(file), 1):
            if line.strip():
                yield number, line
    except _TORN as fault:
        raise _torn(path, f"line {number + 1}", fault) from fault


def _parse(path: Path, number: int, line: bytes) -> dict[str, Any]:
    try:
        paper = json.loads(line, strict=False)
        found = type(paper).__name__
    except (ValueError, RecursionError) as fault:
        paper, found = None, str(fault)
    if isinstance(paper, dict):
        return paper
    raise InputError(
        f"{path} line {number}", expected="a JSON object", found=found, remedy="correct or remove the line"
    )


def _texts(path: Path, field: str, columns: Columns, papers: list[tuple[int, dict[str, Any]]]) -> pa.Array:
    """A field of the papers as text: numbers are written out, lone surrogates become question marks, NaN is null."""
    values = [(number, paper.get(columns.names[field])) for number, paper in papers]
    for number, value in values:
        if not isinstance(value, str | int | float | None):
            raise InputError(
                f"{path} line {number}",
                expected=f"text for the {field}",
                found=type(value).__name__,
                remedy=f"name another column with --columns {field}=COLUMN",
            )
    texts = [None if pd.isna(value) else str(value).encode("utf-8", "replace") for _, value in values]
    return pa.array(texts, pa.binary()).cast(pa.string())


def _read_csv(path: Path, file: io.BufferedReader, columns: Columns) -> Iterator[pa.RecordBatch]:
    header = file.peek(_MAX_ROW_BYTES).split(b"\n", 1)[0]
    delimiter = max(",\t;", key=lambda mark: header.count(mark.encode()))
    parse = pyarrow.csv.ParseOptions(delimiter=delimiter, newlines_in_values=True)
    convert = pyarrow.csv.ConvertOptions(
        column_types={name: pa.string() for name in (*columns.names.values(), *ZOTERO.values())},
        strings_can_be_null=True,
        null_values=[""],
    )
    read = pyarrow.csv.ReadOptions(block_size=_MAX_ROW_BYTES)
    try:
        with pyarrow.csv.open_csv(file, read, parse, convert) as table:
            if not columns.mapped and {ZOTERO["id"], ZOTERO["abstract"]}.issubset(table.schema.names):
                columns = Columns(names=ZOTERO, mapped=columns.mapped)
            columns.check(path, table.schema.names)
            for batch in table:
                yield _select(batch, columns)
    except (pa.ArrowException, UnicodeDecodeError, *_TORN) as fault:
        names = header.decode("utf-8", "replace").split(delimiter)
        kind = InputError if columns.may_be_papers(names) else UnknownKindError
        raise _torn(path, "its rows", fault, kind) from fault


def _read_parquet(path: Path, file: io.BufferedReader, columns: Columns) -> Iterator[pa.RecordBatch]:
    try:
        table = pyarrow.parquet.ParquetFile(file)
        columns.check(path, table.schema_arrow.names)
        wanted = [name for name in columns.names.values() if name in table.schema_arrow.names]
        for batch in table.iter_batches(_BATCH, columns=wanted):
            yield _select(batch, columns)
    except (pa.ArrowException, *_TORN) as fault:
        raise _torn(path, "its rows", fault) from fault


def _select(batch: pa.RecordBatch, columns: Columns) -> pa.RecordBatch:
    """The fields as text; null where the file lacks the column."""
    arrays = [
        batch[columns.names[field]].cast(pa.string()) if columns.names[field] in batch.schema.names
        else pa.nulls(len(batch), pa.string())
        for field in FIELDS
    ]  # fmt: skip
    return pa.RecordBatch.from_arrays(arrays, list(FIELDS))


def _torn(path: Path, part: str, fault: Exception, kind: type[InputError] = InputError) -> InputError:
    if isinstance(fault, capped.TooLongError):
        return kind(path, expected=str(fault), found=f"a longer one at {part}", remedy="split or correct the file")
    found = " ".join(str(fault).split()) or type(fault).__name__
    return kind(f"{path}", expected=f"to read {part}", found=found, remedy="fetch or write the file again")
