"""Files of text that strangers write, plain or packed by gzip: a door each for texts, lines, tables and sheets."""

import codecs
import csv
import gzip
import io
import re
import zlib
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import pandas as pd

from data.console.errors import InputError
from data.console.messages import quantity, say
from data.console.paths import existing_file
from data.files import characters, tables

MAX_TEXT_BYTES = 4 * 2**30
"""Bytes of a text that is read into memory."""
MAX_LINE_BYTES = 16 * 2**20
"""Bytes of a line that is read."""
GZIP = b"\x1f\x8b"
DAMAGED = (EOFError, gzip.BadGzipFile, zlib.error)
"""What reading a damaged file of gzip raises."""

MOST_NAMES, MOST_OF_NAME = 8, 40
"""At most this many columns that were not read are named, by this many characters each."""

_SEPARATORS = ",;\t"
_STATED = re.compile(rf"sep=([{_SEPARATORS}])\r?\n?")
"""The line with which Excel states the separator, before the header."""
_RAGGED = re.compile(r"Expected ([0-9]+) fields in line ([0-9]+), saw ([0-9]+)")
"""What pandas says of a line that is longer than those before it."""


@dataclass(frozen=True, kw_only=True)
class Sheet:
    """A table that a person wrote, and what to do where it is wrong."""

    path: Path
    rows: pd.DataFrame
    """Texts, none of them null; the index is the line in the file on which each row ends."""
    remedy: str

    def require_columns(self, needed: Collection[str], known: Collection[str] | None = None) -> None:
        """Raises InputError where a needed column is missing, or one is there twice or not known (None: any is)."""
        columns = set(self.rows.columns)
        repeated = len(columns) < len(self.rows.columns)
        if repeated or not set(needed) <= columns or (known is not None and not columns <= set(known)):
            expected = "the columns " + ", ".join(needed) + (f" and none but {', '.join(known)}" if known else "")
            raise InputError(self.path, expected=expected, found=", ".join(self.rows.columns), remedy=self.remedy)

    def name_others(self, read: Collection[str]) -> str:
        """What the sheet holds beside the columns that are read, as `name_unread` says it."""
        return name_unread(name for name in self.rows.columns if name not in read and self.rows[name].ne("").any())

    def require_rows(self, right: "pd.Series[bool]", expected: str, found: "pd.Series[str]") -> None:
        """Raises InputError that names the line of the first row that is not `right`, and what was found there."""
        wrong = found[~right.astype("bool")]
        if not wrong.empty:
            where = f"{self.path}, line {wrong.index[0]}"
            raise InputError(where, expected=expected, found=str(wrong.iloc[0]), remedy=self.remedy)


def read_sheet(path: Path, what: str, remedy: str, further: Sequence[str] = ()) -> Sheet:
    """The table in a file of any spreadsheet program, as `read_table`; rows without any text are left out.

    Its header may be in any case: the columns have lower case. In a text, cells are separated by commas, semicolons or
    tabs, whichever the header has most of or a first line such as `sep=;` names; its line ends may be any system's.

    A header that begins like `further` has the rest of these columns, too. Raises InputError for any other file and for
    a row with more cells than the header; `what` names the file expected.
    """
    try:
        (_, header), *rows = [*_rows(_with_plain_ends(read_table(path, what)))] or [(0, [])]
    except csv.Error as fault:
        raise InputError(path, expected=what, found=str(fault), remedy=remedy) from fault
    names = [name.strip().lower() for name in header]
    if not names:
        raise InputError(path, expected=what, found="nothing", remedy=remedy)
    names = [*further] if names == [*further][: len(names)] else names
    for line, cells in rows:
        if len(cells) > len(names):
            where, expected = f"{path}, line {line}", f"at most {len(names)} cells, as in the header"
            quote = "put texts that hold a separator in quotes"
            raise InputError(where, expected=expected, found=str(len(cells)), remedy=quote)
    filled = [[*row, *[""] * (len(names) - len(row))] for _, row in rows]
    return Sheet(path=path, rows=pd.DataFrame(filled, [line for line, _ in rows], names, dtype="str"), remedy=remedy)


def name_unread(names: Iterable[str]) -> str:
    """What was not read of a file, on one line: `not read: Source, Note`; empty where all was."""
    first = list(dict.fromkeys(" ".join(name.split())[:MOST_OF_NAME] for name in names))
    more = f" and {len(first) - MOST_NAMES} more" if len(first) > MOST_NAMES else ""
    return f"not read: {', '.join(first[:MOST_NAMES])}{more}" if first else ""


def whole_numbers(cells: "pd.Series[str]") -> "pd.Series[str]":
    """The cells without spaces around them; whole numbers without the `.0` or `,0` that programs write beside gaps."""
    return cells.str.strip().str.replace(r"^([+-]?\d+)(?:\.0+|,0)$", r"\1", regex=True)


def read_header(text: str) -> list[str]:
    """The names of the columns of a table that begins so, as in `read_sheet`; none where it is no CSV."""
    try:
        return [name.strip().lower() for name in next(_rows(text), (0, []))[1]]
    except csv.Error:
        return []


def _rows(text: str) -> Iterator[tuple[int, list[str]]]:
    """The rows with any text, without empty cells at their ends, each with the line on which it ends."""
    stated = _STATED.match(text)
    separator = stated[1] if stated else separator_of(text)
    reader = csv.reader(io.StringIO(text), delimiter=separator, skipinitialspace=True, strict=True)
    for cells in reader:
        trimmed = _trim(cells)
        if trimmed and not (stated and reader.line_num == 1):
            yield reader.line_num, trimmed


