"""How likely texts are in a language, and which languages a pile of texts is in."""

from collections.abc import Sequence
from functools import cache

import lingua
from lingua import IsoCode639_1, LanguageDetector, LanguageDetectorBuilder

from data.console import progress
from data.languages.base import Language

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
