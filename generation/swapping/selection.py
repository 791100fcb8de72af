"""Which candidates are offered: at most one per sentence, the best for the budget; all others have a reason."""

import numpy as np
import pandas as pd

from data.words import merge_key
from generation.config import SwapConfig

LEAST_WORTH = -7.0
"""Margins of the n-gram model, in nats, below which a candidate is not shown to the second model."""
RANKED_PER_OFFER = 3
"""So many sentences per offer of the budget are shown to the second model."""
LOST = {
    "no_other_sentence": "no two different units of one kind that could change places",
    "only_lists": "only the order of a list could change",
    "unlikely_source": "the language model finds the source itself unlikely (--least-likely)",
    "below_threshold": "too much less likely than the source (--threshold)",
    "not_ranked": "not among those shown to the second model (--rank-at-most)",
    "same_as_another": "the result is another source or another's result",
    "over_entity_limit": "enough of the same entity (--per-entity)",
    "over_budget": "better ones fill the budget (--budget)",
}
"""Reason -> what the screen says, with the flag that brings the sentences back where there is one."""


def worth_ranking(candidates: pd.DataFrame, config: SwapConfig, at_most: int | None) -> pd.DataFrame:
    """The candidates for the second model: content moved, margin above -7, of at most so many sentences."""
    worth = candidates[candidates["moves_content"] & (candidates["margin"] > LEAST_WORTH)]
    best = worth.groupby("sentence_id")["margin"].max().clip(upper=config.cap)
    order = best.reset_index().sort_values(["margin", "sentence_id"], ascending=[False, True])
    limit = at_most or (RANKED_PER_OFFER * config.budget if config.budget else len(order))
    return worth[worth["sentence_id"].isin(order["sentence_id"].head(limit))]


def select(
    sentences: pd.DataFrame, candidates: pd.DataFrame, outcomes: pd.DataFrame, config: SwapConfig
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The offered candidates, best first, and the rejects (id, reason, detail): together, one row per sentence.

    `candidates` has `judged`, the margin of the deciding model, null where it was not asked.
    """
    reasons = outcomes.set_index("sentence_id")["reason"].astype(object)
    reasons = reasons.where(reasons.notna(), None)
    details: dict[str, str] = {}
    if config.least_likely is not None:
        per_word = outcomes.set_index("sentence_id")["per_word"]
        unlikely = reasons.isna() & (per_word < config.least_likely)
        reasons[unlikely] = "unlikely_source"
        details |= {str(name): f"{value:.2f} nats per word" for name, value in per_word[unlikely].items()}
    pool = candidates[candidates["sentence_id"].isin(reasons.index[reasons.isna()])]
    pool = pool.merge(sentences[["sentence_id", "entity"]], on="sentence_id", how="left", validate="many_to_one")
    least = -np.inf if config.threshold is None else -config.threshold
    for reason, drop in (
        ("not_ranked", lambda rows: rows["judged"].isna()),
        ("below_threshold", lambda rows: rows["judged"] < least),
        ("same_as_another", lambda rows: _is_another(rows, sentences)),
    ):
        lost = drop(pool)
        _give_reason(reasons, pool[lost], pool[~lost], reason)
        pool = pool[~lost]
    best = _ordered(pool, config).drop_duplicates("sentence_id")
    for reason, lost in (
        ("same_as_another", lambda rows: rows["text"].map(merge_key).duplicated()),
        ("over_entity_limit", lambda rows: _over_entity_limit(rows, config)),
        ("over_budget", lambda rows: pd.Series(np.arange(len(rows)) >= (config.budget or len(rows)), rows.index)),
    ):
        mask = lost(best)
        _give_reason(reasons, best[mask], best[~mask], reason)
        best = best[~mask]
    rejects = reasons[reasons.notna()].rename("reason").rename_axis("id").reset_index()
    return best.reset_index(drop=True), rejects.assign(detail=rejects["id"].map(details))


def _ordered(pool: pd.DataFrame, config: SwapConfig) -> pd.DataFrame:
    """The candidates, best first: content moved, the margin up to the cap, fewer units moved, the lower excess."""
    margin = pool["judged"]
    keys = pool.assign(
        _content=~pool["moves_content"],
        _capped=-margin.clip(upper=config.cap),
        _excess=margin,
        _moved=pool["steps"].map(len),
    )
    content = [] if config.recipe == "paper" else ["_content"]
    order = keys.sort_values([*content, "_capped", "_moved", "_excess", "text", "sentence_id"], kind="stable")
    return order.drop(columns=["_content", "_capped", "_moved", "_excess"])


def _give_reason(reasons: pd.Series, lost: pd.DataFrame, left: pd.DataFrame, reason: str) -> None:
    """Give the reason to the sentences that lost their last candidate."""
    gone = lost.loc[~lost["sentence_id"].isin(left["sentence_id"]), "sentence_id"].unique()
    reasons.loc[gone] = reason


def _is_another(rows: pd.DataFrame, sentences: pd.DataFrame) -> pd.Series:
    return rows["text"].map(merge_key).isin(set(sentences["text"].map(merge_key)))


def _over_entity_limit(rows: pd.DataFrame, config: SwapConfig) -> pd.Series:
    if config.per_entity is None:
        return pd.Series(False, rows.index)
    place = rows.groupby("entity", dropna=True).cumcount()
    return (place >= config.per_entity) & rows["entity"].notna()
