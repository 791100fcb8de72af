"""What a page or a file yields: decks of cards, or findings that say why not.

Every parser of `crawler.pages` and `crawler.formats` takes bytes and returns an `Outcome`; none opens a
connection or a file. Unreadable content gives a `Finding`, never an empty `Outcome`.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, get_args

from crawler.cards.advice import OfferedRow
from data.files.characters import without_controls

Glossary = Literal["nist", "rfc4949", "jargon", "foldoc", "dictd", "wiktionary"]
GLOSSARIES: Mapping[Glossary, str] = {kind: f"glossary.{kind}" for kind in get_args(Glossary)}
"""The glossaries that have a reader, with the source of their cards."""

FINAL = frozenset(
    (
        *("gone", "truncated", "surplus_cards", "sides_disagree", "too_slow"),
        *("blank_side", "repeated_side", "same_sides", "nested_sides", "reversed_cards", "no_cards", "lost_entries"),
        *("guessed_header", "guessed_sides"),
    )
)
"""Kinds of findings that another request would not change."""

UNHEARD = frozenset({"unreachable", "server_error"})
"""Kinds of findings that say nothing about the page that was requested."""

UNREAD = frozenset({"unknown_format", "unknown_columns", "unknown_shape", "nested_sides"})
"""Kinds of findings about what is read in another form."""
_CONVERT = "none reads it; convert it to a table with a column for names and one for texts, or"


@dataclass(frozen=True, kw_only=True)
class Fields:
    """What the source calls the two sides of a card: fields of a note, columns of a table, keys of a record."""

    kind: str = ""
    """The note type; empty where the card is no note."""
    front: str
    back: str


@dataclass(frozen=True, kw_only=True)
class Card:
    """One flashcard, as in its source."""

    front: str
    """The side that names something: plain text, no markup; may be empty where that side is a picture."""
    back: str
    """The side that explains it: plain text, no markup; may be empty."""
    position: int
    """Place in the deck, from 0."""
    media: tuple[str, ...] = ()
    """What the card holds besides text: `image`, `audio`, `video`, `diagram`, `cloze`. Empty for pure text."""
    language: str | None = None
    """Language code that the source declares for the back (not always right); None where it declares none."""
    fields: Fields | None = field(default=None, compare=False)
    """Where the sides stood, if they had names."""


@dataclass(frozen=True, kw_only=True)
class Deck:
    """One set of cards by one author."""

    set_id: str
    """Identity within the source; for a file, it depends only on the content or the name."""
    title: str
    """Title as shown; may be empty."""
    cards: tuple[Card, ...]
    """In the order of the deck."""
    copied_from: str | None = None
    """Id of the set that this one was copied from, where the source says so."""
    licence_note: str | None = None
    """What the source says about the licence of the texts; None where it says nothing."""
    declared: int | None = None
    """How many cards the source says the deck has; None where it does not say."""
    file: str = ""
    """The name of the file that it was read from."""
    read_as: str = ""
    """The layout of its file, in one line, where it was guessed."""
    columns: tuple[int, int] | None = None
    """The columns of front and back, from 0, where its file is a table."""
    unread: tuple[str, ...] = ()
    """The columns of a table, or fields of notes, that hold something and are no side, by name or number, and what was
    dropped from many texts."""


@dataclass(frozen=True, kw_only=True)
class Finding:
    """A problem with a page or a file that a person should know about."""

    kind: str
    """`blocked`, `private`, `gone`, `changed_markup`, `truncated`, `wrong_set`, `unknown_format`, …"""
    detail: str
    """One line: what was found where."""
    offers: tuple[OfferedRow, ...] = ()
    """The rows of the sheet of decks that answer it."""
    may_guess: bool = False
    """Whether the likeliest of them may be followed without the operator's word, and said."""

    def describe(self) -> str:
        """The detail and the rows, on one line."""
        return f"{self.detail}; row: {self.show_offers()}" if self.offers else self.detail

    def show_offers(self) -> str:
        """The rows on one line."""
        return ", ".join(self.list_offers())

    def list_offers(self) -> list[str]:
        """Each row, and what to do where none of them reads the file."""
        shown = [offer.show() for offer in self.offers]
        is_unread = self.kind in UNREAD and all("skip" in offer.cells for offer in self.offers)
        return [f"{_CONVERT} {shown[0]}", *shown[1:]] if is_unread and shown else shown


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """Everything that one page or file yielded."""

    decks: tuple[Deck, ...] = ()
    """Decks that were read, empty ones included."""
    findings: tuple[Finding, ...] = ()
    """What went wrong or is missing."""
    skipped: tuple[tuple[str, str], ...] = ()
    """Entries that gave no card: (id within the source, reason), such as `deleted_item` or `cloze`."""
    n_dropped: int = 0
    """Control characters of the source that the cards lack."""

    def cleaned(self) -> "Outcome":
        """The outcome with control characters dropped from titles and cards."""
        decks, n_dropped = [], self.n_dropped
        for deck in self.decks:
            cards = []
            for card in deck.cards:
                front, back = without_controls(card.front), without_controls(card.back)
                n_here = front.n_dropped + back.n_dropped
                cards.append(replace(card, front=front.content, back=back.content) if n_here else card)
                n_dropped += n_here
            title = without_controls(deck.title)
            n_dropped += title.n_dropped
            decks.append(replace(deck, title=title.content, cards=tuple(cards)))
        return replace(self, decks=tuple(decks), n_dropped=n_dropped)


def gather(entries: Iterable[tuple[str, Card | str]]) -> tuple[tuple[Card, ...], tuple[tuple[str, str], ...]]:
    """The cards of the entries (id, and card or the reason there is none) in order, and the others as (id, reason)."""
    cards: list[Card] = []
    skipped: list[tuple[str, str]] = []
    for name, card in entries:
        if isinstance(card, Card):
            cards.append(replace(card, position=len(cards)))
        else:
            skipped.append((name, card))
    return tuple(cards), tuple(skipped)
