"""What to run next: each command that is shown names a campaign that there is, and ends well."""

import pandas as pd
import pytest

from data.contract.tables.generated import Sentences
from data.contract.tables.labels import Labels
from data.contract.tables.pairs import Pairs
from data.guidance.next_steps import next_commands
from data.storage.manifest import Manifest
from tests.annotation.commands.before.test_items_from import answer as correct
from tests.annotation.support.frames import pairs, planned, predicted, rate, six_good_two_bad
from tests.campaign import in_this_process


@pytest.fixture
def sentences(filled):
    """A store of forty pairs that need no cards, since it has sentences."""
    rows = pd.DataFrame({"sentence_id": ["s"], "source_id": ["1"], "text": ["a b"]})
    rows = rows.assign(source="notes.txt", position=0, entity=None, n_words=2, licence=None)
    filled.replace(Sentences, rows, Manifest(stage="test"), source="notes.txt")
    return filled


@pytest.fixture
def plan_and_rate(sentences, command, tmp_path):
    """Plans a campaign of eight and collects all its ratings."""

    def plan_and_rate(campaign):
        assert command(f"plan --campaign {campaign} --annotators 8")[0] == 0
        file = rate(sentences, tmp_path / "ratings.csv", six_good_two_bad, campaign)
        assert command(f"collect --campaign {campaign} --file", file)[0] == 0

    return plan_and_rate


def run_next(store, *flags):
    """Run the one command that the store's status shows; return it."""
    (shown,) = next_commands(store)
    code, _, err = in_this_process(" ".join([shown, "--store", str(store.root), *flags]))
    assert code == 0, err
    return shown


def test_the_status_leads_through_a_campaign_of_any_name(sentences, plan_and_rate, command, tmp_path):
    assert next_commands(sentences) == ("python -m annotation plan",)
    assert command("plan --campaign physics --annotators 8")[0] == 0
    assert next_commands(sentences) == tuple(
        f"python -m annotation {verb} --campaign physics" for verb in ("open", "collect")
    )
    plan_and_rate("physics")
    assert run_next(sentences) == "python -m annotation quality --campaign physics"
    assert run_next(sentences) == "python -m annotation adjudicate --campaign physics"
    assert run_next(sentences) == "python -m analysis.splits --campaign physics"
    report = f"--out {tmp_path / 'report'}"
    assert run_next(sentences, report) == "python -m analysis.report --campaign physics"
    plan_and_rate("law")
    assert run_next(sentences) == "python -m annotation quality --campaign law"
    assert run_next(sentences) == "python -m annotation adjudicate --campaign law"
    assert next_commands(sentences) == ("python -m analysis.report --campaign physics",)
    law = "--campaign law --method dawid-skene --scheme other"
    assert command("adjudicate --campaign law --method dawid-skene")[0] == 0
    assert in_this_process(f"python -m analysis.splits {law} --store {sentences.root}")[0] == 0
    assert run_next(sentences, report) == f"python -m analysis.report {law}"


def test_a_pilot_alone_leads_to_no_labels(sentences, command, tmp_path):
    assert command("pilot plan --annotators 8 --pairs 12")[0] == 0
    file = rate(sentences, tmp_path / "ratings.csv", six_good_two_bad, "main-pilot")
    assert command("collect --campaign main-pilot --file", file)[0] == 0
    assert command("quality --campaign main-pilot")[0] == 0
    assert command("plan --annotators 8")[0] == 0
    assert next_commands(sentences) == tuple(
        f"python -m annotation {verb} --campaign main" for verb in ("open", "collect")
    )


def test_a_started_server_leads_to_the_campaign_that_was_planned_last(filled, command, label_studio):
    (filled.root / "server").symlink_to(label_studio.folder)
    assert f"next: python -m annotation plan --store {filled.root}\n" in command("server start")[1]
    for name in ("physics", "law"):
        assert command(f"plan --campaign {name} --annotators 8")[0] == 0
        shown = f"next: python -m annotation open --store {filled.root} --campaign {name}\n"
        assert shown in command("server start")[1]


def test_a_running_server_is_not_to_be_started(filled, command, label_studio):
    assert "next: python -m annotation server start" in command("plan --annotators 8")[1]
    (filled.root / "server").symlink_to(label_studio.folder)
    assert "server start" not in command("plan --campaign law --annotators 8")[1]


