"""Plain text: one row per card, its sides separated by tab, `|`, `;`, comma or another mark, or lines of their own.

Covers tables with and without a header, with and without quoting, Quizlet's exported text (a tab between the
sides, one line per card, no quoting), Anki's plain-text export (`#separator:tab` and the like above the notes), and
what `obsidian`, `headings` and `paragraphs` find in text that no separator divides.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import chain
from operator import itemgetter

from crawler.cards.advice import OfferedRow, offer_skip
from crawler.cards.outcome import Deck, Finding, Outcome
from crawler.cards.texts import split_lines
from crawler.formats.layout_flags import DETECT_ALL, LayoutFlags
from crawler.formats.sides.cards import NamedRow, build_deck, title_of
from crawler.formats.sides.columns import offer_fields
from crawler.formats.texts.blocks import is_called_glossary, read_page
from crawler.formats.texts.entries import Entries, find_entries, find_ways
from crawler.formats.texts.rows import read_rows
from crawler.formats.texts.separators import find_layout, name_mark
from crawler.formats.texts.shapes.tables import find_main_table
from data.console.messages import quantity

_IS_NOTE = re.compile(
    r"^[ \t>]*+\|?[ \t]*+:?-{2,}+:?[ \t]*+(?:[|+][ \t]*+:?-{2,}+:?[ \t]*+)++\|?[ \t]*+$"
    r"|(?<!\S)#(?:flash)?cards?(?:/\S*)?(?!\S)|<!--SR:|\A---\n(?:.*\n){0,20}?.*flashcard",
    re.MULTILINE,
)
"""What only a note has: the rule below the header of Markdown's tables, a tag or a schedule for cards."""


MAX_LINES = 200_000
"""Lines among which entries are looked for; 40,000 notes have fewer."""


def _is_note(text: str) -> bool:
    return ("--" in text or "#" in text) and _IS_NOTE.search(text) is not None


def read_plain(name: str, text: str, choice: LayoutFlags = DETECT_ALL, *, is_web: bool = False) -> Outcome:
    """The cards of the text's rows or paragraphs; every other one that is not blank is skipped, by its number from 1.

    Reasons: as `rows.read_rows`; for lines of their own, `no_text` (a term without an explanation, or a line that
    is neither), `label` (a name such as `Example`, or a part of the glossary) and `cross_reference`.
    Findings: as `rows.read_rows`; `unknown_format` (neither a separator nor the lines are consistent), `too_large`,
    `unknown_shape` (two shapes give the same lines other names, too few lines are entries, or some are a part of
    others); where a text announces another number of cards than it has, `truncated`, `surplus_cards`.
    """
    is_table = choice.separator is not None or choice.columns is not None
    is_long = len(split_lines(text)) > MAX_LINES
    is_entries = choice.shape is not None or is_web or (not is_table and not is_long and _is_note(text))
    find = partial(find_entries, name, text, choice.fields, is_web=is_web)
    found = find(choice.shape) if is_entries and not is_long else None
    layout = None if found or choice.shape or is_web else find_layout(text, choice)
    if layout is not None:
        return read_rows(name, layout, Deck(set_id=name, title=title_of(name), cards=()))
    if is_long:
        detail = f"{name}: more than {MAX_LINES:,} lines, and no mark separates two sides in most of them"
        return Outcome(findings=(Finding(kind="too_large", detail=detail),))
    if choice.separator is None and not is_entries:
        found = find()
    if found is not None and found.doubt:
        offers = (*_offer_ways(name, text, choice, is_web=is_web), offer_skip(name))
        finding = Finding(
            kind="unknown_shape", detail=f"{name}: {found.doubt}", offers=offers, may_guess=is_called_glossary(name)
        )
        return Outcome(findings=(finding,))
    if found is not None:
        deck = Deck(set_id=name, title=title_of(name), cards=(), read_as=_describe(found), declared=found.declared)
        outcome = build_deck(deck, _list_rows(found))
        return replace(outcome, findings=tuple(_doubt_number(name, outcome, found.declared)))
    return Outcome(findings=(_refuse(name, text, choice, is_web=is_web),))


def _offer_ways(name: str, text: str, choice: LayoutFlags, *, is_web: bool) -> list[OfferedRow]:
    """The rows that read a text, each in another way, and the columns of its tables first if these say more."""
    ways = find_ways(text, choice.fields, is_web=is_web)
    names, rows = find_main_table(read_page(text))
    columns = [[row[at] for row in rows if at < len(row)] for at in range(len(names))]
    pairs = offer_fields(name, names, columns) if all(names) and len(names) == len({*names}) else ()
    shapes = [OfferedRow(path=name, cells={"shape": cell}, effect=f"reads {shape.read_as}") for cell, shape, _ in ways]
    is_table = not ways or sum(map(len, chain(*columns))) > ways[0][2]
    return [*pairs, *shapes] if is_table else [*shapes, *pairs]


def _refuse(name: str, text: str, choice: LayoutFlags, *, is_web: bool) -> Finding:
    """What a text lacks, and the rows that read it in the shapes that come closest."""
    detail = (
        f"{name}: text in which neither tab, |, ;, comma nor another mark separates two sides in most lines, and no "
        "shape of names with their texts"
    )
    if mark := name_mark(text):
        row = OfferedRow(path=name, cells={"separator": mark}, effect=f"reads what is before the first {mark} as names")
        return Finding(kind="unknown_format", detail=detail, offers=(row,))
    offers = tuple(_offer_ways(name, text, choice, is_web=is_web))
    if offers and "fields" in offers[0].cells:
        detail = f"{name}: tables, in which no names of columns say which are the sides"
    offers = (*offers, offer_skip(name)) if offers else ()
    return Finding(kind="unknown_format", detail=detail, offers=offers, may_guess=is_called_glossary(name))


def _list_rows(found: Entries) -> Iterator[NamedRow]:
    """The sides of each entry by its line, or the reason why it has no card."""
    entries = [(one.line, *((one.columns, one.row()) if one.text else (None, "no_text"))) for one in found.entries]
    others = [(entry.line, None, "label") for entry in found.labels]
    others += [(line, None, "no_separator") for line in found.unread]
    for line, columns, values in sorted([*entries, *others], key=itemgetter(0)):
        yield f"line {line}", columns, values


def _doubt_number(name: str, outcome: Outcome, declared: int | None) -> Iterator[Finding]:
    """A finding where the text announces another number of cards than it has."""
    n_entries = len(outcome.decks[0].cards) + len(outcome.skipped)
    if declared and n_entries != declared:
        kind = "truncated" if n_entries < declared else "surplus_cards"
        yield Finding(kind=kind, detail=f"{name}: announces {declared} cards and has {n_entries}")


def _describe(found: Entries) -> str:
    more = f"; {quantity(found.n_others, 'line')} of other text" if found.n_others else ""
    return f"{found.read_as}{more}"
