"""Papers in tables: text with commas, tabs or semicolons, below any text above its header, and Parquet."""

import csv
import io
import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet

from data.files.papers import bounded_reads
from data.files.papers.exporters import FIELDS, Names, choose

BATCH = 5_000
_DELIMITERS = ",\t;|"
_TOP_LINES = 50
"""Lines at the top of a file among which its header is."""
_BLOCK_BYTES = 8 * 2**20
_MAX_LINES = 2_000
"""Of one row."""
_MAX_TORN = 100
"""Rows whose quotation marks enclose no cells, after which they are characters like others."""


@dataclass(frozen=True, kw_only=True)
class Header:
    """The names of a table's columns, and where they are."""

    cells: Sequence[str]
    delimiter: str
    line: int
    """Lines above it."""
    names: Names


def find_header(top: str, mapped: Mapping[str, str]) -> Header | None:
    """The first line that names a title, or else an abstract; None where none does."""
    with_abstract = None
    for number, line in enumerate(top.splitlines()[:_TOP_LINES]):
        delimiter = max(_DELIMITERS, key=line.count)
        cells = [cell.strip() for cell in _split(line, delimiter)]
        header = Header(cells=cells, delimiter=delimiter, line=number, names=choose(cells, mapped))
        is_row = len(cells) > 1 or cells[0].lower() == "title"
        if is_row and header.names["title"]:
            return header
        with_abstract = with_abstract or (header if is_row and header.names["abstract"] else None)
    return with_abstract


def _split(line: str, delimiter: str) -> list[str]:
    """The cells of a line that is a row; where its quotation marks enclose no cells, they belong to the text."""
    line = line.rstrip("\r\n")
    cells = line.split(delimiter)
    if '"' in line:
        quoted = next(csv.reader([line], delimiter=delimiter), [])
        return quoted if not any("\n" in cell for cell in quoted) else cells
    return cells


def read_text(file: io.BufferedIOBase, header: Header) -> Iterator[pa.RecordBatch]:
    """The rows below the header, each a paper; quick as long as all have every cell, properly enclosed."""
    blocks = _blocks(file, header.line + 1, header.delimiter.encode())
    for block in blocks:
        table = _read_block(block, header)
        if table is None:
            yield from _read_rows(_lines(chain([block], blocks)), header)
            return
        yield from table


def _blocks(file: io.BufferedIOBase, n_skipped: int, delimiter: bytes) -> Iterator[bytes]:
    """The file in blocks of whole rows, or lines, which end with `\\n`, without the first lines and empty rows."""
    rest, is_old_mac = b"", False
    while chunk := file.read(_BLOCK_BYTES):
        is_old_mac = is_old_mac or (not rest and b"\n" not in chunk and b"\r" in chunk)
        content = rest + (chunk.replace(b"\r", b"\n") if is_old_mac else chunk)
        cut = _end(content)
        block, rest = content[:cut], content[cut:]
        if len(rest) > bounded_reads.MAX_LINE_BYTES:
            raise bounded_reads.TooLongError(f"a line of at most {bounded_reads.MAX_LINE_BYTES:,} bytes")
        while n_skipped and block:
            block, n_skipped = block.partition(b"\n")[2], n_skipped - 1
        if block := _without_empty_rows(block, delimiter):
            yield block
    if not n_skipped and (rest := _without_empty_rows(rest, delimiter)):
        yield rest


def _without_empty_rows(block: bytes, delimiter: bytes) -> bytes:
    row = re.compile(rb"\n%b+\r?(?=\n|\Z)" % re.escape(delimiter))
    return row.sub(b"", b"\n" + block)[1:] if block.startswith(delimiter) or row.search(block) else block


def _end(content: bytes) -> int:
    """The end of the last line that is outside quotation marks; of the last line where it is far from there."""
    last = end = content.rfind(b"\n") + 1
    is_inside = content.count(b'"', 0, end) % 2
    for _ in range(_MAX_LINES):
        if not is_inside or not end:
            break
        before = content.rfind(b"\n", 0, end - 1) + 1
        is_inside = (is_inside + content.count(b'"', before, end)) % 2
        end = before
    return last if is_inside else end


def _lines(blocks: Iterable[bytes]) -> Iterator[str]:
    for block in blocks:
        yield from io.StringIO(block.decode("utf-8", "replace"), newline="")


