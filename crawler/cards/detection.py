"""How likely texts are in a language, and which languages a pile of texts is in."""

from collections import Counter
from collections.abc import Sequence
from functools import cache

import lingua
from lingua import IsoCode639_1, LanguageDetector, LanguageDetectorBuilder

from data.console import progress
from data.languages.base import Language
from data.languages.known import codes

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


SAMPLE = 500
"""Texts whose languages are looked at."""
WORDS = 8
"""Fewest words that show a language; shorter texts are read together with the next ones."""
SAID_FROM = 0.05
"""Share of other languages from which it is said."""
DOUBTFUL = 0.1
"""Confidence in the language below which a text is in another, as for definitions (DefinitionConfig.min_confidence)."""


def spread(texts: Sequence[str], most: int = SAMPLE) -> list[str]:
    """At most so many of the texts, evenly spaced."""
    step = max(1, -(-len(texts) // most))
    return list(texts[::step])


def say_languages(texts: Sequence[str], language: Language, what: str) -> list[str]:
    """One line with the share of texts in other languages and the commonest of these; none where there are few.

    `what` names the texts: `papers`. At most SAMPLE texts are looked at.
    """
    pieces = _join_short(spread(texts))
    others = _in_other_languages(pieces, language)
    if len(others) < max(1, SAID_FROM * len(pieces)):
        return []
    commonest = Counter(others).most_common(1)[0][0]
    code = commonest.iso_code_639_1.name.lower()
    remedy = f" (the flag for these: --language {code}, of a crawl -a language={code})" if code in codes() else ""
    share = f"{len(others) / len(pieces):.0%} of the {what} are not in {language.name}"
    return [f"{share}, most of these in {commonest.name.title()}{remedy}"]


def mostly_in(texts: Sequence[str], language: Language) -> str | None:
    """The code of another known language that more than half of the texts are in; None where there is none."""
    pieces = _join_short(spread(texts))
    for other, n in Counter(_in_other_languages(pieces, language)).most_common(1):
        code = other.iso_code_639_1.name.lower()
        return code if code in codes() and n > len(pieces) / 2 else None
    return None


def _in_other_languages(pieces: list[str], language: Language) -> list[lingua.Language]:
    """The languages of the pieces that are in another one; the accurate detector is asked where the fast one says many.

    The fast one takes English with Latin names for Romanian, 5 % of a biology class's definitions.
    """
    named = zip(pieces, _any_language().detect_languages_in_parallel_of(pieces), strict=True)
    others = [(piece, other) for piece, other in named if other not in (None, _named(language))]
    if len(others) < SAID_FROM * len(pieces):
        return []
    doubted = confidence([piece for piece, _ in others], language)
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


def confidence(texts: Sequence[str], language: Language) -> list[float]:
    """lingua's confidence that each text is in the language, 0 to 1, among CANDIDATES and that language."""
    wanted = _named(language)
    detector = _detector(frozenset({*CANDIDATES, wanted}))
    confidences: list[float] = []
    batches = [texts[start : start + TEXTS_AT_ONCE] for start in range(0, len(texts), TEXTS_AT_ONCE)]
    for batch in progress(batches, label="languages", unit="batches", total=len(batches)) if batches else ():
        confidences += detector.compute_language_confidence_in_parallel(list(batch), wanted)
    return confidences


def _named(language: Language) -> lingua.Language:
    return lingua.Language.from_iso_code_639_1(getattr(IsoCode639_1, language.code.upper()))


@cache
def _detector(candidates: frozenset[lingua.Language]) -> LanguageDetector:
    """The detector in its accurate mode; its models, 350 MB, are loaded when first needed."""
    return LanguageDetectorBuilder.from_languages(*sorted(candidates, key=str)).build()