def separator_of(text: str) -> str:
    """Comma, semicolon or tab: what the first line has most of; a comma where it has none."""
    return max(_SEPARATORS, key=text.lstrip().partition("\n")[0].count)


def _trim(cells: list[str]) -> list[str]:
    n = max((place for place, cell in enumerate(cells, start=1) if cell.strip()), default=0)
    return cells[:n]


def read_text(path: Path, what: str, most: int = MAX_TEXT_BYTES) -> str:
    """The text of a file in UTF-8, with or without a byte-order mark. Raises InputError for another or larger file."""
    return _with_plain_ends(read_exact(path, what, most))


def _with_plain_ends(text: str) -> str:
    return io.StringIO(text, newline=None).read()


def read_exact(path: Path, what: str, most: int = MAX_TEXT_BYTES) -> str:
    """As `read_text`, with the line ends that the file has."""
    try:
        return _read_bytes(path, what, most).decode("utf-8-sig")
    except UnicodeDecodeError as fault:
        raise _no_text(path, what, fault) from fault


def read_table(path: Path, what: str) -> str:
    """The table in a file as delimited text: of a text as it is; of a workbook, Parquet or JSON as `tables` writes it.

    A text may be in UTF-8, UTF-16 or Windows-1252; where that is a guess, a line says so. Raises InputError for another
    file.
    """
    content = _read_bytes(path, what, MAX_TEXT_BYTES)
    try:
        table = tables.to_delimited(content, path, what)
        return content.decode("utf-8-sig") if table is None else table
    except UnicodeDecodeError as fault:
        text = characters.decode(content)
        if text is None:
            raise _no_text(path, what, fault) from fault
        if not content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            say(f"{path}: not in UTF-8; if its letters look wrong, save it as UTF-8")
        return text.content


def _read_bytes(path: Path, what: str, most: int) -> bytes:
    """The file's content, unpacked. Raises InputError where it is missing, larger, or damaged gzip."""
    existing_file(path, what)
    try:
        with path.open("rb") as raw:
            size = path.stat().st_size
            content = _unpacked(raw).read(most + 1) if size <= most else b""
    except DAMAGED as fault:
        raise _no_text(path, what, fault) from fault
    if max(size, len(content)) > most:
        found = f"{max(size, len(content)) // 2**20} MB"
        raise InputError(path, expected=f"{what}, of at most {most // 2**20} MB", found=found, remedy="divide it")
    return content


def read_lines(path: Path, what: str) -> Iterator[str]:
    """The lines of a file in UTF-8 one after another, without line ends. Raises InputError for another file."""
    existing_file(path, what)
    number = 0
    with path.open("rb") as raw:
        file = _unpacked(raw)
        try:
            while line := file.readline(MAX_LINE_BYTES + 1):
                number += 1
                if len(line) > MAX_LINE_BYTES:
                    found = f"more than {MAX_LINE_BYTES // 2**20} MB"
                    raise InputError(f"{path}, line {number}", expected="a line", found=found, remedy="divide it")
                yield line.decode("utf-8-sig" if number == 1 else "utf-8").rstrip("\r\n")
        except (UnicodeDecodeError, *DAMAGED) as fault:
            place = number + (not isinstance(fault, UnicodeDecodeError))
            raise _no_text(f"{path}, line {place}", what, fault) from fault


def _unpacked(raw: BinaryIO) -> BinaryIO:
    """The file's content; unpacked where it is gzip, whatever the file is called."""
    is_packed = raw.read(len(GZIP)) == GZIP
    raw.seek(0)
    packed: Any = gzip.GzipFile(fileobj=raw)
    return io.BufferedReader(packed) if is_packed else raw


def _no_text(where: object, what: str, fault: Exception) -> InputError:
    if isinstance(fault, UnicodeDecodeError):
        found, remedy = f"bytes of another encoding (at {fault.start})", "save it as UTF-8"
    else:
        found, remedy = f"damaged gzip ({str(fault)[:80]})", "fetch it again"
    return InputError(where, expected=f"{what} in UTF-8", found=found, remedy=remedy)


def read_delimited(path: Path, what: str, remedy: str, **options: Any) -> pd.DataFrame:
    """The cells of a table, as `read_table` and `split_cells`. Raises InputError for another file."""
    return split_cells(read_table(path, what), path, what, remedy, **options)


def split_cells(text: str, where: object, what: str, remedy: str, **options: Any) -> pd.DataFrame:
    """The cells of delimited text, as texts; those that a short line lacks are empty.

    `options` go to pandas' `read_csv`; without `sep`, the first line says what separates cells. Raises InputError for
    other text.
    """
    given: dict[str, Any] = {"sep": separator_of(text)} | options
    try:
        frame: pd.DataFrame = pd.read_csv(io.StringIO(text), dtype=str, keep_default_na=False, **given)
    except (ValueError, csv.Error, OverflowError) as fault:
        found = " ".join(str(fault).split())[:120]
        if ragged := _RAGGED.search(found):
            where, what, found = (
                f"{where}, line {ragged[2]}",
                f"at most {quantity(int(ragged[1]), 'cell')}, as before",
                ragged[3],
            )
        raise InputError(where, expected=what, found=found, remedy=remedy) from fault
    if not isinstance(frame.index, pd.RangeIndex):  # all rows are longer: pandas takes what comes first as their names
        n, found = len(frame.columns), str(len(frame.columns) + frame.index.nlevels)
        raise InputError(where, expected=f"{n} cells in a row, as in the header", found=found, remedy=remedy)
    return frame.fillna("")
