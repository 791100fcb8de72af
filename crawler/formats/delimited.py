"""Delimited text: one row per card, front and back separated by tab, `|`, `;` or comma.

Covers tables with and without a header, with and without quoting, Quizlet's exported text (a tab between the
sides, one line per card, no quoting) and Anki's plain-text export (`#separator:tab` and the like above the notes).
"""

from crawler.cards.outcome import Card, Deck, Finding, Outcome, gather
from crawler.formats.layout import SNIFFED, Choice, Layout, describe, find_layout
from crawler.formats.records import card_of, title_of


def read_delimited(name: str, text: str, choice: Choice = SNIFFED) -> Outcome:
    """The cards of the text's rows; every other row that is not blank is skipped, by its number from 1.

    Reasons: `no_separator`, `missing_field`, `wrong_number_of_fields`, `empty_front`, `cloze`. A text in which no
    separator is consistent across the rows is `unknown_format`.
    """
    layout = find_layout(text, choice)
    if layout is None:
        detail = f"{name}: text in which neither tab, |, ; nor comma separates two sides consistently across the rows"
        return Outcome(findings=(Finding(kind="unknown_format", detail=detail),))
    cards, skipped = gather((f"row {number}", _card(row, layout)) for number, row in layout.rows)
    deck = Deck(set_id=name, title=title_of(name), cards=cards, read_as=describe(layout))
    return Outcome(decks=(deck,), skipped=skipped)


def _card(row: list[str], layout: Layout) -> Card | str:
    """The row's card, or the reason why it has none."""
    sides = _sides(row, layout)
    return sides if isinstance(sides, str) else card_of(*sides, html=layout.html)


def _sides(row: list[str], layout: Layout) -> tuple[str, str] | str:
    """Front and back of a row, or the reason why it has none."""
    if len(row) == 1:
        return "no_separator"
    if len(row) > layout.width:
        if layout.back != layout.width - 1:
            return "wrong_number_of_fields"
        row = [*row[: layout.back], layout.separator.join(row[layout.back :])]
    if len(row) <= max(layout.front, layout.back):
        return "missing_field"
    return row[layout.front], row[layout.back]
