"""docs/campaign.md is what happens: its commands, in their order, at a real server, and what they print."""

from unittest.mock import patch

import pandas as pd
import pytest

from data.contract.tables.campaign import Assignments, Ratings
from data.contract.tables.labels import Labels
from data.storage.engine import HERE
from tests.campaign import CampaignRun, differences, failures, matches, read, read_blocks, run_over_pairs

pytestmark = [pytest.mark.server, pytest.mark.sweep, pytest.mark.timeout(1800)]
DOCUMENT = read("campaign")
PORT = "8139"


@pytest.fixture(scope="module")
def document(label_studio_environment, tmp_path_factory) -> CampaignRun:
    """The document's commands over the miniature pairs."""
    with patch("annotation.commands.before.forecast.PROCESSES", HERE):  # six campaigns are not worth new processes
        return run_over_pairs(DOCUMENT, PORT, tmp_path_factory.mktemp("document"))


def test_every_command_is_run_and_ends_well(document):
    assert failures(document.steps) == []
    blocks = read_blocks(DOCUMENT)
    assert [step.command for step in document.steps] == [command for block in blocks for command in block.commands]


def test_the_shown_output_is_the_real_one(document):
    assert differences(document.steps) == []


def test_each_pair_has_a_label_and_seniors_gave_reasons(document):
    labels = document.store.read(Labels, campaign="main", method="majority")
    assert len(labels) == 48
    decided = set(labels.loc[labels["decided_by"] == "senior", "pair_id"])
    rows = document.store.read(Assignments, campaign="main").query("kind == 'review'")
    said = document.store.read(Ratings).merge(rows, on="assignment_id")
    assert decided == set(said["pair_id"]) != set()
    assert said["comment"].str.len().min() > 0
    assert "a06" not in set(document.store.read(Ratings).merge(
        document.store.read(Assignments), on="assignment_id")["annotator"])  # fmt: skip
    paid = pd.read_csv(document.folder / "pay.csv").groupby("annotator")["ratings"].sum()
    assert paid["a06"] > 0


@pytest.mark.parametrize(
    ("shown", "said", "same"),
    [
        ("a\n", "a\n", True),
        ("a\n", "a\nb\n", False),
        ("…\nb\n", "a\nb\n", True),
        ("a…c\n", "a b c\n", True),
        ("a…c\n", "a\nc\n", False),
        ("…\n", "", True),
        ("a\n…\nb\n…\nc\n", "a\nx\nb\nb\nc\n", True),
        ("a\n…\nb\n…\nc\n", "a\nc\nb\n", False),
        ("…\na\n" * 20, "a\n" * 19 + "b\n", False),
    ],
)
def test_an_ellipsis_matches_lines_or_for_what_is_in_one(shown, said, same):
    assert matches(shown, said) is same
