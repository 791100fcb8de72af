"""docs/generation.md is what happens: from sentences to a release, with people's steps at a real server."""

import shutil

import pytest

from data.contract.tables.campaign import Ratings
from data.contract.tables.generated import GeneratedTexts
from data.contract.tables.labels import Labels, Splits
from tests.annotation.conftest import label_studio_environment  # noqa: F401 - a fixture
from tests.campaign import failures, read, read_blocks, run_over_pairs

pytestmark = [
    pytest.mark.server,
    pytest.mark.timeout(1800),
    pytest.mark.skipif(
        shutil.which("apertium") is None, reason="Apertium is not installed (Debian's apertium-eng-spa)"
    ),
]
DOCUMENT = read("generation")
PORT = "8151"


@pytest.mark.sweep
def test_every_command_ends_well_and_the_set_holds_judged_and_derived_labels_of_every_kind(
    engines,
    label_studio_environment,  # noqa: F811
    tmp_path,
):
    """The document's commands over the demo's sentences."""
    document = run_over_pairs(DOCUMENT, PORT, tmp_path)
    assert failures(document.steps) == []
    commands = [command for block in read_blocks(DOCUMENT) for command in block.commands]
    assert [step.command for step in document.steps] == commands
    labels = document.store.read(Labels, campaign="paws", method="rule")
    assert {"judged", "rule"} <= set(labels["decided_by"])
    assert {"word-swap", "back-translation", "correction"} == set(document.store.read(GeneratedTexts)["method"])
    splits = document.store.read(Splits)
    assert set(labels["pair_id"]) <= set(splits["pair_id"])
    judged = document.store.read(Labels, campaign="same", method="majority")
    assert 4 <= judged["n_votes"].mean() <= 4.5
    assert judged["binary"].nunique() == 2
    assert document.store.read(Ratings)["assignment_id"].is_unique
