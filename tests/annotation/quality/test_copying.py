"""Couples who copy are named, and honest ones are not, whatever they agree on."""

import numpy as np
import pandas as pd
import pytest

from annotation.config import VerdictRule
from annotation.quality.copying import find_copying
from annotation.quality.verdict import judge
from data.measures.ballots import votes_of
from studies.quality.copying import COPYING, HONEST, gold_of, make

RULE = VerdictRule()


def given(design, seed=0):
    campaign = make(design, seed)
    return votes_of(campaign.ballots, RULE).assign(place=campaign.ballots["position"])


def named(couples):
    return list(zip(couples["first"], couples["second"], strict=True))


@pytest.mark.parametrize("name", [name for name, design in HONEST.items() if design.n_pairs <= 1_000])
def test_no_one_honest_is_named(name):
    assert named(find_copying(given(HONEST[name]))) == []


def test_a_guesser_and_the_copy_are_named_with_what_they_share():
    (found,) = find_copying(given(COPYING["guesser copied"])).to_dict("records")
    assert (found["first"], found["second"], found["n"], found["same"], found["is_clear"]) == (
        "a04",
        "a05",
        300,
        1,
        True,
    )
    assert found["same_others"] < 0.4
    assert (found["kappa"], abs(found["expected"]) < 0.1, found["z"] > 10) == (1, True, True)


def test_who_copies_in_half_of_the_pairs_is_named():
    assert named(find_copying(given(COPYING["half copied"]))) == [("a04", "a05")]


def test_of_three_people_two_who_always_agree_are_named_with_a_reservation():
    (found,) = find_copying(given(COPYING["three people"])).to_dict("records")
    assert (found["first"], found["second"], found["is_clear"]) == ("a02", "a03", False)


@pytest.mark.parametrize("seed", [18, 20, 35])
def test_of_four_people_no_couple_is_named_for_the_copying_of_the_others(seed):
    random = np.random.default_rng(seed)
    truth = random.random(1_000) < 0.5
    said = np.where(random.random((4, 1_000)) < 0.8, truth, ~truth)
    said[1] = np.where(random.random(1_000) < 0.85, said[0], said[1])
    rows = [(f"p{pair}", f"a{name}", int(said[name, pair])) for pair in range(1_000) for name in range(4)]
    assert named(find_copying(pd.DataFrame(rows, columns=["pair_id", "annotator", "score"]))) == []


def test_nothing_is_said_of_two_people_of_few_common_pairs_and_of_no_votes():
    votes = given(COPYING["guesser copied"])
    assert find_copying(votes[votes["annotator"].isin(["a04", "a05"])]).empty
    assert find_copying(votes[votes["pair_id"].isin(votes["pair_id"].unique()[:19])]).empty
    assert find_copying(votes[:0]).empty


def test_people_who_never_use_another_answer_are_not_copying():
    votes = given(HONEST["five people"])
    lazy = votes["annotator"].isin(["a04", "a05"])
    assert find_copying(votes.assign(score=votes["score"].mask(lazy, 2))).empty


def test_names_and_order_of_rows_change_nothing():
    votes = given(COPYING["75 % and 60 %"])
    shuffled = votes.sample(frac=1, random_state=3)
    pd.testing.assert_frame_equal(find_copying(votes), find_copying(shuffled))


def test_one_vote_turns_the_verdict_upright():
    votes = given(COPYING["guesser copied"])
    alone = judge(votes, RULE).set_index("annotator")["verdict"]
    assert set(alone[["a01", "a02", "a03"]]) == {"careless"}, "two equal voices look like two perfect ones"
    together = judge(votes, RULE, couples=[("a04", "a05")]).set_index("annotator")["verdict"]
    assert set(together[["a01", "a02", "a03"]]) == {"careful"}
    assert set(together[["a04", "a05"]]) == {"careless"}


def test_gold_that_contradicts_colleagues_is_said():
    campaign = make(COPYING["guesser copied"], 0)
    votes = votes_of(campaign.ballots, RULE).assign(place=campaign.ballots["position"])
    found = judge(votes, RULE, gold=gold_of(campaign, 60, 0)).set_index("annotator")
    assert (found["by_gold"] - found["by_others"])[["a01", "a02", "a03"]].min() > 0.3
    assert (found["by_gold"] - found["by_others"])[["a04", "a05"]].max() < -0.3
    assert judge(votes, RULE)[["by_gold", "by_others"]].isna().all(axis=None)
