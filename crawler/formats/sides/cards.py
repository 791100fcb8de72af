"""The table beneath every reader of decks: rows of values in columns with names, and the deck that they make."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Any

from markdown_it import MarkdownIt

from crawler.cards.outcome import Card, Deck, Fields, Outcome, gather
from crawler.cards.texts import is_placeholder, is_reference, is_too_long
from crawler.formats.sides.doubts import MAX_BLANK, MIN_CARDS, doubt_notes
from data.texts.markup import looks_like_html, plain_text
from data.texts.words import normalise

_MARKDOWN = MarkdownIt()


@dataclass(frozen=True, kw_only=True)
class NamedColumns:
    """What rows of one kind have in common."""

    names: tuple[str, ...] = ()
    """Of the columns, in their order; empty where nothing names them."""
    sides: tuple[int, int] = (0, 1)
    """The places of front and back."""
    note_type: str | None = None
    """The kind of Anki's notes, whose front may be empty; None for other rows."""
    html: bool = False
    """Whether the sides are HTML."""
    markdown: bool = False
    """Whether they are Markdown."""
    has_image: bool = False
    """Whether a picture goes with them."""
    language: str | None = None
    """What the source declares for the backs."""

    def fields(self) -> Fields | None:
        """What the source calls the sides."""
        if max(self.sides) >= len(self.names):
            return None
        front, back = (self.names[side] for side in self.sides)
        return Fields(kind=self.note_type or "", front=front, back=back)

    def name(self, at: int) -> str:
        """What a column is called; its number, from 1, where it has no name."""
        return (self.names[at] if at < len(self.names) else "") or f"column {at + 1}"


UNNAMED = NamedColumns()
_FEWEST_CHOICES, _LONGEST_CHOICE = 2, 80
"""Columns that backs may name, and the characters of such a name."""

NamedRow = tuple[str, NamedColumns | None, Sequence[Any]]
"""The id of a row, with its columns and values, of which those on the sides are texts; or with the reason why it has
no card.
"""


def build_deck(deck: Deck, rows: Iterable[NamedRow]) -> Outcome:
    """The deck with the cards of the rows, and the names of what they did not take; every row without a card is
    skipped: `missing_field`, where it is no note `no_text` (it is still to be written) and `cross_reference` (it only
    refers to another card), and the reasons of `card_of`.

    Findings: as `doubts.doubt_notes`, for each type of notes.
    """
    entries: list[tuple[str, Card | str]] = []
    filled: defaultdict[NamedColumns, set[int]] = defaultdict(set)
    notes: defaultdict[NamedColumns, list[tuple[Sequence[str], Card]]] = defaultdict(list)
    for row_id, columns, values in _with_choices(list(rows)):
        card = _card(columns, values) if columns else str(values)
        entries.append((row_id, card))
        if columns and isinstance(card, Card):
            filled[columns].update(at for at, value in enumerate(values) if _is_filled(value))
            if columns.note_type is not None:
                notes[columns].append((values, card))
    cards, skipped = gather(_with_reasons(entries))
    others = (columns.name(at) for columns, places in filled.items() for at in sorted(places - {*columns.sides}))
    findings = (
        finding
        for columns, some in notes.items()
        for finding in doubt_notes(
            deck.set_id,
            f"{deck.set_id}: note type {columns.note_type}",
            columns.names,
            *zip(*some, strict=True),
        )
    )
    deck = replace(deck, cards=cards, unread=tuple(dict.fromkeys(others)))
    return Outcome(decks=(deck,), findings=tuple(findings), skipped=skipped)


def _with_choices(rows: Sequence[NamedRow]) -> Iterator[NamedRow]:
    """The rows; where all backs are the names of other columns, as the letters of choices are, with what these hold."""
    backs: defaultdict[NamedColumns, set[str]] = defaultdict(set)
    for _, columns, values in rows:
        if columns and max(columns.sides) < len(values):
            backs[columns].add(values[columns.sides[1]][:_LONGEST_CHOICE].strip().lower())
    places = {columns: {name.lower(): at for at, name in enumerate(columns.names)} for columns in backs}
    chosen = {one for one, some in backs.items() if len(some) >= _FEWEST_CHOICES and some <= places[one].keys()}
    for row_id, columns, values in rows:
        if columns in chosen and len(values) == len(columns.names):
            yield row_id, columns, _choose(values, columns.sides[1], places[columns])
        else:
            yield row_id, columns, values


def _choose(values: Sequence[Any], back: int, places: Mapping[str, int]) -> Sequence[Any]:
    text = values[places.get(values[back].strip().lower(), back)]
    return [*values[:back], text, *values[back + 1 :]] if isinstance(text, str) else values


def _card(columns: NamedColumns, values: Sequence[Any]) -> Card | str:
    if max(columns.sides) >= len(values):
        return "missing_field"
    card = card_of(values[columns.sides[0]], values[columns.sides[1]], columns)
    if isinstance(card, str) or not (columns.has_image or columns.language):
        return card
    media = {*card.media, "image"} if columns.has_image else card.media
    return replace(card, media=tuple(sorted(media)), language=columns.language)


def _with_reasons(entries: Sequence[tuple[str, Card | str]]) -> Sequence[tuple[str, Card | str]]:
    """The entries, with a reason for each card of no note that says nothing or only refers to another one. Where many
    backs are blank, or all are, that side is in doubt.
    """
    cards = [card for _, card in entries if isinstance(card, Card) and not (card.fields and card.fields.kind)]
    blank = [card for card in cards if not (card.back.strip() or card.media)]
    are_few = len(blank) < len(cards) < MIN_CARDS or len(blank) <= MAX_BLANK * len(cards)
    reasons = {id(card): "no_text" for card in (blank if are_few else [])}
    reasons |= {id(card): "no_text" for card in cards if is_placeholder(card.back)}
    if any(is_reference(card.back) for card in cards):
        terms = {normalise(card.front) for card in cards}
        reasons |= {id(card): "cross_reference" for card in cards if is_reference(card.back, terms)}
    return [(row_id, reasons.get(id(card), card)) for row_id, card in entries] if reasons else entries


def _is_filled(value: Any) -> bool:
    return value.strip() != "" if isinstance(value, str) else value is not None


def card_of(front: str, back: str, columns: NamedColumns = UNNAMED) -> Card | str:
    """The card (at position 0) of two sides of plain text, Markdown or HTML (also plain text that looks like HTML).

    Or the reason there is none: `too_long`, `empty_front`, `cloze`.
    """
    if is_too_long(front, back):
        return "too_long"
    if not front.strip() and columns.note_type is None:
        return "empty_front"
    if "{{c1::" in front + back:
        return "cloze"
    texts, media = [], set()
    for side in (front, back):
        content = _MARKDOWN.render(side) if columns.markdown else side
        is_html = columns.markdown or columns.html or looks_like_html(side)
        text, kinds = plain_text(content) if is_html else (side.strip(), ())
        texts.append(text)
        media |= set(kinds)
    return Card(front=texts[0], back=texts[1], position=0, media=tuple(sorted(media)), fields=columns.fields())


def title_of(name: str) -> str:
    """A deck's title from its file: the last part of the name, without the suffix."""
    path = PurePath(name.rpartition("!")[2] or name)
    return PurePath(path.stem).stem if path.suffix.lower() == ".gz" else path.stem
