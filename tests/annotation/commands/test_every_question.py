"""Every shipped question, from its plan to its release with answers of a file, and to its labels at a real server."""

import csv
import json
import re
import subprocess
import sys
import zlib

import pandas as pd
import pytest

from analysis import consistency, leakage, release, report, restore, splits, verify
from annotation.campaign.campaign import Campaign, OfCampaign
from annotation.campaign.texts import read_texts
from annotation.label_studio.projects import list_tasks
from annotation.questions.declarations import list_shipped, shipped_question
from annotation.simulation.answering import latent_classes, simulate
from data.console.commands import run
from data.contract.tables.campaign import Answers, Assignments, Ratings
from data.contract.tables.labels import Labels
from data.contract.tables.pairs import Pairs
from data.storage.manifest import Manifest
from data.storage.store import Store
from tests import small_world
from tests.annotation.support.frames import pairs, predicted

pytestmark = pytest.mark.sweep

AT_SERVER = ("open", "simulate", "collect", "status", "withdraw")
PROFILES = ("--profiles", "good:6", "--noise", "clear")
CODES = {"grammar": {1, 2, 3}, "parade": {0, 1, 2, 3}, "same-meaning": {0, 1}, "label-and-grammar": {0, 1}}


@pytest.fixture
def of_campaign(command, tmp_path):
    """Runs a command of this test's own campaign."""
    name = tmp_path.name.replace("_", "-")[:31]

    def call(words, *args):
        return command(words, *args, "--campaign", name)

    call.campaign = name
    return call


@pytest.fixture
def at_server(of_campaign, label_studio, monkeypatch):
    """Runs a command of this test's own campaign on the shared server."""
    monkeypatch.setenv("LABEL_STUDIO_API_KEY", label_studio.running.api_key)

    def call(words, *args):
        return of_campaign(
            words, *args, *(("--url", label_studio.running.url) if words.split()[0] in AT_SERVER else ())
        )

    call.campaign = of_campaign.campaign
    return call


@pytest.fixture
def small(store):
    """A store of the small world's twenty pairs."""
    small_world.fill(store)
    return store


@pytest.mark.parametrize("name", list_shipped())
def test_from_plan_to_release(of_campaign, small, name, tmp_path, capsys):
    """The answers come from a file."""
    _answer_in_file(of_campaign, plan(of_campaign, small, name), tmp_path)
    _check_answers(of_campaign, small)
    _check_analysis(small, of_campaign.campaign, shipped_question(name), tmp_path, capsys)


@pytest.mark.parametrize("name", list_shipped())
def test_from_plan_to_labels_at_the_server(at_server, small, name):
    _answer_at_server(at_server, plan(at_server, small, name))
    _check_answers(at_server, small)


def plan(call, small, name):
    """The planned campaign of ten pairs that asks the question."""
    question = shipped_question(name)
    if question.shown.beside:
        predicted(small)
    once = " --double-share 0" if question.double else ""
    code, _, err = call(f"plan --annotators 6 --pairs 10 --question {name}{once}")
    assert code == 0, err
    assert len(small.read(Assignments)) == 10 * question.raters
    return Campaign(OfCampaign(store=small.root, campaign=call.campaign))


def _answer_at_server(call, campaign):
    for words in (("open",), ("simulate", *PROFILES), ("collect",)):
        code, _, err = call(*words)
        assert code == 0, (words, err)
    code, out, _ = call("status")
    assert (code, f"{len(campaign.assignments)}" in out) == (0, True)


