"""Which places of two texts are replaced together; pure."""

from collections import Counter
from dataclasses import dataclass
from typing import Literal, Protocol

from data.texts.languages.base import Language
from identification.robustness.texts import TaggedWords, is_content

Occurrences = Literal["all", "one"]
SENTENCE_ENDS = frozenset('.!?:;"“(')
"""The text before a word that has a capital as the first of a sentence."""
OPEN = ("N", "V", "J")
"""How the tags of nouns, verbs and adjectives begin."""


@dataclass(frozen=True)
class Slot:
    """Places in both texts that get one word, counted from 0; at least one in each."""

    first: tuple[int, ...]
    second: tuple[int, ...]


class Pair(Protocol):
    """Two texts in words."""

    @property
    def first(self) -> TaggedWords:
        """The first text."""

    @property
    def second(self) -> TaggedWords:
        """The second text."""


@dataclass(frozen=True, kw_only=True)
class Slots:
    """The rule of replaceable places (Shi and Huang 2020, section 3.2).

    No stop word, with `plain` no negation or number (see `texts.is_content`), and without `names` no word that is a
    name somewhere in the pair. In a positive pair the two words are the same; in a negative one both are nouns, both
    verbs or both adjectives.
    """

    language: Language
    occurrences: Occurrences = "all"
    """`all`: everywhere that the words occur; `one`: in one place of each text, as the released code does."""
    open_classes: bool = True
    """In positive pairs, too, nouns, verbs and adjectives alone: so the released code; the paper does not say it."""
    names: bool = True
    """Proper nouns, too: by their tags, and in English words with a capital inside a sentence."""
    other_forms: bool = True
    """In positive pairs, words of which either text has another form: that form would be left behind."""
    has_tags: bool = True
    """Whether the words' parts of speech are known; otherwise any content word goes with any other."""
    plain: bool = True
    """No negations, numbers, single letters or words with hyphens."""
    blank: str = ""
    """The text of a blank: the model's padding token, or nothing."""

    def find(self, pair: Pair, label: int) -> list[Slot]:
        """The slots of the pair, in the order of its words."""
        sides = [self._content(text) for text in (pair.first, pair.second)]
        matching = self._same if label else self._alike
        couples = [(a, b) for a in sides[0] for b in sides[1] if matching(a, b)]
        if label and not self.other_forms:
            forms = self._count_forms(pair)
            couples = [(a, b) for a, b in couples if forms[self.language.content_stem(a.word)] == 1]
        if self.occurrences == "one":
            return [Slot((a.place,), (b.place,)) for a, b in couples]
        words = dict.fromkeys((a.word, b.word) for a, b in couples)
        slots = (Slot(places(pair.first, one), places(pair.second, other)) for one, other in words)
        return [slot for slot in slots if self.names or not self._has_name(pair, slot)]

    def _count_forms(self, pair: Pair) -> Counter[str | None]:
        """In how many forms each stem occurs in the two texts."""
        return Counter(self.language.content_stem(word) for word in {*pair.first.lower, *pair.second.lower})

    def _has_name(self, pair: Pair, slot: Slot) -> bool:
        """Whether the word is a name elsewhere ("an apple near Apple"): to leave that alone would half replace it."""
        sides = ((pair.first, slot.first), (pair.second, slot.second))
        return any(self._is_name(text, place) for text, some in sides for place in some)

    def _content(self, text: TaggedWords) -> list["_Token"]:
        return [
            _Token(place, word, tag[:1] if tag[:1] in OPEN else "")
            for place, (word, tag) in enumerate(zip(text.lower, text.tags, strict=True))
            if is_content(word, self.language, plain=self.plain) and (self.names or not self._is_name(text, place))
        ]

    def _is_name(self, text: TaggedWords, place: int) -> bool:
        """Whether the word is tagged as a proper noun, or has a capital that no beginning of a sentence explains."""
        if text.tags[place].startswith("NNP"):
            return True
        begins = not place or bool(SENTENCE_ENDS.intersection(text.gaps[place]))
        return self.language.code == "en" and not begins and text.words[place][0].isupper()

    def _same(self, a: "_Token", b: "_Token") -> bool:
        return a.word == b.word and (not self.open_classes or self._alike(a, b))

    def _alike(self, a: "_Token", b: "_Token") -> bool:
        return a.kind == b.kind and (bool(a.kind) or not self.has_tags)


@dataclass(frozen=True)
class _Token:
    place: int
    word: str
    kind: str


def places(text: TaggedWords, word: str) -> tuple[int, ...]:
    """Where the lower-case word is in the text."""
    return tuple(place for place, other in enumerate(text.lower) if other == word)
