"""Which cards may become definitions, with one named reason for each that may not; pure."""

import numpy as np
import pandas as pd

from crawler.cards.detection import confidence
from crawler.cards.texts import only_refers, per_distinct
from crawler.config import DefinitionConfig
from data.storage.engine import HERE
from data.texts import words
from data.texts.languages.base import Language

LETTER = r"[^\W\d_]"


def judge(cards: pd.DataFrame, config: DefinitionConfig, language: Language) -> pd.DataFrame:
    """Why each card is not a definition, else null: columns `reason` and `detail`, with the index of `cards`.

    `cards` has the columns text (white space folded), front, media. The first rule that applies gives the reason:
    `not_pure_text`, `empty_definition` (without a letter), `repeats_the_front`, `cross_reference`, `too_short`,
    `too_long`, `other_language`. Source: He et al. 2020, section 3.1 (pure text, English), and the released data (at
    most 30 words).
    """
    return judge_language(cards, judge_form(cards, config), config, language)


def judge_form(cards: pd.DataFrame, config: DefinitionConfig) -> pd.DataFrame:
    """As `judge`, whatever the language."""
    text, bare = cards["text"], per_distinct(cards["text"], words.bare)
    n_words = per_distinct(text, words.count_words).astype(int)
    refers = per_distinct(text, lambda one: config.drop_references and only_refers(one))
    verdicts = pd.DataFrame({"reason": None, "detail": None}, index=cards.index, dtype=object)
    for reason, broken, detail in (
        ("not_pure_text", cards["media"].notna(), cards["media"]),
        ("empty_definition", ~bare.str.contains(LETTER), text),
        ("repeats_the_front", bare == per_distinct(cards["front"], words.bare), text),
        ("cross_reference", refers, text),
        ("too_short", n_words < config.min_words, n_words),
        ("too_long", n_words > config.max_words, n_words),
    ):
        new = broken.astype(bool) & verdicts["reason"].isna()
        verdicts.loc[new, "reason"] = reason
        verdicts.loc[new, "detail"] = detail[new].astype(str)
    return verdicts


def judge_language(
    cards: pd.DataFrame, verdicts: pd.DataFrame, config: DefinitionConfig, language: Language, engine: str = HERE
) -> pd.DataFrame:
    """The verdicts, with `other_language` where there is no reason so far; each distinct text is measured once.

    `engine` says where (see `data.storage.engine`).
    """
    verdicts = verdicts.copy()
    codes, distinct = pd.factorize(cards.loc[verdicts["reason"].isna(), "text"].astype(object))
    confidences = np.array(confidence(distinct.tolist(), language, engine))[codes]
    low = confidences < config.min_confidence
    foreign = verdicts.index[verdicts["reason"].isna()][low]
    verdicts.loc[foreign, "reason"] = "other_language"
    verdicts.loc[foreign, "detail"] = [f"confidence in {language.name} {number:.3f}" for number in confidences[low]]
    return verdicts
