"""An answer with half a character, as an older server stored it: it is collected with the others."""

import secrets
import sqlite3
from contextlib import closing

import pytest

from annotation.campaign import accounts
from annotation.campaign.campaign import Campaign, OfCampaign
from annotation.label_studio.server import environment
from annotation.label_studio.simulated.sitting import Sitting
from data.contract.tables.campaign import Assignments, Ratings
from tests.annotation.support import probes

MARK = "half an emoji"


@pytest.fixture
def campaign(store):
    """A campaign whose name, and so whose addresses, no other test has on the shared server."""
    return Campaign(OfCampaign(store=store.root, campaign=f"broken-{secrets.token_hex(4)}"))


@pytest.fixture
def at_server(command, campaign, label_studio, monkeypatch):
    """Run a command on the campaign, where a02 and a03 have answered once each, a02 with half a character."""
    monkeypatch.setenv("LABEL_STUDIO_API_KEY", label_studio.running.api_key)
    name, url = ("--campaign", campaign.name), ("--url", label_studio.running.url)
    assert command("plan --annotators 4 --pairs 4", *name)[0] == 0
    assert command("open", *name, *url)[0] == 0
    assert "no new ratings" in command("collect", *name, *url)[1]
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


@pytest.mark.sweep
def test_what_is_no_character_is_replaced_and_all_is_collected(at_server, store):
    assert at_server("collect")[0] == 0
    comments = store.read(Ratings).merge(store.read(Assignments), on="assignment_id").set_index("annotator")["comment"]
    assert comments.to_dict() == {"a02": "\N{REPLACEMENT CHARACTER}", "a03": "whole"}
    before = len(store.read(Ratings))
    assert at_server("collect")[0] == 0
    assert len(store.read(Ratings)) == before