def test_a_finished_campaign_is_neither_opened_nor_adjudicated_again(sentences, plan_and_rate, command, label_studio):
    (sentences.root / "server").symlink_to(label_studio.folder)
    plan_and_rate("physics")
    flags = f"--campaign physics --store {sentences.root}"
    for verb in ("quality", "adjudicate"):
        (shown,) = next_commands(sentences)
        assert shown == f"python -m annotation {verb} --campaign physics"
        assert f"next: {shown} --store {sentences.root}\n" in command("server start")[1]
        assert f"next: {shown} --store {sentences.root}\n" in command("status --campaign physics")[1]
        assert command(f"{verb} --campaign physics")[0] == 0
    assert in_this_process(f"python -m analysis.splits {flags}")[0] == 0
    for words in ("server start", "status --campaign physics"):
        assert f"next: python -m analysis.report {flags}\n" in command(words)[1]


def test_a_rated_pilot_leads_to_its_report(filled, command, tmp_path):
    assert command("pilot plan --annotators 8 --pairs 12")[0] == 0
    file = rate(filled, tmp_path / "ratings.csv", six_good_two_bad, "main-pilot")
    assert command("collect --campaign main-pilot --file", file)[0] == 0
    shown = f"next: python -m annotation pilot report --store {filled.root} --campaign main\n"
    assert shown in command("status --campaign main-pilot")[1]


def test_a_correction_leads_to_the_judgement_of_what_it_kept(filled, command, tmp_path):
    assert command("plan --campaign fluency --question sentence-correction --annotators 8")[0] == 0
    file, _ = correct(filled, tmp_path / "answers.csv")
    assert command("collect --campaign fluency --file", file)[0] == 0
    asked = "--question same-meaning --items-from fluency"
    shown = f"python -m annotation plan --campaign fluency-judged {asked} --store {filled.root}"
    assert f"next: {shown}\n" in command("adjudicate --campaign fluency")[1]
    assert in_this_process(shown)[0] == 0
    shown = f"next: python -m annotation open --campaign fluency-judged --store {filled.root}\n"
    assert shown in command("adjudicate --campaign fluency")[1]


def collect(store, command, file, campaign, **answer):
    """Collect the same answer to every assignment."""
    rows = planned(store, campaign).assign(submitted_at="2026-01-05T10:00:00Z", **answer)
    rows[["assignment_id", "submitted_at", *answer]].to_csv(file, index=False)
    assert command(f"collect --campaign {campaign} --file", file)[0] == 0


def test_an_audit_leads_back_to_the_set_that_it_is_a_sample_of(filled, command, tmp_path):
    labels = filled.read(Pairs)[["pair_id"]].assign(
        campaign="paws", method="rule", control=None, value=None, votes=0, n_votes=0, binary=1, scores=[[]] * 40,
        posterior=None, stratum="unanimous", decided_by="rule",
    )  # fmt: skip
    made = Manifest(stage="generation.recombine", config={"name": "paws-rule"})
    filled.replace(Labels, labels, made, campaign="paws", method="rule")
    drawn = pairs(10, "drawn").assign(selection="rule", sample_of="paws-rule")
    filled.replace(Pairs, drawn, made, generator="drawn")
    plan = "plan --campaign audit --generator drawn --question same-meaning --annotators 5"
    assert command(plan)[0] == 0
    collect(filled, command, tmp_path / "answers.csv", "audit", same_meaning="yes")
    shown = f"python -m analysis.splits --campaign paws --method rule --store {filled.root}"
    assert f"next: {shown}\n" in command("adjudicate --campaign audit")[1]
    assert in_this_process(shown)[0] == 0


def test_labels_without_a_vote_lead_to_their_file(filled, command, tmp_path, monkeypatch):
    predicted(filled)
    assert command("plan --campaign why --annotators 3 --question phenomena --split all --labels-of before")[0] == 0
    collect(filled, command, tmp_path / "answers.csv", "why", phenomena="none")
    shown = f"python -m data export labels --out labels.csv --store {filled.root}"
    assert f"next: {shown}\n" in command("adjudicate --campaign why")[1]
    monkeypatch.chdir(tmp_path)
    assert in_this_process(shown)[0] == 0
