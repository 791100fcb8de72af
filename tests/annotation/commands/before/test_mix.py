"""The command `mix`, where models chose some of the pairs."""

import numpy as np
import pytest

from data.contract.tables.pairs import Pairs
from data.storage.manifest import Manifest
from tests.annotation.support.frames import pairs, planned, rate

MADE = Manifest(stage="clustering")


@pytest.fixture
def chosen_store(store):
    """Sixty pairs; of the first thirty a model chose 24, and six are the random share."""
    store.replace(Pairs, pairs(60).assign(selection="every-pair"), MADE, generator="recommended")
    by = np.where(np.arange(30) % 5 == 0, "random-share", "uncertain")
    store.replace(Pairs, pairs(60).iloc[:30].assign(generator="uncertain", selection=by), MADE, generator="uncertain")
    return store


@pytest.mark.sweep
def test_a_label_counts_for_the_selection_that_it_was_planned_with(chosen_store, command, tmp_path) -> None:
    assert command("plan", "--annotators", 3, "--generator", "uncertain", "--pairs", 25)[0] == 0
    command("collect", "--file", rate(chosen_store, tmp_path / "r.csv", lambda _, pair: 3 if pair % 2 == 0 else 0))
    out = command("mix")[1]
    assert out.startswith("25 pairs have a label (main): ")
    cells = {line[:40].strip(): line[40:].split() for line in out.splitlines()}
    assert cells["recommended: every-pair"][:2] == ["35", "0"]
    n_labelled = [int(cells[f"uncertain: {kind}"][1]) for kind in ("uncertain", "random-share")]
    assert sum(n_labelled) == 25
    assert min(n_labelled) > 0


@pytest.mark.sweep
def test_what_another_campaign_has_labelled_is_not_forecast(chosen_store, command, tmp_path) -> None:
    plans = {"main": "uncertain", "second": "recommended"}
    for name, generator in plans.items():
        assert command("plan", "--campaign", name, "--annotators", 3, "--pairs", 25, "--generator", generator)[0] == 0
        answers = rate(chosen_store, tmp_path / f"{name}.csv", lambda _, pair: 3 if pair % 2 == 0 else 0, name)
        assert command("collect", "--campaign", name, "--file", answers)[0] == 0
    assert command("adjudicate")[0] == 0
    asked = {name: set(planned(chosen_store, name)["pair_id"]) for name in plans}
    elsewhere = len(asked["main"] - asked["second"])
    out = command("mix", "--campaign", "second")[1]
    assert out.startswith("25 pairs have a label (second)")
    assert f"{elsewhere} pairs that other campaigns have labelled are left out" in out
    cells = {line[:40].strip(): line[40:].split() for line in out.splitlines()}
    assert cells["recommended: every-pair"][:2] == [str(60 - elsewhere), "25"]
