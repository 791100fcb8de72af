"""Guards of the label and of the grammar: which substitutes are left out. Each is an option."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from data.texts.languages.base import Language
from identification.config import Guard
from identification.robustness.parts_of_speech import BASE_FORMS, PARTICIPLE, PAST_TENSE, Tagger, is_base_form, is_past
from identification.robustness.positions import Slot
from identification.robustness.search import Draft
from identification.robustness.texts import TaggedWords

GUARDS: dict[Guard, str] = {
    "speech": "in both new texts a substitute has the part of speech, number and tense of the word that it replaces",
    "opposites": "no number word, and no opposite of a word of either text, comes into a positive pair",
    "stems": "a substitute shares no stem with a word that either text has already; no word of a positive pair is "
    "replaced of which another form stands there, too",
    "articles": "a substitute after `a` or `an` begins with the sound that the article asks for",
    "names": "no proper noun is replaced, and no word comes in that the data set never writes in lower case",
    "plain": "numbers, negations, single letters and words with hyphens are not replaced and do not come in",
}
AROUND = 5
"""Words on each side of a substitute that its part of speech is read from: most windows recur, whole texts do not."""
KNOWN = 50_000
"""Windows whose tags are kept."""
_AN = re.compile(r"(?:hour|honest|honou?r|heir)|(?!uni[^nm]|us[aeiu]|ut[aei]|ub|uk|eu|ones?$|once$)[aeiou]")
"""How words begin that take `an`."""
_SPELLED = re.compile(r"[fhlmnrsx][^aeiouy]+")
"""Words that are read letter by letter, of which the first begins with a vowel's sound."""
PREFIXES = ("un", "in", "im", "ir", "il", "dis", "non", "anti", "de", "mis")
"""The text between a word and its opposite."""
_NUMBERS = """
    double eight eleven fewer fifteen fifty five forty four half hundred last least less many million billion more most
    nine none quarter second seven several single six ten third thirteen thirty thousand three triple twelve twenty
    twice two zero
"""
NUMBERS = frozenset(_NUMBERS.split())
_OPPOSITES = """
    accept reject, accepted rejected, add remove, add subtract, add delete, analog digital, begin end, best worst,
    better worse, big little, big small, bottom top, bought sold, buy sell, client server, cold hot, complex simple,
    day night, dead alive, decode encode, decrease increase, decreased increased, decrypt encrypt, different same,
    down up, download upload, dynamic static, earlier later, early late, easy hard, end start, external internal,
    fall rise, false true, fast slow, faster slower, fell rose, female male, gain loss, gained lost, global local,
    good bad, guilty innocent, hardware software, high low, higher lower, highest lowest, horizontal vertical,
    input output, inside outside, killed survived, large small, larger smaller, largest smallest, left right, long
    short, longer shorter, lose win, lost won, man woman, max min, maximum minimum, men women, negative positive, new
    old, parallel serial, private public, read write, receive send, receiver sender, strong weak
"""
OPPOSITES = tuple((left, right) for left, right in (pair.split() for pair in _OPPOSITES.split(",")))


@dataclass(frozen=True, kw_only=True, eq=False)
class Guards:
    """Which guards hold, over one list of words."""

    names: frozenset[Guard]
    floor: float
    """The least probability of a substitute, as the geometric mean over its places; 0: none."""
    language: Language
    tag: Tagger
    words: Sequence[str]
    """The substitutes that the masked model knows, in lower case."""
    fluency: "Fluency | None" = None
    """What judges the words around a substitute; none: nothing."""
    _known: dict[tuple[str, ...], tuple[str, ...]] = field(default_factory=dict, init=False)

    @property
    def is_strict(self) -> bool:
        """Whether `keep` may refuse a word."""
        return "speech" in self.names or self.fluency is not None

    @cached_property
    def _place(self) -> dict[str, int]:
        return {word: place for place, word in enumerate(self.words)}

    @cached_property
    def _stems(self) -> "pd.Series[str]":
        return pd.Series(self.language.stems(self.words), dtype="object")

    @cached_property
    def _numbers(self) -> NDArray[np.bool_]:
        return np.array([word in NUMBERS for word in self.words], dtype=bool)

    @cached_property
    def _takes_an(self) -> NDArray[np.bool_]:
        return np.array([takes_an(word) for word in self.words], dtype=bool)

    @cached_property
    def _base_forms(self) -> NDArray[np.bool_]:
        return np.array([is_base_form(word) for word in self.words], dtype=bool)

    @cached_property
    def _past_tenses(self) -> NDArray[np.bool_]:
        return np.array([is_past(word, participle=False) for word in self.words], dtype=bool)

    @cached_property
    def _participles(self) -> NDArray[np.bool_]:
        return np.array([is_past(word, participle=True) for word in self.words], dtype=bool)

    @cached_property
    def _opposites(self) -> dict[str, set[str]]:
        """Word -> its opposites, both ways."""
        opposites: dict[str, set[str]] = {}
        negated = (
            (word.removeprefix(prefix), word) for word in self.words for prefix in PREFIXES if word.startswith(prefix)
        )
        for left, right in (*OPPOSITES, *negated):
            opposites.setdefault(left, set()).add(right)
            opposites.setdefault(right, set()).add(left)
        return opposites

    def allow(self, draft: Draft, slot: Slot, label: int) -> NDArray[np.bool_]:
        """Which words may come into the slot, whatever is around it; never a word of either text."""
        present = {*draft.first.lower, *draft.second.lower}
        allowed = np.ones(len(self.words), dtype=bool)
        barred = set(present)
        if "opposites" in self.names and label:
            allowed &= ~self._numbers
            barred |= {other for word in present for other in self._opposites.get(word, ())}
        if "stems" in self.names:
            stems = {stem for word in present if (stem := self.language.content_stem(word))}
            allowed &= ~self._stems.isin(stems).to_numpy()
        if self.language.code == "en" and "speech" in self.names:  # a tagger trusts what is around a verb too much
            tags = _tags(draft, slot)
            if tags & BASE_FORMS:
                allowed &= self._base_forms
            if PAST_TENSE in tags:
                allowed &= self._past_tenses
            if PARTICIPLE in tags:
                allowed &= self._participles
        if "articles" in self.names and self.language.code == "en":
            articles = _articles(draft, slot)
            if "an" in articles:
                allowed &= self._takes_an
            if "a" in articles:
                allowed &= ~self._takes_an
        allowed[[self._place[word] for word in barred if word in self._place]] = False
        return allowed

    def clash(self, label: int, word: str, other: str) -> bool:
        """Whether `allow` keeps one of two lower-case words out of a pair of the label that has the other."""
        if word == other or ("opposites" in self.names and label and other in self._opposites.get(word, ())):
            return True
        stem = self.language.content_stem
        return "stems" in self.names and stem(word) == stem(other)

    def keep(self, requests: Sequence[tuple[Draft, Slot]], words: Sequence[Sequence[str]]) -> list[Sequence[str]]:
        """The words proposed for each slot that fit, in both new texts: in part of speech, and in fluency.

        They stay in their order; a causal language model, where there is one, puts those first that it finds likeliest.
        """
        if "speech" in self.names:
            words = self._keep_speech(requests, words)
        return list(words) if self.fluency is None else self.fluency.keep(requests, words)

    def _keep_speech(self, requests: Sequence[tuple[Draft, Slot]], words: Sequence[Sequence[str]]) -> list[list[str]]:
        places = [
            {word: list(_places(draft, slot, word)) for word in some}
            for (draft, slot), some in zip(requests, words, strict=True)
        ]
        self._learn(place.around for some in places for put in some.values() for place in put)
        return [[word for word, put in some.items() if all(map(self._is_kept, put))] for some in places]

    def _is_kept(self, place: "_Place") -> bool:
        return self._known[place.around.words][place.at] == place.tag

    def _learn(self, texts: Iterable[TaggedWords]) -> None:
        """Tag the texts that are not known."""
        if len(self._known) > KNOWN:
            self._known.clear()
        unknown = list({text.words: text for text in texts if text.words not in self._known}.values())
        self._known.update((text.words, tagged.tags) for text, tagged in zip(unknown, self.tag(unknown), strict=True))


