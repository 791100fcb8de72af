"""The decks of `demo/decks/` as values: one JSON file per set, one line per card."""

import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

DECKS = Path(__file__).parents[1] / "decks"
TIMESTAMP = 1_700_000_000
"""Unix seconds of every card and set: the demo world has no clock."""


@dataclass(frozen=True, kw_only=True)
class SiteCard:
    """One card as its author wrote it."""

    word: str
    definition: str
    lang: str | None = None
    """Language code of the definition side if it differs from the set's."""
    written_in: str = "en"
    """Language in which the definition is actually written; never served."""
    image: str | None = None
    """Name of a picture on the definition side."""
    word_image: str | None = None
    """Name of a picture on the word side."""
    image_first: bool = False
    """Whether the picture comes before the text."""
    audio: str | None = None
    """Name of a recording on the definition side."""
    location: list[list[int]] | None = None
    """Corners of the shape that a diagram card points at."""
    rich: bool = False
    """Whether the definition has a rich text besides the plain one."""
    deleted: bool = False
    """Whether the JSON resource marks the card isDeleted; pages never show such a card."""

    @property
    def pure_text(self) -> bool:
        """Whether both sides are text only."""
        return not (self.image or self.word_image or self.audio or self.location)


@dataclass(frozen=True, kw_only=True)
class SiteDeck:
    """One set with its metadata; names in the files are the site's own."""

    id: int
    slug: str
    title: str
    creatorId: int  # noqa: N815
    terms: tuple[SiteCard, ...]
    generation: str
    """The shapes of the pages that serve it: a key of `demo.card_site.pages.GENERATIONS`."""
    description: str = ""
    wordLang: str = "en"  # noqa: N815
    defLang: str = "en"  # noqa: N815
    parentId: int = 0  # noqa: N815
    """The set that this one is a copy of, or 0."""
    accessType: int = 2  # noqa: N815
    behaviour: str = ""
    """Name of a misbehaviour in `demo.card_site.replies`; empty for a set that is served normally."""
    locale: str = ""
    announced: int | None = None
    """The number of cards that page and JSON announce if it differs from the number they hold."""
    hasImages: bool = False  # noqa: N815
    hasDiagrams: bool = False  # noqa: N815
    rank_null: bool = False
    swapped: bool = False
    """Whether the definition side comes first."""

    @cached_property
    def shown(self) -> tuple[SiteCard, ...]:
        """The cards that are not deleted."""
        return tuple(card for card in self.terms if not card.deleted)

    @property
    def num_terms(self) -> int:
        """The number of cards that the set announces."""
        return len(self.shown) if self.announced is None else self.announced

    @property
    def path(self) -> str:
        """The set page's path, with the locale if the set has one."""
        return f"{'/' + self.locale if self.locale else ''}/{self.id}/{self.slug}-flash-cards/"


def read_deck(path: Path) -> SiteDeck:
    fields: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return SiteDeck(**{**fields, "terms": tuple(SiteCard(**card) for card in fields["terms"])})


def read_decks(folder: Path = DECKS) -> dict[int, SiteDeck]:
    decks = (read_deck(path) for path in sorted(folder.glob("*.json")))
    return {deck.id: deck for deck in decks}
