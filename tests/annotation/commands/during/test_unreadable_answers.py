"""An answer that no export can write, as an older server stored it: it stops no one else, and can be withdrawn."""

import secrets
import sqlite3
from contextlib import closing

import pytest

from annotation.campaign import accounts
from annotation.campaign.campaign import Campaign, OfCampaign
from annotation.label_studio.projects import title
from annotation.label_studio.server import environment
from annotation.label_studio.simulated.sitting import Sitting
from data.contract.tables.campaign import Assignments, Documents, Ratings
from tests.annotation.support import probes

pytestmark = pytest.mark.sweep

MARK = "half an emoji"


@pytest.fixture
def campaign(store):
    """A campaign whose name, and so whose addresses, no other test has on the shared server."""
    return Campaign(OfCampaign(store=store.root, campaign=f"unreadable-{secrets.token_hex(4)}"))


@pytest.fixture
def at_server(command, campaign, label_studio, monkeypatch):
    """Run a command on the campaign, where a02 and a03 have answered once each: no export can hold a02's answer."""
    monkeypatch.setenv("LABEL_STUDIO_API_KEY", label_studio.running.api_key)
    name, url = ("--campaign", campaign.name), ("--url", label_studio.running.url)
    assert command("plan --annotators 4 --pairs 4", *name)[0] == 0
    assert command("open", *name, *url)[0] == 0
    for account in accounts.read_accounts(campaign.store.root, campaign.name)[1:3]:
        words = MARK if account.annotator == "a02" else "whole"
        with Sitting(label_studio.running.url, account) as sitting:
            sitting.sign_in()
            ((number, _),) = sitting.projects().values()
            task = sitting.next_task(number)["id"]
            sitting._json("POST", f"/api/tasks/{task}/annotations?project={number}", probes.labelled(words))
    with (
        closing(sqlite3.connect(label_studio.folder / "data" / environment.DATABASE, timeout=60)) as database,
        database,
    ):
        broken = "UPDATE task_completion SET result = replace(result, ?, ?) WHERE result LIKE ?"
        assert database.execute(broken, (MARK, r"\ud83d", f"%{MARK}%")).rowcount == 1
    return lambda words, *more: command(words, *more, *name, *url)


def collected(store):
    return set(store.read(Ratings).merge(store.read(Assignments), on="assignment_id")["annotator"])


def test_the_others_are_collected_and_the_project_and_its_person_are_named(at_server, campaign, store):
    for _ in range(2):
        code, _, err = at_server("collect")
        assert (code, err.count("\n")) == (1, 1), err
        assert f"{title(campaign, 1, 'a02')} (a02, round 1)" in err
        assert "collect again" in err
        assert collected(store) == {"a03"}


def test_a_withdrawal_deletes_and_counts_such_an_answer_and_can_be_run_again(at_server, campaign, store, label_studio):
    for n in (1, 0):
        code, out, err = at_server("withdraw a02")
        assert code == 0, err
        assert f"0 collected ratings and {n} answers on the server are deleted" in out
        assert "1 ratings and 0.00 hours stay in the pay list" in out
    assert title(campaign, 1, "a02") not in label_studio.client.projects()
    assert at_server("collect")[0] == 0
    assert collected(store) == {"a03"}


def test_a_new_guide_waits_until_all_is_collected(at_server, store, tmp_path):
    (tmp_path / "guide.md").write_text("# Another guide\n\nVersion 2\n\nScore as you see it.\n")
    code, _, err = at_server("guide", tmp_path / "guide.md")
    assert (code, err.count("\n"), "(a02, round 1)" in err) == (2, 1, True), err
    assert collected(store) == {"a03"}
    assert store.read(Documents).empty
    assert at_server("withdraw a02")[0] == 0
    assert at_server("guide", tmp_path / "guide.md")[0] == 0
