"""The question that a campaign asks, from its plan to the manifests of its ratings."""

import shutil
from pathlib import Path

import krippendorff
import pandas as pd
import pytest

from annotation.campaign.campaign import Campaign, OfCampaign
from annotation.questions.declarations import read, shipped_question
from data.contract.tables.campaign import Assignments, Ratings
from data.contract.tables.labels import Quality
from data.contract.tables.pairs import Pairs
from data.contract.tables.plans import Campaigns
from data.storage.manifest import Manifest
from data.storage.store import Store
from tests.annotation.questions.test_declarations import DECLARED, GUIDE, declare
from tests.annotation.support.frames import pairs, rate

pytestmark = pytest.mark.sweep


@pytest.fixture
def mine(tmp_path) -> Path:
    """A question of the lead's own, with two raters per pair."""
    return declare(tmp_path / "mine", DECLARED.replace("raters = 3", "raters = 2"))


def campaign(store: Store, name: str = "main") -> Campaign:
    return Campaign(OfCampaign(store=store.root, campaign=name))


def test_a_question_goes_from_the_plan_to_the_ratings(filled, command, mine, tmp_path):
    question = read(str(mine))
    assert command("plan --annotators 4 --pairs 10 --question", mine)[0] == 0
    shutil.rmtree(mine)
    planned = campaign(filled)
    assert (planned.question, planned.guide.text) == (question, GUIDE)
    assert planned.plan["labels_per_pair"] == 2
    assert planned.assignments["pair_id"].value_counts().eq(2).all()
    code, _, _ = command("collect --file", rate(filled, tmp_path / "ratings.csv", lambda *_: 3))
    assert code == 0
    assert question.identity.items() <= filled.manifest(Ratings)["config"].items()


def test_a_plan_without_a_question_asks_the_standard_one(filled, command):
    assert command("plan --annotators 4")[0] == 0
    assert campaign(filled).question == shipped_question()
    assert filled.read(Campaigns)["question"].to_list() == ["parade"]
    assert command("plan --annotators 4 --question parade")[1].count("planned already") == 1


def test_another_question_is_another_plan(filled, command, mine):
    assert command("plan --annotators 4 --labels-per-pair 2 --question", mine)[0] == 0
    code, _, err = command("plan --annotators 4 --labels-per-pair 2")
    assert code == 0, err  # the question that the campaign has
    code, _, err = command("plan --annotators 4 --labels-per-pair 2 --question parade")
    assert (code, "found others (question, " in err) == (2, True)


def test_labels_of_an_attacks_review_go_to_the_robustness_page(store, command, tmp_path):
    chosen = pairs(20).assign(generator="chosen", selection="fooled", sample_of="attack")
    store.replace(Pairs, chosen, Manifest(stage="attack"), generator="chosen")
    assert command("plan --generator chosen --annotators 5")[0] == 0
    ratings = rate(store, tmp_path / "ratings.csv", lambda *_: 1)
    assert command("collect --file", ratings)[0] == 0
    code, out, err = command("adjudicate")
    assert code == 0, err
    assert f"next: python -m analysis.robustness --review main --store {store.root}" in out


def test_a_generator_called_peer_review_is_no_review(store, command, tmp_path):
    store.replace(
        Pairs, pairs(20).assign(generator="peer-review"), Manifest(stage="clustering"), generator="peer-review"
    )
    assert command("plan --generator peer-review --annotators 5")[0] == 0
    assert command("collect --file", rate(store, tmp_path / "ratings.csv", lambda *_: 1))[0] == 0
    assert f"next: python -m analysis.splits --campaign main --store {store.root}" in command("adjudicate")[1]


def test_another_wording_needs_another_version(filled, command, mine):
    assert command("plan --annotators 4 --question", mine)[0] == 0
    changed = DECLARED.replace("Not English", "Another language")
    declare(mine, changed)
    code, _, err = command("plan --annotators 4 --campaign second --question", mine)
    assert (code, "question mine, version 1: expected the wording that this version has in campaign main" in err) == (
        2,
        True,
    )
    declare(mine, changed.replace('version = "1"', 'version = "2"'))
    assert command("plan --annotators 4 --campaign second --question", mine)[0] == 0


