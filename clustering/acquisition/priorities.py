"""From the scores of models to the pairs that are labelled next, mixed with pairs at random; pure."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from clustering.acquisition.unlabelled import Candidates
from clustering.candidates.selection import BORDER, numbers
from clustering.config import SelectConfig
from data.console.errors import InputError
from data.contract.vocabulary import RANDOM_SHARE
from data.measures.agreement import Reals
from data.texts import similarity
from data.texts.languages.base import Language

DISAGREEMENT, MISLEADING = "disagreement", "misleading"
NO_PREDICTION, NO_OVERLAP, ENTITY_FULL, LATER = "no_prediction", "no_overlap", "over_per_entity", "over_max_pairs"
SAYS_THE_SAME = "says_the_same"
MOST_WEIGHT, WEIGHINGS = 1_000.0, 24
"""At such a weight pairs come by their chance alone; the weight is found by halving so often."""


def choose(candidates: Candidates, config: SelectConfig, language: Language) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The rows of the table `pairs` to label, and the others with their `reason` and `detail` (see `buy`).

    Both have the `chance` of a positive label: the mean score; NaN for a pair that no model scored.
    """
    if config.selection == DISAGREEMENT and len(candidates.names) < 2:
        raise InputError(
            "--selection disagreement",
            expected="scores by at least two models or seeds",
            found=f"those of {candidates.names[0]}",
            remedy="train another, such as with --seed 2, and predict --unlabelled with it",
        )
    overlap = numbers(candidates.pairs["overlap"])
    n_runs = (~np.isnan(candidates.scores)).sum(axis=1)
    rows = candidates.pairs.assign(
        priority=prioritise(candidates.scores, candidates.thresholds, overlap, config.selection),
        chance=mean_of_runs(candidates.scores),
        is_scored=n_runs >= (2 if config.selection == DISAGREEMENT else 1),
        detail=_details(candidates.scores, candidates.thresholds, config.selection),
        says=what_they_say(candidates.pairs["first"].tolist(), candidates.pairs["second"].tolist(), language),
    )
    chosen, others = buy(rows, config)
    return chosen.drop(columns=["priority", "is_scored", "says"]), others


def what_they_say(first: Sequence[str], second: Sequence[str], language: Language) -> "pd.Series[str]":
    """For each pair what is equal where both texts have the same content words but for endings, order and sides."""
    bags = similarity.bag_stems([*first, *second], language)
    words = [tuple(sorted(row.indices.tolist())) for row in bags]
    said = [found or text for found, text in zip(words, [*first, *second], strict=True)]
    both = zip(said[: len(first)], said[len(first) :], strict=True)
    return pd.Series([" | ".join(sorted(map(str, sides))) for sides in both], dtype="object")


def _details(scores: Reals, thresholds: Reals, selection: str) -> list[str]:
    """What a reader should know of each pair's choice."""
    if selection == DISAGREEMENT:
        yes, n = (scores >= thresholds).sum(axis=1), (~np.isnan(scores)).sum(axis=1)
        return [f"{one} of {some} runs say paraphrase" for one, some in zip(yes, n, strict=True)]
    return ["no score" if np.isnan(value) else f"score {value:.2f}" for value in mean_of_runs(scores)]


def margins(scores: Reals, thresholds: Reals) -> Reals:
    """How sure each run (column) is of each pair: from -1 (no paraphrase) to 1, and 0 at the run's threshold.

    `scores` and `thresholds` lie between 0 and 1; NaN, for pairs that a run did not score, stays NaN.
    """
    above = scores - thresholds
    room = np.where(above >= 0, 1 - thresholds, thresholds)
    sure: Reals = np.divide(above, room, out=np.where(np.isnan(scores), np.nan, 0.0), where=room > 0)
    return sure


def mean_of_runs(values: Reals) -> Reals:
    """The mean over the runs that scored a pair; NaN where none did."""
    n = (~np.isnan(values)).sum(axis=1)
    mean: Reals = np.divide(np.nansum(values, axis=1), n, out=np.full(len(values), np.nan), where=n > 0)
    return mean


def prioritise(scores: Reals, thresholds: Reals, overlap: Reals, selection: str) -> Reals:
    """The priority of each pair by the selection, highest first; NaN where it cannot be chosen.

    `scores`: a row per pair, a column per run. `uncertain`: the closer the mean margin is to 0. `disagreement`: the
    entropy of the runs' votes and, among equal ones, the variance of their margins; needs two runs. `misleading`: the
    mean score of a pair whose overlap says no paraphrase, and 1 minus it of any other, which is how likely the label
    contradicts overlap.
    """
    if selection == DISAGREEMENT:
        return _disagreement(margins(scores, thresholds))
    if selection == MISLEADING:
        mean = mean_of_runs(scores)
        return np.where(np.isnan(overlap), np.nan, np.where(overlap < BORDER, mean, 1 - mean))
    return -np.abs(mean_of_runs(margins(scores, thresholds)))