def _check_answers(call, small):
    """What was collected, measured and decided."""
    campaign = Campaign(OfCampaign(store=small.root, campaign=call.campaign))
    question = campaign.question
    name, n_assignments = question.name, len(small.read(Assignments))
    ratings, answers = small.read(Ratings), small.read(Answers)
    assert sorted(ratings["assignment_id"]) == sorted(small.read(Assignments)["assignment_id"])
    assert ratings["score"].notna().all() == (question.scale is not None)
    by_control = answers.groupby("control")["assignment_id"].nunique().to_dict()
    asked_of_all = [control.name for control in question.asked if not control.when and not question.scale]
    assert {control: by_control[control] for control in asked_of_all} == dict.fromkeys(asked_of_all, n_assignments)
    assert (campaign.ballots["state"] == "scored").all()
    if name in CODES:
        assert set(campaign.ratings["score"]) <= CODES[name]
    if name == "sentence-correction":
        _check_edits(campaign)
    for verb in ("quality", "adjudicate", "verdict"):
        code, out, err = call(verb)
        if verb == "quality":
            assert code == 0, err
            assert re.search(r"next: python -m annotation (reassign|adjudicate) ", out)
            for control in question.asked:
                by_level = control.kind != "edited-text" and not name.startswith("parade")  # that is alpha_scores
                assert (f"{control.name}.alpha" in out) == by_level, control.name
        elif verb == "adjudicate" or question.vote:
            assert code in (0, 1), (verb, err)
        else:
            assert (code, f"question {name}: expected votes" in err) == (2, True), (verb, err)
    labels = small.read(Labels).set_index(["control", "pair_id"])
    for control in (control for control in question.asked if control.when is None):
        decided = labels.loc[control.name]
        assert set(" ".join(decided["value"].dropna()).split()) <= set(control.values)
        assert decided["scores"].map(sum).ge(decided["n_votes"]).all()
        assert decided["binary"].isna().all() == (not control.positive)
    code, out, err = call("control plan --annotators 3 --examples 2 --pairs 2")
    assert (code == 0 and "label 2 pairs after 2 examples" in out) == (question.vote is not None), err


def _answer_in_file(call, campaign, folder):
    """Collect the answers of annotators who mostly decide on the same thing for a pair."""
    question, n = campaign.question, len(latent_classes(campaign.question))
    file = folder / "ratings.csv"
    names = ["score"] if question.scale else [control.name for control in question.asked]
    with file.open("w", newline="") as stream:
        rows = csv.writer(stream)
        rows.writerow(["assignment_id", "submitted_at", *names])
        for task in (task for tasks in list_tasks(campaign).values() for task in tasks):
            pair = "".join(sorted((task["definition1"], task.get("definition2", ""))))
            deviates = zlib.crc32(task["assignment"].encode()) % 5 == 0
            given = simulate(question, (zlib.crc32(pair.encode()) + deviates) % n, task)
            cells = [given.get(control.name, "") for control in question.asked]
            answers = [cell if isinstance(cell, str) else " ".join(cell) for cell in cells]
            rows.writerow([task["assignment"], "2026-01-05T10:00:00Z", *answers])
    code, _, err = call("collect --file", file)
    assert code == 0, err


def _check_analysis(store, campaign, question, folder, capsys):
    """From splits to a release, with its texts and also without them; what report and release say of the question."""
    at, of, name = ["--store", str(store.root)], ["--campaign", campaign], question.name
    whole, bare, restored = (str(folder / part) for part in ("whole", "bare", "restored"))
    for module, words in (
        (splits, [*at, "--campaign", campaign, "--shares", "2", "1", "1"]),
        (leakage, [*at, *of]),
        (consistency, [*at, *of]),
        (report, [*at, *of, "--out", str(folder / "report")]),
        (release, [whole, *at, *of, "--name", "simulated"]),
        (verify, [whole]),
        (release, [bare, *at, *of, "--name", "simulated", "--without-text"]),
        (restore, [bare, *at, "--out", restored]),
        (verify, [restored]),
        (report, ["--dataset", whole, "--out", str(folder / "again")]),
    ):
        code = run(module.main, prog="x", args=words)
        assert code == 0, (module.__name__, *capsys.readouterr())
    shown = [json.loads((folder / part / "report.json").read_text())["figures"] for part in ("report", "again")]
    asked = shown[0]["question"]["value"]
    assert asked == shown[1]["question"]["value"]
    assert [asked["name"], asked["version"], asked["digest"]] == [*question.identity.values()]
    assert asked["guide"] == question.guide
    labels = store.read(Labels)
    for described, control in zip(shown[0]["answers"]["value"], question.asked, strict=True):
        own = labels[labels["control"] == control.name]
        given = [sum(column) for column in zip(*own["scores"], strict=True)] or [0] * len(control.values)
        assert [answer["ratings"] for answer in described["answers"]] == given
        assert described["agreement"] or control.kind == "edited-text"
    card = (folder / "whole" / "README.md").read_text()
    assert f"the question `{name}`, version {question.version}" in card.replace("\\", "")
    tables = (folder / "restored" / "data").glob("t*.parquet")
    released = pd.concat([pd.read_parquet(path) for path in sorted(tables)])
    assert set(released["first"]) <= set(store.read(Pairs)["first"])
    has_labels = (folder / "whole" / "data" / "labels.parquet").exists()
    assert has_labels == (not name.startswith("parade")) != (folder / "whole" / "published").exists()


