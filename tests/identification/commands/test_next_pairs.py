"""A model chooses what to label next, by commands: train, predict, clustering, plan."""

from pathlib import Path

import pytest

from annotation.__main__ import main as annotate
from clustering.__main__ import RECIPES
from clustering.__main__ import main as cluster
from data.console import run
from data.store import Store
from data.tables.campaign import Assignments
from data.tables.labels import Labels
from data.tables.pairs import Pairs
from data.vocabulary import RANDOM_SHARE
from tests.identification.commands.test_train import call
from tests.identification.world import write_bert


def test_a_model_chooses_what_is_labelled_next(
    ready_store: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("torch", reason="torch is not installed: make models")
    store, folder = ready_store, tmp_path / "frozen"
    assert call("train", f"frozen:{write_bert(tmp_path / 'bert')}", "--dataset", store.root, "--out", folder) == 0
    flags = ["--store", str(store.root), "--selection", "uncertain", "--budget", "10"]
    assert run(cluster, prog="python -m clustering", recipes=RECIPES, args=flags) == 2
    named = f"python -m identification predict {folder} --dataset {store.root} --unlabelled"
    assert named in capsys.readouterr().err
    assert call(*named.split()[3:]) == 0
    assert run(cluster, prog="python -m clustering", recipes=RECIPES, args=flags) == 0
    chosen = store.read(Pairs, generator="uncertain")
    assert chosen["chosen_by"].str.startswith(RANDOM_SHARE).sum() == 2
    assert not set(chosen["pair_id"]) & set(store.read(Labels)["pair_id"])
    plan = ["plan", *flags[:2], "--campaign", "second", "--generator", "uncertain", "--annotators", "3"]
    assert run(annotate, prog="python -m annotation", args=plan) == 0
    assert set(store.read(Assignments, campaign="second")["pair_id"]) == set(chosen["pair_id"])
    more = [*flags, "--generator", "more"]
    assert run(cluster, prog="python -m clustering", recipes=RECIPES, args=more) == 0
    assert not set(store.read(Pairs, generator="more")["pair_id"]) & set(chosen["pair_id"])
