"""What the random part says of a campaign that stops half-way: it is as far as people are, so it is unbiased."""

import numpy as np
import pandas as pd
import pytest

from annotation.assignment.allocation import settle
from annotation.config import PlanRule
from annotation.questions.declarations import shipped_question
from annotation.simulation.allocating import simulated
from annotation.simulation.in_memory import simulate
from data.measures import agreement
from data.measures.ballots import votes_of
from data.measures.rules import VoteRule
from studies.labels.allocation import first_answers

TEAM, N = {"good": 11, "guessing": 3}, 300


def measure(votes: pd.DataFrame) -> tuple[float, float]:
    """Krippendorff's alpha, and the share of positive votes."""
    pairs, given = pd.factorize(votes["pair_id"])[0].astype("int64"), votes["vote"].to_numpy("int64")
    table = agreement.counts(pairs, given, 2)
    value = agreement.krippendorff_alpha(table).value
    assert value is not None
    return value, float((table[:, 1] / table.sum(axis=1)).mean())


@pytest.mark.sweep
@pytest.mark.parametrize("policy", ["majority-decided", "certain"])
def test_the_random_part_of_a_campaign_that_stops_half_way_is_unbiased(policy: str) -> None:
    rule = settle(PlanRule(labels_per_pair=3, allocate=policy, random_share=0.3), shipped_question(), N)  # type: ignore[arg-type]
    errors, parts = [], []
    for seed in range(40):
        votes = first_answers(simulated(TEAM, n_pairs=N, seed=seed), rule, seed, stop=0.5)
        drawn = votes[votes["random"]]
        many = simulate(TEAM, n_pairs=3_000, labels_per_pair=3, seed=seed)
        truths = measure(votes_of(many.ballots, VoteRule()))
        errors.append(np.subtract(measure(drawn), truths))
        parts.append(len(drawn) / (3 * 0.3 * N))
    assert 0.5 < np.mean(parts) < 0.95
    assert (abs(np.mean(errors, axis=0)) < 3 * np.std(errors, axis=0, ddof=1) / np.sqrt(len(errors))).all()
