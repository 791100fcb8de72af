"""Simulated campaigns under each policy: what the random part measures is unbiased, whatever is asked elsewhere."""

import numpy as np
import pandas as pd
import pytest

from annotation.assignment.allocation import settle
from annotation.config import PlanRule
from annotation.questions.declarations import shipped_question
from annotation.simulation.allocating import allocate, recorded, simulated
from annotation.simulation.in_memory import simulate
from data.measures import agreement
from data.measures.ballots import votes_of
from data.measures.rules import VoteRule

TEAM = {"good": 9, "guessing": 3}
N = 240


def outcome(seed: int, n_pairs: int = N, **values: object):
    rule = settle(PlanRule(labels_per_pair=3, **values), shipped_question(), n_pairs)
    return allocate(simulated(TEAM, n_pairs=n_pairs, seed=seed), rule, seed)


def kappa(votes: pd.DataFrame) -> float:
    pairs, given = pd.factorize(votes["pair_id"])[0].astype("int64"), votes["vote"].to_numpy("int64")
    value = agreement.krippendorff_alpha(agreement.counts(pairs, given, 2)).value
    assert value is not None
    return value


@pytest.mark.sweep
def test_agreement_of_the_random_part_is_unbiased() -> None:
    part = []
    for seed in range(14):
        found = outcome(seed, allocate="certain", random_share=0.3, target=0.95, budget=2 * N)
        many = simulate(TEAM, n_pairs=4_000, labels_per_pair=3, seed=seed)
        truly = kappa(votes_of(many.ballots, VoteRule()))
        part.append(kappa(found.votes[found.votes["random"]]) - truly)
    assert abs(np.mean(part)) < 3 * np.std(part, ddof=1) / np.sqrt(len(part))


@pytest.mark.sweep
@pytest.mark.parametrize("policy", ["majority-decided", "certain"])
def test_the_random_part_gets_the_full_number_and_the_rest_what_it_needs(policy: str) -> None:
    found = outcome(1, allocate=policy, random_share=0.25)
    sizes, drawn = found.votes.groupby("pair_id").size(), found.votes.groupby("pair_id")["random"].sum()
    assert drawn.value_counts().to_dict() == {3: N // 4, 0: N - N // 4}
    assert len(found.votes) <= 3 * N
    assert not found.votes.duplicated(["pair_id", "annotator"]).any()
    if policy == "majority-decided":
        assert sizes[drawn == 0].isin([2, 3]).all()
        assert (sizes[drawn == 3] == 3).all()


def test_a_majority_that_is_decided_early_is_the_majority_of_all() -> None:
    votes = votes_of(simulate(TEAM, n_pairs=N, labels_per_pair=3, seed=2).ballots, VoteRule())
    everybody = votes.groupby("pair_id")["vote"].mean() > 0.5
    world = recorded(votes, everybody.astype("int64"))
    rule = settle(PlanRule(labels_per_pair=3, allocate="majority-decided", random_share=0), shipped_question(), N)
    asked = allocate(world, rule, 1).votes
    assert (asked.groupby("pair_id")["vote"].mean() > 0.5).reindex(everybody.index).equals(everybody)
    assert len(asked) < 0.9 * len(votes)


@pytest.mark.sweep
def test_certain_beats_as_many_fixed_ratings() -> None:
    gains = []
    for seed in range(4):
        fixed = outcome(seed, n_pairs=600, allocate="fixed").steps["right"].iloc[-1]
        certain = outcome(seed, n_pairs=600, allocate="certain", target=0.999).steps.iloc[-1]
        assert certain["ratings"] <= 3
        gains.append(certain["right"] - fixed)
    assert np.mean(gains) > 0.01
