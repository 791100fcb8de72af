"""The progress of a campaign: figures that can be counted by hand."""

import pandas as pd
import pytest

from annotation.simulation.in_memory import simulate
from data.measures import progress
from data.measures.ballots import seconds_spent, votes_of, with_latest_rating
from data.measures.rules import VoteRule
from tests.annotation.support.frames import START, assignments, named, ratings

NOW = START + pd.Timedelta(days=2)


def test_agreed_pairs_and_minutes():
    given = [(1, pair, name) for pair in "pqr" for name in ("a01", "a02")]
    rated = [(named(*one), 3) for one in given[:3]] + [(named(*given[3]), 0), (named(*given[4]), 1)]
    summary = progress.agreement_so_far(with_latest_rating(assignments(given), ratings(rated)), VoteRule())
    assert (summary["complete"], summary["agreed"]) == (2, 1)
    rows = ratings(rated).assign(seconds=[30.0, 60.0, 1e6, None, 0.0])
    assert seconds_spent(rows) == pytest.approx(30 + 60 + 300)


def test_the_end_is_forecast_from_the_speed_of_the_last_days():
    rated = ratings([(f"x{n}", 1) for n in range(10)])
    assert progress.end(rated, 0, NOW) == NOW
    assert progress.end(rated, 5, NOW) - NOW == pytest.approx(pd.Timedelta(days=1), abs=pd.Timedelta(minutes=1))
    assert progress.end(rated, 5, NOW + pd.Timedelta(days=30)) is None


def test_annotators_who_rush_or_skip_are_noted():
    given = [(1, f"p{n}", name) for n in range(20) for name in ("a01", "a02", "a03")]
    rated = [(named(*one), "skip" if one[2] == "a02" and n % 2 else 2 if one[2] == "a01" else n // 3 % 4)
            for n, one in enumerate(given)]  # fmt: skip
    no_verdicts = pd.DataFrame({"annotator": [], "verdict": [], "reasons": [], "skill": []})
    collected = progress.Collected(
        ballots=pd.DataFrame(), assignments=assignments(given), ratings=ratings(rated), annotators=pd.DataFrame(),
        measures=None, verdicts=no_verdicts, n_answers=4,
    )  # fmt: skip
    noted = progress.suspicious(collected, {("a03", "fast_share"): 0.5})
    assert [(row["annotator"], row["done"]) for row in progress.people(collected, {})][:2] == [("a01", 20), ("a02", 10)]
    assert progress.pace_of_days(collected.ratings)["n"].sum() == 50
    assert [(finding["annotator"], finding["what"]) for finding in noted] == [
        ("a01", "the same score 20 times in a row"),
        ("a02", "50% of pairs skipped"),
        ("a03", "50% of ratings made faster than the texts can be read"),
    ]


@pytest.mark.parametrize(("n_answers", "longest"), [(2, 29), (3, 19), (4, 15), (11, 10)])
def test_the_fewer_the_answers_the_longer_may_the_same_one_be_given(n_answers, longest):
    assert progress.longest_run(n_answers) == longest


def test_the_change_after_a_new_guide_has_an_interval():
    given = [(1, f"p{n:03d}", name) for n in range(100) for name in ("a01", "a02", "a03")]
    rated = [(named(*one), 3 if n >= 150 or n % 3 == 0 else 0) for n, one in enumerate(given)]
    rows = ratings(rated).assign(guide_version=["1"] * 150 + ["2"] * 150)
    summary = progress.drift(progress.latest_answers(assignments(given), rows), VoteRule())
    assert [row["annotator"] for row in summary] == ["all", "a01", "a02", "a03"]
    assert (summary[0]["before"], summary[0]["after"], summary[0]["n_before"]) == ("1", "2", 150)
    assert summary[0]["yes_before"] == pytest.approx(1 / 3)
    assert summary[0]["yes_after"] == 1
    assert 0.5 < summary[0]["low"] < 2 / 3 < summary[0]["high"]
    assert progress.drift(progress.latest_answers(assignments(given), rows.assign(guide_version="1")), VoteRule()) == []


def test_the_careless_of_a_simulated_campaign_are_worth_a_look(store):
    from annotation.config import VerdictRule
    from annotation.quality.verdict import judge

    campaign = simulate({"good": 8, "guessing": 2}, n_pairs=1_500, labels_per_pair=3, seed=1)
    votes = votes_of(campaign.ballots, VoteRule()).assign(place=campaign.ballots["position"])
    verdicts = judge(votes, VerdictRule())
    bare = pd.DataFrame(columns=["assignment_id", "submitted_at", "score", "skipped"])
    collected = progress.Collected(
        ballots=campaign.ballots, assignments=campaign.ballots, ratings=bare, annotators=campaign.annotators,
        measures=None, verdicts=verdicts, n_answers=4,
    )  # fmt: skip
    noted = progress.suspicious(collected, {})
    assert {finding["annotator"] for finding in noted if "guesses" in finding["what"]} == {"a09", "a10"}


def test_annotators_without_a_level_are_in_no_group():
    rows = [
        {"annotator": name, "done": 10 * n, "seconds": seconds, "kappa": kappa}
        for n, (name, seconds, kappa) in enumerate(
            [("a01", 10.0, 0.5), ("a02", 20.0, None), ("a03", None, 0.9), ("a04", 5.0, 0.1)], start=1
        )
    ]
    people = pd.DataFrame({"annotator": ["a01", "a02", "a03", "a04"], "level": ["master", "master", "doctoral", None]})
    doctoral, master = progress.levels(rows, people)
    assert master == {"level": "master", "people": 2, "done": 30, "seconds": 15.0, "kappa": 0.5}
    assert (doctoral["level"], doctoral["done"], pd.isna(doctoral["seconds"])) == ("doctoral", 30, True)
    assert progress.levels(rows, people.assign(level=None)) == []
