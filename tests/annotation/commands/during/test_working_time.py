"""Working time as the server saw it: what a browser claims beyond that is listed, and not paid."""

import re

import pytest

from annotation.campaign import accounts
from annotation.label_studio.simulated.sitting import Sitting
from data.contract.tables.campaign import Ratings


@pytest.mark.sweep
def test_status_lists_who_claims_more_time_than_has_passed(store, command, label_studio, monkeypatch):
    monkeypatch.setenv("LABEL_STUDIO_API_KEY", label_studio.running.api_key)
    where, campaign = ("--url", label_studio.running.url), ("--campaign", "claims")
    assert command("plan", "--annotators", 3, "--pairs", 2, *campaign)[0] == 0
    assert command("open", *where, *campaign)[0] == 0
    for account, seconds in zip(accounts.read_accounts(store.root, "claims"), (300.0, 0.0, 0.0), strict=True):
        with Sitting(label_studio.running.url, account) as sitting:
            sitting.sign_in()
            ((project, n_tasks),) = sitting.projects().values()
            for _ in range(n_tasks):
                sitting.submit(project, sitting.next_task(project)["id"], {"score": ["1"]}, seconds)
    code, out, err = command("status", *where, *campaign)
    assert code == 0, err
    n, excess = re.search(r"worth a look: a01: (\d) answers claimed (\d+) s more than had passed", out).groups()
    assert (n, 500 < int(excess) <= 600) == ("2", True)
    assert "a02: " not in out
    assert command("collect", *where, *campaign)[0] == 0
    assert store.read(Ratings)["seconds"].sum() < 100