def _check_edits(campaign):
    fixed = campaign.answers[campaign.answers["control"] == "corrected"].set_index("assignment_id")["text"]
    shown = campaign.assignments.merge(read_texts(campaign), on="pair_id").set_index("assignment_id")["generated"]
    assert len(fixed) > 0
    for assignment, text in fixed.items():
        assert abs(len(text.split()) - len(shown[assignment].split())) == 1


def test_collected_edits_survive_kills(at_server, filled, label_studio):
    assert at_server("plan --annotators 3 --pairs 12 --question sentence-correction")[0] == 0
    for words in (("open",), ("simulate", "--profiles", "good:3")):
        assert at_server(*words)[0] == 0
    words = ["collect", "--campaign", at_server.campaign, "--url", label_studio.running.url]
    for seconds in (1.5, 2.5, 3.0):
        command = [sys.executable, "-m", "annotation", *words, "--store", str(filled.root)]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        try:
            process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
    assert at_server("collect")[0] == 0
    _check_whole(filled, 12 + 1)


@pytest.mark.parametrize("stopped", [Answers, Ratings])
def test_a_collection_that_is_stopped_is_completed_by_the_next(at_server, filled, monkeypatch, stopped):
    assert at_server("plan --annotators 3 --pairs 12 --question sentence-correction")[0] == 0
    for words in (("open",), ("simulate", "--profiles", "good:3")):
        assert at_server(*words)[0] == 0
    append = Store.append

    def stop(self, table, *more):
        if table is stopped:
            raise KeyboardInterrupt
        return append(self, table, *more)

    with monkeypatch.context() as patch:
        patch.setattr(Store, "append", stop)
        assert at_server("collect")[0] == 130
    assert filled.read(Ratings).empty
    assert at_server("collect")[0] == 0
    _check_whole(filled, 12 + 1)
    leaver = filled.read(Assignments)["annotator"][0]
    assert at_server(f"withdraw {leaver}")[0] == 0
    own = set(filled.read(Assignments).query("annotator == @leaver")["assignment_id"])
    assert own
    assert not own & {*filled.read(Answers)["assignment_id"], *filled.read(Ratings)["assignment_id"]}


def _check_whole(store, n):
    """Every rating has its answers, once, and every fixed sentence its text."""
    ratings, answers = store.read(Ratings), store.read(Answers)
    key = ["assignment_id", "submitted_at"]
    decisions = answers[answers["control"] == "decision"]
    assert len(ratings) == len(decisions) == n
    assert len(decisions.merge(ratings, on=key)) == n
    fixed = decisions[[chosen[0] == "fix" for chosen in decisions["chosen"]]]
    assert sorted(fixed["assignment_id"]) == sorted(answers.loc[answers["control"] == "corrected", "assignment_id"])


def test_gold_is_named_by_the_questions_own_answers(filled, command, tmp_path):
    gold = tmp_path / "gold.csv"
    gold.write_text(f"pair_id,score\n{0:032x},yes\n{1:032x},no\n")
    assert command("plan --annotators 6 --question same-meaning --gold", gold)[0] == 0
    assert Campaign(OfCampaign(store=filled.root)).gold == {f"{0:032x}": 1, f"{1:032x}": 0}
    gold.write_text(f"pair_id,score\n{0:032x},2\n")
    code, _, err = command("plan --annotators 6 --campaign b --question same-meaning --gold", gold)
    assert (code, "expected a same_meaning of no or yes, found 2" in err) == (2, True)
    predicted(filled)
    code, _, err = command("plan --annotators 6 --campaign b --question phenomena --gold", gold)
    assert (code, "--gold: expected none for a question that shows more than the texts" in err) == (2, True)
    for check in ("trap", "repeat"):
        code, _, err = command(f"plan --annotators 6 --campaign b --question phenomena --{check}-share 0.1")
        assert (code, f"--{check}-share: expected 0 for a question without a vote" in err) == (2, True)
    code, _, err = command("plan --annotators 6 --campaign b --question grammar --trap-share 0.1")
    assert (code, "--trap-share: expected 0 for a question that shows one text" in err) == (2, True)