def _read_block(block: bytes, header: Header) -> Iterator[pa.RecordBatch] | None:
    """The rows of a block; None unless each has all cells, and is one line or properly enclosed."""
    if b"\r" in block and block.count(b"\r") > block.count(b"\r\n"):
        return None
    places = {name: at for at, name in reversed([*enumerate(header.cells)])}
    wanted = {field: [str(places[name]) for name in names] for field, names in header.names.items()}
    columns = sorted({name for names in wanted.values() for name in names})
    try:
        table = pyarrow.csv.read_csv(
            pa.BufferReader(block),
            pyarrow.csv.ReadOptions(
                column_names=[*map(str, range(len(header.cells)))], use_threads=False, block_size=len(block)
            ),
            pyarrow.csv.ParseOptions(delimiter=header.delimiter, newlines_in_values=True),
            pyarrow.csv.ConvertOptions(
                include_columns=columns,
                column_types=dict.fromkeys(columns, pa.string()),
                strings_can_be_null=True,
                null_values=[""],
                check_utf8=False,  # CleanFile has seen to it
            ),
        )
    except pa.ArrowException:
        return None
    n_more = block.count(b"\n") + (not block.endswith(b"\n")) - table.num_rows
    if n_more and n_more != block.count(b"\n\n") + block.count(b"\n\r\n"):
        cell = rf'(?:"(?:[^"]|"")*"\r?|(?:[^"{header.delimiter}\n][^{header.delimiter}\n]*)?)'
        proper = rf"\A(?:{cell}[{header.delimiter}\n])*(?:{cell})\z"  # in RE2
        if not pc.match_substring_regex(pa.scalar(block, pa.binary()), proper).as_py():
            return None
    return select(table.to_batches(BATCH), wanted)


def _read_rows(lines: Iterator[str], header: Header) -> Iterator[pa.RecordBatch]:
    """The rows of a table with cells of several lines, torn quotation marks or missing cells."""
    places = {name: at for at, name in reversed([*enumerate(header.cells)])}
    wanted = [[places[name] for name in header.names[field]] for field in FIELDS]
    rows = iter(_Rows(lines, header))
    while some := [*islice(rows, BATCH)]:
        arrays = [pa.array([_cell(row, places) for row in some], pa.string()) for places in wanted]
        yield pa.RecordBatch.from_arrays(arrays, list(FIELDS))


def _cell(row: Sequence[str], places: Iterable[int]) -> str | None:
    return next((row[at] for at in places if at < len(row) and row[at]), None)


class _Rows:
    """The rows of a text, where quotation marks may stand for themselves.

    The cells of a row of several lines are properly enclosed. There are as many as in the header, or no line of it but
    the last could be a row by itself; otherwise its first line is one.
    """

    def __init__(self, lines: Iterator[str], header: Header) -> None:
        self._lines, self._header = lines, header
        self._waiting: deque[str] = deque()
        self._n_torn = self._n_whole = 0

    def __iter__(self) -> Iterator[list[str]]:
        while (line := self._next()) is not None:
            if line.strip():
                yield self._row(line)

    def _next(self) -> str | None:
        return self._waiting.popleft() if self._waiting else next(self._lines, None)

    def _row(self, line: str) -> list[str]:
        delimiter = self._header.delimiter
        if '"' not in line or self._n_torn > max(_MAX_TORN, self._n_whole):
            return line.rstrip("\r\n").split(delimiter)
        taken: list[str] = []
        try:
            row = next(csv.reader(self._take(line, taken), delimiter=delimiter, strict=True))
        except (csv.Error, StopIteration):
            row = []
        if row and (len(taken) == 1 or len(row) == len(self._header.cells) or not any(map(self._is_row, taken[:-1]))):
            self._n_whole += 1
            return row
        self._n_torn += 1
        self._waiting.extendleft(reversed(taken[1:]))
        row = _split(line, delimiter)
        return row if len(row) == len(self._header.cells) else line.rstrip("\r\n").split(delimiter)

    def _is_row(self, line: str) -> bool:
        """Whether a line has as many cells as the header."""
        return len(_split(line, self._header.delimiter)) >= len(self._header.cells)

    def _take(self, line: str, taken: list[str]) -> Iterator[str]:
        following: str | None = line
        while following is not None and len(taken) < _MAX_LINES:
            taken.append(following)
            yield following
            following = self._next()
        if following is not None:
            self._waiting.appendleft(following)


def read_parquet(file: io.BufferedIOBase, mapped: Mapping[str, str]) -> tuple[Sequence[str], Names, Iterator[Any]]:
    """The columns of a Parquet file, what it calls the fields, and its papers."""
    table = pyarrow.parquet.ParquetFile(file)
    present = table.schema_arrow.names
    names = choose(present, mapped)
    columns = sorted({name for some in names.values() for name in some})
    return present, names, select(table.iter_batches(BATCH, columns=columns), names)


def select(batches: Iterable[pa.RecordBatch], names: Names) -> Iterator[pa.RecordBatch]:
    """The fields as text, null where the file has none; of several columns the first that says anything."""
    for batch in batches:
        yield pa.RecordBatch.from_arrays([_field(batch, names[field]) for field in FIELDS], list(FIELDS))


def _field(batch: pa.RecordBatch, names: Sequence[str]) -> pa.Array:
    columns = [batch[name].cast(pa.string()) for name in names]
    empty = pa.nulls(len(batch), pa.string())
    if len(columns) < 2:
        return columns[0] if columns else empty
    return pa.compute.coalesce(*(pa.compute.if_else(pa.compute.equal(one, ""), empty, one) for one in columns))
