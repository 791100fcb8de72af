"""What a page or a file yields: decks of cards, or findings that say why not.

Every parser of `crawler.pages` and `crawler.formats` takes bytes and returns an `Outcome`; none opens a
connection or a file. What nobody could read is a `Finding`, never an empty `Outcome`.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

FINAL = frozenset({"gone", "truncated", "sides_disagree"})
"""Kinds of findings that asking again does not change."""

UNHEARD = frozenset({"unreachable", "server_error"})
"""Kinds of findings that say nothing of what was asked for."""


@dataclass(frozen=True, kw_only=True)
class Card:
    """One flashcard, as its source gives it."""

    front: str
    """The side that names something: plain text, no markup; may be empty where that side is a picture."""
    back: str
    """The side that explains it: plain text, no markup; may be empty."""
    position: int
    """Place in the deck, from 0."""
    media: tuple[str, ...] = ()
    """What is on the card beside text: `image`, `audio`, `video`, `diagram`, `cloze`. Empty for pure text."""
    language: str | None = None
    """Language code that the source declares for the back (sources err); None where it declares none."""


@dataclass(frozen=True, kw_only=True)
class Deck:
    """One set of cards by one author."""

    set_id: str
    """Identity within the source; a file's deck has one that depends on its content or name alone."""
    title: str
    """Title as shown; may be empty."""
    cards: tuple[Card, ...]
    """In the order of the deck."""
    copied_from: str | None = None
    """Id of the set that this one was copied from, where the source tells."""
    licence_note: str | None = None
    """What the source says of the texts' licence; None where it says nothing."""
    declared: int | None = None
    """How many cards the source says the deck has; None where it does not say."""
    read_as: str = ""
    """How its file was understood, in one line, where that was a guess."""


@dataclass(frozen=True, kw_only=True)
class Finding:
    """Something that a person should know about a page or a file."""

    kind: str
    """`blocked`, `private`, `gone`, `changed_markup`, `truncated`, `wrong_set`, `unknown_format`, …"""
    detail: str
    """One line: what was found where."""


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """All that one page or file yielded."""

    decks: tuple[Deck, ...] = ()
    """Decks that were read, empty ones included."""
    findings: tuple[Finding, ...] = ()
    """What went wrong or is missing."""
    skipped: tuple[tuple[str, str], ...] = ()
    """Entries that are no cards: (id within the source, reason), such as `deleted_item` or `cloze`."""


def gather(entries: Iterable[tuple[str, Card | str]]) -> tuple[tuple[Card, ...], tuple[tuple[str, str], ...]]:
    """The cards among the entries (id, and card or reason why there is none) in their order, and the others."""
    cards: list[Card] = []
    skipped: list[tuple[str, str]] = []
    for name, found in entries:
        if isinstance(found, Card):
            cards.append(replace(found, position=len(cards)))
        else:
            skipped.append((name, found))
    return tuple(cards), tuple(skipped)
