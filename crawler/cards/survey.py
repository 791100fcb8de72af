"""Which languages a pile of texts is in."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import lingua
from lingua import LanguageDetector, LanguageDetectorBuilder

from data.texts.languages.base import Language, codes
from data.texts.languages.detection import confidence, of_code

SAMPLE = 500
"""Texts whose languages are looked at."""
BEGINNING = 300
"""Characters of a card's back that show its language."""
WORDS = 8
"""Fewest words that show a language; shorter texts are read together with the next ones."""
SAID_FROM = 0.05
"""Report other languages above this share."""
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
    return of_code(code).name.title()


def _in_other_languages(pieces: list[str], language: Language) -> list[lingua.Language]:
    """The languages of the pieces that are in another one; the accurate detector is asked where the fast one says many.

    The fast one takes English with Latin names for Romanian, 5 % of a biology class's definitions.
    """
    named = zip(pieces, _any_language().detect_languages_in_parallel_of(pieces), strict=True)
    others = [(piece, other) for piece, other in named if other not in (None, of_code(language.code))]
    if len(others) < SAID_FROM * len(pieces):
        return []
    doubted = confidence([piece for piece, _ in others], language.code)
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
