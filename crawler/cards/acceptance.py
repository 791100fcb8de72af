"""Which cards may become definitions, with one named reason for each that may not; pure."""

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
"""With more languages, short English texts are taken for rare ones."""

TEXTS_AT_ONCE = 5_000
LETTER = r"[^\W\d_]"


def judge(cards: pd.DataFrame, config: DefinitionConfig) -> pd.DataFrame:
    """Why each card is not a definition, else null: columns `reason` and `detail`, with the index of `cards`.

    `cards` has the columns text (white space folded), front, media. The first rule that applies gives the reason:
    `not_pure_text`, `empty_definition` (without a letter), `repeats_the_front`, `too_short`, `too_long`,
    `not_english`. Source: He et al. 2020, section 3.1 (pure text, English), and the released data (at most 30
    words).
    """
    text, bare = cards["text"], per_distinct(cards["text"], words.bare)
    n_words = per_distinct(text, words.count_words).astype(int)
    verdicts = pd.DataFrame({"reason": None, "detail": None}, index=cards.index, dtype=object)
    for reason, broken, detail in (
        ("not_pure_text", cards["media"].notna(), cards["media"]),
        ("empty_definition", ~bare.str.contains(LETTER), text),
        ("repeats_the_front", bare == per_distinct(cards["front"], words.bare), text),
        ("too_short", n_words < config.min_words, n_words),
        ("too_long", n_words > config.max_words, n_words),
    ):
        new = broken.astype(bool) & verdicts["reason"].isna()
        verdicts.loc[new, "reason"] = reason
        verdicts.loc[new, "detail"] = detail[new].astype(str)
    _judge_language(verdicts, text, config)
    return verdicts


def _judge_language(verdicts: pd.DataFrame, texts: pd.Series, config: DefinitionConfig) -> None:
    """Mark cards without a reason so far as `not_english`; each distinct text is measured once."""
    codes, distinct = pd.factorize(texts[verdicts["reason"].isna()].astype(object))
    english = np.array(confidence_in_english(distinct.tolist()))[codes]
    foreign = verdicts.index[verdicts["reason"].isna()][english < config.min_english]
    verdicts.loc[foreign, "reason"] = "not_english"
    verdicts.loc[foreign, "detail"] = [
        f"confidence in English {confidence:.3f}" for confidence in english[english < config.min_english]
    ]


def confidence_in_english(texts: Sequence[str]) -> list[float]:
    """lingua's confidence that each text is English, 0 to 1, among LANGUAGES."""
    if not texts:
        return []
    batches = range(0, len(texts), TEXTS_AT_ONCE)
    confidences: list[float] = []
    for start in progress(batches, label="languages", unit="batches", total=len(batches)):
        batch = list(texts[start : start + TEXTS_AT_ONCE])
        confidences += _detector().compute_language_confidence_in_parallel(batch, Language.ENGLISH)
    return confidences


@cache
def _detector() -> LanguageDetector:
    """The detector in its accurate mode; its models, 350 MB, are loaded when first needed."""
    return LanguageDetectorBuilder.from_languages(*LANGUAGES).build()
