"""How sure the votes on a pair are: laws, and what careless people take from it."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.simulation.in_memory import simulate
from data.measures import soft_labels
from data.measures.ballots import votes_of
from data.measures.raters import certainty
from data.measures.rules import VoteRule


def votes_on(given: list[list[int]]) -> pd.DataFrame:
    """The votes of annotators a0, a1, … on pairs p0, p1, …"""
    rows = [(f"p{pair:02}", f"a{rater}", vote) for pair, own in enumerate(given) for rater, vote in enumerate(own)]
    votes = pd.DataFrame(rows, columns=["pair_id", "annotator", "vote"])
    return votes.assign(score=3 * votes["vote"])


VOTES = st.lists(st.lists(st.sampled_from([0, 1]), min_size=2, max_size=5), min_size=4, max_size=12)


@settings(max_examples=10)
@given(VOTES)
def test_the_figures_of_a_pair_are_within_their_bounds(given: list[list[int]]) -> None:
    found = certainty.describe(votes_on(given), None)
    assert found.index.tolist() == [f"p{pair:02}" for pair in range(len(given))]
    n = np.array([len(own) for own in given])
    assert ((found["effective_votes"] >= 0) & (found["effective_votes"] <= n + 1e-9)).all()
    known = found.dropna()
    assert known["difficulty"].between(0, 0.5).all()
    assert ((known["share_low"] >= 0) & (known["share_low"] <= known["share_high"])).all()
    assert (known["share_high"] <= 1).all()


@settings(max_examples=10)
@given(VOTES)
def test_the_order_of_the_votes_means_nothing(given: list[list[int]]) -> None:
    votes = votes_on(given)
    found, mixed = (certainty.describe(rows, None) for rows in (votes, votes.sample(frac=1, random_state=1)))
    pd.testing.assert_frame_equal(found, mixed.loc[found.index], rtol=1e-6)


@settings(max_examples=10)
@given(st.integers(0, 2), st.integers(0, 12))
def test_a_further_vote_for_the_side_that_leads_never_widens_the_interval(against: int, lead: int) -> None:
    """All annotators are alike, so that each vote counts fully, and neither side is the more frequent one."""
    both = [[1] * (against + lead) + [0] * against, [0] * (against + lead) + [1] * against]
    more = [[1, *both[0]], [0, *both[1]]]
    alike = votes_on([*both, *more, [1, 0], [0, 1], [1, 1, 1], [0, 0, 0]])
    alike["annotator"] = [f"a{number}" for number in range(len(alike))]
    found = certainty.describe(alike, None).dropna()
    width = (found["share_high"] - found["share_low"]).to_dict()
    if against + lead:
        assert width["p02"] <= width["p00"] + 1e-9
        assert width["p03"] <= width["p01"] + 1e-9


def test_votes_of_careless_people_count_less() -> None:
    team = simulate({"good": 8, "guessing": 4}, n_pairs=600, labels_per_pair=3, seed=1)
    votes = votes_of(team.ballots, VoteRule())
    weight = certainty.weigh(votes, None)
    is_good = team.annotators.loc[weight.index, "kind"] == "good"
    assert weight[is_good].min() > weight[~is_good].max()
    by_hand = votes["annotator"].map(weight).groupby(votes["pair_id"]).sum()
    found = certainty.describe(votes, None)
    assert found["effective_votes"].to_dict() == pytest.approx(by_hand.to_dict())
    assert found["effective_votes"].max() <= 3


def test_the_interval_is_the_beta_distribution_of_all_votes_with_the_pair_s_own() -> None:
    alike = votes_on([[1, 1, 1], [1, 1, 0], [0, 0, 1], [0, 0, 0]])
    alike["annotator"] = [f"a{number}" for number in range(len(alike))]
    of_all = soft_labels.fit(np.array([3, 2, 1, 0]), np.array([3, 3, 3, 3]))
    found = certainty.describe(alike, None).loc["p00"]
    draws = np.random.default_rng(1).beta(of_all.alpha + 3, of_all.beta, 200_000)
    assert found["effective_votes"] == 3
    assert (found["share_low"], found["share_high"]) == pytest.approx(
        tuple(np.quantile(draws, [0.025, 0.975])), abs=0.01
    )
    assert found["difficulty"] == pytest.approx((2 * draws * (1 - draws)).mean(), abs=0.005)


def test_no_interval_without_two_votes_on_a_pair() -> None:
    found = certainty.describe(votes_on([[1], [0], [1]]), None)
    assert found["effective_votes"].notna().all()
    assert found[["share_low", "share_high", "difficulty"]].isna().all(axis=None)
