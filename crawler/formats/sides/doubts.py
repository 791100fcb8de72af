"""Whether the sides of a deck's cards may be the wrong ones: many are blank, or most are the same."""

from collections import Counter
from collections.abc import Iterator, Sequence

from crawler.cards.advice import OfferedRow, write_cell
from crawler.cards.markup import plain_text
from crawler.cards.outcome import Card, Deck, Finding, Outcome
from crawler.formats.sides.headers import ASIDES, read_name
from data.console.messages import quantity

MIN_CARDS = 10
"""With fewer, a blank side or two say nothing."""
_BLANK, _SAME = 0.3, 0.5
"""Shares of the cards above which a side is in doubt: more than a few pictures, one text more than all others."""
_LOST = frozenset({"no_separator", "missing_field", "wrong_number_of_fields", "no_sides", "empty_front", "too_long"})
"""Reasons why an entry has no card that leave open whether its sides are elsewhere."""
_FEWEST_LOST, _SHARE_LOST = 2, 0.05
"""Entries without a card that are more than an accident, and their share."""
_SHOWN = 12
"""Fields that a finding names."""
_SAMPLE = 1_000
"""Notes, evenly spaced, whose fields are compared: their HTML costs more time than all else about a large deck."""


def doubt_notes(
    path: str, name: str, fields: Sequence[str], rows: Sequence[Sequence[str]], cards: Sequence[Card]
) -> Iterator[Finding]:
    """A finding for each side that many notes of a type leave blank or most fill alike, and one where most have the
    same text on both sides; with two better fields.

    `path` is their file and `name` says which notes; `rows` are their values (HTML) in the `fields`, `cards` what was
    read from them.
    """
    doubts = [(side, doubt) for side, texts in _sides(cards) if (doubt := _doubt(texts)) is not None]
    remedy, offers = _remedy(path, fields, rows) if doubts else ("", ())
    for side, (kind, words) in doubts:
        field = getattr(cards[0].fields, side)
        yield Finding(kind=kind, detail=f"{name}: its {side}, {field}, is {words} notes; {remedy}", offers=offers)
    if not doubts and (same := _doubt_difference(cards)) and cards[0].fields:
        front, back = cards[0].fields.front, cards[0].fields.back
        others = [field for field in fields if field != back]
        remedy, offers = _remedy(
            path, others, [[*row[: fields.index(back)], *row[fields.index(back) + 1 :]] for row in rows]
        )
        detail = f"{name}: both sides, {front} and {back}, are {same} notes; {remedy}"
        yield Finding(kind="same_sides", detail=detail, offers=offers)


def doubt_cards(deck: Deck) -> Iterator[Finding]:
    """The same for the cards of a deck that were no notes."""
    cards = [card for card in deck.cards if card.fields is None or not card.fields.kind]
    doubts = [(side, doubt) for side, texts in _sides(cards) if (doubt := _doubt(texts)) is not None]
    found = [(kind, f"its {side} is {words}") for side, (kind, words) in doubts]
    if not doubts and (same := _doubt_difference(cards)):
        found = [("same_sides", f"both sides are {same}")]
    way, offers = _confirm(deck, cards) if found else ("", ())
    for kind, words in found:
        yield Finding(kind=kind, detail=f"{deck.set_id}: {words} cards{way}", offers=offers)


def doubt_lost(outcome: Outcome) -> Iterator[Finding]:
    """A finding where more than a twentieth of the entries gave no card since their sides were not found."""
    deck = max(outcome.decks, key=lambda deck: len(deck.cards), default=None)
    lost = Counter(reason for _, reason in outcome.skipped if reason in _LOST)
    n, n_all = lost.total(), lost.total() + sum(len(deck.cards) for deck in outcome.decks)
    if deck and deck.cards and n >= _FEWEST_LOST and n > _SHARE_LOST * n_all:
        why = ", ".join(f"{n:,} {reason}" for reason, n in lost.most_common())
        way, offers = _confirm(deck, deck.cards)
        detail = f"{deck.file}: {n:,} of {quantity(n_all, 'entry', 'entries')} gave no card ({why}){way}"
        yield Finding(kind="lost_entries", detail=detail, offers=offers)


def _confirm(deck: Deck, cards: Sequence[Card]) -> tuple[str, tuple[OfferedRow, ...]]:
    """Where the sides were read from, and the row that says that they are right."""
    if deck.columns:
        cells = {"columns": ",".join(str(column + 1) for column in deck.columns)}
        effect = "reads these columns whatever they hold; write others for others"
        return "", (OfferedRow(path=deck.file, cells=cells, effect=effect),)
    if cards[0].fields:
        front, back = cards[0].fields.front, cards[0].fields.back
        effect = "reads these whatever they hold; write others for others"
        row = OfferedRow(path=deck.file, cells={"fields": write_cell((front, back))}, effect=effect)
        return f"; it was read from {front} and {back}", (row,)
    return "", ()


def _sides(cards: Sequence[Card]) -> tuple[tuple[str, list[str]], ...]:
    return ("front", [card.front for card in cards]), ("back", [card.back for card in cards])


def _doubt(texts: Sequence[str]) -> tuple[str, str] | None:
    """The kind of finding and what is found, if too many of the texts are blank or the same."""
    n_blank = sum(not text.strip() for text in texts)
    if len(texts) < MIN_CARDS:
        return None
    if n_blank > _BLANK * len(texts):
        return "blank_side", f"blank on {n_blank:,} of {len(texts):,}"
    text, n_same = Counter(texts).most_common(1)[0]
    return ("repeated_side", f"«{text[:40]}» on {n_same:,} of {len(texts):,}") if n_same > _SAME * len(texts) else None


def _doubt_difference(cards: Sequence[Card]) -> str | None:
    """What is found, if most cards have the same text on both sides."""
    n_same = sum(bool(card.front.strip()) and card.front == card.back for card in cards)
    is_doubtful = len(cards) >= MIN_CARDS and n_same > _SAME * len(cards)
    return f"the same on {n_same:,} of {len(cards):,}" if is_doubtful else None


def _remedy(path: str, fields: Sequence[str], rows: Sequence[Sequence[str]]) -> tuple[str, tuple[OfferedRow, ...]]:
    """How many texts each field has in a sample, and the row that reads the two with the most, in their order."""
    n = min(_SAMPLE, len(rows))
    some = [rows[at * len(rows) // n] for at in range(n)]
    columns = [[plain_text(row[place])[0] if place < len(row) else "" for row in some] for place in range(len(fields))]
    n_texts = [len(set(column) - {""}) for column in columns]
    counts = ", ".join(f"{name} {n:,}" for name, n in list(zip(fields, n_texts, strict=True))[:_SHOWN])
    usable = [place for place, column in enumerate(columns) if _doubt(column) is None]
    best = sorted(usable, key=lambda place: (read_name(fields[place]) in ASIDES, -n_texts[place], place))[:2]
    if len(best) < 2:
        return f"no two of its fields have texts of their own on most notes ({counts})", ()
    cells = {"fields": write_cell([fields[place] for place in sorted(best)])}
    of = f" in {n:,} of {quantity(len(rows), 'note')}" if n < len(rows) else ""
    return f"different texts in its fields{of}: {counts}", (OfferedRow(path=path, cells=cells, effect="reads others"),)
