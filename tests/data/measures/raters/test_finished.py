"""A pair is finished when nothing more is asked of it, not as soon as it has an answer."""

import pytest

from data.measures import progress
from data.measures.ballots import with_latest_rating
from data.measures.raters.finished import find_finished
from data.measures.rules import VoteRule
from tests.annotation.support.frames import assignments, named, ratings

PLAN = {"allocate": "certain", "target": 0.9, "budget": 1_000, "labels_per_pair": 3}
NAMES = ("a01", "a02", "a03")


def ballots(answers):
    """The ballots of pairs with these answers, None for an open one, the first by a01 and so on."""
    given = [(1, pair, name) for pair, said in answers.items() for name, _ in zip(NAMES, said, strict=False)]
    said = [(named(*one), answers[one[1]][NAMES.index(one[2])]) for one in given]
    return with_latest_rating(assignments(given), ratings([one for one in said if one[1] is not None]))


@pytest.fixture
def mixed():
    agreed = {f"p{n:02d}": (3 * (n % 2),) * 3 for n in range(40)}
    return ballots(agreed | {"split": (3, 0), "open": (3, 3, None), "flagged": ("other", "other")})


def test_doubtful_and_open_pairs_are_not_finished(mixed):
    found = find_finished(PLAN, mixed, VoteRule())
    assert set(mixed["pair_id"]) - set(found.index) == {"split", "open"}
    assert found["p00"] == 3
    assert progress.saved(PLAN, found) == {"pairs": 41, "ratings": 122, "fixed": 123}


def test_one_answer_saves_nothing_before_it_is_certain():
    found = find_finished(PLAN, ballots({"p": (3,), "q": (0,), "r": (2,)}), VoteRule())
    assert found.empty
    assert progress.saved(PLAN, found) is None


@pytest.mark.parametrize("plan", [PLAN | {"budget": 127}, {"allocate": "majority-decided", "labels_per_pair": 3}])
def test_once_nothing_can_be_asked_only_open_pairs_are_unfinished(mixed, plan):
    assert len(mixed) == 127
    assert set(mixed["pair_id"]) - set(find_finished(plan, mixed, VoteRule()).index) == {"open"}


def test_a_couple_with_one_vote_leaves_a_pair_unfinished():
    agreed = ballots({f"p{n:02d}": (3 * (n % 2),) * 2 for n in range(40)})
    plan = PLAN | {"target": 0.95}
    assert len(find_finished(plan, agreed, VoteRule())) == 40
    assert find_finished(plan, agreed, VoteRule(), couples=[["a01", "a02"]]).empty
