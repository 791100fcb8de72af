"""Papers in workbooks of Excel, old and new: each sheet as a text with commas, to be read as any other table."""

import csv
import io
import struct
import warnings
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

import pyarrow as pa

from data.console.errors import InputError
from data.files.papers import bounded_reads, files

OLD = b"\xd0\xcf\x11\xe0"
ZIP = b"PK\x03\x04"
_BOOK = "xl/workbook.xml"
MAX_UNPACKED_BYTES = 256 * 2**20
"""Of all parts of a workbook together, as it states them; zipfile reads no more of a part."""
_FAULTS = (
    zipfile.BadZipFile, zlib.error, EOFError, OSError, SyntaxError, KeyError, ValueError, TypeError, AttributeError,
    IndexError, OverflowError, NotImplementedError, RuntimeError, AssertionError, struct.error,
)  # fmt: skip
"""What zipfile, openpyxl and xlrd raise for damaged workbooks; damaged XML is a SyntaxError."""


def read(path: Path, file: BinaryIO, columns: files.Columns) -> Iterator[pa.RecordBatch]:
    """The records of all sheets that are tables of papers. Raises InputError, and UnknownKindError where none is."""
    unknown: files.UnknownKindError | None = _unknown(path, "one without text", "name the files of papers")
    for sheet in _readable(path, file):
        try:
            yield from files.read(path, io.BufferedReader(io.BytesIO(sheet)), columns)
            unknown = None
        except files.UnknownKindError as fault:
            unknown = unknown and fault
    if unknown:
        raise unknown


def _readable(path: Path, file: BinaryIO) -> Iterator[bytes]:
    """The sheets with any text."""
    try:
        content = bounded_reads.whole(file)
        if content.startswith(OLD):
            yield from _write(_read_old(path, content))
            return
        with zipfile.ZipFile(io.BytesIO(content)) as parts:
            size = sum(part.file_size for part in parts.infolist())
            is_book = _BOOK in parts.namelist()
        if not is_book:
            raise _unknown(path, "another archive", "unpack it, or save its table as CSV")
        if size > MAX_UNPACKED_BYTES:
            expected = f"a workbook of at most {MAX_UNPACKED_BYTES // 2**20} MB, unpacked"
            raise InputError(path, expected=expected, found=f"{size // 2**20:,} MB", remedy="save it as CSV")
        yield from _write(_read_new(content))
    except _FAULTS as fault:
        found = (" ".join(str(fault).split()) or type(fault).__name__)[:80]
        raise InputError(path, expected="a whole workbook", found=found, remedy="save it again, or as CSV") from fault


def _unknown(path: Path, found: str, remedy: str) -> files.UnknownKindError:
    return files.UnknownKindError(path, expected="a workbook of papers (.xlsx, .xls)", found=found, remedy=remedy)


def _write(sheets: Iterable[Iterable[Iterable[object]]]) -> Iterator[bytes]:
    """Each sheet with any text, from its rows of cells."""
    for rows in sheets:
        text = io.StringIO(newline="")
        writer = csv.writer(text, lineterminator="\n")
        for row in rows:
            cells = ["" if cell is None else f"{cell:.15g}" if isinstance(cell, float) else str(cell) for cell in row]
            if any(cells):
                writer.writerow(cells)
        if text.tell():
            yield text.getvalue().encode("utf-8", "replace")


def _read_new(content: bytes) -> Iterator[Iterable[Iterable[object]]]:
    import openpyxl

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of styles and the like
        book = openpyxl.load_workbook(io.BytesIO(content), read_only=True, data_only=True)
    for sheet in book.worksheets:
        sheet.reset_dimensions()
        yield sheet.iter_rows(values_only=True)


def _read_old(path: Path, content: bytes) -> Iterator[Iterable[Iterable[object]]]:
    """The sheets of a workbook of Excel before 2007, as Web of Science still writes them."""
    import xlrd

    try:
        book = xlrd.open_workbook(file_contents=content, ragged_rows=True, logfile=io.StringIO())
    except (xlrd.XLRDError, xlrd.compdoc.CompDocError) as fault:
        found = "another file of Office before 2007, a damaged or an encrypted one"
        raise _unknown(path, found, "save it as .xlsx or CSV") from fault

    def value(cell: xlrd.sheet.Cell) -> object:
        if cell.ctype == xlrd.XL_CELL_DATE:
            return xlrd.xldate_as_datetime(cell.value, book.datemode)
        return None if cell.ctype == xlrd.XL_CELL_ERROR else cell.value

    for sheet in book.sheets():
        yield (map(value, row) for row in sheet.get_rows())
