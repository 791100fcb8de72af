"""docs/every-question.md is what happens: every shipped question from its plan to its labels, at a real server."""

import pytest

from annotation.questions.declarations import list_shipped
from data.contract.tables.campaign import Answers, Assignments, Ratings
from data.contract.tables.labels import Labels
from data.contract.tables.plans import Campaigns
from tests.campaign import failures, read, read_blocks, run_over_pairs

pytestmark = [pytest.mark.server, pytest.mark.timeout(1800)]
DOCUMENT = read("every-question")
PORT = "8149"


@pytest.mark.sweep
def test_every_command_ends_well_and_every_shipped_question_is_answered_in_full(label_studio_environment, tmp_path):
    """The document's commands over the miniature pairs."""
    document = run_over_pairs(DOCUMENT, PORT, tmp_path)
    assert failures(document.steps) == []
    commands = [command for block in read_blocks(DOCUMENT) for command in block.commands]
    assert [step.command for step in document.steps] == commands
    plans = document.store.read(Campaigns)
    assert set(plans["question"]) == set(list_shipped())
    ratings = set(document.store.read(Ratings)["assignment_id"])
    assert set(document.store.read(Assignments)["assignment_id"]) == ratings
    assert set(document.store.read(Answers)["assignment_id"]) < ratings
    labelled = set(document.store.read(Labels)["campaign"])
    assert labelled == set(plans["campaign"]) - {"fluency"}
