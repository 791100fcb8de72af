"""Which way of making labels suits a campaign: by its gold pairs, else by how many people voted how often; pure.

No way is best everywhere, and agreement cannot tell which is; only pairs of known truth can. `python -m
studies.labels.aggregation` compares the ways on ratings with a known truth.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from statsmodels.stats.contingency_tables import mcnemar

from annotation.aggregation.models import posteriors
from data.contract.vocabulary import MAJORITY, Method
from data.measures import intervals
from data.measures.agreement import Mask
from data.measures.intervals import Limits

MIN_PEOPLE = 10
MIN_VOTES = 20
"""With fewer people, or fewer votes of most of them, a model of how people err knows too little of each."""
SIGNIFICANCE = 0.05
"""A difference that chance alone makes at least this often says nothing."""


@dataclass(frozen=True, kw_only=True)
class OnGold:
    """How a method does on the gold pairs."""

    method: Method
    right: int
    n: int
    limits: Limits
    """Of the share that is right."""
    p_value: float
    """How often chance alone makes as large a difference from the majority's labels: McNemar's exact test."""

    @property
    def is_chance(self) -> bool:
        """Whether the difference from the majority is within chance."""
        return self.p_value >= SIGNIFICANCE


def try_on_gold(votes: pd.DataFrame, gold: pd.DataFrame, methods: Sequence[Method], seed: int = 1) -> list[OnGold]:
    """How often the majority and each other method label the gold pairs rightly; a tie is not right.

    `votes`: pair_id, annotator, score, vote (0 or 1) of the work; `gold`: the same and `truth`, one row per rating. The
    models see gold pairs as any other pairs. At most as many ratings of each, drawn at random, count as a pair of the
    work mostly has: gold pairs go to more people.
    """
    per_pair = int(votes["pair_id"].value_counts().median())
    drawn = gold.sample(frac=1, random_state=seed)
    drawn = drawn[drawn.groupby("pair_id").cumcount() < per_pair].sort_index()
    truth = drawn.groupby("pair_id")["truth"].first()
    both = pd.concat([votes[~votes["pair_id"].isin(truth.index)], drawn[list(votes)]], ignore_index=True)
    is_right = {}
    for method in dict.fromkeys([MAJORITY, *methods]):
        chances = posteriors(both, method).reindex(truth.index).to_numpy("float64")
        is_right[method] = np.where(truth == 1, chances > 0.5, chances < 0.5)
    return [_judge(method, right, is_right[MAJORITY]) for method, right in is_right.items()]


def _judge(method: Method, right: Mask, by_majority: Mask) -> OnGold:
    low, high = intervals.share(right.sum(), len(right))
    table = [[(right & by_majority).sum(), (right & ~by_majority).sum()],
             [(~right & by_majority).sum(), (~right & ~by_majority).sum()]]  # fmt: skip
    p_value = float(mcnemar(table, exact=True).pvalue)
    return OnGold(
        method=method, right=int(right.sum()), n=len(right), limits=(float(low), float(high)), p_value=p_value
    )


def is_thin(votes: pd.DataFrame) -> bool:
    """Whether too few people voted, or most of them too rarely, to tell how each of them errs."""
    each = votes["annotator"].value_counts()
    return len(each) < MIN_PEOPLE or each.median() < MIN_VOTES
