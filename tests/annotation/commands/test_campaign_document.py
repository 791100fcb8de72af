"""docs/campaign.md is what happens: its commands, in their order, at a real server, and what they print."""

from collections.abc import Iterator

import pandas as pd
import pytest

from data.manifest import Manifest
from data.store import Store
from data.tables.campaign import Assignments, Ratings
from data.tables.labels import Labels
from data.tables.pairs import Pairs
from tests.campaign import (
    ROOT,
    CampaignRun,
    by_process,
    differences,
    failures,
    free_port,
    in_this_process,
    matches,
    read,
    read_blocks,
    run_document,
)

pytestmark = [pytest.mark.server, pytest.mark.timeout(1800)]
DOCUMENT = read("campaign")
PORT = "8139"


@pytest.fixture(scope="module")
def document(label_studio_environment, tmp_path_factory) -> Iterator[CampaignRun]:
    """The document's commands over the pairs of `miniature/pairs.csv`: vectors would differ between processors."""
    folder = tmp_path_factory.mktemp("document")
    (folder / "demo").symlink_to(ROOT / "demo")
    store = Store(folder / "data" / "store")
    pairs = pd.read_csv(ROOT / "tests" / "miniature" / "pairs.csv")
    more = {"generator": "recommended", "cluster": 0, "similarity": 0.9, "chosen_by": "every pair of a cluster"}
    pairs = pairs.assign(**more, rank=range(len(pairs)), parents=[[] for _ in pairs.index])
    store.replace(Pairs, pairs, Manifest(stage="clustering"), generator="recommended")
    outside = by_process(folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.delenv("PARADE_STORE", raising=False)

        def call(command):
            return (in_this_process if command.startswith("python -m ") else outside)(command)

        try:
            steps = list(run_document(DOCUMENT, {PORT: free_port()}, call))
        finally:
            in_this_process("python -m annotation server stop")
    return CampaignRun(steps=steps, store=store, folder=folder)


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
def test_an_ellipsis_stands_for_lines_or_for_what_is_in_one(shown, said, same):
    assert matches(shown, said) is same
