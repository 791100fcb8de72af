"""What to run next: each command that is shown names a campaign that there is, and ends well."""

import pandas as pd
import pytest

from data.manifest import Manifest
from data.status import next_commands
from data.tables.generated import Sentences
from tests.annotation.frames import rate, six_good_two_bad
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
    assert run_next(sentences) == "python -m analysis.splits --campaign physics"
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