FILES = {
    "same-meaning": ("same_meaning", "yes", "maybe", "same_meaning of no, yes"),
    "grammar": ("score", "3", "0", "a score of 1, 2 or 3"),
    "phenomena": ("phenomena", "detail scope", "detail none", "phenomena of knowledge, synonyms"),
}


@pytest.mark.parametrize("name", FILES)
def test_answers_are_read_from_a_file(filled, command, tmp_path, name):
    column, right, wrong, expected = FILES[name]
    if shipped_question(name).shown.beside:
        predicted(filled)
    assert command(f"plan --annotators 5 --pairs 1 --question {name}")[0] == 0
    first, second, *_ = filled.read(Assignments)["assignment_id"]
    file = tmp_path / "ratings.csv"
    header = f"assignment_id,submitted_at,{column},flags\n"
    file.write_text(header + f"{first},2026-01-05T10:00:00Z,{wrong},\n")
    code, _, err = command("collect --file", file)
    assert (code, expected in err) == (2, True), err
    file.write_text(header + f"{first},2026-01-05T10:00:00Z,{right},\n{second},2026-01-05T10:00:00Z,,ill_formed\n")
    code, _, err = command("collect --file", file)
    assert code == 0, err
    answers = filled.read(Answers)
    if name == "grammar":
        assert answers.empty
        assert filled.read(Ratings)["score"].dropna().to_list() == [3]
    else:
        assert [sorted(chosen) for chosen in answers["chosen"]] == [right.split()]
    states = Campaign(OfCampaign(store=filled.root)).ballots.set_index("assignment_id")["state"]
    assert (states[first], states[second]) == ("scored", "flagged")


def test_the_source_of_a_sentence_is_never_shown(filled, command):
    assert command("plan --annotators 5 --question grammar")[0] == 0
    for tasks in list_tasks(Campaign(OfCampaign(store=filled.root))).values():
        for task in tasks:
            assert task.keys() == {"assignment", "definition1", "entity"}
            assert task["definition1"].startswith("another wording")


def test_letters_name_the_questions_own_keys(filled, command, tmp_path):
    for name, keys, asked in (
        ("parade", "Press 0, 1, 2 or 3, and Ctrl+Enter", "with the keys 0 to 3"),
        ("label-and-grammar", "Press n, y, 1, 2 or 3, and Ctrl+Enter", "- Is sentence 2 good English?"),
    ):
        out = tmp_path / name
        assert command(f"plan --annotators 5 --campaign {name} --question {name}")[0] == 0
        assert command(f"letters --campaign {name} --url http://127.0.0.1:1 --out", out)[0] == 0
        assert asked in (out / "invitation.txt").read_text()
        letter = (out / "sign-in" / "a01.txt").read_text()
        assert keys in letter
        assert "e, f and j set a flag" in letter


def test_texts_that_the_question_tells_apart_are_in_their_order(store, command):
    turned = pairs(20).assign(first_id=lambda rows: rows["first_id"].str.replace("d", "e"))  # the larger id comes first
    store.replace(Pairs, turned, Manifest(stage="clustering"), generator="recommended")
    for name, orders in (("label-and-grammar", {True}), ("same-meaning", {True, False})):
        assert command(f"plan --annotators 5 --campaign {name} --question {name}")[0] == 0
        shown = list_tasks(Campaign(OfCampaign(store=store.root, campaign=name)))
        seen = {task["definition1"].startswith("the first") for tasks in shown.values() for task in tasks}
        assert seen == orders
