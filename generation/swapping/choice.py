"""The choice among the candidates of all shards, read one after the other: only the best of each sentence are kept."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from data.provenance.tombstones import are_withheld
from generation.config import SwapConfig
from generation.swapping.selection import (
    best_of_each,
    hash_texts,
    is_worth_ranking,
    ranked_sentences,
    select,
    text_keys,
)
from generation.swapping.shards import ShardResult

SLIM = ["sentence_id", "margin", "moves_content"]

Judge = Callable[[pd.DataFrame], pd.DataFrame]
"""Candidates -> the same with `judged`, the margin of the deciding model, null where it was not asked."""


@dataclass(frozen=True, kw_only=True)
class Offer:
    """What is offered, and what became of everything else."""

    offered: pd.DataFrame
    """Candidates, best first, with `source` (the text) and `entity`."""
    rejects: pd.DataFrame
    """id, reason, detail; with the offered ones one row per sentence."""
    n_candidates: int
    n_lists: int


def choose(results: Sequence[ShardResult], judge: Judge, digests: frozenset[str], config: SwapConfig) -> Offer:
    """The choice among the candidates of all shards, without texts of these digests, which were taken down."""
    keys = [text_keys(result.sources(["text"])["text"]) for result in results]
    sources = pd.Index(np.unique(np.concatenate(keys)))
    parts: list[tuple[pd.DataFrame, pd.DataFrame]] = []
    n_candidates = n_lists = 0
    for result in results:
        candidates, outcomes = _read_candidates(result), result.outcomes()
        candidates = candidates[~np.array(are_withheld(candidates["text"], digests), dtype=bool)]
        n_candidates += len(candidates)
        n_lists += int(outcomes["n_lists"].sum())
        parts.append(best_of_each(judge(candidates), outcomes, sources, config))
    offered, beaten = select(pd.concat([best for best, _ in parts], ignore_index=True), config)
    rejects = pd.concat([*(lost for _, lost in parts), beaten], ignore_index=True)
    return Offer(offered=offered, rejects=rejects, n_candidates=n_candidates, n_lists=n_lists)


def by_margin(candidates: pd.DataFrame) -> pd.DataFrame:
    """Let the model of the search judge."""
    return candidates.assign(judged=candidates["margin"])


def by_second_model(
    results: Sequence[ShardResult],
    config: SwapConfig,
    at_most: int | None,
    score: Callable[["pd.Series[str]"], "pd.Series[float]"],
) -> Judge:
    """Let a second model judge the candidates worth it of at most this many sentences.

    `score` takes distinct texts and returns their scores.
    """
    margins = [_best_margins(result.candidates(SLIM)) for result in results]
    ranked = ranked_sentences(pd.concat(margins), config, at_most)

    def are_asked(candidates: pd.DataFrame) -> "pd.Series[bool]":
        return is_worth_ranking(candidates) & candidates["sentence_id"].isin(ranked)

    parts = []
    for result in results:
        candidates = _read_candidates(result)
        asked = candidates[are_asked(candidates)]
        parts += [asked["text"], asked["source"].drop_duplicates()]
    texts = pd.concat(parts).drop_duplicates(ignore_index=True)
    scores = pd.Series(score(texts).to_numpy(float), hash_texts(texts))

    def judge(candidates: pd.DataFrame) -> pd.DataFrame:
        own, source = (_looked_up(scores, candidates[side]).where(are_asked(candidates)) for side in ("text", "source"))
        return candidates.assign(judged=own - source, log_score=own)

    return judge


def _best_margins(candidates: pd.DataFrame) -> "pd.Series[float]":
    worth = candidates[is_worth_ranking(candidates)]
    return worth.groupby("sentence_id")["margin"].max()


def _read_candidates(result: ShardResult) -> pd.DataFrame:
    """The candidates with `n_moved`, `source` (the text) and `entity`."""
    rows, sources = result.candidates(), result.sources().rename(columns={"text": "source"})
    rows = rows.merge(sources, on="sentence_id", how="left", validate="many_to_one")
    return rows.assign(n_moved=rows["steps"].list.len().astype("int64"))


def _looked_up(scores: "pd.Series[float]", texts: "pd.Series[str]") -> "pd.Series[float]":
    return pd.Series(scores.reindex(hash_texts(texts)).to_numpy(), texts.index)
