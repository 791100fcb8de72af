"""How likely texts are in a language, and which languages a pile of texts is in."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial

import lingua
import numpy as np
import pandas as pd
from lingua import IsoCode639_1, LanguageDetector, LanguageDetectorBuilder
from numpy.typing import NDArray

from data.console.memory import return_memory
from data.console.messages import progress
from data.storage.engine import HERE, run_each
from data.texts.languages.base import Language, load
from data.texts.languages.known import codes

CANDIDATES = (
    lingua.Language.ENGLISH,
    lingua.Language.ARABIC,
    lingua.Language.CHINESE,
    lingua.Language.DUTCH,
    lingua.Language.FRENCH,
    lingua.Language.GERMAN,
    lingua.Language.ITALIAN,
    lingua.Language.JAPANESE,
    lingua.Language.KOREAN,
    lingua.Language.POLISH,
    lingua.Language.PORTUGUESE,
    lingua.Language.RUSSIAN,
    lingua.Language.SPANISH,
    lingua.Language.SWEDISH,
    lingua.Language.TURKISH,
)
"""With more languages, short English texts are taken for rare ones."""

TEXTS_AT_ONCE = 5_000
MANY_BATCHES = 40
"""After more batches than this, the detectors leave the memory: the work that follows takes as much."""

SAMPLE = 500
"""Texts whose languages are looked at."""
BEGINNING = 300
"""Characters of a card's back that show its language."""
WORDS = 8
"""Fewest words that show a language; shorter texts are read together with the next ones."""
SAID_FROM = 0.05
"""Report other languages above this share."""
STOP_WORDS, STOP_WORD_SHARE = 3, 0.2
"""A text with at least this number of different stop words, of two letters or more, that make this share of each of its
halves, is in their language: no detector is asked."""
SURE, FEW_WORDS = 0.999, 6
"""The fast detector is believed from this confidence, about texts of at least this number of words. On 113,000 texts of
real decks in seven languages one verdict differs from the accurate detector's: below 0.999, or on short texts, dozens
do."""
DOUBTFUL = 0.1
"""Confidence in the language below which a text is in another, as for definitions (DefinitionConfig.min_confidence)."""


