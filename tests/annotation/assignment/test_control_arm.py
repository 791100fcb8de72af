"""The control arm, letters and pay: without a server, ratings come from files."""

import stat

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import precision_recall_fscore_support

from annotation.assignment import control_arm
from annotation.campaign.campaign import Campaign, OfCampaign
from annotation.campaign.texts import read_texts
from annotation.label_studio.projects import list_tasks
from data.contract.tables.campaign import Assignments
from data.contract.tables.labels import Labels
from data.measures.rules import VoteRule

pytestmark = pytest.mark.sweep


def rate(store, path, campaign, score):
    rows = store.read(Assignments, campaign=campaign)
    scores = [score(name, int(pair, 16)) for name, pair in zip(rows["annotator"], rows["pair_id"], strict=True)]
    said = pd.DataFrame(
        {"assignment_id": rows["assignment_id"], "submitted_at": "2026-01-05T10:00:00Z", "score": scores}
    )
    said.assign(seconds=36).to_csv(path, index=False)
    return path


@pytest.fixture
def labelled(store, command, tmp_path):
    """A campaign of four whose labels say that odd pairs are paraphrases."""
    assert command("plan", "--annotators", 4)[0] == 0
    path = rate(store, tmp_path / "r.csv", "main", lambda _, pair: 3 * (pair % 2))
    assert command("collect", "--file", path)[0] == 0
    assert command("adjudicate")[0] == 0


def test_the_control_arm_is_scored_and_stays_out_of_work(store, command, labelled, tmp_path):
    before = store.read(Labels)
    code, out, err = command("control", "plan", "--annotators", 3, "--examples", 20, "--pairs", 30)
    assert code == 0, err
    assert "3 people label 30 pairs after 20 examples, as campaign main-control" in out
    rows = store.read(Assignments, campaign="main-control")
    assert rows.groupby("annotator")["pair_id"].nunique().to_dict() == {"a05": 30, "a06": 30, "a07": 30}
    arm = Campaign(OfCampaign(store=store.root, campaign="main-control"))
    assert set(arm.annotators["role"]) == {"non_expert"}
    assert arm.guide.version == "1.control"
    lines = [line for line in arm.guide.text.splitlines() if line.startswith(("- paraphrase:", "- no paraphrase:"))]
    assert len(lines) == 20
    texts = read_texts(arm).set_index("pair_id").loc[sorted(set(rows["pair_id"]))]
    assert not any(f"“{text}”" in arm.guide.text for text in texts["first"])
    assert Campaign(OfCampaign(store=store.root)).guide.version == "1"

    wrong = lambda name, pair: 3 * (pair % 2) if name != "a07" else 3 - 3 * (pair % 2)  # noqa: E731
    path = rate(store, tmp_path / "c.csv", "main-control", wrong)
    assert command("collect", "--file", path, "--campaign", "main-control")[0] == 0
    code, out, _ = command("control", "score")
    assert code == 0
    accuracy = {line.split()[0]: line.split()[1:3] for line in out.splitlines() if line[:3] in ("a05", "a07", "all")}
    assert accuracy == {"a05": ["30", "1.000"], "a07": ["30", "0.000"], "all": ["30", "1.000"]}
    assert "unanimous" in out.splitlines()[0]
    assert command("adjudicate")[0] == 0
    assert store.read(Labels).equals(before)


def test_experts_cannot_be_controls_and_labels_are_needed(store, command, labelled, tmp_path):
    people = tmp_path / "people.csv"
    people.write_text("email\na01@main.parade.invalid\nx@example.org\n")
    code, _, err = command("control", "plan", "--annotators", people, "--examples", 5, "--pairs", 5)
    assert (code, "1 who did (a01)" in err) == (2, True)
    code, _, err = command("control", "plan", "--annotators", 2, "--method", "mace")
    assert (code, "expected labels to compare with" in err) == (2, True)
    code, _, err = command("control", "plan", "--annotators", 2, "--pairs", 60)
    assert (code, "60 and 0" in err) == (2, True)


VOTES = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1)), min_size=1, max_size=30)


