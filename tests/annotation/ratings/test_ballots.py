import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from annotation.ratings import ballots as votes
from tests.annotation.frames import assignments, named, ratings

ONE_PAIR = [(1, "p", "a01"), (1, "p", "a02"), (1, "p", "a03"), (2, "p", "a04", "a02")]


def cast(given, said):
    return votes.cast(assignments(given), ratings(said)).set_index("annotator")


def test_the_latest_rating_of_an_assignment_counts():
    mine = named(1, "p", "a01")
    said = [(mine, 0), (mine, "cannot_judge"), (mine, 3)]
    assert cast(ONE_PAIR, said).loc["a01", ["state", "score"]].tolist() == ["scored", 3]
    said.append((mine, "skip"))
    assert cast(ONE_PAIR, said).loc["a01", "state"] == "skipped"


def test_states_say_what_stands_in_place_of_a_score():
    said = [(named(1, "p", "a01"), 2), (named(1, "p", "a02"), "ill_formed"), (named(1, "p", "a03"), "skip")]
    ballots = cast(ONE_PAIR, said)
    assert ballots["state"].to_dict() == {"a01": "scored", "a02": "flagged", "a03": "skipped", "a04": "open"}
    assert ballots["score"].dropna().to_dict() == {"a01": 2}


def test_a_superseded_rating_stays_and_leaves_the_vote_with_its_round():
    ballots = votes.cast(assignments(ONE_PAIR), ratings([(named(1, "p", "a02"), 2)]))
    assert len(ballots) == 4
    assert set(votes.standing(ballots, 1)["annotator"]) == {"a01", "a02", "a03"}
    assert set(votes.standing(ballots, 2)["annotator"]) == {"a01", "a03", "a04"}
    assert set(votes.standing(ballots)["annotator"]) == {"a01", "a03", "a04"}


def test_only_work_votes():
    given = assignments(ONE_PAIR[:3])
    given["kind"] = pd.Series(["work", "gold", "repeat"], dtype=given["kind"].dtype)
    assert votes.cast(given, ratings([]))["annotator"].tolist() == ["a01"]


@given(st.permutations(range(6)))
def test_ballots_do_not_depend_on_the_order_of_rows(order):
    given = assignments(ONE_PAIR)
    said = ratings([(named(*one[:3]), score) for one in ONE_PAIR[:3] for score in (1, 3)])
    pd.testing.assert_frame_equal(votes.cast(given, said), votes.cast(given[::-1], said.iloc[list(order)]))


def test_work_that_a_guide_moved_counts_in_the_round_that_it_comes_from():
    rows = assignments([(1, "p", "a01"), (1, "q", "a01"), (2, "q", "a01", "a01"), (2, "p", "a02", "a01")])
    said = ratings([(named(1, "p", "a01"), 0), (named(2, "q", "a01"), 3), (named(2, "p", "a02"), 3)])
    found = votes.by_origin(votes.cast(rows, said)).set_index("assignment_id")
    assert found["round"].to_dict() == {named(1, "p", "a01"): 1, named(2, "q", "a01"): 1, named(2, "p", "a02"): 2}
    assert found["state"].to_list() == ["scored"] * 3
