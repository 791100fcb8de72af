"""Which back translations become pairs; pure."""

import numpy as np
import pandas as pd

from data.contract.vocabulary import TAKEN_DOWN
from data.texts import words
from generation.config import TranslateConfig

SAME, TWICE, FAR = "same_text", "same_as_another", "low_cosine"
UNTRANSLATED = "untranslated"
SECOND_BEST, IN_ORDER, KNOWN = "not_the_best", "too_few_inverted", "already_a_pair"
REASONS = {
    SAME: "the text that went there came back",
    TWICE: "another result is the same text",
    UNTRANSLATED: "words of the other language stayed, which Apertium does not know; try other --pivots, or --marian",
    FAR: "too few words shared with the sentence; --min-cosine keeps more",
    SECOND_BEST: "the sentence has a better result; --results all keeps all",
    IN_ORDER: "at least half of the pairs must have another order of words; --min-inversion sets how much other",
    KNOWN: "another generator proposed the pair",
    TAKEN_DOWN: "taken down (`python -m data takedown`), for good",
}
"""Why a result is left out, and which flag brings it back."""


def choose(results: pd.DataFrame, config: TranslateConfig) -> pd.Series:
    """Why each result is left out, in the terms of REASONS; null for those that become pairs.

    `results`: source_id, source, text, untranslated (words of the other language in it), is_known (the pair exists),
    score (null: none), bow_cosine, inversion_rate (null: not defined). At least half of the results kept have an
    inversion rate above the limit. Source: Zhang et al. 2019, section 3.2.
    """
    reason = pd.Series(pd.NA, index=results.index, dtype="str")
    keys, sources = results["text"].map(words.merge_key), results["source"].map(words.merge_key)
    reason[keys == sources] = SAME
    reason[reason.isna() & results["untranslated"].map(len).gt(0)] = UNTRANSLATED
    far = (results["bow_cosine"] < config.min_cosine).fillna(True).astype(bool)
    reason[reason.isna() & far] = FAR
    reason[reason.isna() & results["is_known"]] = KNOWN
    inverted = (results["inversion_rate"] > config.min_inversion).fillna(False).astype(bool)
    ranked = results.assign(key=keys, in_order=~inverted, score=results["score"].astype("Float64").fillna(0.0))
    ranked = ranked[reason.isna()].sort_values(
        ["source_id", "in_order", "score", "bow_cosine", "text"], ascending=[True, True, False, False, True]
    )
    reason[ranked.index[ranked.duplicated(["source_id", "key"])]] = TWICE
    if config.results == "best":
        left = ranked[reason[ranked.index].isna()]
        reason[left.index[left.duplicated("source_id")]] = SECOND_BEST
    left = ranked[reason[ranked.index].isna()]
    reason[left.index[left.duplicated("key")]] = TWICE
    kept = results[reason.isna()]
    in_order = kept[~inverted[kept.index]].sort_values(["source_id", "text"]).index
    drawn = np.random.default_rng([config.seed, 11]).permutation(in_order)
    reason[drawn[len(kept) - len(in_order) :]] = IN_ORDER
    return reason
