"""Whether the sides of a deck's cards may be the wrong ones: most are blank, or the same."""

import shlex
from collections import Counter
from collections.abc import Iterator, Sequence

from crawler.cards.markup import plain_text
from crawler.cards.outcome import Card, Deck, Finding
from crawler.formats.headers import ASIDES, read_name

MIN_CARDS = 10
"""With fewer, a blank side or two say nothing."""
_BLANK, _SAME = 0.3, 0.5
"""Shares of the cards above which a side is in doubt: more than a few pictures, one text more than all others."""
_SHOWN = 12
"""Fields that a finding names."""


def find_doubts(
    kind: str, fields: Sequence[str], sides: tuple[int, int], rows: Sequence[Sequence[str]]
) -> Iterator[Finding]:
    """A finding for each side that most notes of a kind leave blank or fill alike, with two fields that are better.

    `rows` holds the notes' values (HTML), `sides` the places of front and back among the `fields`.
    """
    for side, place in zip(("front", "back"), sides, strict=True):
        doubt = _doubt([plain_text(row[place])[0] for row in rows])
        if doubt is not None:
            reason, words = doubt
            remedy = _find_remedy(fields, rows)
            yield Finding(kind=reason, detail=f"{kind}: its {side}, {fields[place]}, is {words} notes; {remedy}")


def doubt_deck(deck: Deck) -> Iterator[Finding]:
    """The same for a deck's cards that were no notes."""
    cards = [card for card in deck.cards if card.fields is None]
    way = "-a columns=FRONT,BACK names other columns" if "column" in deck.read_as else "look at it with -a preview=yes"
    for side in ("front", "back"):
        doubt = _doubt([_text(card, side) for card in cards])
        if doubt is not None:
            yield Finding(kind=doubt[0], detail=f"{deck.set_id}: its {side} is {doubt[1]} cards; {way}")


def _text(card: Card, side: str) -> str:
    return card.front if side == "front" else card.back


def _doubt(texts: Sequence[str]) -> tuple[str, str] | None:
    """The kind of finding and what is found, if too many of the texts are blank or the same."""
    n_blank = sum(not text.strip() for text in texts)
    if len(texts) < MIN_CARDS:
        return None
    if n_blank > _BLANK * len(texts):
        return "blank_side", f"blank on {n_blank:,} of {len(texts):,}"
    text, n_same = Counter(texts).most_common(1)[0]
    return ("repeated_side", f"«{text[:40]}» on {n_same:,} of {len(texts):,}") if n_same > _SAME * len(texts) else None


def _find_remedy(fields: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """The two fields with the most texts, in their order, as a flag; and how many texts each field has."""
    columns = [[plain_text(row[place])[0] if place < len(row) else "" for row in rows] for place in range(len(fields))]
    n_texts = [len(set(column) - {""}) for column in columns]
    counts = ", ".join(f"{name} {n:,}" for name, n in list(zip(fields, n_texts, strict=True))[:_SHOWN])
    usable = [place for place, column in enumerate(columns) if _doubt(column) is None]
    best = sorted(usable, key=lambda place: (read_name(fields[place]) in ASIDES, -n_texts[place], place))[:2]
    if len(best) < 2:
        return f"no two of its fields have texts of their own on most notes ({counts})"
    flag = shlex.quote("fields=" + ",".join(fields[place] for place in sorted(best)))
    return f"-a {flag} reads others, of these fields with so many different texts: {counts}"
