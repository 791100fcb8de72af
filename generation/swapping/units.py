"""A sentence as a row of units: words, and entities and terms as wholes; units of one kind may change places."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from generation.engines.protocols import Tagged

KINDS = {"PERSON": "PERSON", "PER": "PERSON", "ORG": "ORGANIZATION"} | dict.fromkeys(("GPE", "LOC", "FAC"), "LOCATION")
"""Entities that are units (section 3.1: person, location, organisation), by the names that taggers give them."""
NAMES = ("NNP", "NNPS")
HYPHENS = ("-", "\N{EN DASH}", "\N{HYPHEN}", "/")
COMPOUND = "compound"
NUMBER = "CD"
YEAR = re.compile(r"(?:1[5-9]|20)\d\d")
SHARES = ("%", "percent", "per")
MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
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
    """As written in the text."""

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
class Units:
    """Phrases of several tokens that are never torn apart."""

    by_first: dict[str, list[tuple[str, ...]]] = field(default_factory=dict)
    """First token -> the phrases that begin with it, the longest first; in lower case."""

    @classmethod
    def of(cls, phrases: Iterable[str], tokens: Callable[[str], list[str]]) -> "Units":
        """The phrases of two tokens or more, cut as the texts are."""
        by_first: dict[str, set[tuple[str, ...]]] = {}
        for phrase in phrases:
            parts = tuple(tokens(phrase.lower()))
            if len(parts) > 1:
                by_first.setdefault(parts[0], set()).add(parts)
        return cls(by_first={first: sorted(parts, key=lambda p: (-len(p), p)) for first, parts in by_first.items()})

    def find(self, tokens: Sequence[str]) -> list[tuple[int, int]]:
        """The stretches of lower-case tokens that are terms, from left to right, each the longest that begins there."""
        found = []
        for place, token in enumerate(tokens):
            phrases = self.by_first.get(token, ())
            length = next((len(p) for p in phrases if tuple(tokens[place : place + len(p)]) == p), 0)
            if length:
                found.append((place, place + length))
        return found


def units_of(tagged: Tagged, entity_probability: float, terms: Units | None = None) -> list[Unit]:
    """The units of the text, in order.

    An entity is one where its probability is above `entity_probability`. With `terms`, so are terms, compound nouns (in
    the parse), names of several words and words joined by hyphens, each with the tag of its last word, so that singular
    and plural stay right; those that overlap are one. Punctuation stays where it is.
    """
    words = [token.lower() for token in tagged.tokens]
    spans = _joined(_wholes(tagged, words, entity_probability, terms), tagged.tags)
    units, place = [], 0
    while place < len(words):
        kind = tagged.tags[place] if terms is None else _kind(words, tagged.tags, place)
        end, kind = spans.get(place, (place + 1, kind))
        units.append(Unit(place, end, kind, tagged.text[tagged.starts[place] : tagged.ends[end - 1]]))
        place = end
    return units


def _kind(words: Sequence[str], tags: Sequence[str], place: int) -> str:
    """The kind of a single word: punctuation stays; auxiliaries and numbers change places with their like alone.

    "They said so and were fired" with said and were exchanged is no sentence, though both are tagged VBD.
    """
    word, tag = words[place], tags[place]
    if not any(map(str.isalnum, word)):
        return f"MARK {word}"
    if tag == NUMBER:
        return _kind_of_number(words, tags, place)
    return f"AUXILIARY/{tag}" if tag.startswith("V") and word in AUXILIARIES else tag


def _kind_of_number(words: Sequence[str], tags: Sequence[str], place: int) -> str:
    """The number's form and what it says: a year, a share, an amount of money, a day, a count, or none of these.

    "Fell 1.2 percent to 986" with its numbers exchanged is no trap but nonsense.
    """
    word, before, after = words[place], words[place - 1] if place else "", words[place + 1 : place + 2]
    form = "DECIMAL" if "." in word else "DIGITS" if word[:1].isdigit() else "WORD"
    says = {
        "YEAR": YEAR.fullmatch(word),
        "SHARE": after and after[0] in SHARES,
        "MONEY": before.endswith("$"),
        "DAY": place and before[:3] in MONTHS and tags[place - 1] in NAMES,
        f"{form}-COUNT": after and tags[place + 1][:2] in ("NN", "JJ"),
    }
    return next((name for name, holds in says.items() if holds), form) + f"/{NUMBER}"


def _wholes(
    tagged: Tagged, words: list[str], entity_probability: float, terms: Units | None
) -> Iterator[tuple[int, int, str]]:
    """What moves as a whole: where it begins and ends, and its kind; for the same words the first kind counts."""
    tags = tagged.tags
    if terms is not None:
        yield from ((start, end, f"TERM/{tags[end - 1]}") for start, end in terms.find(words))
    for entity in tagged.entities:
        kind = KINDS.get(entity.label)
        if kind and entity.probability > entity_probability:
            yield entity.start, entity.end, kind
    if terms is not None:
        modifies = [
            relation == COMPOUND and head > place
            for place, (relation, head) in enumerate(zip(tagged.relations, tagged.heads, strict=True))
        ]
        yield from ((start, end + 1, tags[end]) for start, end in _runs(modifies, 1) if tags[end][:2] in ("NN", NUMBER))
        yield from ((start, end, f"NAME/{tags[end - 1]}") for start, end in _runs([tag in NAMES for tag in tags]))
        joined = [left == right for left, right in zip(tagged.ends, tagged.starts[1:], strict=False)]
        hyphened = [word in HYPHENS for word in words]
        links = [near and (a or b) for near, a, b in zip(joined, hyphened, hyphened[1:], strict=False)]
        yield from ((start, end + 1, f"JOINED/{tags[end]}") for start, end in _runs(links, 1))


def _joined(wholes: Iterable[tuple[int, int, str]], tags: Sequence[str]) -> dict[int, tuple[int, str]]:
    """Where each whole begins -> where it ends, and its kind; those that overlap are one, with the last word's tag.

    So where `base station` is a term, `cell` does not leave the compound noun `base station cell`.
    """
    kinds: dict[tuple[int, int], str] = {}
    for start, end, kind in wholes:
        kinds.setdefault((start, end), kind)
    joined: list[tuple[int, int]] = []
    for start, end in sorted(kinds):
        overlaps = bool(joined) and start < joined[-1][1]
        before = joined.pop() if overlaps else (start, end)
        joined.append((before[0], max(before[1], end)))
    return {start: (end, kinds.get((start, end), tags[end - 1])) for start, end in joined}


def _runs(flags: Sequence[bool], least: int = 2) -> list[tuple[int, int]]:
    """The stretches of at least this many neighbouring flags that are set."""
    runs, start = [], None
    for place, flag in enumerate([*flags, False]):
        if flag and start is None:
            start = place
        elif not flag and start is not None:
            runs += [(start, place)] if place - start >= least else []
            start = None
    return runs


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
