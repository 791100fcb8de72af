"""Rows of the sheet of decks (`-a decks=FILE.csv`) that answer a finding."""

import csv
import io
from collections.abc import Collection, Mapping
from dataclasses import dataclass

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


@dataclass(frozen=True, kw_only=True)
class OfferedRow:
    """A row of the sheet, and what it does."""

    path: str
    """The file that it is for."""
    cells: Mapping[str, str]
    """By column."""
    effect: str
    """What it does, in words that go on from the row: `reads these two`."""

    def row(self) -> str:
        """The line to paste."""
        return write_row(self.path, **self.cells)

    def show(self) -> str:
        """The row and what it does."""
        return f"`{self.row()}` {self.effect}"


def offer_skip(path: str) -> OfferedRow:
    """The row that leaves a file out."""
    return OfferedRow(path=path, cells={"skip": "yes"}, effect="leaves it out")


def write_cell(names: Collection[str]) -> str:
    """Names as a row of CSV, which is what a cell with several names holds."""
    row = io.StringIO()
    csv.writer(row, lineterminator="").writerow(names)
    return row.getvalue()
