"""A clock that was set back: what is said later counts all the same."""

import os
import shutil
import subprocess
import sys

import pandas as pd
import pytest

from annotation.campaign.campaign import Campaign, OfCampaign
from data.contract.tables.campaign import Annotators, Assignments, Documents
from data.contract.tables.removals import Tombstones

pytestmark = [
    pytest.mark.sweep,
    pytest.mark.skipif(shutil.which("faketime") is None, reason="the program faketime is missing"),
]


@pytest.fixture
def two_days_ago(command, store):
    """Run a command of the planned campaign while the clock is two days behind; return its output."""
    assert command("plan --annotators 4 --pairs 4")[0] == 0

    def call(*words):
        where = ["--store", str(store.root)]
        line = ["faketime", "-f", "-2d", sys.executable, "-m", "annotation", *map(str, words), *where]
        return subprocess.run(line, env=os.environ, capture_output=True, text=True, check=True).stdout

    return call


def present(store):
    return Campaign(OfCampaign(store=store.root))


def test_who_is_resumed_by_an_earlier_clock_is_resumed(command, store, two_days_ago):
    assert command("pause a01")[0] == 0
    paused = present(store).annotators.loc["a01", "at"]
    assert "a01 may get further pairs" in two_days_ago("resume", "a01")
    assert present(store).annotators.loc["a01", ["state", "at"]].to_list() == ["active", paused + pd.Timedelta("1us")]
    assert command("pause a01")[0] == 0
    assert present(store).annotators.loc["a01", "state"] == "paused"
    assert store.read(Annotators, annotator="a01")["at"].is_unique


def test_a_guide_by_an_earlier_clock_holds_and_moves_the_open_work_once(command, store, two_days_ago, tmp_path):
    (tmp_path / "guide.md").write_text("# Another\n\nVersion 2\n\nScore.\n")
    (tmp_path / "third.md").write_text("# A third\n\nVersion 3\n\nScore.\n")
    assert command("guide", tmp_path / "guide.md")[0] == 0
    assert "12 open pairs go to a new round" in two_days_ago("guide", tmp_path / "third.md")
    assert present(store).guide.version == "3"
    assert store.read(Assignments)["round"].value_counts().to_dict() == {1: 12, 2: 12, 3: 12}
    assert "holds already" in command("guide", tmp_path / "third.md")[1]
    assert store.read(Documents)["at"].is_unique


def test_a_plan_by_an_earlier_clock_follows_the_guide(command, store, two_days_ago, tmp_path):
    (tmp_path / "guide.md").write_text("# Another\n\nVersion 2\n\nScore.\n")
    assert command("guide", tmp_path / "guide.md", "--campaign", "later")[0] == 0
    two_days_ago("plan", "--annotators", 4, "--pairs", 4, "--campaign", "later")
    assert "holds already" in command("guide", tmp_path / "guide.md", "--campaign", "later")[1]


def test_a_withdrawal_by_an_earlier_clock_is_after_the_one_before(command, store, two_days_ago):
    assert command("withdraw a01")[0] == 0
    first = store.read(Tombstones)["at"].iloc[0]
    two_days_ago("withdraw", "a02")
    assert store.read(Tombstones).set_index("id")["at"]["a02"] == first + pd.Timedelta("1us")
