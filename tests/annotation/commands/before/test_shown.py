"""What the page shows beside the texts: only what the question declares, and of the pair itself."""

from html import unescape

import pandas as pd
import pytest

from annotation.campaign.campaign import Campaign, OfCampaign
from annotation.label_studio.labelling import labelling
from annotation.label_studio.projects import list_tasks
from annotation.questions.declarations import list_shipped, shipped_question
from data.contract.tables.campaign import Assignments
from data.contract.tables.models import Runs
from data.contract.tables.pairs import Pairs
from data.contract.tables.shown import Shown
from data.models.runs import record
from tests.annotation.questions.test_declarations import DECLARED, declare
from tests.annotation.support.frames import fields_of, planned, predicted

CAPTIONS = 'captions = ["Definition 1", "Definition 2"]'
PARTS = (
    CAPTIONS
    + """
parts = [
  { name = "old", text = "What the program moved" },
  { name = "only", text = "Only this text has it", computed = "words-apart" },
]
"""
)


@pytest.fixture
def marked(tmp_path):
    """A question that highlights parts that are given, and words that only one text has."""
    return declare(tmp_path / "marked", DECLARED.replace(CAPTIONS, PARTS))


def campaign(store, name="main"):
    return Campaign(OfCampaign(store=store.root, campaign=name))


def tasks_of(store, name="main"):
    """The tasks by pair id, each with its annotator's side."""
    rows = planned(store, name).set_index("assignment_id")["pair_id"]
    tasks = [task for part in list_tasks(campaign(store, name)).values() for task in part]
    assert len(tasks) == len(rows)
    return [(rows[task["assignment"]], task) for task in tasks]


@pytest.mark.parametrize("name", list_shipped())
def test_a_task_holds_what_the_question_declares_and_nothing_else(filled, command, name):
    predicted(filled)
    assert command(f"plan --annotators 6 --question {name}")[0] == 0
    question = shipped_question(name)
    expected = {"assignment", "entity", *fields_of(question, "")}
    assert {frozenset(task) for _, task in tasks_of(filled)} == {frozenset(expected)}
    page = labelling(question, show_entity=True)
    for field in ("prediction", "label", "marked1", "votes"):
        assert (f"${field}" in page) == (field in expected), field
    assert filled.read(Shown).empty == (not question.shown.beside)


@pytest.mark.sweep
def test_predictions_and_labels_match_the_pair(filled, command):
    predicted(filled)
    code, out, err = command("plan --annotators 6 --question phenomena")
    assert code == 0, err
    assert "35 pairs have what the page shows; 5 without it are left out" in out
    numbers = {f"{number:032x}": number for number in range(40)}
    words = {True: "they mean the same", False: "they do not mean the same"}
    for pair, task in tasks_of(filled):
        assert numbers[pair] % 8 != 0
        assert task["prediction"] == words[numbers[pair] % 2 == 0]
        assert task["label"] == words[numbers[pair] % 3 == 0]
    assert command("plan --annotators 6 --question phenomena")[1].count("nothing added") == 1
    assert (
        command("plan --annotators 6 --question phenomena --campaign e --errors --split all --threshold 0.05")[0] == 0
    )
    assert {numbers[pair] % 3 for pair, _ in tasks_of(filled, "e")} == {1, 2}  # it says yes to all


@pytest.mark.sweep
def test_one_of_several_runs_of_a_model_is_named_and_its_latest_is_said(filled, command):
    predicted(filled)
    run = filled.read(Runs).iloc[0]
    scores = pd.Series(0.1, index=filled.read(Pairs)["pair_id"])
    of_labels = {"campaigns": ["before"], "method": "majority", "scheme": "by-entity", "threshold": 0.5}
    record(filled, of_labels | {"model": "a-model", "seed": 2}, scores, "test")
    _, out, _ = command("plan --annotators 6 --question phenomena")
    assert "a-model has 2 runs; taken: a-model, seed 2, of " in out
    assert set(filled.read(Shown)["prediction"]) == {0}
    assert command("plan --annotators 6 --question phenomena --campaign e", "--model", "a-model, seed 1")[0] == 0
    assert set(filled.read(Shown, campaign="e")["run_id"]) == {run["run_id"]}