def test_the_plan_asks_what_the_pilot_asked(filled, command, mine):
    assert command("pilot plan --annotators 4 --pairs 10 --question", mine)[0] == 0
    assert campaign(filled).guide.text == GUIDE
    code, _, err = command("plan --annotators 4 --question parade")
    assert (code, "--question: expected mine, which the pilot asks, found parade" in err) == (2, True)
    assert command("plan --annotators 4")[0] == 0
    assert campaign(filled).question == read(str(mine))


GRADES = """version = "1"
raters = 3
[shown]
captions = ["Text 1", "Text 2"]
[[asked]]
name = "quality"
kind = "scale"
heading = "How good?"
reminder = "Choose."
answers = [
{answers}]
{more}
[flags]
heading = "Wrong?"
answers = [{{ value = "cannot_judge", key = "j", text = "I cannot judge it" }}]
[comment]
prompt = "Comment"
"""


@pytest.mark.parametrize(
    "scale", [(5, "", "ordinal"), (5, 'level = "interval"', "interval"), (3, 'positive = ["3"]', "ordinal")]
)
def test_the_agreement_on_a_scale_is_measured_by_its_level(filled, command, tmp_path, scale):
    highest, more, level = scale
    answers = "".join(f'  {{ value = "{n}", key = "{n}", text = "grade {n}" }},\n' for n in range(1, highest + 1))
    folder = declare(tmp_path / "grades", GRADES.format(answers=answers, more=more))
    assert command("plan --annotators 4 --pairs 20 --question", folder)[0] == 0
    sheet = rate(filled, tmp_path / "ratings.csv", lambda name, pair: 1 + (pair * int(name[1:]) // 3) % highest)
    code, _, err = command("collect --file", sheet)
    assert code == 0, err
    code, out, err = command("quality")
    assert code == 0, err
    ratings = filled.read(Ratings).merge(filled.read(Assignments), on="assignment_id")
    table = pd.crosstab(ratings["pair_id"], ratings["score"].astype("int64"))
    known = krippendorff.alpha(value_counts=table.to_numpy(), value_domain=list(table), level_of_measurement=level)
    quality = filled.read(Quality)
    values = quality.query("annotator == 'all' and round == 0 and control.isna()").set_index("measure")["value"]
    (alpha,) = quality.loc[(quality["control"] == "quality") & (quality["measure"] == "alpha"), "value"]
    assert alpha == pytest.approx(known)
    if highest == 3:  # a vote, so that every annotator has the measure too
        assert values["alpha_scores"] == pytest.approx(known)
    following = "reassign" if highest == 3 else "adjudicate"
    assert f"next: python -m annotation {following}" in command("status")[1]
    if highest == 5:
        assert "next: python -m annotation adjudicate" in out
        code, _, err = command("verdict")
        assert (code, err.strip().endswith("read its answers: python -m data export ratings")) == (2, True)


def test_answers_of_skipped_ratings_are_not_measured(filled, command, tmp_path):
    assert command("plan --annotators 3 --pairs 6 --question same-meaning --labels-per-pair 2")[0] == 0
    rows = filled.read(Assignments)[["assignment_id", "pair_id"]]
    file = tmp_path / "ratings.csv"
    skipped = ~rows.duplicated("pair_id")
    answers = rows.assign(submitted_at="2026-01-05T10:00:00Z", same_meaning="yes", skipped=skipped.astype("str"))
    answers.drop(columns="pair_id").to_csv(file, index=False)
    code, _, err = command("collect --file", file)
    assert code == 0, err
    code, out, err = command("quality")
    assert code == 0, err
    assert "same_meaning.alpha of all, round all: no pair has two ratings" in out


def test_the_lowest_positive_answer_is_the_declared_one(filled, command, tmp_path):
    assert command("plan --annotators 4 --pairs 6 --question grammar")[0] == 0
    code, _, err = command("collect --file", rate(filled, tmp_path / "ratings.csv", lambda *_: 2))
    assert code == 0, err
    code, out, err = command("adjudicate")
    assert (code, "6 labels by majority: 0 " in out) == (0, True), err
