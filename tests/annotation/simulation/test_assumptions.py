"""What a pilot tells of pairs and people, and simulated campaigns that assume it."""

import numpy as np
import pandas as pd
import pytest

from annotation.simulation.assumptions import AS_IN_PARADE, Assumptions, learn
from annotation.simulation.in_memory import Simulated, simulate
from data.labelled.metrics import measure_auc
from data.measures.ballots import votes_of
from data.measures.rules import VoteRule

LIKE_THIS = Assumptions(positive=0.3, overlap_auc=0.62, accuracies=(0.86, 0.9), guessing=0.25)


def settled(campaign: Simulated) -> pd.DataFrame:
    """The pairs with the labels that they deserve."""
    binary = (campaign.truth >= 2).astype("int64")
    rows = pd.DataFrame({"binary": binary, "overlap": campaign.overlap, "group": campaign.truth.index})
    return rows.rename_axis("pair_id").reset_index()


@pytest.mark.sweep
def test_what_a_pilot_tells_is_what_campaigns_then_assume():
    pilot = simulate(LIKE_THIS.team(40), n_pairs=800, labels_per_pair=40, seed=2, assumed=LIKE_THIS)
    told = learn(settled(pilot), votes_of(pilot.ballots, VoteRule()))
    assert told.assumptions.team(40) == {"good": 30, "guessing": 10}
    assert min(told.assumptions.accuracies) == pytest.approx(0.86, abs=0.02)
    assert max(told.assumptions.accuracies) == pytest.approx(0.9, abs=0.02)
    again = simulate(told.assumptions.team(40), n_pairs=20_000, labels_per_pair=1, seed=3, assumed=told.assumptions)
    yes = (again.truth >= 2).to_numpy(bool)
    found = (yes.mean(), measure_auc(yes, again.overlap.to_numpy()), again.annotators["accuracy"].mean())
    for estimate, value in zip((told.positive, told.overlap_auc), found, strict=False):
        assert value == pytest.approx(estimate.value, abs=0.01)
    assert told.positive.limits[0] < LIKE_THIS.positive < told.positive.limits[1]
    assert told.overlap_auc.limits[0] < LIKE_THIS.overlap_auc < told.overlap_auc.limits[1]
    assert (told.positive.n, told.overlap_auc.n, told.accuracy.n) == (800, 800, 40)
    assert found[2] == pytest.approx(0.88, abs=0.01)


@pytest.mark.sweep
def test_the_intervals_of_pilots_hold():
    held = np.zeros(2)
    for seed in range(100):
        pilot = simulate({"good": 2}, n_pairs=50, labels_per_pair=2, seed=seed, assumed=LIKE_THIS)
        told = learn(settled(pilot), votes_of(pilot.ballots, VoteRule()))
        limits = (told.positive.limits, told.overlap_auc.limits)
        truths = (LIKE_THIS.positive, LIKE_THIS.overlap_auc)
        held += [low <= truth <= high for (low, high), truth in zip(limits, truths, strict=True)]
    assert (held >= 88).all()


def test_people_of_one_skill_are_not_told_apart_by_chance():
    same = Assumptions(accuracies=(0.75, 0.75))
    pilot = simulate({"good": 12}, n_pairs=60, labels_per_pair=12, seed=1, assumed=same)
    told = learn(settled(pilot), votes_of(pilot.ballots, VoteRule()))
    right = votes_of(pilot.ballots, VoteRule()).merge(settled(pilot), on="pair_id")
    shares = (right["vote"] == right["binary"]).groupby(right["annotator"]).mean()
    assert np.ptp(told.assumptions.accuracies) < 0.6 * np.ptp(shares)
    assert np.mean(told.assumptions.accuracies) == pytest.approx(shares.mean())


def test_what_a_pilot_cannot_tell_is_as_in_parade():
    rows = pd.DataFrame({"pair_id": ["p", "q"], "binary": [1, 1], "overlap": [0.1, None], "group": ["g", "h"]})
    told = learn(rows, pd.DataFrame({"pair_id": [], "annotator": [], "vote": []}))
    assert (told.overlap_auc, told.accuracy) == (None, None)
    assert told.assumptions.overlap_auc == AS_IN_PARADE.overlap_auc
    assert told.assumptions.team(11) == {"good": 9, "guessing": 2}
    assert 0 < told.assumptions.positive < 1


def test_where_all_of_a_pilot_guess_a_campaign_of_them_is_simulated():
    pilot = simulate({"guessing": 6}, n_pairs=40, labels_per_pair=6, seed=1)
    told = learn(settled(pilot), votes_of(pilot.ballots, VoteRule()))
    assert told.assumptions.team(6) == {"good": 6, "guessing": 0}
    assert np.mean(told.assumptions.accuracies) == pytest.approx(0.5, abs=0.1)
