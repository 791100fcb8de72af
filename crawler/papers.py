"""Papers from files: JSON lines, CSV or Parquet, plain or gzip, told apart by content."""

import codecs
import gzip
import io
import json
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, cast

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet

from data.console import existing_file, progress
from data.errors import InputError

FIELDS = ("id", "title", "abstract", "year", "venue")
SCHEMA = pa.schema([(field, pa.string()) for field in (*FIELDS, "row")])
"""`row` is the paper's place: file name and number of its line or row, from 1."""

_BATCH = 5_000
_MAX_ROW_BYTES = 16 * 2**20
_TORN = (OSError, EOFError, zlib.error)


@dataclass(frozen=True, kw_only=True)
class Columns:
    """What the files call the fields of a paper."""

    names: Mapping[str, str]
    """Field -> column, for every field."""
    mapped: frozenset[str]
    """The fields whose column the user named: those must be there, like the title."""

    @classmethod
    def parse(cls, mapping: Sequence[str]) -> "Columns":
        """From `field=column` each. Raises InputError for anything else."""
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
        """Raises InputError where the title's column, or one that the user named, is not among those found."""
        present = list(found)
        for field in FIELDS:
            if (field == "title" or field in self.mapped) and self.names[field] not in present:
                raise InputError(
                    path,
                    expected=f"a column {self.names[field]!r} for the {field}",
                    found="the columns " + ", ".join(map(str, present)),
                    remedy=f"map it with --columns {field}=COLUMN (a plain list of terms goes to --terms)",
                )


def read_papers(paths: Sequence[Path], columns: Columns) -> pa.Table:
    """The papers of all files in their order, with the columns of SCHEMA, all text; what a paper lacks is null.

    Raises InputError with the line or row of the first thing that cannot be read.
    """
    batches = [
        batch for path in paths for batch in progress(_read_file(path, columns), label=path.name, unit="batches")
    ]
    return pa.Table.from_batches(batches, schema=SCHEMA)


def distinct(papers: pa.Table) -> tuple[pa.Table, pd.DataFrame]:
    """The papers that count, and the others with their reasons (columns id, reason, detail; id is the row).

    `no_text`: neither title nor abstract; `same_id`, `same_title`: an earlier paper has the same id, or the same
    title after lower-casing and dropping all but letters and digits.
    """
    frame = papers.select(["id", "row"]).to_pandas(types_mapper=pd.ArrowDtype)
    titles = pc.replace_substring_regex(pc.utf8_lower(papers["title"]), r"[^\p{L}\p{N}]+", "")
    frame["title"] = pd.Series(titles.to_pandas(types_mapper=pd.ArrowDtype)).replace("", pd.NA)
    text = pc.binary_join_element_wise(papers["title"], papers["abstract"], "", null_handling="replace")
    frame["reason"] = None
    empty = (pc.utf8_length(pc.utf8_trim_whitespace(text)).to_pandas() == 0).to_numpy()
    frame.loc[empty, "reason"] = "no_text"
    for column in ("id", "title"):
        left = frame[frame["reason"].isna() & frame[column].notna()]
        frame.loc[left.index[left[column].duplicated()], "reason"] = f"same_{column}"
    dropped = frame[frame["reason"].notna()]
    rejects = pd.DataFrame({"id": dropped["row"], "reason": dropped["reason"], "detail": dropped["id"]})
    return papers.filter(pa.array(frame["reason"].isna())), rejects


def _read_file(path: Path, columns: Columns) -> Iterator[pa.RecordBatch]:
    existing_file(path, "a file of papers")
    n_rows = 0
    with path.open("rb") as packed:
        is_gzip = packed.peek(2)[:2] == b"\x1f\x8b"
        file = io.BufferedReader(cast(Any, gzip.GzipFile(fileobj=packed) if is_gzip else packed))
        for batch in _choose_reader(path, file)(path, file, columns):
            rows = pa.array(f"{path.name} row {row}" for row in range(n_rows + 1, n_rows + len(batch) + 1))
            n_rows += len(batch)
            yield pa.RecordBatch.from_arrays([*batch.columns, rows], schema=SCHEMA)


