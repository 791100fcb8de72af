"""How likely texts are in a language: by its stop words, and where these do not show it by lingua's detectors."""

from collections.abc import Iterable
from functools import cache

import lingua
import numpy as np
from lingua import IsoCode639_1, LanguageDetector, LanguageDetectorBuilder
from numpy.typing import NDArray

from data.texts.languages.base import language

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

STOP_WORDS, STOP_WORD_SHARE = 3, 0.2
"""A text with at least this number of different stop words, of two letters or more, that make this share of each of its
halves, is in their language: no detector is asked."""
SURE, FEW_WORDS = 0.999, 6
"""The fast detector is believed from this confidence, about texts of at least this number of words. On 113,000 texts of
real decks in seven languages one verdict differs from the accurate detector's: below 0.999, or on short texts, dozens
do."""


def confidence(texts: Iterable[str], code: str) -> NDArray[np.float64]:
    """How likely each text is in the language of the code, 0 to 1, among CANDIDATES and that language.

    It is 1 where stop words show the language (`_shows`), else lingua's confidence: the fast detector is asked first,
    the accurate one about short texts and where the fast one is not SURE.
    """
    texts, wanted = list(texts), of_code(code)
    fast, accurate = detectors(code)
    stop_words = frozenset(word for word in language(code).stop_words if len(word) > 1)
    values = np.ones(len(texts))
    left = [at for at, text in enumerate(texts) if not _shows(text, stop_words)]
    values[left] = fast.compute_language_confidence_in_parallel([texts[at] for at in left], wanted)
    left = [at for at in left if values[at] < SURE or len(texts[at].split()) < FEW_WORDS]
    values[left] = accurate.compute_language_confidence_in_parallel([texts[at] for at in left], wanted)
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


@cache
def detectors(code: str) -> tuple[LanguageDetector, LanguageDetector]:
    """The fast detector, which reads three letters at a time, and the accurate one; models are loaded at first use."""
    candidates = sorted({*CANDIDATES, of_code(code)}, key=str)
    fast, accurate = (LanguageDetectorBuilder.from_languages(*candidates) for _ in range(2))
    return fast.with_low_accuracy_mode().build(), accurate.build()


def forget_models(code: str) -> None:
    """Free what `confidence` has loaded, 400 MB; it is loaded again when needed, which takes two seconds."""
    for detector in detectors(code):
        detector.unload_language_models()  # type: ignore[no-untyped-call]


def of_code(code: str) -> lingua.Language:
    """lingua's name of the language of the code (ISO 639-1)."""
    return lingua.Language.from_iso_code_639_1(getattr(IsoCode639_1, code.upper()))
