"""Forecasts: what a plan costs, and what simulated campaigns say of its labels and of the rules of quality."""

import pandas as pd
import pytest

from annotation import forecast
from annotation.__main__ import main
from annotation.forecast import ForecastRule
from data import schemas
from data.console import run
from data.manifest import Manifest
from tests.annotation.frames import pairs


@pytest.fixture
def command(store, capsys):
    """Runs a verb; returns exit code, standard output and standard error."""

    def call(*args):
        code = run(main, prog="python -m annotation", args=[*map(str, args), "--store", str(store.root)])
        return code, *capsys.readouterr()

    return call


def test_costs_are_labels_times_pace():
    told = forecast.cost(300, 8, seconds=36, hours_a_day=0.19, pay=12.5)
    assert (told.labels, told.hours, told.pay) == (300, 3.0, 37.5)
    assert told.hours_each == pytest.approx(0.38)
    assert told.days == pytest.approx(2.0)


def test_a_pause_is_no_work_and_no_time_is_no_pace():
    ratings = pd.DataFrame({"seconds": [10.0, 20.0, 4000.0, None]})
    assert forecast.pace(ratings, 300) == 15
    assert forecast.pace(ratings[2:], 300) is None


def test_the_paper_s_rule_finds_few_and_more_labels_are_better():
    kinds = {"good": 32, "careless": 4, "guessing": 4}
    three, five = (
        forecast.expect(kinds, range(2), n_pairs=4_000, labels_per_pair=k, rule=ForecastRule()) for k in (3, 5)
    )
    assert (five["majority"] > three["majority"]).all()
    assert (three["one-coin"] > three["majority"]).all()
    assert (three["paper: guessing"] < 1).any()
    assert (three["paper: good"] == 0).all()
    assert (three["verdict: guessing"] == 1).all()
    assert (three["verdict: good"] < 0.1).all()
    two = forecast.expect(kinds, [1], n_pairs=1_000, labels_per_pair=2, rule=ForecastRule())
    assert two["paper: guessing"].isna().all()
    assert (two["ties"] > 0.3).all()
    assert forecast.limits(two["paper: guessing"]) is None


def test_the_forecast_of_a_plan_from_a_given_pace(store, command):
    store.replace(schemas.Pairs, pairs(60), Manifest(stage="clustering"), generator="recommended")
    assert command("plan", "--annotators", 10)[0] == 0
    code, out, _ = command("forecast", "--pace", 30, "--pay", 20, "--campaigns", 2)
    assert code == 0
    assert "60 pairs, 10 annotators: 8 good, 2 guessing" in out
    lines = {line.split()[0]: line.split() for line in out.splitlines() if line.strip()[:1].isdigit()}
    assert lines["3"][1:] == ["180", "1.5", "0.1", "0.1", "30"]
    assert "accused by paper: guessing" in out


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        (["--pairs", 100, "--annotators", 8], "seconds a label"),
        (["--pairs", 100, "--annotators", 1, "--pace", 20], "at least 2"),
        (["--pairs", 100, "--kinds", "bad:3", "--pace", 20], "good:32,guessing:8"),
        (["--annotators", 8, "--pace", 20], "a number of pairs"),
        (["--pairs", 100, "--annotators", 8, "--pace", 0], "more than 0"),
    ],
)
def test_what_is_missing_is_one_line(command, args, expected):
    code, _, err = command("forecast", *args)
    assert code == 2
    assert expected in err
    assert err.count("\n") == 1
