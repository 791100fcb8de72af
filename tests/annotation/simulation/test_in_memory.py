"""Campaigns in memory: exact designs, PARADE's noise, and annotators of each kind."""

import numpy as np
import pandas as pd
import pytest

from annotation.aggregation.adjudication import adjudicate
from annotation.config import LabelRule
from annotation.simulation.in_memory import simulate
from annotation.simulation.noise import KINDS
from data.console.errors import InputError
from data.measures import agreement
from data.measures.annotators import assess
from data.measures.rules import QualityRule


@pytest.fixture(scope="module")
def good():
    return simulate({"good": 40}, n_pairs=10_182, labels_per_pair=3, seed=4)


@pytest.fixture(scope="module")
def mixed():
    return simulate(dict.fromkeys(KINDS, 5), n_pairs=3_000, labels_per_pair=3, seed=2)


def votes(campaign):
    """The votes, and those that the pairs deserve."""
    deserved = campaign.ballots["pair_id"].map(campaign.truth)
    return (campaign.ballots["score"] >= 2).to_numpy(), (deserved >= 2).to_numpy()


def test_good_annotators_disagree_as_parade_s_do(good):
    given, _ = votes(good)
    pairs = good.ballots["pair_id"].str[1:].astype("int64").to_numpy()
    table = agreement.counts(pairs, given.astype("int64"), 2)
    assert (table.sum(axis=1) == 3).all()
    assert 0.20 < agreement.fleiss_kappa(table).value < 0.25
    assert 0.56 < (table.min(axis=1) == 1).mean() < 0.60
    assert 0.46 < (good.truth >= 2).mean() < 0.48


def test_loads_are_even_and_no_one_gets_a_pair_twice(mixed):
    ballots = mixed.ballots
    assert not ballots.duplicated(["pair_id", "annotator"]).any()
    loads = ballots["annotator"].value_counts()
    assert loads.max() - loads.min() <= 1
    places = ballots.sort_values(["annotator", "position"])
    assert (places["position"] == places.groupby("annotator").cumcount()).all()


def test_each_kind_rates_as_described(mixed):
    given, true = votes(mixed)
    kinds = mixed.ballots["annotator"].map(mixed.annotators["kind"]).to_numpy(object)
    right = {kind: (given == true)[kinds == kind].mean() for kind in KINDS}
    assert 0.68 < right["good"] < 0.80
    assert right["careless"] == pytest.approx(0.6, abs=0.03)
    assert right["guessing"] == pytest.approx(0.5, abs=0.03)
    assert right["overlap"] == pytest.approx(0.69, abs=0.03)
    assert set(mixed.ballots.loc[kinds == "always-2", "score"]) == {2}
    place = mixed.ballots["position"].to_numpy()  # of 257
    last_third = place > 172
    assert (given == true)[(kinds == "tiring") & last_third].mean() == pytest.approx(0.5, abs=0.05)
    assert (given == true)[(kinds == "tiring") & ~last_third].mean() == pytest.approx(0.74, abs=0.06)
    drifting = kinds == "drifting"
    assert (given == true)[drifting & (place < 50)].mean() == pytest.approx(0.72, abs=0.06)
    assert (given == true)[drifting & (place > 207)].mean() == pytest.approx(0.53, abs=0.06)


def test_those_who_look_at_unequal_pairs_err_where_others_err():
    equal, unequal = (
        simulate({"good": 20, "guessing": 20}, n_pairs=3_000, labels_per_pair=10, seed=4, unequal=spread)
        for spread in (0, 0.1)
    )
    assert (equal.ease == 0).all()
    assert unequal.ease.abs().max() == pytest.approx(0.1, abs=0.001)
    for campaign, follows in ((equal, False), (unequal, True)):
        given, true = votes(campaign)
        kinds = campaign.ballots["annotator"].map(campaign.annotators["kind"])
        right = pd.Series(given == true).groupby([kinds, campaign.ballots["pair_id"].map(unequal.ease) > 0]).mean()
        assert right["good"].diff().iloc[-1] == pytest.approx(0.1 * follows, abs=0.02)
        assert right["guessing"].diff().iloc[-1] == pytest.approx(0, abs=0.02)


def test_the_same_arguments_give_the_same_campaign(mixed):
    again = simulate(dict.fromkeys(KINDS, 5), n_pairs=3_000, labels_per_pair=3, seed=2)
    assert again.ballots.equals(mixed.ballots)
    other = simulate(dict.fromkeys(KINDS, 5), n_pairs=3_000, labels_per_pair=3, seed=3)
    assert not other.truth.equals(mixed.truth)


@pytest.mark.sweep
def test_quality_and_adjudication_accept_the_ballots(mixed):
    measures = assess(mixed.ballots, QualityRule())
    assert set(mixed.annotators.index) < set(measures["annotator"])
    labels, rejects = adjudicate(mixed.ballots, LabelRule())
    assert len(labels) == 3_000
    assert rejects.empty


def test_overlap_of_real_pairs_is_followed():
    overlap = np.linspace(0, 1, 200)
    found = simulate({"overlap": 2}, n_pairs=200, labels_per_pair=2, seed=1, overlap=overlap)
    scores = found.ballots.sort_values("pair_id")["score"].astype("int64")
    assert scores.is_monotonic_increasing
    assert set(scores) == {0, 1, 2, 3}


def test_too_few_annotators_are_refused():
    with pytest.raises(InputError, match="at least 3"):
        simulate({"good": 2}, n_pairs=10, labels_per_pair=3, seed=1)
