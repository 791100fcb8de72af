"""How well votes foretell one that is held out, and how often each annotator is right."""

import numpy as np
import pandas as pd
import pytest

from annotation.simulation.in_memory import simulate
from data.contract.measures import HELD_OUT, RIGHT_VOTES
from data.measures.ballots import votes_of
from data.measures.raters.error_rates import assess_error_rates
from data.measures.raters.held_out import assess_held_out, calibration_error, foretell
from data.measures.raters.pooled_dawid_skene import STRENGTHS, fit
from data.measures.rules import VoteRule


def vote(team: dict, n_pairs: int, seed: int = 1, **more: float) -> tuple[pd.DataFrame, "pd.Series[float]"]:
    """The votes of a simulated team, three a pair, and how often each of them is right."""
    found = simulate(team, n_pairs=n_pairs, labels_per_pair=3, seed=seed, **more)
    votes = votes_of(found.ballots, VoteRule())
    return votes.assign(group=votes["pair_id"]), found.annotators["accuracy"].astype("float64").fillna(0.5)


def gold_of(votes: pd.DataFrame) -> pd.DataFrame:
    """No gold pairs."""
    return votes[:0].assign(truth=0)


def measures(votes: pd.DataFrame) -> dict:
    return {row["measure"]: row for row in assess_held_out(votes, gold_of(votes))}


@pytest.mark.parametrize("team", [{"good": 17, "careless": 3}, {"good": 10, "guessing": 10}])
def test_votes_foretell_one_that_is_held_out_better_than_their_majority_does(team: dict) -> None:
    votes, _ = vote(team, 1_500, unequal=0.2)
    found = measures(votes)
    assert tuple(found) == tuple(HELD_OUT)
    assert found["log_loss"]["value"] < found["log_loss_majority"]["value"]
    assert found["calibration_error"]["value"] < max(0.03, found["calibration_error"]["high"])
    assert {row["n"] for row in found.values()} == {len(votes)}


def test_limits_are_finite_where_all_pairs_are_of_one_entity() -> None:
    votes, _ = vote({"good": 6}, 60)
    for row in measures(votes.assign(group="one")).values():
        assert np.isfinite([row["value"], row["low"], row["high"]]).all(), row


def test_a_held_out_vote_is_not_seen() -> None:
    """Votes at random cannot be foretold: the log loss is as high as with a coin."""
    votes, _ = vote({"guessing": 12}, 600)
    found = measures(votes.assign(vote=np.random.default_rng(1).integers(2, size=len(votes))))
    assert found["log_loss"]["value"] > np.log(2) - 0.005


def test_the_order_of_rows_means_nothing() -> None:
    votes, _ = vote({"good": 6, "careless": 2}, 200)
    mixed = votes.sample(frac=1, random_state=1)
    one, two = (foretell(rows, gold_of(rows)) for rows in (votes, mixed))
    assert np.allclose(one["chance"], two["chance"])


def test_the_calibration_error_is_the_mean_distance_by_tenths() -> None:
    foretold = pd.DataFrame({"chance": [0.15, 0.15, 0.85, 0.85], "vote": [0, 1, 1, 1]})
    assert calibration_error(foretold) == pytest.approx((2 * 0.35 + 2 * 0.15) / 4)


def test_pairs_with_one_vote_foretell_nothing() -> None:
    votes = pd.DataFrame({"pair_id": ["p", "q"], "annotator": ["a", "b"], "score": [3, 0], "vote": [1, 0]})
    found = measures(votes.assign(group=votes["pair_id"]))
    assert {row["value"] for row in found.values()} == {None}
    assert {row["reason"] for row in found.values()} == {"no pair has two ratings"}


def test_limits_hold_how_often_annotators_are_right() -> None:
    """About 94 % where all pairs are equally hard."""
    holds = []
    for seed in range(4):
        votes, right = vote({"good": 17, "careless": 3}, 400, seed)
        rows = pd.DataFrame(assess_error_rates(votes, None))
        assert set(rows["measure"]) == set(RIGHT_VOTES)
        true = rows["annotator"].map(right)
        holds += [*(rows["low"] <= true) & (true <= rows["high"])]
    assert np.mean(holds) > 0.88


def test_gold_shows_who_is_right() -> None:
    """Two pairs of votes contradict each other; gold pairs tell which of the two annotators is right."""
    names = [f"p{number:02}" for number in range(40)]
    both = [(name, person, int(person == "right")) for name in names for person in ("right", "wrong")]
    votes = pd.DataFrame(both, columns=["pair_id", "annotator", "vote"])
    votes = votes.assign(score=3 * votes["vote"])
    gold = votes[votes["pair_id"] < "p20"].assign(truth=1)
    rows = pd.DataFrame(assess_error_rates(votes[votes["pair_id"] >= "p20"], gold)).set_index(["annotator", "measure"])
    assert rows.loc[("right", "sensitivity"), "low"] > rows.loc[("wrong", "sensitivity"), "high"]


@pytest.mark.parametrize(("accuracies", "strength"), [((0.98, 0.5), STRENGTHS[0]), ((0.75, 0.75), STRENGTHS[1])])
def test_people_who_are_alike_are_drawn_further_towards_each_other(
    accuracies: tuple[float, float], strength: float
) -> None:
    """A hundred people with some 36 votes each.

    One half is right as often as the first accuracy says, the other half as the second.
    """
    random, n = np.random.default_rng(1), 1_200
    truth = random.integers(2, size=n)
    people = np.array([random.choice(100, size=3, replace=False) for _ in range(n)])
    right = random.random(people.shape) < np.array(accuracies)[people % 2]
    given = np.where(right, truth[:, None], 1 - truth[:, None]).ravel()
    names, pairs = (values.astype("str") for values in (people.ravel(), np.repeat(np.arange(n), 3)))
    votes = pd.DataFrame({"pair_id": pairs, "annotator": names, "score": 3 * given, "vote": given})
    assert fit(votes).strength == strength
