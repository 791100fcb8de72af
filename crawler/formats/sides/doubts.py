"""Whether the sides of a deck's cards may be the wrong ones: many are blank, or most are the same."""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence

from crawler.cards.advice import OfferedRow, offer_skip, write_cell
from crawler.cards.outcome import Card, Deck, Finding, Outcome
from crawler.formats.sides.headers import ASIDES, read_name
from data.console.messages import quantity
from data.texts.markup import plain_text

MIN_CARDS = 10
"""With fewer, a blank side or two say nothing."""
MAX_BLANK, _SAME = 0.3, 0.5
"""Shares of the cards above which a side is in doubt: more than a few pictures, one text more than all others."""
_CARDS_OF_LABEL = 20
"""Cards for each different text of a side, from which these are labels."""
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
    found = _find_doubts(cards, "notes")
    sides = cards[0].fields
    if found and found[0][0] == "same_sides" and sides:
        at = fields.index(sides.back)
        fields, rows = [*fields[:at], *fields[at + 1 :]], [[*row[:at], *row[at + 1 :]] for row in rows]
    remedy, offers = _remedy(path, fields, rows) if found else ("", ())
    for kind, words in found:
        yield Finding(kind=kind, detail=f"{name}: {words}; {remedy}", offers=offers)


def doubt_cards(deck: Deck) -> Iterator[Finding]:
    """The same for the cards of a deck that were no notes."""
    cards = _without_notes(deck)
    found = _find_doubts(cards, "cards")
    way, offers = confirm(deck, cards, _join(found)) if found else ("", ())
    for kind, words in found:
        yield Finding(kind=kind, detail=f"{deck.set_id}: {words}{way}", offers=(*offers, offer_skip(deck.file)))


def doubt_lost(name: str, outcome: Outcome, files: Collection[str]) -> Iterator[Finding]:
    """A finding for each of the `files` of which more than a twentieth of the entries gave no card since their sides
    were not found; `name` is the file itself, whose members the others are.
    """
    for file in files:
        within = "" if file == name else f"{file[len(name) + 1 :]}!"
        entries = [(one.removeprefix(within), why) for one, why in outcome.skipped if one.startswith(within)]
        decks = [deck for deck in outcome.decks if deck.file == file]
        deck = max(decks, key=lambda deck: len(deck.cards))
        if deck.cards and (lost := _find_lost(decks, entries)):
            lack = _count_lost(decks, lost)
            why = ", ".join(f"{n:,} {reason}" for reason, n in Counter(reason for _, reason in lost).most_common())
            way, offers = confirm(deck, deck.cards, lack)
            detail = f"{file}: {lack} ({why}; {lost[0][0]}){way}"
            yield Finding(kind="lost_entries", detail=detail, offers=offers)


def find_lack(outcome: Outcome) -> str:
    """What `doubt_cards` and `doubt_lost` find in a file that holds one table, in words; empty for nothing."""
    doubts = [doubt for deck in outcome.decks for doubt in _find_doubts(_without_notes(deck), "cards")]
    lost = _find_lost(outcome.decks, outcome.skipped)
    return " and ".join(filter(None, (_join(doubts), _count_lost(outcome.decks, lost) if lost else "")))


def _without_notes(deck: Deck) -> list[Card]:
    return [card for card in deck.cards if card.fields is None or not card.fields.kind]


def _join(doubts: Sequence[tuple[str, str]]) -> str:
    return " and ".join(words for _, words in doubts)


def _find_lost(decks: Sequence[Deck], entries: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """The entries whose sides were not found; none where they are few."""
    lost = [(entry, reason) for entry, reason in entries if reason in _LOST]
    n_all = len(lost) + sum(len(deck.cards) for deck in decks)
    return lost if len(lost) >= _FEWEST_LOST and len(lost) > _SHARE_LOST * n_all else []


def _count_lost(decks: Sequence[Deck], lost: Sequence[tuple[str, str]]) -> str:
    n_all = len(lost) + sum(len(deck.cards) for deck in decks)
    return f"{len(lost):,} of {quantity(n_all, 'entry', 'entries')} gave no card"


def confirm(
    deck: Deck, cards: Sequence[Card], lack: str = "the rest of the file is not read"
) -> tuple[str, tuple[OfferedRow, ...]]:
    """Where the sides were read from, and the row that keeps them; `lack` is what it leaves as it is."""
    effect = f"keeps these sides, though {lack}; write others for others"
    if deck.columns:
        cells = {"columns": ",".join(str(column + 1) for column in deck.columns)}
        return "", (OfferedRow(path=deck.file, cells=cells, effect=effect),)
    if cards[0].fields:
        front, back = cards[0].fields.front, cards[0].fields.back
        row = OfferedRow(path=deck.file, cells={"fields": write_cell((front, back))}, effect=effect)
        return f"; it was read from {front} and {back}", (row,)
    return "", ()


def _find_doubts(cards: Sequence[Card], what: str) -> list[tuple[str, str]]:
    """The kind of each doubt about the sides of cards, and what is found; of notes with the names of their fields."""
    found = []
    called = cards[0].fields if cards and what == "notes" else None
    for side in ("front", "back"):
        if doubt := _doubt([getattr(card, side) for card in cards]):
            name = f", {getattr(called, side)}," if called else ""
            found.append((doubt[0], f"its {side}{name} is {doubt[1]} {what}"))
    n_same = sum(bool(card.front.strip()) and card.front == card.back for card in cards)
    if not found and len(cards) >= MIN_CARDS and n_same > _SAME * len(cards):
        names = f", {called.front} and {called.back}," if called else ""
        found.append(("same_sides", f"both sides{names} are the same on {n_same:,} of {len(cards):,} {what}"))
    return found


def _doubt(texts: Sequence[str]) -> tuple[str, str] | None:
    """The kind of finding and what is found, if too many of the texts are blank or the same."""
    n_blank = sum(not text.strip() for text in texts)
    if len(texts) < MIN_CARDS:
        return None
    if n_blank > MAX_BLANK * len(texts):
        return "blank_side", f"blank on {n_blank:,} of {len(texts):,}"
    counts = Counter(texts)
    text, n_same = counts.most_common(1)[0]
    if n_same > _SAME * len(texts):
        return "repeated_side", f"«{text[:40]}» on {n_same:,} of {len(texts):,}"
    is_label = len(texts) > _CARDS_OF_LABEL * len(counts)
    return ("repeated_side", f"one of {len(counts):,} texts on {len(texts):,} of {len(texts):,}") if is_label else None


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
