"""The row of the sheet of decks (`-a decks=FILE.csv`) that answers a finding."""

import csv
import io
from collections.abc import Collection

STATED = ("licence", "credit", "title", "link")
"""Columns about the licence of a deck."""
READ = ("skip", "shape", "fields", "separator", "columns", "header", "reversed", "note_types", "language")
"""Columns about how a file is read."""
COLUMNS = ("path", *STATED, *READ)
WHERE_ROWS_GO = f"rows go into a CSV for -a decks=FILE, below its header: {','.join(COLUMNS)}"


def write_row(path: str, **cells: str) -> str:
    """The row for a path, without the empty cells at its end."""
    values = [path, *(cells.get(column, "") for column in COLUMNS[1:])]
    while not values[-1]:
        values.pop()
    return write_cell(values)


def show_row(path: str, **cells: str) -> str:
    """The row as it is shown amid other words."""
    return f"`{write_row(path, **cells)}`"


def write_cell(names: Collection[str]) -> str:
    """Names as a row of CSV, which is what a cell with several names holds."""
    row = io.StringIO()
    csv.writer(row, lineterminator="").writerow(names)
    return row.getvalue()