def spread(texts: Sequence[str], most: int = SAMPLE) -> list[str]:
    """The largest number of texts, evenly spaced."""
    step = max(1, -(-len(texts) // most))
    return list(texts[::step])


@dataclass(frozen=True, kw_only=True)
class Survey:
    """Which texts of a sample are in other languages than the one that is wanted."""

    wanted: Language
    n_texts: int
    others: Mapping[lingua.Language, int]
    """Other language -> number of texts."""

    def describe(self, what: str) -> list[str]:
        """One line with the share of other languages and the commonest of these; none where there are few.

        `what` names the texts: `papers`.
        """
        if sum(self.others.values()) < max(1, SAID_FROM * self.n_texts):
            return []
        code = self._commonest()
        remedy = f" (the flag for these: --language {code}, of a crawl -a language={code})" if code in codes() else ""
        return [f"{self._shares(what)}{remedy}"]

    def mostly_in(self) -> str | None:
        """The code of the commonest other language where half of the texts or more are in others; None elsewhere."""
        return self._commonest() if 2 * sum(self.others.values()) >= max(1, self.n_texts) else None

    def doubt(self, what: str, change: str) -> str | None:
        """One line for a person who has to change the language of a crawl; None where few texts are in others."""
        code = self.mostly_in()
        return f"{self._shares(what)}: {remedy(self.wanted, code, change, '-a language=')}" if code else None

    def _shares(self, what: str) -> str:
        share = f"{sum(self.others.values()) / self.n_texts:.0%} of the {what} are not in {self.wanted.name}"
        return f"{share}, most of these in {_name(self._commonest())}"

    def _commonest(self) -> str:
        return max(self.others, key=lambda other: (self.others[other], other.name)).iso_code_639_1.name.lower()


def survey(texts: Sequence[str], language: Language) -> Survey:
    """The languages of the texts, of which at most SAMPLE are looked at."""
    pieces = _join_short(spread(texts))
    return Survey(wanted=language, n_texts=len(pieces), others=Counter(_in_other_languages(pieces, language)))


def remedy(wanted: Language, code: str, change: str, flag: str) -> str:
    """What to do about texts in the language of the code: `change` it by a flag, or say that `wanted` is meant."""
    way = f"{change} with {flag}{code}"
    if code not in codes():
        way = f"data/texts/languages has no module for {_name(code)} ({', '.join(codes())}): {change} without these"
    return f"{way}, or with {flag}{wanted.code} if that is meant"


def _name(code: str) -> str:
    return _of_code(code).name.title()


def _in_other_languages(pieces: list[str], language: Language) -> list[lingua.Language]:
    """The languages of the pieces that are in another one; the accurate detector is asked where the fast one says many.

    The fast one takes English with Latin names for Romanian, 5 % of a biology class's definitions.
    """
    named = zip(pieces, _any_language().detect_languages_in_parallel_of(pieces), strict=True)
    others = [(piece, other) for piece, other in named if other not in (None, _named(language))]
    if len(others) < SAID_FROM * len(pieces):
        return []
    doubted = confidence([[piece for piece, _ in others]], language)
    return [other for (_, other), value in zip(others, doubted, strict=True) if value < DOUBTFUL]


def _join_short(texts: Sequence[str]) -> list[str]:
    """The texts, each joined with the next ones until it has WORDS words; a last one with fewer is left out."""
    pieces: list[str] = []
    waiting: list[str] = []
    for text in texts:
        waiting += text.split()
        if len(waiting) >= WORDS:
            pieces.append(" ".join(waiting))
            waiting = []
    return pieces


@cache
def _any_language() -> LanguageDetector:
    """A detector of all modern languages in its fast mode, 100 MB; medical names are Latin in every language."""
    return LanguageDetectorBuilder.from_all_languages_without(lingua.Language.LATIN).with_low_accuracy_mode().build()


class Batches(Sequence["pd.Series[str]"]):
    """The texts at some places, TEXTS_AT_ONCE at a time; a batch takes memory only while it is used."""

    def __init__(self, texts: "pd.Series[str]", places: NDArray[np.int64]) -> None:
        self._texts, self._places = texts, places
        self._starts = range(0, len(places), TEXTS_AT_ONCE)

    def __len__(self) -> int:
        return len(self._starts)

    def __getitem__(self, number: int) -> "pd.Series[str]":  # type: ignore[override] # no slices
        start = self._starts[number]
        return self._texts.iloc[self._places[start : start + TEXTS_AT_ONCE]]


def confidence(batches: Sequence[Iterable[str]], language: Language, engine: str = HERE) -> NDArray[np.float64]:
    """The confidence that each text of the batches is in the language, 0 to 1, among CANDIDATES and that language.

    It is 1 where stop words show the language (`_shows`), else lingua's: the fast detector is asked first, the accurate
    one about short texts and where the fast one is not SURE.
    """
    if not batches:
        return np.empty(0)
    return_memory()  # the detectors take 400 MB
    found = run_each(partial(_confidence, language.code), batches, engine, progress, "batches of texts")
    if len(batches) > MANY_BATCHES:
        _forget_models(language)
    return np.concatenate(found)


def _confidence(code: str, batch: Iterable[str]) -> NDArray[np.float64]:
    """The confidence in the language of this code for each text of a batch."""
    texts = list(batch)
    wanted, candidates = _of_code(code), _candidates(code)
    stop_words = frozenset(word for word in load(code).stop_words if len(word) > 1)
    values = np.ones(len(texts))
    left = [at for at, text in enumerate(texts) if not _shows(text, stop_words)]
    asked = [texts[at] for at in left]
    values[left] = _fast_detector(candidates).compute_language_confidence_in_parallel(asked, wanted)
    unsure = [at for at in left if values[at] < SURE or len(texts[at].split()) < FEW_WORDS]
    asked = [texts[at] for at in unsure]
    values[unsure] = _detector(candidates).compute_language_confidence_in_parallel(asked, wanted)
    return values


def _shows(text: str, stop_words: frozenset[str]) -> bool:
    """Whether the text is in the language of the stop words, from its beginning to its end.

    Texts of which one half is a translation have the stop words of the other language in that half alone.
    """
    found = text.lower().split()
    if len(stop_words.intersection(found)) < STOP_WORDS:
        return False
    middle = len(found) // 2
    halves = found[:middle], found[middle:]
    return all(sum(word in stop_words for word in half) >= STOP_WORD_SHARE * len(half) for half in halves)


def _forget_models(language: Language) -> None:
    """Free what `confidence` has loaded here; it is loaded again when needed, which takes two seconds."""
    for detector in (_detector, _fast_detector):
        detector(_candidates(language.code)).unload_language_models()  # type: ignore[no-untyped-call]
    return_memory()


def _candidates(code: str) -> frozenset[lingua.Language]:
    return frozenset({*CANDIDATES, _of_code(code)})


def _named(language: Language) -> lingua.Language:
    return _of_code(language.code)


def _of_code(code: str) -> lingua.Language:
    return lingua.Language.from_iso_code_639_1(getattr(IsoCode639_1, code.upper()))


@cache
def _detector(candidates: frozenset[lingua.Language]) -> LanguageDetector:
    """The detector in its accurate mode; its models, 350 MB, are loaded when first needed."""
    return LanguageDetectorBuilder.from_languages(*sorted(candidates, key=str)).build()


@cache
def _fast_detector(candidates: frozenset[lingua.Language]) -> LanguageDetector:
    """The detector in its fast mode, which reads three letters at a time."""
    return LanguageDetectorBuilder.from_languages(*sorted(candidates, key=str)).with_low_accuracy_mode().build()