def _disagreement(margins: Reals) -> Reals:
    known = ~np.isnan(margins)
    n = known.sum(axis=1)
    several = n >= 2
    priority = np.full(len(margins), np.nan)
    if several.any():
        some = margins[several]
        share = (np.where(known[several], some, -1) >= 0).sum(axis=1) / n[several]
        entropy = -sum(part * np.log2(np.where(part > 0, part, 1)) for part in (share, 1 - share))
        order = pd.DataFrame({"entropy": entropy.round(9), "variance": np.nanvar(some, axis=1)})
        priority[several] = order.groupby(["entropy", "variance"]).ngroup()
    return priority


def buy(candidates: pd.DataFrame, config: SelectConfig) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The `limit` pairs to label, by `rank`, and the others with the `reason`.

    `candidates`: pair_id, entity, priority (NaN: cannot be chosen), chance (of a positive label, from 0 to 1; NaN:
    unknown), is_scored, detail, says (`what_they_say`). A share of the pairs, `random_share`, is a random sample of all
    candidates, whatever their priority. The others come in turn, by their priority, or as far from it as the wanted
    `mix` takes: at most `per_entity` of one entity, and none says what one before it says. The selection of the sample
    is RANDOM_SHARE.
    """
    pairs = candidates.sort_values("pair_id", ignore_index=True)
    order = np.random.default_rng(config.seed).permutation(len(pairs))
    n = min(config.limit, len(pairs))
    drawn, by_model = order[: round(n * config.random_share)], order[round(n * config.random_share) :]
    scored = by_model[~np.isnan(pairs["priority"].to_numpy("float64")[by_model])]
    turn = _take_turns(pairs, drawn, scored, n, config)
    bought = turn.allowed[: n - len(drawn)]
    reason = pd.Series(np.where(pairs["is_scored"], NO_OVERLAP, NO_PREDICTION), pairs.index, dtype=object)
    reason[turn.repeated], reason[turn.full], reason[turn.allowed] = SAYS_THE_SAME, ENTITY_FULL, LATER
    pairs = pairs.assign(reason=reason, selection=config.selection, sample_of=None)
    pairs.loc[drawn, ["selection", "detail"]] = RANDOM_SHARE, f"of {len(pairs)} pairs without a label"
    chosen = pairs.loc[_spread(drawn, bought)].reset_index(drop=True)
    others = pairs.drop(index=[*drawn, *bought])
    return chosen.assign(rank=range(len(chosen))).drop(columns="reason"), others


@dataclass(frozen=True, eq=False)
class _Turn:
    """The rows that models may choose, each in the order in which they come."""

    allowed: NDArray[np.intp]
    repeated: NDArray[np.intp]
    """They say what one before them says."""
    full: NDArray[np.intp]
    """Their entity has had its number of pairs."""


def _take_turns(
    pairs: pd.DataFrame, drawn: NDArray[np.intp], scored: NDArray[np.intp], n: int, config: SelectConfig
) -> _Turn:
    """The turns by priority; with a `mix`, by the rank of the priority and a weight of the chance that brings it."""
    rank = pairs["priority"].rank(pct=True).to_numpy("float64")
    chance = pairs["chance"].fillna(pairs["chance"].mean()).to_numpy("float64")
    says, entity = (pd.factorize(column)[0] for column in (pairs["says"], pairs["entity"].fillna(pairs["pair_id"])))

    def at(weight: float) -> _Turn:
        order = scored[np.argsort(-(rank + weight * chance)[scored], kind="stable")]
        is_repeated = _count_before(says[[*drawn, *order]])[len(drawn) :] > 0
        known = order[~is_repeated]
        is_allowed = _count_before(entity[known]) < (config.per_entity or len(pairs))
        return _Turn(allowed=known[is_allowed], repeated=order[is_repeated], full=known[~is_allowed])

    def expected(weight: float) -> float:
        return float(chance[[*drawn, *at(weight).allowed[: n - len(drawn)]]].mean())

    wanted = config.mix
    if wanted is None or not len(scored):
        return at(0)
    low, high = (0.0, MOST_WEIGHT) if expected(0) < wanted else (-MOST_WEIGHT, 0.0)
    for _ in range(WEIGHINGS):
        weight = (low + high) / 2
        low, high = (weight, high) if expected(weight) < wanted else (low, weight)
    return at(min((low, high), key=lambda weight: abs(expected(weight) - wanted)))


def _count_before(codes: NDArray[np.intp]) -> NDArray[np.intp]:
    """How many equal ones come before each."""
    order = np.argsort(codes, kind="stable")
    places, is_first = np.arange(len(codes)), np.diff(codes[order], prepend=-1) != 0
    counts = np.empty_like(places)
    counts[order] = places - np.maximum.accumulate(np.where(is_first, places, 0))
    return counts


def _spread(*parts: NDArray[np.intp]) -> NDArray[np.intp]:
    """The rows of all parts, each part's in its order and evenly among the others."""
    places = np.concatenate([(np.arange(len(part)) + 0.5) / max(1, len(part)) for part in parts])
    return np.concatenate(parts)[np.argsort(places, kind="stable")]
