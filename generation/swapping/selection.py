"""Which candidates are offered: at most one per sentence, the best for the budget; all others have a reason."""

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from data.contract.vocabulary import TAKEN_DOWN
from data.texts.words import merge_key
from generation.config import SwapConfig

MIN_MARGIN_NATS = -7.0
"""Margins of the n-gram model, in nats, below which a candidate is not shown to the second model."""
RANKED_PER_OFFER = 3
"""This many sentences per offer of the budget are shown to the second model."""
LOST = {
    "no_other_sentence": "no two different units of one kind that could change places",
    "only_lists": "only the order of a list could change",
    "too_many_moved": "more units change their place in all that were found (--most-moved)",
    "unlikely_source": "the language model finds the source itself unlikely (--least-likely)",
    "below_threshold": "too much less likely than the source (--threshold)",
    "not_ranked": "not among those shown to the second model (--rank-at-most)",
    "same_as_another": "the result is another source or another's result",
    "over_entity_limit": "enough of the same entity (--per-entity)",
    "over_budget": "better ones fill the budget (--limit)",
    TAKEN_DOWN: "all results were taken down (`python -m data takedown`), for good",
}
"""Reason -> what the screen says, with the flag that brings the sentences back where there is one."""


def is_worth_ranking(candidates: pd.DataFrame) -> "pd.Series[bool]":
    """Whether each candidate is one for the second model: content moved, margin above -7."""
    return candidates["moves_content"] & (candidates["margin"] > MIN_MARGIN_NATS)


def ranked_sentences(margins: "pd.Series[float]", config: SwapConfig, at_most: int | None) -> "pd.Index[str]":
    """The sentences whose candidates the second model reads, by the best margin of each that are worth it."""
    best = margins.clip(upper=config.cap).rename("margin").rename_axis("sentence_id").reset_index()
    order = best.sort_values(["margin", "sentence_id"], ascending=[False, True])
    limit = at_most or (RANKED_PER_OFFER * config.limit if config.limit else len(order))
    ids: pd.Index[str] = pd.Index(order["sentence_id"].head(limit))
    return ids


def hash_texts(texts: "pd.Series[str]") -> NDArray[np.uint64]:
    """A number of eight bytes per text. Any two of a million texts share one with a probability of 3e-8."""
    return pd.util.hash_array(texts.to_numpy(object), categorize=False)


def text_keys(texts: "pd.Series[str]") -> NDArray[np.uint64]:
    """A number per text, the same for texts that differ in case and white space alone."""
    return hash_texts(texts.map(merge_key))


def best_of_each(
    candidates: pd.DataFrame, outcomes: pd.DataFrame, sources: pd.Index, config: SwapConfig
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The best candidate of each sentence with its `key`, and rejects (id, reason, detail): one row per sentence.

    `candidates` has `n_moved`, and `judged`, the margin of the deciding model, null where it was not asked; those taken
    down are left out. `sources` are the keys of all sentences.
    """
    reasons = outcomes.set_index("sentence_id")["reason"].astype(object)
    reasons = reasons.where(reasons.notna(), None)
    reasons[reasons.isna() & ~reasons.index.isin(candidates["sentence_id"])] = TAKEN_DOWN
    details: dict[str, str] = {}
    if config.least_likely is not None:
        per_word = outcomes.set_index("sentence_id")["per_word"]
        unlikely = reasons.isna() & (per_word < config.least_likely)
        reasons[unlikely] = "unlikely_source"
        details |= {str(name): f"{value:.2f} nats per word" for name, value in per_word[unlikely].items()}
    pool = candidates[candidates["sentence_id"].isin(reasons.index[reasons.isna()])]
    pool = pool.assign(key=text_keys(pool["text"]))
    least = -np.inf if config.threshold is None else -config.threshold
    for reason, drop in (
        ("not_ranked", lambda rows: rows["judged"].isna()),
        ("below_threshold", lambda rows: rows["judged"] < least),
        ("same_as_another", lambda rows: sources.get_indexer(rows["key"]) >= 0),
    ):
        lost = drop(pool)
        gone = set(pool.loc[lost, "sentence_id"]) - set(pool.loc[~lost, "sentence_id"])
        reasons[list(gone)] = reason
        pool = pool[~lost]
    rejects = _rejects(reasons[reasons.notna()])
    return _ordered(pool, config).drop_duplicates("sentence_id"), rejects.assign(detail=rejects["id"].map(details))


def select(best: pd.DataFrame, config: SwapConfig) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Of the best candidates of all sentences, the offered ones, best first, and the others' rejects.

    `best` has `key` and `entity`.
    """
    best = _ordered(best, config)
    rejects = []
    for reason, drop in (
        ("same_as_another", lambda rows: rows["key"].duplicated()),
        ("over_entity_limit", lambda rows: _over_entity_limit(rows, config)),
        ("over_budget", lambda rows: pd.Series(np.arange(len(rows)) >= (config.limit or len(rows)), rows.index)),
    ):
        lost = drop(best)
        rejects.append(_rejects(pd.Series(reason, best.loc[lost, "sentence_id"])))
        best = best[~lost]
    return best.reset_index(drop=True), pd.concat(rejects, ignore_index=True)


def _rejects(reasons: "pd.Series[str]") -> pd.DataFrame:
    """Rows of the table `rejects` from the reason of each sentence."""
    return reasons.rename("reason").rename_axis("id").reset_index().assign(detail=None)


def _ordered(pool: pd.DataFrame, config: SwapConfig) -> pd.DataFrame:
    """The candidates, best first: content moved (where asked for), the margin up to the cap, few units moved."""
    margin = pool["judged"]
    keys = pool.assign(
        _content=~pool["moves_content"],
        _capped=-margin.clip(upper=config.cap),
        _excess=margin,
    )
    content = ["_content"] if config.content_first else []
    order = keys.sort_values([*content, "_capped", "n_moved", "_excess", "text", "sentence_id"], kind="stable")
    return order.drop(columns=["_content", "_capped", "_excess"])


def _over_entity_limit(rows: pd.DataFrame, config: SwapConfig) -> pd.Series:
    if config.per_entity is None:
        return pd.Series(False, rows.index)
    place = rows.groupby("entity", dropna=True).cumcount()
    return (place >= config.per_entity) & rows["entity"].notna()
