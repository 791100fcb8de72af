"""Workbooks of Excel, old and new: each sheet as a text of rows with commas, to be read as any other table."""

import csv
import io
import struct
import warnings
import zipfile
import zlib
from collections.abc import Iterable, Iterator

OLD = b"\xd0\xcf\x11\xe0"
ZIP = b"PK\x03\x04"
MAX_UNPACKED_BYTES = 256 * 2**20
"""Of all parts of a workbook together, as it states them; zipfile reads no more of a part."""
MAX_PADDED_COLUMNS = 256
"""Rows that end early are filled up to the sheet's width, at most this one: a stray cell can lie far out."""
_NEW_BOOK = "xl/workbook.xml"
_OLD_BOOKS = tuple(name.encode("utf-16-le") for name in ("Workbook", "Book"))
_FAULTS = (
    zipfile.BadZipFile, zlib.error, EOFError, OSError, SyntaxError, KeyError, ValueError, TypeError, AttributeError,
    IndexError, OverflowError, NotImplementedError, RuntimeError, AssertionError, struct.error,
)  # fmt: skip
"""What zipfile, openpyxl and xlrd raise for damaged workbooks; damaged XML is a SyntaxError."""

Rows = Iterable[Iterable[object]]


class WorkbookError(Exception):
    """The workbook is damaged, encrypted or too large; the message says which."""


def is_workbook(content: bytes) -> bool:
    """Whether these bytes are a workbook (.xlsx, .xls), as far as its list of parts says."""
    if content.startswith(OLD):
        return any(name in content for name in _OLD_BOOKS)
    if not content.startswith(ZIP):
        return False
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as parts:
            return _NEW_BOOK in parts.namelist()
    except _FAULTS:  # a damaged one still names some part
        return b"xl/" in content


def read_sheets(content: bytes) -> Iterator[tuple[str, bytes]]:
    """The name and the rows, in UTF-8, of each sheet with any text. Raises WorkbookError."""
    try:
        for name, rows in _read_old(content) if content.startswith(OLD) else _read_new(content):
            table = [cells for row in rows if (cells := _show(row))]
            width = min(max(map(len, table), default=0), MAX_PADDED_COLUMNS)
            text = io.StringIO(newline="")
            csv.writer(text, lineterminator="\n").writerows(cells + [""] * (width - len(cells)) for cells in table)
            if table:
                yield name, text.getvalue().encode("utf-8", "replace")
    except _FAULTS as fault:
        raise WorkbookError((" ".join(str(fault).split()) or type(fault).__name__)[:80]) from fault


def _show(row: Iterable[object]) -> list[str]:
    """The cells as text, without empty ones at the end."""
    cells = ["" if cell is None else f"{cell:.15g}" if isinstance(cell, float) else str(cell) for cell in row]
    while cells and not cells[-1].strip():
        cells.pop()
    return cells


def _read_new(content: bytes) -> Iterator[tuple[str, Rows]]:
    import openpyxl

    with zipfile.ZipFile(io.BytesIO(content)) as parts:
        size = sum(part.file_size for part in parts.infolist())
    if size > MAX_UNPACKED_BYTES:
        raise WorkbookError(f"{size // 2**20:,} MB, unpacked, where at most {MAX_UNPACKED_BYTES // 2**20} are read")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of styles and the like
        book = openpyxl.load_workbook(io.BytesIO(content), read_only=True, data_only=True)
    for sheet in book.worksheets:
        sheet.reset_dimensions()
        yield sheet.title, sheet.iter_rows(values_only=True)


def _read_old(content: bytes) -> Iterator[tuple[str, Rows]]:
    """The sheets of a workbook of Excel before 2007, as Web of Science still writes them."""
    import xlrd

    try:
        book = xlrd.open_workbook(file_contents=content, ragged_rows=True, logfile=io.StringIO())
    except (xlrd.XLRDError, xlrd.compdoc.CompDocError) as fault:
        raise WorkbookError(str(fault)) from fault

    def value(cell: xlrd.sheet.Cell) -> object:
        if cell.ctype == xlrd.XL_CELL_DATE:
            return xlrd.xldate_as_datetime(cell.value, book.datemode)
        return None if cell.ctype == xlrd.XL_CELL_ERROR else cell.value

    for sheet in book.sheets():
        yield sheet.name, (map(value, row) for row in sheet.get_rows())
