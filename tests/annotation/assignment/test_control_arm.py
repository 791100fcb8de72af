"""The control arm, letters and pay: without a server, ratings come from files."""

import stat

import pandas as pd
import pytest

from annotation.campaign.campaign import Campaign, OfCampaign
from data.tables.campaign import Assignments
from data.tables.labels import Labels


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
    texts = arm.texts().set_index("pair_id").loc[sorted(set(rows["pair_id"]))]
    assert not any(f"“{text}”" in arm.guide.text for text in texts["first"])
    assert Campaign(OfCampaign(store=store.root)).guide.version == "1"

    wrong = lambda name, pair: 3 * (pair % 2) if name != "a07" else 3 - 3 * (pair % 2)  # noqa: E731
    path = rate(store, tmp_path / "c.csv", "main-control", wrong)
    assert command("collect", "--file", path, "--campaign", "main-control")[0] == 0
    code, out, _ = command("control", "score")
    assert code == 0
    accuracy = {line.split()[0]: line.split()[1:3] for line in out.splitlines() if line[:3] in ("a05", "a07", "all")}
    assert accuracy == {"a05": ["30", "1.000"], "a07": ["30", "0.000"], "all": ["30", "1.000"]}
    assert command("adjudicate")[0] == 0
    assert store.read(Labels).equals(before)


def test_experts_cannot_be_controls_and_labels_are_needed(store, command, labelled, tmp_path):
    people = tmp_path / "people.csv"
    people.write_text("email\na01@main.parade.invalid\nx@example.org\n")
    code, _, err = command("control", "plan", "--annotators", people, "--examples", 5, "--pairs", 5)
    assert (code, "1 who did (a01)" in err) == (2, True)
    code, _, err = command("control", "plan", "--annotators", 2, "--method", "mace")
    assert (code, "expected the experts' labels" in err) == (2, True)
    code, _, err = command("control", "plan", "--annotators", 2, "--pairs", 60)
    assert (code, "60 and 0" in err) == (2, True)


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
    letter = out / "sign-in" / "a02.txt"
    assert "b@example.org" in letter.read_text()
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
