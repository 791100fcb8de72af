"""A model chooses what to label next, by commands: train, predict, clustering, plan, and again with both campaigns."""

from pathlib import Path

import pandas as pd
import pytest

from annotation.__main__ import main as annotate
from clustering.commands.select import main as select
from data.console.commands import run
from data.contract.tables.campaign import Assignments
from data.contract.tables.labels import Labels, Splits
from data.contract.tables.models import Runs
from data.contract.tables.pairs import Pairs
from data.contract.vocabulary import RANDOM_SHARE
from data.storage.manifest import Manifest
from data.storage.store import Store
from tests.identification.world import call, write_bert


@pytest.mark.sweep
def test_a_model_chooses_what_is_labelled_next(
    ready_store: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("torch", reason="torch is not installed: make models")
    store, folder = ready_store, tmp_path / "frozen"
    assert call("train", f"frozen:{write_bert(tmp_path / 'bert')}", "--dataset", store.root, "--out", folder) == 0
    flags = ["--store", str(store.root), "--selection", "uncertain", "--limit", "10"]
    assert run(select, prog="python -m clustering select", args=flags) == 2
    named = f"python -m identification predict {folder} --store {store.root} --unlabelled"
    assert named in capsys.readouterr().err
    assert call(*named.split()[3:]) == 0
    assert run(select, prog="python -m clustering select", args=flags) == 0
    chosen = store.read(Pairs, generator="uncertain")
    assert (chosen["selection"] == RANDOM_SHARE).sum() == 2
    assert not set(chosen["pair_id"]) & set(store.read(Labels)["pair_id"])
    plan = ["plan", *flags[:2], "--campaign", "second", "--generator", "uncertain", "--annotators", "3"]
    assert annotate(plan) == 0
    assert set(store.read(Assignments, campaign="second")["pair_id"]) == set(chosen["pair_id"])
    before = store.read(Labels, campaign="main")
    labels = before.iloc[: len(chosen)].assign(campaign="second", pair_id=chosen["pair_id"].to_numpy())
    store.replace(Labels, labels, Manifest(stage="test"), campaign="second", method="majority")
    both, folder = ["--campaign", "main", "second"], tmp_path / "both"
    dealt = store.read(Splits, scheme="by-entity")
    more = chosen[["pair_id"]].assign(scheme="by-entity", split="train", group=chosen["entity"])
    store.replace(Splits, pd.concat([dealt, more]), Manifest(stage="test"), scheme="by-entity")
    assert call("train", f"frozen:{tmp_path / 'bert'}", "--dataset", store.root, "--out", folder, *both) == 0
    runs = store.read(Runs, ["campaigns", "n_train"])
    n_train = {tuple(names): n for names, n in zip(runs["campaigns"], runs["n_train"], strict=True)}
    assert n_train["main", "second"] == n_train["main",] + len(chosen)
    assert call("predict", folder, "--dataset", store.root, "--unlabelled", *both) == 0
    assert run(select, prog="python -m clustering select", args=[*flags, *both, "--generator", "more"]) == 0
    assert len(store.read(Pairs, generator="more")) == 10
    assert not set(store.read(Pairs, generator="more")["pair_id"]) & {*chosen["pair_id"], *before["pair_id"]}
