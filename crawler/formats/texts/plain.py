"""Plain text: one row per card, its sides separated by tab, `|`, `;`, comma or another mark, or lines of their own.

Covers tables with and without a header, with and without quoting, Quizlet's exported text (a tab between the
sides, one line per card, no quoting), Anki's plain-text export (`#separator:tab` and the like above the notes), and
what `obsidian`, `headings` and `paragraphs` find in text that no separator divides.
"""

from collections.abc import Collection, Iterable
from dataclasses import replace
from itertools import chain

from crawler.cards.outcome import Card, Deck, Finding, Outcome, gather
from crawler.cards.texts import is_reference
from crawler.formats.texts.headings import find_headed
from crawler.formats.texts.layout import SNIFFED, Choice, Layout, describe, find_layout
from crawler.formats.texts.obsidian import find_obsidian
from crawler.formats.texts.paragraphs import Entries, Entry, find_entries, number_lines
from crawler.formats.texts.records import card_of, title_of
from data.texts.words import normalise


def read_plain(name: str, text: str, choice: Choice = SNIFFED) -> Outcome:
    """The cards of the text's rows or paragraphs; every other one that is not blank is skipped, by its number from 1.

    Reasons: `above_the_header`, `no_separator`, `missing_field`, `wrong_number_of_fields`, `empty_front`, `cloze`; for
    lines of their own, `no_text` (a term without an explanation, or a line that is neither) and `cross_reference`. A
    text in which neither a separator nor the lines are consistent is `unknown_format`. Findings where it announces
    another number of cards than it has: `truncated`, `surplus_cards`.
    """
    lines = number_lines(text) if choice.separator is None else []
    found = find_obsidian(lines, is_marked=True)
    layout = None if found else find_layout(text, choice)
    if layout is not None:
        above = ((f"row {number}", "above_the_header") for number in layout.above)
        rows = ((f"row {number}", _card(row, layout)) for number, row in layout.rows)
        return _gather(
            name, chain(above, rows), Deck(set_id=name, title=title_of(name), cards=(), read_as=describe(layout))
        )
    if choice.separator is None:
        found = found or find_obsidian(lines, is_marked=False) or find_headed(lines) or find_entries(text)
    if found is not None:
        deck = Deck(set_id=name, title=title_of(name), cards=(), read_as=found.read_as, declared=found.declared)
        terms = {normalise(entry.term) for entry in found.entries}
        return _gather(name, ((f"line {entry.line}", _explained(entry, found, terms)) for entry in found.entries), deck)
    detail = (
        f"{name}: text in which neither tab, |, ;, comma nor another mark separates two sides consistently across the "
        "rows, and no term with its text by turns; -a separator=MARK names a mark"
    )
    return Outcome(findings=(Finding(kind="unknown_format", detail=detail),))


def _gather(name: str, entries: Iterable[tuple[str, Card | str]], deck: Deck) -> Outcome:
    """The deck with the entries' cards, and a finding where it announces another number of them."""
    cards, skipped = gather(entries)
    n_entries, declared = len(cards) + len(skipped), deck.declared or 0
    detail = f"{name}: announces {declared} cards and has {n_entries}"
    kind = "truncated" if n_entries < declared else "surplus_cards"
    findings = (Finding(kind=kind, detail=detail),) if declared and n_entries != declared else ()
    return Outcome(decks=(replace(deck, cards=cards),), findings=findings, skipped=skipped)


def _explained(entry: Entry, found: Entries, terms: Collection[str]) -> Card | str:
    if not entry.text or is_reference(entry.text, terms):
        return "cross_reference" if entry.text else "no_text"
    return card_of(entry.term, entry.text, markdown=found.is_markdown)


def _card(row: list[str], layout: Layout) -> Card | str:
    """The row's card, or the reason why it has none."""
    sides = _sides(row, layout)
    return sides if isinstance(sides, str) else card_of(*sides, html=layout.html, fields=layout.fields)


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
