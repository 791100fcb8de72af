import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.measures import ballots as votes
from data.measures.ballots import held
from tests.annotation.support.frames import assignments, named, ratings

ONE_PAIR = [(1, "p", "a01"), (1, "p", "a02"), (1, "p", "a03"), (2, "p", "a04", "a02")]


def cast(given, rated):
    return votes.with_latest_rating(assignments(given), ratings(rated)).set_index("annotator")


def test_the_latest_rating_of_an_assignment_counts():
    rating = named(1, "p", "a01")
    rated = [(rating, 0), (rating, "cannot_judge"), (rating, 3)]
    assert cast(ONE_PAIR, rated).loc["a01", ["state", "score"]].tolist() == ["scored", 3]
    rated.append((rating, "skip"))
    assert cast(ONE_PAIR, rated).loc["a01", "state"] == "skipped"


def test_states_say_what_took_the_place_of_a_score():
    rated = [(named(1, "p", "a01"), 2), (named(1, "p", "a02"), "ill_formed"), (named(1, "p", "a03"), "skip")]
    ballots = cast(ONE_PAIR, rated)
    assert ballots["state"].to_dict() == {"a01": "scored", "a02": "flagged", "a03": "skipped", "a04": "open"}
    assert ballots["score"].dropna().to_dict() == {"a01": 2}


def test_a_superseded_rating_stays_but_leaves_the_vote_in_that_round():
    rated = [(named(1, "p", who), 2) for who in ("a01", "a02", "a03")]
    ballots = votes.with_latest_rating(assignments(ONE_PAIR), ratings(rated))
    assert len(ballots) == 4
    assert set(votes.counting(ballots, 1)["annotator"]) == {"a01", "a02", "a03"}
    assert set(votes.counting(ballots, 2)["annotator"]) == {"a01", "a03", "a04"}
    assert set(votes.counting(ballots)["annotator"]) == {"a01", "a03", "a04"}


def test_what_no_one_rated_before_its_round_was_over_is_void():
    given = assignments([*ONE_PAIR, (2, "q", "a01")])
    rated = [(named(1, "p", "a01"), "skip"), (named(1, "p", "a02"), 2)]
    ballots = votes.with_latest_rating(given, ratings(rated))
    assert set(map(tuple, votes.counting(ballots)[["annotator", "pair_id"]].to_numpy())) == {
        ("a01", "p"), ("a04", "p"), ("a01", "q"),
    }  # fmt: skip
    assert set(held(given, ratings(rated))["annotator"]) == {"a01", "a02", "a04"}
    assert len(votes.counting(votes.with_latest_rating(given, ratings(rated[:1])))) == 4, "nothing was replaced"


def test_only_work_votes():
    given = assignments(ONE_PAIR[:3])
    given["kind"] = pd.Series(["work", "gold", "repeat"], dtype=given["kind"].dtype)
    assert votes.with_latest_rating(given, ratings([]))["annotator"].tolist() == ["a01"]


@pytest.mark.sweep
@given(st.permutations(range(6)))
def test_ballots_do_not_depend_on_the_order_of_rows(order):
    given = assignments(ONE_PAIR)
    rated = ratings([(named(*one[:3]), score) for one in ONE_PAIR[:3] for score in (1, 3)])
    pd.testing.assert_frame_equal(
        votes.with_latest_rating(given, rated), votes.with_latest_rating(given[::-1], rated.iloc[list(order)])
    )


def test_work_moved_by_a_new_guide_counts_in_its_original_round():
    rows = assignments([(1, "p", "a01"), (1, "q", "a01"), (2, "q", "a01", "a01"), (2, "p", "a02", "a01")])
    rated = ratings([(named(1, "p", "a01"), 0), (named(2, "q", "a01"), 3), (named(2, "p", "a02"), 3)])
    found = votes.by_origin(votes.with_latest_rating(rows, rated)).set_index("assignment_id")
    assert found["round"].to_dict() == {named(1, "p", "a01"): 1, named(2, "q", "a01"): 1, named(2, "p", "a02"): 2}
    assert found["state"].to_list() == ["scored"] * 3