@given(VOTES)
def test_the_measures_are_the_usual_ones_within_their_limits(votes):
    pairs = [f"p{n}" for n in range(len(votes))]
    ballots = pd.DataFrame(
        {"pair_id": pairs, "group": pairs, "annotator": "a", "state": "scored", "score": [vote for vote, _ in votes]}
    )
    labels = pd.DataFrame({"pair_id": pairs, "binary": [label for _, label in votes], "stratum": "unknown"})
    row = control_arm.score(ballots, labels, VoteRule(paraphrase_from=1)).iloc[0].to_dict()
    given, known = (np.array(side) for side in zip(*votes, strict=True))
    usual = precision_recall_fscore_support(known, given, average="binary", zero_division=np.nan)
    for name, value in zip(("precision", "recall", "f1"), usual[:3], strict=True):
        assert row[name] == pytest.approx(value, nan_ok=True) or (row[name] is None and np.isnan(value))
    assert row["accuracy"] == pytest.approx((given == known).mean())
    for name in control_arm.INTERVALS:
        if row[name] is not None and not np.isnan(row[name]):
            assert -1e-12 <= row[f"{name}_low"] - 1e-12 <= row[name] <= row[f"{name}_high"] + 1e-12 <= 1 + 2e-12
    assert row["unanimous"] is None or np.isnan(row["unanimous"])


TEXTS = [f"sentence number {n} \u201cquoted\u201d" for n in range(80)]


@pytest.fixture
def published(tmp_path):
    """A data set of 40 pairs, half for training, in the form of MRPC; every other pair is positive."""
    for split, start in (("train", 0), ("test", 20)):
        rows = [f"{n % 2}\t{n}\t{n}\t{TEXTS[2 * n]}\t{TEXTS[2 * n + 1]}" for n in range(start, start + 20)]
        content = "\n".join(["\ufeffQuality\t#1 ID\t#2 ID\t#1 String\t#2 String", *rows]) + "\n"
        (tmp_path / f"msr_paraphrase_{split}.txt").write_text(content, encoding="utf-8")
    return tmp_path


def test_people_outside_the_field_label_any_data_set(store, command, published, tmp_path):
    asked = ["control", "plan", "--campaign", "mrpc", "--dataset", published, "--annotators", 3]
    code, out, err = command(*asked, "--examples", 12, "--pairs", 10)
    assert code == 0, err
    assert "3 people label 10 pairs after 12 examples, as campaign mrpc-control" in out
    arm = Campaign(OfCampaign(store=store.root, campaign="mrpc-control"))
    assert (arm.question.name, arm.plan["show_entity"], arm.plan["generator"]) == ("same-meaning", False, "mrpc")
    lines = [line for line in arm.guide.text.splitlines() if line.startswith(("- yes: ", "- no: "))]
    train = [f"“{text}”" for text in TEXTS[:40]]
    assert len(lines) == 12
    assert all(any(text in line for text in train) for line in lines)
    known = store.read(Labels, campaign="mrpc", method="published").set_index("pair_id")["binary"]
    rows = read_texts(arm).set_index("pair_id")
    assert len(known) == len(rows) == 22
    for task in [task for tasks in list_tasks(arm).values() for task in tasks]:
        assert task.keys() == {"assignment", "definition1", "definition2"}
        assert {task["definition1"], task["definition2"]} <= set(TEXTS[40:])
    assert "planned already" not in command(*asked, "--examples", 12, "--pairs", 10)[1]

    given = store.read(Assignments, campaign="mrpc-control")
    answers = ["yes" if yes else "no" for yes in (given["pair_id"].map(known) == 1) | (given["annotator"] == "a02")]
    lines = [
        f"{name},2026-01-05T10:00:00Z,{answer}" for name, answer in zip(given["assignment_id"], answers, strict=True)
    ]
    (tmp_path / "r.csv").write_text("\n".join(["assignment_id,submitted_at,same_meaning", *lines]) + "\n")
    assert command("collect", "--campaign", "mrpc-control", "--file", tmp_path / "r.csv")[0] == 0
    code, out, err = command("control", "score", "--campaign", "mrpc", "--out", tmp_path / "table.csv")
    assert code == 0, err
    heads = ["annotator", "n", "accuracy", "F1", "precision", "recall", "kappa"]
    assert out.splitlines()[0].split() == heads
    assert "against the labels of mrpc by published" in out
    table = pd.read_csv(tmp_path / "table.csv").set_index("annotator")
    n_yes = int(known[given["pair_id"].unique()].sum())
    assert table.loc["a01", ["accuracy", "f1", "precision", "recall"]].to_list() == [1, 1, 1, 1]
    assert table.loc["a02", ["accuracy", "precision", "recall"]].to_list() == [n_yes / 10, n_yes / 10, 1]
    assert 0 < table.loc["a02", "precision_low"] < n_yes / 10 < table.loc["a02", "precision_high"] < 1


