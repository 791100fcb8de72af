"""The run of docs/paraphrase-game.md from definitions to labelled attempts, over small data, at a real server."""

import contextlib
import os
import signal
import subprocess
import sys

import pandas as pd
import pytest

from data.contract.tables.campaign import Assignments
from data.contract.tables.definitions import Definitions
from data.contract.tables.game import Attempts
from data.contract.tables.labels import Labels
from data.contract.tables.pairs import Pairs
from data.storage.manifest import Manifest
from data.storage.store import Store
from tests.campaign import ROOT, failures, free_port, in_this_process, read, read_blocks, run_document

DOCUMENT = read("paraphrase-game")


def definitions():
    pairs = pd.read_csv(ROOT / "tests" / "miniature" / "pairs.csv")
    sides = [pairs[["entity", f"{side}_id", side]].set_axis(["entity", "definition_id", "text"], axis=1)
             for side in ("first", "second")]  # fmt: skip
    rows = pd.concat(sides).drop_duplicates("definition_id", ignore_index=True)
    return rows.assign(n_words=rows["text"].str.split().map(len), n_cards=1, n_sources=1, verbatim=None)


@pytest.mark.sweep
def test_the_documents_run_ends_with_labels(label_studio_environment, tmp_path, monkeypatch):
    monkeypatch.delenv("PARADE_STORE", raising=False)
    store, judges = Store(tmp_path / "data" / "store"), []
    store.replace(Definitions, definitions(), Manifest(stage="crawler.definitions", language="en"))

    def call(command):
        if not command.endswith(" &"):
            return in_this_process(command)
        words = [sys.executable, *command.removesuffix(" &").split()[1:]]
        variables = os.environ | {"PYTHONPATH": str(ROOT)}
        judges.append(subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=variables, start_new_session=True))
        return 0, judges[-1].stdout.readline(), ""

    ports = {"8150": free_port(), "8151": free_port()}
    with contextlib.chdir(tmp_path):
        try:
            steps = list(run_document(DOCUMENT, ports, call))
        finally:
            in_this_process("python -m annotation server stop")
            for judge in judges:
                os.killpg(judge.pid, signal.SIGKILL)
                judge.communicate()
    assert failures(steps) == []
    assert [step.command for step in steps] == [one for block in read_blocks(DOCUMENT) for one in block.commands]
    assert set(store.read(Pairs)["generator"]) == {"game-human"}
    assert store.read(Attempts)["player"].nunique() == 4
    labelled = store.read(Labels, campaign="game-labels", method="majority")
    assert set(labelled["pair_id"]) <= set(store.read(Assignments, campaign="game-labels")["pair_id"])
    assert "people of game-labels and judges on" in steps[-1].out
