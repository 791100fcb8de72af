"""Forecasts: what a plan costs, and what simulated campaigns say about its labels and the quality rules."""

import pandas as pd
import pytest

from annotation.__main__ import main
from annotation.config import VerdictRule
from annotation.simulation import forecast
from data.contract.tables.pairs import Pairs
from data.storage.engine import HERE
from data.storage.manifest import Manifest
from tests.annotation.support.frames import pairs


@pytest.fixture
def command(store, capsys):
    """Run a command; returns exit code, standard output and standard error."""

    def call(*args):
        code = main([*map(str, args), "--store", str(store.root)])
        return code, *capsys.readouterr()

    return call


def test_costs_are_labels_times_pace():
    cost = forecast.cost(300, 38, seconds=36, hours_a_day=0.19, pay=12.5)
    assert (cost.labels, cost.hours, cost.pay) == (300, 3.0, 37.5)
    assert cost.hours_each == pytest.approx(0.38)
    assert cost.days == pytest.approx(2.0)


def test_a_pause_is_no_work_and_no_time_is_no_pace():
    ratings = pd.DataFrame({"seconds": [10.0, 20.0, 4000.0, None]})
    assert forecast.pace(ratings, 300) == (15, 2)
    assert forecast.pace(ratings[2:], 300) is None


@pytest.mark.sweep
def test_more_labels_are_better_and_the_verdict_finds_who_guesses():
    kinds = {"good": 32, "careless": 4, "guessing": 4}
    two, three, five = (
        forecast.expect(kinds, 2, n_pairs=3_000, labels_per_pair=k, rule=VerdictRule()) for k in (2, 3, 5)
    )
    assert five["right"] > three["right"] > two["right"]
    assert three["guessing"] == 4
    assert three["good"] <= 3
    assert forecast.summarise(pd.Series([None], dtype="Float64")) is None
    assert forecast.summarise(pd.Series([0.5, None, 0.25, 0.75], dtype="Float64")) == (0.5, 0.25, 0.75)


def test_a_reassignment_makes_labels_better():
    kinds = {"good": 8, "guessing": 2}
    found = forecast.expect(kinds, 1, n_pairs=1_500, labels_per_pair=3, rule=VerdictRule())
    assert found["guessing"] == 2
    assert found["reassigned"] > found["right"]


@pytest.mark.sweep
def test_the_forecast_of_a_plan_from_a_given_pace(store, command, monkeypatch):
    # two campaigns are not worth new processes
    monkeypatch.setattr("annotation.commands.before.forecast.PROCESSES", HERE)
    store.replace(Pairs, pairs(60), Manifest(stage="clustering"), generator="recommended")
    assert command("plan", "--annotators", 10)[0] == 0
    code, out, _ = command("forecast", "--pace", 30, "--pay", 20, "--simulations", 2)
    assert (code, len(out.partition("next:")[0].splitlines())) == (0, 11)
    assert "60 pairs, 10 annotators: 8 good, 2 guessing" in out
    lines = {line.split()[0]: line.split() for line in out.splitlines() if line.strip()[:1].isdigit()}
    assert lines["3"][1:] == ["180", "1.5", "0.1", "0.1", "30"]
    figures = {line[:42].strip(): line[42:].split() for line in out.splitlines() if line[42:].strip()}
    assert len(figures["of 2 guessing, found by verdict"]) == 6


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        (["--pairs", 100, "--annotators", 8], "seconds per label"),
        (["--pairs", 100, "--annotators", 1, "--pace", 20], "at least 2"),
        (["--pairs", 100, "--kinds", "bad:3", "--pace", 20], "good:32,guessing:8"),
        (["--annotators", 8, "--pace", 20], "a number of pairs"),
        (["--pairs", 100, "--annotators", 8, "--pace", 0], "more than 0"),
        (["--pairs", 0, "--annotators", 8, "--pace", 20], "--pairs: expected at least 1, found 0"),
        (["--pairs", 100, "--annotators", 8, "--pace", 20, "--simulations", 0], "--simulations: expected at least 1"),
        (["--pairs", 100, "--annotators", 8, "--pace", 20, "--seed", -1], "at least 0"),
    ],
)
def test_what_is_missing_is_one_line(command, args, expected):
    code, _, err = command("forecast", *args)
    assert code == 2
    assert expected in err
    assert err.count("\n") == 1
