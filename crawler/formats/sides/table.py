"""A table of rows: where its header is, and which columns are the sides, by the header or by what they hold."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from crawler.formats.layout_flags import LayoutFlags
from crawler.formats.sides.cards import NamedColumns
from crawler.formats.sides.columns import find_fitting, seems_headed
from crawler.formats.sides.headers import Named, find_named, find_only_sides, find_parts, find_sides, find_sure_sides

N_HEAD_ROWS = 200
"""Rows among which a header is looked for."""
_MAX_ABOVE = 0.2
"""Rows above a header that may be cards by their width, for each row below it."""

Row = tuple[int, list[str]]
"""The number of a row, from 1 (of its first line, in a text), and its fields."""


@dataclass(frozen=True, kw_only=True)
class HeaderRow:
    """The row that names the columns, if any does."""

    at: int
    """Its place among the rows."""
    sides: tuple[int, int] | None
    """The columns that it names front and back; None where it names none so."""
    is_doubtful: bool
    """True where only its form or place says that it is a header, so that it or rows above may be cards."""


@dataclass(frozen=True, kw_only=True)
class RowTable:
    """Rows that are not blank, and what most of them have in common."""

    rows: tuple[Row, ...]
    """From the header on, where a row names both sides."""
    width: int
    """The most frequent number of fields, at least two; 1 where no row has two."""
    agreement: float
    """Share of rows with exactly that many fields."""
    header: HeaderRow | None
    """The first of the rows, where it names both sides; `at` counts the rows above it."""
    above: tuple[int, ...]
    """The numbers of the rows above the header."""

    def share_filled(self, column: int) -> float:
        """The share of rows with two fields or more in which this one, the first or second, is not blank."""
        return sum(len(row) > 1 and bool(row[column].strip()) for _, row in self.rows) / len(self.rows)


@dataclass(frozen=True, kw_only=True)
class Declared:
    """What a file says about its own columns."""

    names: tuple[str, ...] = ()
    """Of all columns; empty where it does not say."""
    others: frozenset[int] = frozenset()
    """Columns that are no sides, from 0."""
    html: bool = False
    """Whether its fields are HTML."""


@dataclass(frozen=True, kw_only=True)
class Layout:
    """The rows of a table, and the columns of the sides."""

    separator: str
    """What was between the fields; empty where nothing was."""
    width: int
    """Fields per row."""
    columns: NamedColumns
    header: bool
    """True where the first row names the columns."""
    guessed: tuple[str, ...]
    """The cells of the header where only their form or the rows above say that they name the columns."""
    rivals: tuple[int, ...]
    """Three columns or more that may be sides, from 0, where nothing says which are; empty elsewhere."""
    rows: tuple[Row, ...]
    """The rows that are neither blank nor the header."""
    above: tuple[int, ...]
    """The numbers of the rows above the header."""


def tabulate(rows: Iterable[Row], choice: LayoutFlags) -> RowTable | None:
    """The table of these rows; None where all are blank."""
    kept = tuple((number, row) for number, row in rows if any(map(str.strip, row)))
    if not kept:
        return None
    filled = max(at for _, row in kept for at, cell in enumerate(row, 1) if cell.strip())
    filled = max(filled, len(kept[0][1]))
    kept = tuple((number, row[:filled]) for number, row in kept)  # without blank cells behind the header and all others
    header = None if choice.header is False else _find_header(kept, choice.fields)
    above, kept = (kept[: header.at], kept[header.at :]) if header else ((), kept)
    widths = Counter(len(row) for _, row in kept)
    width = min((width for width in widths if width > 1), key=lambda width: (-widths[width], width), default=1)
    return RowTable(
        rows=kept,
        width=width,
        agreement=widths[width] / len(kept),
        header=header,
        above=tuple(number for number, _ in above),
    )


def _find_header(rows: Sequence[Row], named: Named) -> HeaderRow | None:
    """The row that names both sides: the first one with two cells, the first wide one below narrower rows, or one that
    names them by words that mean nothing else and has few rows above for those below; None where none does.
    """
    n_filled = [sum(map(bool, map(str.strip, row))) for _, row in rows[:N_HEAD_ROWS]]
    for at, n in enumerate(n_filled):
        n_alike = sum(other >= n for other in n_filled[:at])
        is_first = not any(other > 1 for other in n_filled[:at])
        most = max(_MAX_ABOVE * (len(rows) - at - 1), n > 2)
        is_apart = is_first or (n > 2 and not n_alike)
        may_be = is_apart or (n_alike <= most and find_sure_sides(rows[at][1]) is not None)
        if n > 1 and may_be and (sides := _read_header(rows[at:], named)):
            return HeaderRow(at=at, sides=sides, is_doubtful=n_alike > 0)
    return None


def _read_header(rows: Sequence[Row], named: Named) -> tuple[int, int] | None:
    """The sides that a header names, as `named`, by names of columns that are mostly filled, or by any name."""
    header = rows[0][1]
    if find_sides(header, named) is None:
        return None
    return find_named(header, named) or find_sides(_filled_names(rows)) or find_sides(header)


def _filled_names(rows: Sequence[Row]) -> list[str]:
    """The header, without the names of columns that are mostly blank."""
    header = rows[0][1]
    n_filled = [sum(len(row) > at and bool(row[at].strip()) for _, row in rows[1:]) for at in range(len(header))]
    return [name if 2 * n >= len(rows) - 1 else "" for name, n in zip(header, n_filled, strict=True)]


def lay_out(table: RowTable, choice: LayoutFlags, *, declared: Declared | None = None, separator: str = "") -> Layout:
    """The table with its sides: as chosen, by the header, as the file declares, or by what the columns hold."""
    others = declared.others if declared else frozenset()
    places = [column for column in range(table.width + len(others) + 2) if column not in others]
    rows, above, header = table.rows, table.above, table.header
    if choice.header is None and header is None and declared is None and (found := _guess_header(table, places)):
        header = found
        rows, above = rows[header.at :], tuple(number for number, _ in rows[: header.at])
    has_header = header is not None if choice.header is None else choice.header
    guessed = choice.header is None and header is not None and header.is_doubtful
    cells = [values[has_header:] for values in _columns(rows, table.width, places)]
    filled = _filled_names(rows) if guessed else []
    fitting = find_fitting(cells)
    told = tuple(at for at in fitting if any(filled[places[at] :][:1]))
    fitting = told if len(told) > 1 else fitting
    names = rows[0][1] if has_header else declared.names if declared else ()
    known = choice.columns or (header.sides if header else None)
    known = known or (find_sides(declared.names, choice.fields) if declared else None)
    known = known or (find_parts(filled) if guessed else None)
    rivals = [] if known else [at for at in fitting if _has_words(cells[at])]
    front, back = known or tuple(places[at] for at in fitting[:2])
    return Layout(
        separator=separator,
        width=len(names) if has_header else max(table.width, front + 1, back + 1),
        columns=NamedColumns(
            names=tuple(map(str.strip, names)) if any(names) else (),
            sides=(front, back),
            html=declared is not None and declared.html,
        ),
        header=has_header,
        guessed=tuple(map(str.strip, names)) if guessed else (),
        rivals=tuple(places[at] for at in rivals) if len(rivals) > 2 else (),
        rows=rows[1:] if has_header else rows,
        above=above,
    )


def _guess_header(table: RowTable, places: Sequence[int]) -> HeaderRow | None:
    """The first row, or the first of those with more than two cells and wider than all above, that seems to name the
    columns; None where none does.
    """
    width = 0
    for at, (_, row) in enumerate(table.rows[:N_HEAD_ROWS]):
        n = sum(map(bool, map(str.strip, row)))
        has_rows = len(table.rows) - at > 1
        if (not at or n > max(width, 2)) and has_rows and seems_headed(_columns(table.rows[at:], table.width, places)):
            sides = find_only_sides(row)
            return HeaderRow(at=at, sides=sides, is_doubtful=sides is None or at > 0)
        width = max(width, n)
    return None


def _has_words(values: Sequence[str]) -> bool:
    """Whether most values have a letter."""
    return 2 * sum(any(map(str.isalpha, value)) for value in values) > len(values)


def _columns(rows: Sequence[Row], width: int, places: Sequence[int]) -> list[list[str]]:
    """The values in these places of the first row and of all with the usual number of fields."""
    kept = [row for at, (_, row) in enumerate(rows) if len(row) == width or not at]
    return [[row[place] if place < len(row) else "" for row in kept] for place in places if place < width]
