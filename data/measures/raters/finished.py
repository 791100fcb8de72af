"""Of which pairs nothing more is asked, by the campaign's way of giving out ratings; pure."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from data.contract.vocabulary import CERTAIN
from data.measures.agreement import Mask, Reals
from data.measures.ballots import Couples, count_once, counting, votes_of
from data.measures.raters.pooled_dawid_skene import positive_chances
from data.measures.rules import VoteRule

FLAGS_TO_REJECT = 2
"""How many flags in place of answers take a pair out."""

MAX_POSTERIOR = 0.95
"""The largest posterior of a side of the vote that a label states, and the smallest is as far from 0.

The models take errors on a pair to be independent; since hard pairs mislead several annotators at once, posteriors near
0 and 1 are wrong far more often than they say (`python -m studies.labels.soft_labels`).
"""

MOST = 3
"""How many times the full number of ratings a pair gets at most by the policy `certain`."""


def doubts(chances: "pd.Series[float]", target: float) -> Reals:
    """How far each chance of a positive answer is from being certain enough: 0 or less where it is.

    A half where nothing is known. None beyond MAX_POSTERIOR is believed: with few ratings the model takes everybody
    for right.
    """
    chance = chances.fillna(0.5).clip(1 - MAX_POSTERIOR, MAX_POSTERIOR).to_numpy("float64")
    return np.asarray(target - np.maximum(chance, 1 - chance), dtype=np.float64)


def find_finished(
    plan: "Mapping[Any, Any] | pd.Series[Any] | None",
    ballots: pd.DataFrame,
    rule: VoteRule,
    gold: pd.DataFrame | None = None,
    couples: Couples = (),
) -> "pd.Series[int]":
    """The number of ratings of each pair (index: pair_id) of which nothing more is asked.

    None of its ratings is open or skipped. By the policy `certain` it is also certain enough, at its largest number of
    ratings, out by flags, or the budget is spent. `plan`: the campaign's row of `campaigns`; without one, only open and
    skipped ratings count. `gold`: as from `gold_votes`. `couples`: who has one vote together.
    """
    asked = counting(ballots)
    given = asked["state"].isin(["scored", "flagged"])
    answers = given.groupby(asked["pair_id"]).agg(["all", "sum"])
    finished: Mask = answers["all"].to_numpy(bool)
    if plan is not None and plan["allocate"] == CERTAIN:
        held = ballots["replaced_in"].isna() | ballots["state"].isin(["scored", "flagged"])
        if held.sum() < int(plan["budget"]):
            flags = (asked["state"] == "flagged").groupby(asked["pair_id"]).sum().to_numpy("int64")
            votes = votes_of(asked, rule)
            chances = positive_chances(votes[count_once(votes, couples)], gold)
            doubt = doubts(chances.reindex(answers.index), float(plan["target"]))
            is_full = answers["sum"].to_numpy("int64") >= MOST * int(plan["labels_per_pair"])
            finished = finished & ((doubt <= 0) | is_full | (flags >= FLAGS_TO_REJECT))
    sizes: pd.Series[int] = answers.loc[finished, "sum"].astype("int64")
    return sizes
