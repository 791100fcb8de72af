"""The cards of a table's rows, and what is in doubt about its columns."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from crawler.cards.advice import OfferedRow
from crawler.cards.outcome import Deck, Finding, Outcome
from crawler.formats.layout_flags import SEPARATOR_NAMES, LayoutFlags
from crawler.formats.sides.cards import NamedRow, build_deck
from crawler.formats.sides.columns import offer_fields
from crawler.formats.sides.headers import read_name
from crawler.formats.sides.table import Layout, Row, lay_out, tabulate
from data.console.messages import quantity

_RARE = ("\t", "|")
"""Marks that texts do not have, so that a longer row has a further column."""
_RULE = re.compile(r"\s*([-–—=_*~])(?:\s|\1)*")
"""A row that only draws a line."""
_OF_PAPERS = frozenset({"abstract", "author", "authors", "doi", "journal", "ab", "au"})
"""Columns of bibliographies."""


def read_table(name: str, rows: Iterable[Row], choice: LayoutFlags, deck: Deck) -> Outcome | None:
    """The deck with the cards of the rows that no mark separates, as `read_rows`; None where all are blank."""
    table = tabulate(rows, choice)
    return read_rows(name, lay_out(table, choice), deck) if table else None


def read_rows(name: str, layout: Layout, deck: Deck) -> Outcome:
    """The deck with the cards of the rows; each other row is skipped, by its number.

    Reasons: `above_the_header`, `no_separator`, `missing_field`, `wrong_number_of_fields`, and `card_of`'s.
    Findings: `unknown_columns` (several columns may be the sides; there is no deck then), `guessed_header` (only its
    form or place says that a row is no card).
    """
    findings = tuple(_doubt(name, layout))
    if layout.rivals:
        return Outcome(findings=findings)
    deck = replace(deck, read_as=_describe(layout), columns=layout.columns.sides)
    outcome = build_deck(deck, _list_rows(layout))
    return replace(outcome, findings=findings)


def _list_rows(layout: Layout) -> Iterator[NamedRow]:
    yield from ((f"row {number}", None, "above_the_header") for number in layout.above)
    for number, row in layout.rows:
        cells = "no_text" if _RULE.fullmatch(" ".join(row)) else _fit(row, layout)
        yield (f"row {number}", None, cells) if isinstance(cells, str) else (f"row {number}", layout.columns, cells)


def _describe(layout: Layout) -> str:
    """The layout in words: `tab, front in column 1, back in column 2, no header`."""
    mark = next((name for name, mark in SEPARATOR_NAMES.items() if mark == layout.separator), repr(layout.separator))
    header = "with a header" if layout.header else "no header"
    front, back = (side + 1 for side in layout.columns.sides)
    columns = f"front in column {front}, back in column {back}, {header}"
    return f"{mark}, {columns}" if layout.separator else columns


def _doubt(name: str, layout: Layout) -> Iterator[Finding]:
    """A finding where several columns may be the sides, and one where only its form makes a row their names."""
    if layout.rivals:
        texts = [[row[at] if at < len(row) else "" for _, row in layout.rows] for at in layout.rivals]
        names = [layout.columns.names[at] if layout.columns.names else f"{at + 1}" for at in layout.rivals]
        these = ", ".join(names[:8]) if layout.columns.names else f"columns {', '.join(names[:8])}"
        detail = f"{name}: a table in which {these} may be the sides"
        offers = offer_fields(name, names, texts, cell="fields" if layout.columns.names else "columns")
        above = {read_name(cell) for cell in layout.columns.names or layout.rows[0][1]}
        yield Finding(kind="unknown_columns", detail=detail, offers=offers, may_guess=_OF_PAPERS.isdisjoint(above))
    elif layout.guessed:
        where = f" below {quantity(len(layout.above), 'other')}" if layout.above else ""
        cells = "» and «".join(layout.guessed[:4])
        columns = ",".join(str(side + 1) for side in layout.columns.sides)
        detail = f"{name}: its first row{where}, «{cells}», is taken for names of columns; the sides are {columns}"
        ways = {"yes": "confirms this", "no": "makes it a card"}
        offers = tuple(
            OfferedRow(path=name, cells={"columns": columns, "header": way}, effect=effect)
            for way, effect in ways.items()
        )
        yield Finding(kind="guessed_header", detail=detail, offers=offers)


def _fit(row: list[str], layout: Layout) -> list[str] | str:
    """The cells of a row, with a longer last one where it has too many, or the reason why it has no card."""
    if len(row) == 1:
        return "no_separator"
    _, back = layout.columns.sides
    if len(row) > layout.width and back == layout.width - 1:
        return [*row[:back], layout.separator.join(row[back:])]
    return "wrong_number_of_fields" if len(row) > layout.width and layout.separator not in _RARE else row
