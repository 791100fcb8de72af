import pandas as pd
import pytest

from data.measures.ballots import of_campaign
from data.measures.habits import assess_habits
from data.measures.rules import HabitRule
from tests.annotation.support.frames import assignments, named, ratings

GIVEN = [(1, f"p{number}", "a01") for number in range(4)] + [(2, "q", "a01"), (1, "p0", "a02"), (1, "p1", "a02")]
SCORES = [0, 3, 3, 3, 1, 2]


@pytest.fixture
def measures():
    rated = ratings([(named(*assignment), score) for assignment, score in zip(GIVEN, SCORES, strict=False)])
    times = pd.Series([2.0, 8.0, 12.0, 4_000.0, 9.0, None], dtype=rated["seconds"].dtype)
    found = assess_habits(of_campaign(assignments(GIVEN), rated.assign(seconds=times)), HabitRule())
    assert (found["value"].isna() == found["reason"].notna()).all()
    return found.set_index(["round", "annotator", "measure"]).sort_index()


def test_speed_leaves_idle_times_out(measures):
    own = measures.loc[(1, "a01")]
    assert own.loc["seconds", ["n", "value"]].to_list() == [3, 8.0]
    assert own.loc["seconds", ["low", "high"]].isna().all(), "no two of three times enclose the median often enough"
    assert own.loc["fast_share", "value"] == pytest.approx(1 / 3)
    assert measures.loc[(0, "all", "seconds"), "value"] == pytest.approx(8.5)


def test_a_time_never_measured_is_null_and_says_why(measures):
    untimed = measures.loc[(1, "a02", "seconds")]
    assert pd.isna(untimed["value"])
    assert untimed["reason"] == "no rating was timed up to 300 s"


def test_the_use_of_the_scale_is_by_round_and_over_all(measures):
    shares = measures.loc[(1, "a01", "share")].set_index("answer")["value"]
    assert shares.to_dict() == {"0": 0.25, "1": 0, "2": 0, "3": 0.75}
    overall = measures.loc[(0, "a01", "share")].set_index("answer")
    assert overall.loc["1", ["n", "value"]].to_list() == [5, 0.2]
