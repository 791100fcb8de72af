"""The row of the sheet of decks (`-a decks=FILE.csv`) that answers a finding."""

import csv
import io
import re
from collections.abc import Collection, Sequence

STATED = ("licence", "credit", "title", "link")
"""Columns about the licence of a deck."""
READ = ("skip", "shape", "fields", "separator", "columns", "header", "reversed", "note_types", "language")
"""Columns about how a file is read."""
COLUMNS = ("path", *STATED, *READ)
_WORD = re.compile(r"[^\W_]+")
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


def choose_fields(names: Sequence[str], columns: Sequence[Sequence[str]]) -> tuple[str, str] | None:
    """The names of two columns that may be sides: of those with many distinct texts, the first one, and the one with
    the longest texts behind it, of its language where names begin or end with one (`en_term`); None for no two.
    """
    n_texts = [len({text for text in texts if any(map(str.isalpha, text))}) for texts in columns]
    many = [at for at, n in enumerate(n_texts) if n and 2 * n >= max(n_texts)]
    if len(many) < 2:
        return None
    parts = [_WORD.findall(name.lower()) for name in names]
    first = parts[many[0]]
    same = [
        at
        for at in many[1:]
        if len(first) > 1 < len(parts[at]) and (parts[at][0] == first[0] or parts[at][-1] == first[-1])
    ]
    back = max(same or many[1:], key=lambda at: sum(map(len, columns[at])))
    return names[many[0]], names[back]


def offer_fields(path: str, names: Sequence[str], columns: Sequence[Sequence[str]], *, cell: str = "fields") -> str:
    """What to do about columns that are not known as sides: the row that reads two of them; empty where none can be.

    `cell` is the column of the sheet for such names: `columns` where they are numbers.
    """
    chosen = choose_fields(names, columns)
    return f"{show_row(path, **{cell: write_cell(chosen)})} reads these two" if chosen else ""
