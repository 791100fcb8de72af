"""Which cards may become definitions, with one named reason for each that may not; pure."""

import numpy as np
import pandas as pd

from crawler.cards.detection import Batches, confidence
from crawler.cards.texts import only_refers, per_distinct
from crawler.config import DefinitionConfig
from data.storage.engine import HERE
from data.texts import words
from data.texts.languages.base import Language

LETTER = r"[^\W\d_]"


def judge_form(cards: pd.DataFrame, config: DefinitionConfig) -> pd.DataFrame:
    """Why each card is no definition by its form, else null: columns `reason` and `detail`, with the index of `cards`.

    `cards` has the columns text (white space folded), front, media. The first rule that applies gives the reason:
    `not_pure_text`, `empty_definition` (without a letter), `repeats_the_front`, `cross_reference`, `too_short`,
    `too_long`. Source: He et al. 2020, section 3.1 (pure text), and the released data (at most 30 words).
    """
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
    cards: pd.DataFrame, config: DefinitionConfig, language: Language, engine: str = HERE
) -> pd.DataFrame:
    """The cards with the reason `other_language` where they have none so far; each definition is measured once.

    `cards` has the columns text, definition_id, reason, detail (see `selection.read_cards`). `engine` says where they
    are measured (see `data.storage.engine`). Source: He et al. 2020, section 3.1 (English).
    """
    asked = np.flatnonzero(cards["reason"].isna())
    codes = pd.factorize(cards["definition_id"].iloc[asked])[0]
    places = asked[np.unique(codes, return_index=True)[1]]
    confidences = confidence(Batches(cards["text"], places), language, engine)[codes]
    low = confidences < config.min_confidence
    reason, detail = cards["reason"].copy(), cards["detail"].copy()
    reason.iloc[asked[low]] = "other_language"
    detail.iloc[asked[low]] = [f"confidence in {language.name} {number:.3f}" for number in confidences[low]]
    return cards.assign(reason=reason, detail=detail)