def test_a_data_set_with_entities_asks_the_standard_question_and_shows_them(store, command, tmp_path):
    for split, n in (("train", 0), ("validation", 50), ("test", 100)):
        rows = [f"{3 * (k % 2)}\t{k % 2}\tgraph {k}\twhat {k} is\twhat {k} does" for k in range(n, n + 6)]
        text = "\n".join(["Four-class labels\tBinary labels\tEntity\tDefinition1\tDefinition2", *rows]) + "\n"
        (tmp_path / f"PARADE_{split}.txt").write_text(text, encoding="utf-8")
    asked = ["control", "plan", "--campaign", "published", "--dataset", tmp_path, "--annotators", 2, "--examples", 4]
    code, out, err = command(*asked)
    assert code == 0, err
    assert "100 pairs were asked for: no more are labelled and in their split" in out
    arm = Campaign(OfCampaign(store=store.root, campaign="published-control"))
    assert (arm.question.name, arm.plan["show_entity"]) == ("parade", True)
    assert {text[-3:] for text in read_texts(arm)["entity"]} >= {"100", "105"}
    assert set(store.read(Labels, campaign="published")["stratum"]) == {"unanimous"}


@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        (
            "--dataset {published} --annotators 2",
            "--dataset: expected a campaign for this data set alone",
        ),
        ("--campaign new --dataset {published}/none --annotators 2", "found no such file or folder"),
        (
            "--campaign new --dataset {published} --question phenomena --annotators 2",
            "phenomena: expected votes",
        ),
        ("--question parade --annotators 2", "--question: expected nothing without --dataset"),
        (
            "--campaign recommended --dataset {published} --annotators 2",
            "recommended, which has pairs of its own",
        ),
    ],
)
def test_what_no_control_arm_can_label_is_one_line(command, labelled, published, flags, expected):
    code, _, err = command("control plan " + flags.format(published=published))
    assert (code, expected in err, err.count("\n")) == (2, True, 1), err


def test_letters_say_how_to_sign_in_and_keep_their_secrets(store, command, tmp_path):
    people = tmp_path / "people.csv"
    people.write_text("email\na@example.org\nb@example.org\nc@example.org\n")
    assert command("plan", "--annotators", people)[0] == 0
    out = tmp_path / "letters"
    told = ["--url", "https://label.example.org", "--pay", "20 EUR an hour", "--contact", "lead@example.org"]
    code, said, _ = command("letters", "--out", out, *told)
    assert (code, "3 letters" in said, "example.org" in said) == (0, True, False)
    invitation = (out / "invitation.txt").read_text()
    assert "about 60 pairs." in invitation
    assert "without a time: give --pace" in said
    assert "20 EUR an hour" in invitation
    letters = sorted((out / "sign-in").iterdir())
    assert [letter.name for letter in letters] == ["a01.txt", "a02.txt", "a03.txt"]
    (letter,) = [letter for letter in letters if "b@example.org" in letter.read_text()]
    assert "https://label.example.org" in letter.read_text()
    assert stat.S_IMODE(letter.stat().st_mode) == 0o600
    assert stat.S_IMODE(letter.parent.stat().st_mode) == 0o700
    assert (out / "guide.md").read_text().startswith("# How to score")
    assert command("letters", "--out", out, *told, "--pace", 90)[0] == 0
    assert "about 60 pairs, which take about 1.5 hours in all." in (out / "invitation.txt").read_text()


def test_the_invitation_gives_the_hours_at_the_pilot_s_pace(store, command, tmp_path):
    assert command("pilot", "plan", "--annotators", 3, "--pairs", 10)[0] == 0
    path = rate(store, tmp_path / "r.csv", "main-pilot", lambda *_: 1)
    assert command("collect", "--file", path, "--campaign", "main-pilot")[0] == 0
    assert command("plan", "--annotators", 3)[0] == 0
    code, said, _ = command("letters", "--out", tmp_path, "--url", "https://label.example.org")
    assert (code, "50 pairs each, about 30 minutes at 36.0 s per pair" in said) == (0, True)
    assert "about 50 pairs, which take about 30 minutes in all." in (tmp_path / "invitation.txt").read_text()


def test_the_pay_list_counts_hours_and_ratings_by_pseudonym(store, command, labelled, tmp_path):
    out = tmp_path / "pay.csv"
    code, said, _ = command("pay", "--out", out, "--per-hour", 10, "--per-label", 0.5)
    assert (code, "4 annotators, 1.8 hours, 108.00 to pay in total" in said) == (0, True)
    rows = pd.read_csv(out)
    assert rows.columns.tolist() == ["annotator", "campaign", "ratings", "hours", "amount"]
    assert rows["ratings"].to_list() == [45] * 4
    assert rows["amount"].to_list() == [27.0] * 4
    assert command("pay", "--out", out, "--per-hour", 10, "--names")[0] == 0
    assert pd.read_csv(out)["email"].to_list()[0] == "a01@main.parade.invalid"
    assert stat.S_IMODE(out.stat().st_mode) == 0o600
    code, _, err = command("pay", "--out", out)
    assert (code, "say what is paid" in err) == (2, True)
