"""Workbooks of Excel for tests."""

import io
from pathlib import Path

import openpyxl

OLD = Path(__file__).parent / "data" / "files" / "papers" / "old.xls"
"""As Excel before 2007 wrote it: the sheets notes (one cell), savedrecs (a header and two papers) and empty."""


def workbook(**sheets: list[list[object]]) -> bytes:
    """A workbook with the rows of each sheet, by its name."""
    book, content = openpyxl.Workbook(), io.BytesIO()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    book.save(content)
    return content.getvalue()
