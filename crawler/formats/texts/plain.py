"""Plain text: one row per card, its sides separated by tab, `|`, `;`, comma or another mark, or lines of their own.

Covers tables with and without a header, with and without quoting, Quizlet's exported text (a tab between the
sides, one line per card, no quoting), Anki's plain-text export (`#separator:tab` and the like above the notes), and
what `obsidian`, `headings` and `paragraphs` find in text that no separator divides.
"""

import re
from collections.abc import Collection, Iterable
from dataclasses import replace
from itertools import chain

from crawler.cards.outcome import Card, Deck, Finding, Outcome, gather
from crawler.cards.texts import is_reference
from crawler.formats.texts.entries import Entries, columns_of, find_entries
from crawler.formats.texts.layout import DETECT_ALL, Layout, LayoutFlags, describe, find_layout
from crawler.formats.texts.records import card_of, title_of
from crawler.formats.texts.shapes import Entry
from data.console.messages import quantity
from data.texts.words import normalise

_IS_NOTE = re.compile(
    r"^[ \t>]*+\|?[ \t]*+:?-{2,}+:?[ \t]*+(?:\|[ \t]*+:?-{2,}+:?[ \t]*+)++\|?[ \t]*+$"
    r"|(?<!\S)#(?:flash)?cards?(?:/\S*)?(?!\S)|<!--SR:|\A---\n(?:.*\n){0,20}?.*flashcard",
    re.MULTILINE,
)
"""What only a note has: the rule below the header of Markdown's tables, a tag or a schedule for cards."""


def _is_note(text: str) -> bool:
    return ("--" in text or "#" in text) and _IS_NOTE.search(text) is not None


def read_plain(name: str, text: str, choice: LayoutFlags = DETECT_ALL) -> Outcome:
    """The cards of the text's rows or paragraphs; every other one that is not blank is skipped, by its number from 1.

    Reasons: `above_the_header`, `no_separator`, `missing_field`, `wrong_number_of_fields`, `empty_front`, `cloze`; for
    lines of their own, `no_text` (a term without an explanation, or a line that is neither) and `cross_reference`. A
    text in which neither a separator nor the lines are consistent is `unknown_format`. Findings where it announces
    another number of cards than it has: `truncated`, `surplus_cards`.
    """
    is_entries = choice.separator is None and choice.columns is None and _is_note(text)
    found = find_entries(name, text, choice.fields) if is_entries else None
    layout = None if found else find_layout(text, choice)
    if layout is not None:
        above = ((f"row {number}", "above_the_header") for number in layout.above)
        rows = ((f"row {number}", _card(row, layout)) for number, row in layout.rows)
        return _gather(
            name, chain(above, rows), Deck(set_id=name, title=title_of(name), cards=(), read_as=describe(layout))
        )
    if choice.separator is None and not is_entries:
        found = find_entries(name, text, choice.fields)
    if found is not None:
        deck = Deck(set_id=name, title=title_of(name), cards=(), read_as=_describe(found), declared=found.declared)
        terms = {normalise(entry.term) for entry in found.entries}
        return _gather(name, ((f"line {entry.line}", _explained(entry, terms)) for entry in found.entries), deck)
    return Outcome(findings=(Finding(kind="unknown_format", detail=f"{name}: {_refuse(name, text)}"),))


def _refuse(name: str, text: str) -> str:
    """What a text lacks, and what can be done."""
    names = columns_of(name, text)
    if len(names) > 1:
        columns = ", ".join(names[:8])
        return f"a table of {columns}, which are not known as sides; -a fields=FRONT,BACK names two of its columns"
    return (
        "text in which neither tab, |, ;, comma nor another mark separates two sides in most lines, and no shape of "
        "names with their texts; -a separator=MARK names a mark, or write a card per line with a tab between its sides"
    )


def _gather(name: str, entries: Iterable[tuple[str, Card | str]], deck: Deck) -> Outcome:
    """The deck with the entries' cards, and a finding where it announces another number of them."""
    cards, skipped = gather(entries)
    n_entries, declared = len(cards) + len(skipped), deck.declared or 0
    detail = f"{name}: announces {declared} cards and has {n_entries}"
    kind = "truncated" if n_entries < declared else "surplus_cards"
    findings = (Finding(kind=kind, detail=detail),) if declared and n_entries != declared else ()
    return Outcome(decks=(replace(deck, cards=cards),), findings=findings, skipped=skipped)


def _explained(entry: Entry, terms: Collection[str]) -> Card | str:
    if not entry.text or is_reference(entry.text, terms):
        return "cross_reference" if entry.text else "no_text"
    return card_of(entry.term, entry.text)


def _describe(found: Entries) -> str:
    more = f"; {quantity(found.n_others, 'line')} of other text" if found.n_others else ""
    return f"{found.read_as}{more}"


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