Reader = Callable[[Path, io.BufferedReader, Columns], Iterator[pa.RecordBatch]]
"""Yields the fields of a file's papers, all text, or raises InputError."""


def _choose_reader(path: Path, file: io.BufferedReader) -> Reader:
    try:
        start = file.peek(1024).removeprefix(codecs.BOM_UTF8).lstrip()
    except _TORN as fault:
        raise _torn(path, "its first line", fault) from fault
    if start.startswith(b"PAR1"):
        return _read_parquet
    if start.startswith(b"{"):
        return _read_json_lines
    if not start or start.startswith(b"["):
        found = "a JSON array" if start else "nothing"
        raise InputError(path, expected="JSON lines, CSV or Parquet", found=found, remedy="convert it")
    return _read_csv


def _read_json_lines(path: Path, file: io.BufferedReader, columns: Columns) -> Iterator[pa.RecordBatch]:
    lines = _numbered_lines(path, file)
    checked = False
    while batch := list(islice(lines, _BATCH)):
        papers = [(number, _parse(path, number, line)) for number, line in batch]
        if not checked:
            columns.check(path, papers[0][1])
            checked = True
        yield pa.RecordBatch.from_arrays([_texts(path, field, columns, papers) for field in FIELDS], list(FIELDS))


def _numbered_lines(path: Path, file: io.BufferedReader) -> Iterator[tuple[int, bytes]]:
    """The lines that are not blank, with their numbers from 1."""
    number = 0
    try:
        for number, line in enumerate(file, 1):
            if line.strip():
                yield number, line
    except _TORN as fault:
        raise _torn(path, f"line {number + 1}", fault) from fault


def _parse(path: Path, number: int, line: bytes) -> dict[str, Any]:
    try:
        paper = json.loads(line)
    except ValueError as fault:
        paper = fault
    if isinstance(paper, dict):
        return paper
    found = str(paper) if isinstance(paper, ValueError) else type(paper).__name__
    raise InputError(f"{path} line {number}", expected="a JSON object", found=found, remedy="mend or remove the line")


def _texts(path: Path, field: str, columns: Columns, papers: list[tuple[int, dict[str, Any]]]) -> pa.Array:
    """A field of the papers as text; numbers are written out."""
    values = [(number, paper.get(columns.names[field])) for number, paper in papers]
    for number, value in values:
        if not isinstance(value, str | int | float | None):
            raise InputError(
                f"{path} line {number}",
                expected=f"text for the {field}",
                found=type(value).__name__,
                remedy=f"name another column with --columns {field}=COLUMN",
            )
    return pa.array([value if value is None else str(value) for _, value in values], pa.string())


def _read_csv(path: Path, file: io.BufferedReader, columns: Columns) -> Iterator[pa.RecordBatch]:
    header = file.peek(_MAX_ROW_BYTES).split(b"\n", 1)[0]
    delimiter = max(",\t;", key=lambda mark: header.count(mark.encode()))
    parse = pyarrow.csv.ParseOptions(delimiter=delimiter, newlines_in_values=True)
    convert = pyarrow.csv.ConvertOptions(
        column_types={name: pa.string() for name in columns.names.values()}, strings_can_be_null=True, null_values=[""]
    )
    read = pyarrow.csv.ReadOptions(block_size=_MAX_ROW_BYTES)
    try:
        with pyarrow.csv.open_csv(file, read, parse, convert) as table:
            columns.check(path, table.schema.names)
            for batch in table:
                yield _select(batch, columns)
    except (pa.ArrowException, *_TORN) as fault:
        raise _torn(path, "its rows", fault) from fault


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
    """The fields as text; null where the file has no such column."""
    arrays = [
        batch[columns.names[field]].cast(pa.string()) if columns.names[field] in batch.schema.names
        else pa.nulls(len(batch), pa.string())
        for field in FIELDS
    ]  # fmt: skip
    return pa.RecordBatch.from_arrays(arrays, list(FIELDS))


def _torn(path: Path, part: str, fault: Exception) -> InputError:
    found = " ".join(str(fault).split()) or type(fault).__name__
    return InputError(f"{path}", expected=f"to read {part}", found=found, remedy="fetch or write the file again")
