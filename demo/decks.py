"""The decks of `demo/decks/` as values: one JSON file a set, one line a card."""

import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

DECKS = Path(__file__).parent / "decks"
TIMESTAMP = 1_700_000_000
"""Unix seconds of every card and set: the demo world has no clock."""


@dataclass(frozen=True, kw_only=True)
class Card:
    """One card as its author made it."""

    word: str
    definition: str
    lang: str | None = None
    """Language code of the definition side where it is not the set's."""
    written_in: str = "en"
    """Language in which the definition really is written; never served."""
    image: str | None = None
    """Name of a picture on the definition side."""
    word_image: str | None = None
    """Name of a picture on the word side."""
    image_first: bool = False
    """True where the picture stands before the text."""
    audio: str | None = None
    """Name of a recording on the definition side."""
    location: list[list[int]] | None = None
    """Corners of the shape that a diagram card points at."""
    rich: bool = False
    """True where the definition has a rich text beside the plain one."""
    deleted: bool = False
    """True where the JSON resource says isDeleted; pages never show such a card."""

    @property
    def pure_text(self) -> bool:
        """True if no side carries anything but text."""
        return not (self.image or self.word_image or self.audio or self.location)


@dataclass(frozen=True, kw_only=True)
class Deck:
    """One set with its metadata; names in the files are the site's own."""

    id: int
    slug: str
    title: str
    creatorId: int  # noqa: N815
    terms: tuple[Card, ...]
    generation: str
    """Page shapes that serve it: a key of `demo.pages.GENERATIONS`."""
    description: str = ""
    wordLang: str = "en"  # noqa: N815
    defLang: str = "en"  # noqa: N815
    parentId: int = 0  # noqa: N815
    """0, or the set of which this one is a copy."""
    accessType: int = 2  # noqa: N815
    behaviour: str = ""
    """Name of the misbehaviour in `demo.site`; empty for a set that is served plainly."""
    locale: str = ""
    announced: int | None = None
    """Number of cards that page and JSON announce where it is not the number that they hold."""
    hasImages: bool = False  # noqa: N815
    hasDiagrams: bool = False  # noqa: N815
    rank_null: bool = False
    swapped: bool = False
    """True where the definition side comes first."""

    @cached_property
    def shown(self) -> tuple[Card, ...]:
        """The cards that are not deleted."""
        return tuple(card for card in self.terms if not card.deleted)

    @property
    def num_terms(self) -> int:
        """The number of cards that the set announces."""
        return len(self.shown) if self.announced is None else self.announced

    @property
    def path(self) -> str:
        """The set page's path, with locale where the set has one."""
        return f"{'/' + self.locale if self.locale else ''}/{self.id}/{self.slug}-flash-cards/"


def read_deck(path: Path) -> Deck:
    fields: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return Deck(**{**fields, "terms": tuple(Card(**card) for card in fields["terms"])})


def read_decks(folder: Path = DECKS) -> dict[int, Deck]:
    decks = (read_deck(path) for path in sorted(folder.glob("*.json")))
    return {deck.id: deck for deck in decks}
