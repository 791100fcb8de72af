import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.assignment import design, reassignment
from annotation.config import ReassignRule
from data.contract.vocabulary import ONE_SIDED
from data.measures import annotators as measures
from data.measures import ballots as votes
from tests.annotation.support.frames import assignments, named, ratings

UNLIMITED = float("inf")


def planned(n_pairs, n_annotators, seed):
    quotas = pd.Series(pd.NA, index=[f"a{number:02d}" for number in range(n_annotators)], dtype="Int64")
    plan = design.assign([f"p{number:02d}" for number in range(n_pairs)], quotas, 3, seed)
    return [(1, pair, name) for pair, name in zip(plan["pair_id"], plan["annotator"], strict=True)]


def kappas(values):
    rows = [{"round": 1, "annotator": name, "measure": "kappa", "value": value} for name, value in values.items()]
    rows += [{"round": 1, "annotator": "all", "measure": "kappa", "value": 0.1}]
    rows += [{"round": 1, "annotator": "a01", "measure": "kappa_left_out", "value": 0.0}]
    rows += [{"round": 0, "annotator": "a01", "measure": "kappa", "value": 0.0}]
    rows += [
        {"round": 1, "annotator": "a08", "measure": "kappa", "value": 0.0, "reason": ONE_SIDED, "detail": "73 of 75"}
    ]
    return pd.DataFrame(rows)


def test_thresholds_are_strict_and_the_best_are_the_highest_of_the_active():
    found = kappas({"a01": 0.4, "a02": 0.39, "a03": 0.75, "a04": 0.76, "a05": 0.9, "a06": 0.8, "a07": None})
    ranked = reassignment.rank(found, {"a04", "a05", "a03"}, ReassignRule(best=5))
    assert (ranked.low, ranked.best) == (("a02",), ("a05", "a04"))
    assert ranked.one_sided.to_dict() == {"a08": "too one-sided to judge: 73 of 75"}
    everybody = reassignment.rank(found, {f"a0{number}" for number in range(1, 8)}, ReassignRule(best=2))
    assert everybody.best == ("a05", "a06")


@pytest.mark.sweep
@given(
    st.tuples(st.integers(1, 15), st.integers(3, 8), st.integers(0, 999)),
    st.sampled_from(["of-any-low", "of-two-low"]),
    st.data(),
)
def test_replacements_go_evenly_to_those_who_have_not_seen_the_pair(size, relabel, data):
    given = planned(*size)
    names = sorted({one[2] for one in given})
    low = tuple(data.draw(st.lists(st.sampled_from(names), unique=True)))
    best = data.draw(st.lists(st.sampled_from(names), unique=True).map(lambda b: [one for one in b if one not in low]))
    room = pd.Series({one: data.draw(st.sampled_from([0.0, 2.0, UNLIMITED])) for one in best}, dtype="float64")
    scores = data.draw(
        st.lists(st.sampled_from([0, 3, "cannot_judge", "skip", None]), min_size=len(given), max_size=len(given))
    )
    ballots = votes.with_latest_rating(
        assignments(given), ratings([(named(*g), s) for g, s in zip(given, scores, strict=True) if s is not None])
    )
    rule = ReassignRule(relabel=relabel)
    replaced = reassignment.low_ratings(ballots, low, rule)
    new, rejects = reassignment.replace(replaced, ballots, room, seed=1)

    assert sorted([*new["supersedes"].unique(), *rejects["id"]]) == replaced["assignment_id"].tolist()
    once = pd.concat([ballots[["pair_id", "annotator"]], new[["pair_id", "annotator"]]])
    assert not once.duplicated().any()
    assert set(new["annotator"]) <= set(best)
    superseded = ballots.set_index("assignment_id").loc[new["supersedes"]]
    assert superseded["pair_id"].tolist() == new["pair_id"].tolist()
    loads = new["annotator"].value_counts().reindex(room.index, fill_value=0)
    assert (loads <= room).all()
    assert not new["supersedes"].duplicated().any()
    for reason in rejects["reason"]:
        assert (reason == reassignment.NOBODY_QUALIFIES) == (not best)
        assert reason != reassignment.QUOTAS_USED_UP or (room < UNLIMITED).any()

    number = [2] * len(new)
    after = [*given, *zip(number, new["pair_id"], new["annotator"], superseded["annotator"], strict=True)]
    again = votes.with_latest_rating(
        assignments(after), ratings([(named(*g), s) for g, s in zip(given, scores, strict=True) if s is not None])
    )
    assert set(reassignment.low_ratings(again, low, rule)["assignment_id"]) == set(rejects["id"])


def test_replacements_are_even_where_no_one_has_seen_the_pairs():
    low = pd.DataFrame({"assignment_id": [f"x{n:03d}" for n in range(52)], "pair_id": [f"p{n:03d}" for n in range(52)]})
    room = pd.Series(UNLIMITED, index=["a1", "a2", "a3", "a4", "a5"])
    seen = pd.DataFrame({"pair_id": low["pair_id"], "annotator": "bad"})
    new, rejects = reassignment.replace(low, seen, room, seed=3)
    assert sorted(new["annotator"].value_counts()) == [10, 10, 10, 11, 11]
    assert rejects.empty