@dataclass(kw_only=True)
class Fluency:
    """The guard of a causal language model: a substitute may not make the words around it much less likely."""

    score: Callable[[Sequence[str]], NDArray[np.float64]]
    """The natural logarithm of each text's probability."""
    most_loss: float
    """By how much it may fall, on average over the places of a substitute."""
    _known: dict[str, float] = field(default_factory=dict)

    def keep(self, requests: Sequence[tuple[Draft, Slot]], words: Sequence[Sequence[str]]) -> list[Sequence[str]]:
        """The words that are likely enough, likeliest first."""
        changes = [
            {word: list(_changes(*request, word)) for word in some}
            for request, some in zip(requests, words, strict=True)
        ]
        self._learn(text for some in changes for change in some.values() for couple in change for text in couple)
        losses = [{word: self._loss(change) for word, change in some.items()} for some in changes]
        return [
            [word for word in sorted(some, key=some.__getitem__) if some[word] <= self.most_loss] for some in losses
        ]

    def _loss(self, changes: Sequence[tuple[str, str]]) -> float:
        return float(np.mean([self._known[before] - self._known[after] for before, after in changes]))

    def _learn(self, texts: Iterable[str]) -> None:
        """Score the texts that are not known."""
        if len(self._known) > KNOWN:
            self._known.clear()
        unknown = list(dict.fromkeys(text for text in texts if text not in self._known))
        if unknown:
            self._known.update(zip(unknown, self.score(unknown).tolist(), strict=True))


def takes_an(word: str) -> bool:
    """Whether the lower-case English word follows `an` and not `a`."""
    return bool(_AN.match(word) or _SPELLED.fullmatch(word))


def _sides(draft: Draft, slot: Slot) -> Iterator[tuple[TaggedWords, int]]:
    """Each place of the slot, with the text that it is in."""
    for text, places in ((draft.first, slot.first), (draft.second, slot.second)):
        for place in places:
            yield text, place


def _articles(draft: Draft, slot: Slot) -> set[str]:
    """The words before the slot's places."""
    return {text.lower[place - 1] for text, place in _sides(draft, slot) if place}


def _tags(draft: Draft, slot: Slot) -> set[str]:
    """The parts of speech in the slot's places."""
    return {text.tags[place] for text, place in _sides(draft, slot)}


def _changes(draft: Draft, slot: Slot, word: str) -> Iterator[tuple[str, str]]:
    """The words around each place of the slot before and after the word comes in."""
    put = draft.put(slot, word)
    for old, new, places in ((draft.first, put.first, slot.first), (draft.second, put.second, slot.second)):
        for place in places:
            start, end = max(0, place - AROUND), place + AROUND + 1
            yield old.part(start, end).text, new.part(start, end).text


@dataclass(frozen=True)
class _Place:
    """A place of a new text: the words around it, where it is among them, and the tag that it had before."""

    around: TaggedWords
    at: int
    tag: str


def _places(draft: Draft, slot: Slot, word: str) -> Iterator[_Place]:
    """The places of the slot with the word in them."""
    for text, place in _sides(draft.put(slot, word), slot):
        start = max(0, place - AROUND)
        yield _Place(text.part(start, place + AROUND + 1), place - start, text.tags[place])
