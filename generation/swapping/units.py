"""A sentence as a row of units: words, and entities and terms as wholes; units of one kind may change places."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from generation.engines.protocols import Tagged

KINDS = {"PERSON": "PERSON", "PER": "PERSON", "ORG": "ORGANIZATION"} | dict.fromkeys(("GPE", "LOC", "FAC"), "LOCATION")
"""Entities that are units (section 3.1: person, location, organisation), by the names that taggers give them."""
NAMES = ("NNP", "NNPS")
_FUNCTION_TAGS = "DT PDT IN CC TO PRP PRP$ WDT WP WP$ WRB EX POS MD UH RP LS SYM XX"
FUNCTION_TAGS = frozenset(_FUNCTION_TAGS.split())
_AUXILIARIES = "am are be been being is was were do does did done have has had having 's 're 'm 've 'd not n't"
AUXILIARIES = frozenset(_AUXILIARIES.split())


@dataclass(frozen=True)
class Unit:
    """Tokens that move together."""

    start: int
    """The first token."""
    end: int
    """The token after the last."""
    kind: str
    """The tag of the word, or what kind of entity or term it is: a place in the template."""
    surface: str
    """As it stands in the text."""

    @property
    def key(self) -> tuple[str, str]:
        """Units with the same key are one candidate: the kind, and the surface form without case."""
        return self.kind, self.surface.lower()

    @property
    def has_content(self) -> bool:
        """Whether the unit is more than a function word or punctuation."""
        if self.end - self.start > 1:
            return True
        is_word = any(map(str.isalnum, self.surface))
        return is_word and self.kind not in FUNCTION_TAGS and self.surface.lower() not in AUXILIARIES


@dataclass(frozen=True, kw_only=True)
class Terms:
    """Phrases of several tokens that are never torn apart."""

    by_first: dict[str, list[tuple[str, ...]]] = field(default_factory=dict)
    """First token -> the phrases that begin with it, the longest first; in lower case."""

    @classmethod
    def of(cls, phrases: Iterable[str], tokens: Callable[[str], list[str]]) -> "Terms":
        """The phrases of two tokens or more, cut as the texts are."""
        by_first: dict[str, set[tuple[str, ...]]] = {}
        for phrase in phrases:
            parts = tuple(tokens(phrase.lower()))
            if len(parts) > 1:
                by_first.setdefault(parts[0], set()).add(parts)
        return cls(by_first={first: sorted(parts, key=lambda p: (-len(p), p)) for first, parts in by_first.items()})

    def find(self, tokens: Sequence[str]) -> list[tuple[int, int]]:
        """The stretches of lower-case tokens that are terms, from left to right, each the longest at its place."""
        found, place = [], 0
        while place < len(tokens):
            phrases = self.by_first.get(tokens[place], ())
            length = next((len(p) for p in phrases if tuple(tokens[place : place + len(p)]) == p), 0)
            if length:
                found.append((place, place + length))
            place += length or 1
        return found


def units_of(tagged: Tagged, entity_probability: float, terms: Terms | None = None) -> list[Unit]:
    """The units of the text, in order.

    A term is a unit with the tag of its last word, so that the number stays right; an entity is one where its
    probability is above `entity_probability` and no term overlaps it.
    """
    words = [token.lower() for token in tagged.tokens]
    spans = {start: (end, f"TERM/{tagged.tags[end - 1]}") for start, end in (terms.find(words) if terms else ())}
    covered = {place for start, (end, _) in spans.items() for place in range(start, end)}
    for entity in tagged.entities:
        kind = KINDS.get(entity.label)
        if kind and entity.probability > entity_probability and covered.isdisjoint(range(entity.start, entity.end)):
            spans[entity.start] = (entity.end, kind)
    units, place = [], 0
    while place < len(words):
        end, kind = spans.get(place, (place + 1, tagged.tags[place]))
        units.append(Unit(place, end, kind, tagged.text[tagged.starts[place] : tagged.ends[end - 1]]))
        place = end
    return units


def rearranged(tagged: Tagged, units: Sequence[Unit], order: Sequence[int]) -> str:
    """The text with unit `order[i]` in the place of unit i; what lies between the units stays as it is.

    Where the source begins with a capital, so does the result, and its old first word gets none elsewhere, unless it
    is a name, an abbreviation or "I".
    """
    text, pieces, last = tagged.text, [], 0
    moved_first = bool(units) and order[0] != 0 and units[0].surface[:1].isupper()
    for place, source in enumerate(order):
        surface = units[source].surface
        if moved_first and place == 0:
            surface = surface[:1].upper() + surface[1:]
        elif moved_first and source == 0 and not _keeps_capital(tagged, units[0]):
            surface = surface[:1].lower() + surface[1:]
        start, end = tagged.starts[units[place].start], tagged.ends[units[place].end - 1]
        pieces += [text[last:start], surface]
        last = end
    return "".join(pieces) + text[last:]


def _keeps_capital(tagged: Tagged, unit: Unit) -> bool:
    first = tagged.tokens[unit.start]
    is_name = unit.kind in KINDS.values() or tagged.tags[unit.start] in NAMES
    return is_name or first == "I" or any(map(str.isupper, first[1:]))
