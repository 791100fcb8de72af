"""Which cards may become definitions: one named reason for each that may not. Pure."""

from collections.abc import Sequence
from functools import cache

import numpy as np
import pandas as pd
from lingua import Language, LanguageDetector, LanguageDetectorBuilder

from crawler.cards.texts import per_distinct
from crawler.config import DefinitionConfig
from data import words
from data.console import progress

LANGUAGES = (
    Language.ENGLISH,
    Language.ARABIC,
    Language.CHINESE,
    Language.DUTCH,
    Language.FRENCH,
    Language.GERMAN,
    Language.ITALIAN,
    Language.JAPANESE,
    Language.KOREAN,
    Language.POLISH,
    Language.PORTUGUESE,
    Language.RUSSIAN,
    Language.SPANISH,
    Language.SWEDISH,
    Language.TURKISH,
)
"""Fifteen languages: with more, short English texts are taken for rare ones."""

TEXTS_AT_ONCE = 5_000
LETTER = r"[^\W\d_]"


def judge(cards: pd.DataFrame, config: DefinitionConfig) -> pd.DataFrame:
    """Why each card is no definition, or null: columns `reason` and `detail`, with the index of `cards`.

    `cards` has the columns text (white space folded), front, media. The first rule that holds counts:
    `not_pure_text`, `empty_definition` (no letter in it), `repeats_the_front`, `too_short`, `too_long`,
    `not_english`. Source: He et al. 2020, section 3.1 (pure text, English), and the released data (at most 30
    words).
    """
    text, bare = cards["text"], per_distinct(cards["text"], words.bare)
    n_words = per_distinct(text, words.count_words).astype(int)
    found = pd.DataFrame({"reason": None, "detail": None}, index=cards.index, dtype=object)
    for reason, broken, detail in (
        ("not_pure_text", cards["media"].notna(), cards["media"]),
        ("empty_definition", ~bare.str.contains(LETTER), text),
        ("repeats_the_front", bare == per_distinct(cards["front"], words.bare), text),
        ("too_short", n_words < config.min_words, n_words),
        ("too_long", n_words > config.max_words, n_words),
    ):
        new = broken.astype(bool) & found["reason"].isna()
        found.loc[new, "reason"] = reason
        found.loc[new, "detail"] = detail[new].astype(str)
    _judge_language(found, text, config)
    return found


def _judge_language(found: pd.DataFrame, texts: pd.Series, config: DefinitionConfig) -> None:
    """Adds `not_english` to those not judged yet; each distinct text is measured once."""
    codes, distinct = pd.factorize(texts[found["reason"].isna()].astype(object))
    english = np.array(confidence_in_english(distinct.tolist()))[codes]
    foreign = found.index[found["reason"].isna()][english < config.min_english]
    found.loc[foreign, "reason"] = "not_english"
    found.loc[foreign, "detail"] = [f"confidence in English {one:.3f}" for one in english[english < config.min_english]]


def confidence_in_english(texts: Sequence[str]) -> list[float]:
    """How sure lingua is that each text is English, 0 to 1, among fifteen languages."""
    if not texts:
        return []
    batches = range(0, len(texts), TEXTS_AT_ONCE)
    found: list[float] = []
    for start in progress(batches, label="languages", unit="batches", total=len(batches)):
        batch = list(texts[start : start + TEXTS_AT_ONCE])
        found += _detector().compute_language_confidence_in_parallel(batch, Language.ENGLISH)
    return found


@cache
def _detector() -> LanguageDetector:
    """The detector in its accurate mode; its models are read when first needed, 350 MB of them."""
    return LanguageDetectorBuilder.from_languages(*LANGUAGES).build()
