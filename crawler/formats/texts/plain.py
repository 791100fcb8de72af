"""Plain text: one row per card, its sides separated by tab, `|`, `;`, comma or another mark, or lines of their own.

Covers tables with and without a header, with and without quoting, Quizlet's exported text (a tab between the
sides, one line per card, no quoting), Anki's plain-text export (`#separator:tab` and the like above the notes), and
what `obsidian`, `headings` and `paragraphs` find in text that no separator divides.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain

from crawler.cards.advice import offer_fields, show_row
from crawler.cards.outcome import Card, Deck, Finding, Outcome, gather
from crawler.cards.texts import is_reference
from crawler.formats.texts.entries import Entries, ShapeEntries, find_closest, find_entries, tables_of
from crawler.formats.texts.layout import DETECT_ALL, Layout, LayoutFlags, describe, find_layout, name_first_mark
from crawler.formats.texts.records import card_of, title_of
from crawler.formats.texts.shapes.entry import Entry
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
    lines of their own, `no_text` (a term without an explanation, or a line that is neither) and `cross_reference`.
    Findings: `guessed_header` (by its form or place alone a row is no card), `guessed_columns` (what they hold alone
    says which are the sides), `unknown_format` (neither a separator nor
    the lines are consistent), `unknown_columns` (several columns may be the sides), `unknown_shape` (two shapes give
    the same lines other names), `unknown_purpose` (some lines look like entries, and too many do not); where a text
    announces another number of cards than it has, `truncated`, `surplus_cards`.
    """
    is_table = choice.separator is not None or choice.columns is not None
    is_entries = choice.shape is not None or (not is_table and _is_note(text))
    found = find_entries(name, text, choice.fields, choice.shape) if is_entries else None
    layout = None if found or choice.shape else find_layout(text, choice)
    if layout is not None and layout.rivals:
        return _doubt_columns(name, layout)
    if layout is not None:
        above = ((f"row {number}", "above_the_header") for number in layout.above)
        rows = ((f"row {number}", _card(row, layout)) for number, row in layout.rows)
        deck = Deck(set_id=name, title=title_of(name), cards=(), read_as=describe(layout))
        outcome = _gather(name, chain(above, rows), deck)
        return replace(outcome, findings=(*outcome.findings, *_doubt_header(name, layout)))
    if choice.separator is None and not is_entries:
        found = find_entries(name, text, choice.fields)
    if found is not None and found.rivals:
        return _doubt_shape(name, found.rivals)
    if found is not None and found.doubtful:
        ways = f"{found.doubtful.shape.read_as}, {_show(found.doubtful)}"
        detail = f"{name}: much of the text is no entry; what may be entries: {ways}"
        return Outcome(findings=(Finding(kind="unknown_purpose", detail=detail, row=_offer(name, found.doubtful)),))
    if found is not None:
        deck = Deck(set_id=name, title=title_of(name), cards=(), read_as=_describe(found), declared=found.declared)
        terms = {normalise(entry.term) for entry in found.entries}
        return _gather(name, ((f"line {entry.line}", _explained(entry, terms)) for entry in found.entries), deck)
    return Outcome(findings=(_refuse(name, text),))


def _doubt_columns(name: str, layout: Layout) -> Outcome:
    texts = [[row[at] if at < len(row) else "" for _, row in layout.rows] for at in layout.rivals]
    names = [layout.names[at] if layout.names else f"{at + 1}" for at in layout.rivals]
    these = ", ".join(names[:8]) if layout.names else f"columns {', '.join(names[:8])}"
    detail = f"{name}: a table in which {these} may be the sides"
    row = offer_fields(name, names, texts, cell="fields" if layout.names else "columns")
    return Outcome(findings=(Finding(kind="unknown_columns", detail=detail, row=row),))


def _doubt_header(name: str, layout: Layout) -> Iterator[Finding]:
    """A finding where only what they hold makes a row the names of the columns, or columns the sides."""
    columns = f"{layout.front + 1},{layout.back + 1}"
    if layout.is_evident:
        detail = f"{name}: no header; columns {columns} are taken for the sides, as names and the longest texts"
        row = f"{show_row(name, columns=columns)} confirms this; write others for others"
        yield Finding(kind="guessed_columns", detail=detail, row=row)
    if layout.guessed:
        where = f" below {quantity(len(layout.above), 'other')}" if layout.above else ""
        cells = "» and «".join(layout.guessed[:4])
        detail = f"{name}: its first row{where}, «{cells}», is taken for names of columns; the sides are {columns}"
        yes, no = (show_row(name, header=word) for word in ("yes", "no"))
        yield Finding(kind="guessed_header", detail=detail, row=f"{yes} confirms this, {no} makes it a card")


def _doubt_shape(name: str, rivals: Sequence[ShapeEntries]) -> Outcome:
    """A finding that shows two ways to read a text, with the row for each."""
    ways = ", or ".join(f"{one.shape.read_as}, {_show(one)}" for one in rivals)
    first, second = (show_row(name, shape=one.shape.name) for one in rivals)
    rows = f"{first} reads the first, {second} the second"
    return Outcome(findings=(Finding(kind="unknown_shape", detail=f"{name}: {ways}", row=rows),))


def _show(found: ShapeEntries) -> str:
    return f"{quantity(len(found.names()), 'entry', 'entries')} such as «{found.names()[0][:40]}»"


def _refuse(name: str, text: str) -> Finding:
    """What a text lacks, and the row that reads it in the shape that comes closest."""
    tables = tables_of(name, text)
    if tables and len(tables[0][0]) > 1:
        names, *rows = tables[0]
        columns = [[row[at] for row in rows if at < len(row)] for at in range(len(names))]
        detail = f"{name}: a table of {', '.join(names[:8])}, which are not known as sides"
        if row := offer_fields(name, names, columns):
            return Finding(kind="unknown_format", detail=detail, row=row)
    detail = (
        f"{name}: text in which neither tab, |, ;, comma nor another mark separates two sides in most lines, and no "
        "shape of names with their texts"
    )
    if mark := name_first_mark(text):
        row = f"{show_row(name, separator=mark)} reads what is before the first {mark} as names"
        return Finding(kind="unknown_format", detail=detail, row=row)
    closest = find_closest(name, text)
    if closest is None:
        return Finding(kind="unknown_format", detail=detail)
    detail = f"{detail}; the closest are {closest.shape.read_as}, {_show(closest)}"
    return Finding(kind="unknown_format", detail=detail, row=_offer(name, closest))


def _offer(name: str, found: ShapeEntries) -> str:
    """The row that reads a text in a shape, and the row that leaves it out."""
    return f"{show_row(name, shape=found.shape.name)} reads these, {show_row(name, skip='yes')} leaves it out"


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
