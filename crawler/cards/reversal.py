"""Cards that are the wrong way round: a description, a question or a gap in front, the name that it leads to behind."""

import csv
import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import cache
from typing import Literal, get_args

from crawler.cards import fronts
from crawler.cards.advice import OfferedRow, write_cell
from crawler.cards.outcome import Card, Deck, Finding
from crawler.cards.texts import is_reference
from data.texts.languages.base import Language, codes, language
from data.texts.reading import fold
from data.texts.words import normalise

Kind = Literal["description", "question", "gap"]
"""Typical fronts: `the bone of the thigh`, `which bone is in the thigh?`, `___ is the bone of the thigh`."""
KINDS: tuple[Kind, ...] = get_args(Kind)

Turning = Literal["", "no", "descriptions", "yes"]
"""Which of them to turn: none, those with a description, or all; empty where the operator does not say."""
_TURNED: dict[Turning, tuple[Kind, ...]] = {"": (), "no": (), "descriptions": ("description",), "yes": KINDS}

MAX_NAME_WORDS = 4
MAX_NAME_CHARS = 60
"""Characters of a name."""
MIN_WORDS = 4
"""Words of a front that describes; a shorter text is a name itself."""
MIN_CARDS, MIN_SHARE = 10, 0.05
"""This number of reversed cards is a finding if it is also this share of their deck or note type; fewer are chance."""
FEW_CARDS, LARGE_SHARE = 3, 0.2
"""The same for few cards."""

_NO_NAME = re.compile(r"[\W\d_].*|.*[.;:!?。？！…,=|/()].*")
_NO_ANSWER = frozenset({"true", "false", "yes", "no", "all", "none", "both", "neither", "all of the above"})
_GAP = re.compile(r"_{2,}|\.{3,}|…|\[\s{0,9}\]|\{\{")
_OPEN = frozenset({"called", "termed", "named", "known", "heißt", "genannt"})
"""Words after which a name is left out, beside those that no term ends with."""
_LATIN = re.compile(r"[A-Za-z]")
QUESTION_WORDS = "what|which|who|whom|whose|when|where|why|how"
"""First words of English questions."""
_ASKING = re.compile(
    rf"(?:{QUESTION_WORDS}|give|explain|identify|define|is|are|was|were|do|does|did|can|could"
    r"|should|would|will|wer|wie|wo|wann|warum|welche[rs]?|nenne)\b"
    r"|(?:name|list|state)\b(?! (?:of|that|for|in|with|to|where|from|by|used|given)\b)"
)
"""How questions and requests begin, normalised; `a state of` and `a list that` are nouns."""


def kind_of(card: Card) -> Kind | None:
    """The front of a card with a name on its back; None for any other card."""
    front, back = fold(card.front), card.back.strip().removesuffix(".")
    if not _is_name(back) or bool(_LATIN.search(front)) != bool(_LATIN.search(back)) or is_reference(back):
        return None
    is_question = "?" in front or _ASKING.match(normalise(front)) is not None
    if _words_of_name(front) < max(MIN_WORDS, 1 if is_question else 2 * len(back.split())):
        return None
    last = normalise(front).rstrip(":.").rpartition(" ")[2]
    is_open = _GAP.search(front) is not None or last in _OPEN
    is_open = is_open or any(last in known.edge_words for known in _languages())
    return "question" if is_question else "gap" if is_open else "description"


@cache
def _languages() -> tuple[Language, ...]:
    """All that are known: what language a deck is in shows later."""
    return tuple(map(language, codes()))


def _words_of_name(front: str) -> int:
    """Words of what a front asks about, in the language that leaves fewest: `What is a femur?` asks about one."""
    return min(len(fronts.read(front, known).split()) for known in _languages())


def _is_name(text: str) -> bool:
    return (
        0 < len(text) <= MAX_NAME_CHARS
        and "\n" not in text
        and len(text.split()) <= MAX_NAME_WORDS
        and _NO_NAME.fullmatch(text) is None
        and normalise(text) not in _NO_ANSWER
    )


def turn(deck: Deck, turning: Turning, note_types: Collection[str] = ()) -> tuple[Deck, tuple[Finding, ...]]:
    """The deck with the sides of the cards to be turned exchanged, and a finding where many others are reversed.

    Where the cards are notes, each note type is counted by itself, since often one of several is the wrong way round;
    where `note_types` are named, only their cards are turned.
    """
    cards: list[Card] = []
    left: dict[str, list[Kind | None]] = {}
    for card in deck.cards:
        kind, note_type = kind_of(card), note_type_of(card)
        turns = kind in _TURNED[turning] and (not note_types or note_type in note_types)
        cards.append(replace(card, front=card.back, back=card.front, language=None) if turns else card)
        left.setdefault(note_type, []).append(None if turns else kind)
    if turning == "no":
        return deck, ()
    found = (_find(deck.file or deck.set_id, deck.set_id, name, kinds, note_types) for name, kinds in left.items())
    return replace(deck, cards=tuple(cards)), tuple(filter(None, found))


def note_type_of(card: Card) -> str:
    """The name of the card's note type; empty where the card is no note."""
    return card.fields.kind if card.fields else ""


def read_note_types(text: str) -> tuple[str, ...]:
    """The note types that a cell of a sheet names: one row of CSV."""
    rows = csv.reader([text], skipinitialspace=True)
    return tuple(filter(None, (name.strip() for row in rows for name in row)))


def _find(
    path: str, set_id: str, note_type: str, kinds: Sequence[Kind | None], others: Collection[str]
) -> Finding | None:
    """A finding about the cards of a note type with these kinds, if enough of them are reversed.

    `path` is their file; `others` are the note types that were named, which the row offered names again.
    """
    left = Counter(kind for kind in kinds if kind)
    n, share = left.total(), left.total() / len(kinds)
    if not (n >= MIN_CARDS and share >= MIN_SHARE) and not (n >= FEW_CARDS and share >= LARGE_SHARE):
        return None
    parts = ", ".join(f"a {kind} ({left[kind]:,})" for kind in KINDS if left[kind])
    only = write_cell(dict.fromkeys([*others, note_type])) if note_type else ""
    ways = {"yes": n, **({"descriptions": left["description"]} if 0 < left["description"] < n else {})}
    offers = (
        OfferedRow(path=path, cells={"reversed": way, "note_types": only}, effect=f"turns {some:,}")
        for way, some in ways.items()
    )
    name = f"{set_id}: note type {note_type}" if note_type else set_id
    sides = f"{n:,} of {len(kinds):,} cards have a name on the back and on the front {parts}"
    return Finding(kind="reversed_cards", detail=f"{name}: {sides}", offers=tuple(offers))