@pytest.mark.sweep
def test_another_model_is_another_plan(filled, command):
    predicted(filled, "one", "two")
    code, _, err = command("plan --annotators 6 --question phenomena")
    assert (code, "--model: expected one of one; two, or a run_id, found nothing" in err) == (2, True)
    assert command("plan --annotators 6 --question phenomena --model one")[0] == 0
    before = filled.read(Shown)
    code, _, err = command("plan --annotators 6 --question phenomena --model two")
    assert (code, "expected the arguments that it was planned with" in err) == (2, True)
    assert filled.read(Shown).equals(before)


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_given_parts_are_highlighted_in_their_text_whichever_side_it_is_on(filled, command, marked, tmp_path, ending):
    pairs = filled.read(Pairs).head(12)
    rows = pd.DataFrame({"pair_id": pairs["pair_id"], "text": "first", "start": 4, "end": 12, "part": "old"})
    second = rows.assign(text="second", start=0, end=7)
    file = tmp_path / f"parts.{ending}"
    both = pd.concat([rows, second])
    both.to_csv(file, index=False) if ending == "csv" else both.to_parquet(file, index=False)
    code, out, err = command("plan --annotators 6 --question", marked, "--parts", file)
    assert code == 0, err
    assert "12 pairs have what the page shows; 28 without it are left out" in out
    sides = set()
    for pair, task in tasks_of(filled):
        number = int(pair, 16)
        texts = [unescape(task[f"definition{side}"]) for side in (1, 2)]
        place = texts.index(f"the first <b>wording</b> of number {number}") + 1
        sides.add(place)
        old, only = (f'<mark class="parade-part{mark}">' for mark in (1, 2))
        assert task[f"marked{place}"] == (
            f"{only}the</mark> {old}first &lt;b</mark>&gt;wording&lt;/{only}b</mark>&gt; of number {number}"
        )
        assert task[f"marked{3 - place}"] == f"{old}another</mark> wording of number {number}"
    assert sides == {1, 2}
    written = filled.read(Shown)[["part_names", "part_sides", "part_starts", "part_ends"]].to_numpy(object)
    spans = [["old", "old"], ["first", "second"], [4, 0], [12, 7]]
    assert [[list(values) for values in row] for row in written] == [spans] * 12
    assert filled.read(Assignments)["pair_id"].nunique() == 12


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("x,first,0,3,old", "line 2: expected a pair_id of this generator, found x"),
        ("{pair},third,0,3,old", "line 2: expected first or second as text, found third"),
        ("{pair},first,0,3,only", "line 2: expected a part among old, found only"),
        ("{pair},first,3,3,old", "line 2: expected characters of the text, from start"),
        ("{pair},first,0,999,old", "found 0 to 999"),
        ("{pair},first,a,3,old", "found a to 3"),
    ],
)
def test_a_wrong_part_is_named_with_its_line(command, marked, tmp_path, line, expected):
    (tmp_path / "parts.csv").write_text("pair_id,text,start,end,part\n" + line.format(pair=f"{0:032x}") + "\n")
    code, _, err = command("plan --annotators 6 --question", marked, "--parts", tmp_path / "parts.csv")
    assert (code, expected in err, err.count("\n")) == (2, True, 1), err


@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        ("--question phenomena", "--model: expected a model with predictions in this store, found nothing"),
        (
            "--question same-meaning --model m",
            "--model: expected a question that shows a prediction",
        ),
        ("--errors", "--errors: expected a question that shows a prediction, found parade"),
        ("--labels-of x", "--labels-of: expected a question that shows a label, found parade"),
        ("--parts x.csv", "--parts: expected a question that shows a part, found parade"),
    ],
)
def test_flags_that_say_nothing_to_the_question_are_refused(command, flags, expected):
    code, _, err = command("plan --annotators 6 " + flags)
    assert (code, expected in err, err.count("\n")) == (2, True, 1), err


def test_what_a_question_shows_is_needed(filled, command, marked, tmp_path):
    code, _, err = command("plan --annotators 6 --question", marked)
    assert (code, "--parts: expected a table of the parts old (pair_id, text," in err) == (2, True)
    predicted(filled)
    code, _, err = command("plan --annotators 6 --question phenomena --labels-of nobody")
    assert (code, "--labels-of: expected a campaign with labels by majority (before), found 'nobody'" in err) == (
        2,
        True,
    )
    code, _, err = command("plan --annotators 6 --question phenomena --split validation")
    assert (code, "expected pairs with everything that it shows, found none among 40" in err) == (2, True)
    code, _, err = command("pilot plan --annotators 4 --pairs 5 --question phenomena")
    assert (code, "question phenomena: expected one that shows texts alone" in err) == (2, True)