def test_a_pair_that_all_of_the_best_have_seen_is_a_named_outcome():
    given = [(1, "p", "bad"), (1, "p", "g1"), (1, "p", "g2")]
    low = pd.DataFrame({"assignment_id": [named(1, "p", "bad")], "pair_id": ["p"]})
    new, rejects = reassignment.replace(low, assignments(given), pd.Series({"g1": UNLIMITED, "g2": UNLIMITED}), 1)
    assert new.empty
    assert rejects[["id", "reason"]].to_numpy().tolist() == [[named(1, "p", "bad"), "all_have_seen_it"]]


def test_one_of_two_low_ratings_is_replaced_where_only_one_of_the_best_is_left():
    given = [(1, "p", "b1"), (1, "p", "b2"), (1, "p", "g1")]
    ballots = votes.with_latest_rating(assignments(given), ratings([(named(*one), 3) for one in given]))
    low = reassignment.low_ratings(ballots, ("b1", "b2"), ReassignRule())
    new, rejects = reassignment.replace(low, ballots, pd.Series({"g1": UNLIMITED, "g2": UNLIMITED}), 1)
    assert new["annotator"].tolist() == ["g2"]
    assert rejects["reason"].tolist() == ["all_have_seen_it"]


def test_where_no_one_is_good_every_low_rating_is_rejected_with_the_reason():
    low = pd.DataFrame({"assignment_id": ["x", "y"], "pair_id": ["p", "q"]})
    seen = pd.DataFrame({"pair_id": ["p"], "annotator": ["bad"]})
    new, rejects = reassignment.replace(low, seen, pd.Series(dtype="float64"), 1)
    assert new.empty
    assert rejects["reason"].tolist() == ["none_qualifies"] * 2


def test_only_pairs_of_two_low_annotators_in_the_narrow_reading():
    given = [(1, pair, name) for pair, names in {"p": "abx", "q": "axy", "r": "xyz"}.items() for name in names]
    ballots = votes.with_latest_rating(assignments(given), ratings([(named(*one), 1) for one in given]))
    wide = reassignment.low_ratings(ballots, ("a", "b"), ReassignRule())
    narrow = reassignment.low_ratings(ballots, ("a", "b"), ReassignRule(relabel="of-two-low"))
    assert wide["pair_id"].tolist() == ["p", "p", "q"]
    assert narrow["pair_id"].tolist() == ["p", "p"]


@pytest.mark.parametrize(("low_kappa", "found"), [(0.4, ("a03",)), (0.0, ())])
def test_low_annotators_follow_from_the_ratings(low_kappa, found):
    given = [(1, f"p{number:02d}", name) for number in range(30) for name in ("a01", "a02", "a03")]
    scores = [(named(*one), (3 if int(one[1][1:]) % 2 else 0) if one[2] != "a03" else 1) for one in given]
    rule = ReassignRule(low_kappa=low_kappa)
    measured = measures.assess(votes.with_latest_rating(assignments(given), ratings(scores)), rule)
    assert reassignment.rank(measured, {"a01", "a02"}, rule).low == found


def test_the_least_certain_pairs_get_one_further_rater_within_the_budget():
    given = [(1, f"p{pair}", name) for pair in range(6) for name in ("a1", "a2")]
    seen = assignments(given)
    chances = pd.Series({"p0": 0.99, "p1": 0.5, "p2": 0.45, "p3": 0.52, "p4": 0.02, "p5": 0.7})
    room = pd.Series({"g1": UNLIMITED, "g2": 2.0})
    new, rejects = reassignment.call_on_doubt(chances, seen, room, budget=4, seed=1)
    assert sorted(new["pair_id"]) == ["p1", "p2", "p3", "p5"]
    assert new["annotator"].value_counts().to_dict() == {"g1": 2, "g2": 2}
    assert new["supersedes"].isna().all()
    assert rejects.empty
    later = [(2, pair, name) for pair, name in zip(new["pair_id"], new["annotator"], strict=True)]
    again, _ = reassignment.call_on_doubt(chances, assignments([*given, *later]), room, budget=4, seed=1)
    assert again.empty
    more, _ = reassignment.call_on_doubt(chances, assignments([*given, *later]), room, budget=5, seed=1)
    assert more["pair_id"].to_list() == ["p4"]
    _, refused = reassignment.call_on_doubt(chances, seen, pd.Series(dtype="float64"), budget=1, seed=1)
    assert refused[["id", "reason"]].to_numpy().tolist() == [["p1", "none_qualifies"]]


def test_by_the_verdict_the_careless_are_low_and_the_most_skilled_of_the_careful_best():
    rows = [("a1", 0.5, "careful"), ("a2", 0.9, "careful"), ("a3", 0.7, "careful"), ("a4", 0.8, "undecided")]
    verdicts = pd.DataFrame([*rows, ("a5", 0.9, "careless")], columns=["annotator", "skill", "verdict"])
    verdicts["reasons"] = [[], [], [], ["one_sided"], ["guesses"]]
    ranked = reassignment.rank_by_verdict(verdicts, {"a1", "a3", "a4", "a5"}, ReassignRule(best=1))
    assert (ranked.low, ranked.best) == (("a5",), ("a3",))
    assert ranked.measures["a4"] == 0.8
