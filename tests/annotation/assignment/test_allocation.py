"""Who rates what next: laws of every policy."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.assignment.allocation import (
    AHEAD,
    CARELESS_BELOW,
    MIN_ANSWERS,
    SPARE,
    Target,
    need_by_doubt,
    need_by_majority,
    pairs_ahead,
    ratings_at_first,
    settle,
    share_out,
    stop_rule,
)
from annotation.assignment.design import may_rate
from annotation.config import PlanRule
from annotation.questions.declarations import shipped_question
from data.console.errors import InputError
from data.measures.raters.finished import MAX_POSTERIOR

PARADE = shipped_question()
NAMES = [f"a{number}" for number in range(5)]
PAIRS = [f"p{number}" for number in range(12)]

worths = st.lists(st.one_of(st.none(), st.floats(0.001, 1)), min_size=len(PAIRS), max_size=len(PAIRS))
seens = st.sets(st.tuples(st.sampled_from(PAIRS), st.sampled_from(NAMES)))
people = st.lists(
    st.tuples(st.integers(0, 6), st.integers(0, 6), st.one_of(st.none(), st.floats(-1, 1))), min_size=5, max_size=5
)


def allow(seen) -> np.ndarray:
    barred = pd.DataFrame(sorted(seen), columns=["pair_id", "annotator"], dtype="object")
    return may_rate(PAIRS, pd.Index(NAMES), barred)


def frame(rows) -> pd.DataFrame:
    quota = [float(quota) for quota, _, _ in rows]
    room = [float(min(quota, room)) for quota, room, _ in rows]
    skill = [np.nan if skill is None else skill for _, _, skill in rows]
    return pd.DataFrame({"quota": quota, "room": room, "skill": skill}, index=NAMES)


@given(worths, seens, people, st.integers(0, 15), st.integers(0, 99))
def test_what_is_given_out_is_wanted_allowed_and_within_room_and_budget(worth, seen, rows, budget, seed) -> None:
    wanted = pd.Series(worth, index=PAIRS, dtype="float64")
    may, able = allow(seen), frame(rows)
    new, rejects = share_out(wanted, may, able, budget, seed)
    assert len(new) <= budget
    assert new["pair_id"].is_unique
    assert wanted[new["pair_id"]].notna().all()
    assert not set(zip(new["pair_id"], new["annotator"], strict=True)) & seen
    loads = new["annotator"].value_counts().reindex(NAMES, fill_value=0)
    assert (loads <= able["room"]).all()
    assert not set(rejects["id"]) & set(new["pair_id"])
    free = able.index[loads < able["quota"]]
    for pair in rejects["id"]:
        assert all((pair, name) in seen for name in free)
    assert new.equals(share_out(wanted, may, able, budget, seed)[0])


@given(worths, seens, people, st.integers(0, 99))
def test_no_careful_annotator_is_left_without_work_that_they_may_have(worth, seen, rows, seed) -> None:
    wanted = pd.Series(worth, index=PAIRS, dtype="float64")
    may, able = allow(seen), frame(rows)
    new, _ = share_out(wanted, may, able, np.inf, seed)
    loads = new["annotator"].value_counts().reindex(NAMES, fill_value=0)
    left = set(wanted.dropna().index) - set(new["pair_id"])
    careful = able.index[~(able["skill"] < CARELESS_BELOW)]
    for name in careful[loads[careful] < able["room"][careful]]:
        assert all((pair, name) in seen for pair in left)
    for pair, name in new.to_numpy():
        if name not in careful:  # only what no careful one could ever take
            full = [other for other in careful if loads[other] >= able["quota"][other]]
            assert all((pair, other) in seen or other in full for other in careful)


@given(st.lists(st.floats(1, 300), min_size=5, max_size=20), st.floats(5, 600))
def test_everybody_has_work_until_the_next_pairs_come(seconds, wait) -> None:
    answers = pd.DataFrame({"annotator": "a0", "seconds": [*seconds, None]})
    ahead = pairs_ahead(answers, pd.Index(NAMES), wait)
    assert (ahead >= np.minimum(2 * wait / np.median(seconds), AHEAD)).all()
    assert ahead.between(SPARE, AHEAD).all()
    assert (pairs_ahead(answers, pd.Index(NAMES), None) == AHEAD).all()
    slow = pd.DataFrame({"annotator": "a1", "seconds": [1_000.0] * MIN_ANSWERS})
    assert pairs_ahead(pd.concat([answers, slow]), pd.Index(NAMES), wait)["a1"] <= ahead["a1"]


def test_the_worthiest_pair_goes_to_the_most_skilled() -> None:
    able = pd.DataFrame({"quota": np.inf, "room": 1.0, "skill": [0.5, 0.9, 0.3]}, index=NAMES[:3])
    worth = pd.Series([0.1, 0.3, 0.2], index=PAIRS[:3])
    new, _ = share_out(worth, np.ones((3, 3), dtype=bool), able, np.inf, 1)
    assert dict(new.to_numpy().tolist()) == {"p1": "a1", "p2": "a0", "p0": "a2"}


@given(
    st.fixed_dictionaries(
        {
            "votes": st.integers(0, 3),
            "against": st.integers(0, 3),
            "flagged": st.integers(0, 2),
            "waits": st.booleans(),
        }
    ),
    st.floats(0, 1),
)
def test_a_pair_stops_when_decided_certain_at_the_cap_or_while_it_waits(row: dict[str, int], chance: float) -> None:
    votes, against, flagged, waits = (row[name] for name in ("votes", "against", "flagged", "waits"))
    tally = pd.DataFrame([row], index=["p0"])
    stop = stop_rule("majority", 3)
    assert stop is not None
    by_majority = need_by_majority(tally, stop).notna().item()
    by_doubt = need_by_doubt(tally, pd.Series({"p0": chance}), Target(chance=0.9, raters=1)).notna().item()
    if waits:
        assert not by_majority
        assert not by_doubt
    if votes + against + flagged >= 3:
        assert not by_majority
        assert not by_doubt
    if max(chance, 1 - chance) >= 0.9 or flagged >= 2:
        assert not by_doubt


@pytest.mark.parametrize(("target", "is_finished"), [(MAX_POSTERIOR, True), (0.99, False)])
def test_no_pair_counts_as_more_certain_than_a_label_states(target: float, is_finished: bool) -> None:
    tally = pd.DataFrame([{"votes": 1, "against": 0, "flagged": 0, "waits": False}], index=["p0"])
    worth = need_by_doubt(tally, pd.Series({"p0": 0.9999}), Target(chance=target, raters=3))
    assert worth.isna().item() == is_finished


def test_pairs_come_first_whose_vote_contradicts_the_words_they_share() -> None:
    rated = pd.DataFrame({"votes": [3, 3, 0, 0] * 30, "against": [0, 0, 3, 3] * 30}).assign(flagged=0, waits=False)
    new = pd.DataFrame({"votes": [1, 1, 0, 0], "against": [0, 0, 1, 1], "flagged": 0, "waits": False})
    tally = pd.concat([rated, new], ignore_index=True).set_axis([f"p{number:03d}" for number in range(124)])
    chances = pd.Series([0.94, 0.94, 0.06, 0.06] * 30 + [0.7, 0.7, 0.3, 0.3], index=tally.index)
    overlap = pd.Series([0.4, 0.2, 0.3, 0.1] * 30 + [0.9, 0.24, 0.26, 0.0], index=tally.index)
    target = Target(chance=0.75, raters=3)
    worth = need_by_doubt(tally, chances, target, overlap)
    agrees, contradicts = (worth[f"p{number}"] for number in (120, 121))
    assert contradicts > need_by_doubt(tally, chances, target)["p121"] > agrees
    assert worth["p122"] > worth["p123"]
    assert worth.notna().equals(need_by_doubt(tally, chances, target).notna())
    for says_nothing in (overlap * np.nan, overlap.where(overlap.index >= "p120")):
        worth = need_by_doubt(tally, chances, target, says_nothing)
        pd.testing.assert_series_equal(worth, need_by_doubt(tally, chances, target))


def test_by_default_few_pairs_have_all_their_raters_and_many_a_random_part() -> None:
    few, many = (settle(PlanRule(labels_per_pair=3), PARADE, n) for n in (100, 2_000))
    assert (few.allocate, few.random_share) == ("fixed", None)
    assert (many.allocate, many.random_share) == ("majority-decided", 0.15)
    numbers = ratings_at_first(many, PARADE, [f"p{number}" for number in range(2_000)], 1)
    assert numbers.value_counts().to_dict() == {2: 1_700, 3: 300}
    certain = settle(PlanRule(labels_per_pair=3, allocate="certain"), PARADE, 200)
    assert (certain.target, certain.budget, certain.random_share) == (0.95, 600, 0.15)


@pytest.mark.parametrize(
    ("values", "flag"),
    [
        ({"allocate": "majority-decided", "labels_per_pair": 1}, "--allocate"),
        ({"allocate": "certain", "labels_per_pair": 1}, "--allocate"),
        ({"allocate": "certain", "target": 0.5}, "--target"),
        ({"target": 0.9}, "--target"),
        ({"allocate": "certain", "budget": 10}, "--budget"),
        ({"allocate": "certain", "budget": 259}, "--budget: expected at least 260: one rating of each of 200 pairs"),
        ({"allocate": "certain", "budget": 200, "random_share": 0.5}, "--budget: expected at least 400"),
        ({"budget": 600}, "--budget: expected none without --allocate certain"),
        ({"allocate": "fixed", "random_share": 0.2}, "--random-share"),
        ({"rule": ("mean",)}, "--rule"),
    ],
)
def test_what_no_policy_can_follow_is_refused(values: dict[str, object], flag: str) -> None:
    with pytest.raises(InputError, match=flag):
        settle(PlanRule(**{"labels_per_pair": 3} | values), PARADE, 200)  # type: ignore[arg-type]
