"""Papers in workbooks of Excel: each sheet is read as any other table."""

import io
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import pyarrow as pa

from data.console.errors import InputError
from data.files.papers import bounded_reads, files
from data.files.workbooks import WorkbookError, is_workbook, read_sheets


def read(path: Path, file: BinaryIO, columns: files.Columns) -> Iterator[pa.RecordBatch]:
    """The records of all sheets that are tables of papers. Raises InputError, and UnknownKindError where none is."""
    try:
        content = bounded_reads.whole(file)
    except (OSError, ValueError) as fault:
        raise _damaged(path, fault) from fault
    if not is_workbook(content):
        raise _unknown(path, "another archive or document", "unpack it, or save its table as CSV")
    unknown: files.UnknownKindError | None = _unknown(path, "one without text", "name the files of papers")
    try:
        for _, sheet in read_sheets(content):
            try:
                yield from files.read(path, io.BufferedReader(io.BytesIO(sheet)), columns)
                unknown = None
            except files.UnknownKindError as fault:
                unknown = unknown and fault
    except WorkbookError as fault:
        raise _damaged(path, fault) from fault
    if unknown:
        raise unknown


def _damaged(path: Path, fault: Exception) -> InputError:
    return InputError(path, expected="a whole workbook", found=str(fault), remedy="save it again, or as CSV")


def _unknown(path: Path, found: str, remedy: str) -> files.UnknownKindError:
    return files.UnknownKindError(path, expected="a workbook of papers (.xlsx, .xls)", found=found, remedy=remedy)
