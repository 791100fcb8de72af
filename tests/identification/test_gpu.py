"""What a GPU computes is what a processor computes; skipped without one.

The file needs no fixtures of other files, so that a machine with torch and little else can run it: `--noconftest`.
"""

import dataclasses
import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from data.contract.tables.attacks import Attacks
from data.labelled import corpora
from data.storage.store import Store
from identification.config import Machine, TrainingConfig
from tests.identification.world import call, sentences, write_bert, write_pairs

torch = pytest.importorskip("torch", reason="torch is not installed: make models")

from identification.architectures.networks.registry import NETWORKS  # noqa: E402
from identification.architectures.transformers import KINDS  # noqa: E402
from identification.training import artefact, train  # noqa: E402
from identification.training.epochs import machine  # noqa: E402
from identification.training.train import Request  # noqa: E402

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device")

MODELS = [
    *((name, "float32") for name in sorted(NETWORKS)),
    *((kind, precision) for kind in sorted(KINDS) for precision in ("float32", "bfloat16")),
]
CLOSE = {"float32": 1e-3, "bfloat16": 2e-2}
CPU, GPU = Machine(device="cpu", precision="float32", threads=1), Machine(device="cuda")


@pytest.fixture(scope="module")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_pairs(tmp_path_factory.mktemp("pairs"))


@pytest.fixture(scope="module")
def bert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_bert(tmp_path_factory.mktemp("bert"))


def write_vectors(frame: pd.DataFrame, path: Path) -> Path:
    """Random vectors of the words, in word2vec's form: gensim need not be there."""
    words = sorted({word for side in ("first", "second") for text in frame[side] for word in text.split()})
    rows = np.random.default_rng(1).normal(size=(len(words), 12)).round(4)
    lines = (" ".join(map(str, [word, *row])) for word, row in zip(words, rows, strict=True))
    path.write_text("\n".join([f"{len(words)} 12", *lines]))
    return path


def learn(pairs: Path, bert: Path, folder: Path, model: str, machine: Machine) -> pd.DataFrame:
    frame = corpora.load(pairs)[0]
    name = f"{model}:{bert}" if model in KINDS else model
    config = TrainingConfig(
        epochs=2, vectors=write_vectors(frame, folder.with_name("vectors.txt")), learning_rate=0.005
    )
    train.train(Request(model=name, config=config, frame=frame, machine=machine), folder, lambda _: None)
    return frame


def score(folder: Path, frame: pd.DataFrame, machine: Machine) -> Any:
    texts = frame["first"].tolist(), frame["second"].tolist()
    return artefact.score_pairs(artefact.open_model(folder), texts, machine).scores


@pytest.mark.parametrize(("model", "precision"), MODELS)
def test_a_model_learns_there_and_gives_the_same_scores(
    pairs: Path, bert: Path, tmp_path: Path, model: str, precision: Any
) -> None:
    there = dataclasses.replace(GPU, precision=precision)
    frame = learn(pairs, bert, tmp_path / "run", model, there)
    run = json.loads((tmp_path / "run" / "run.json").read_text())
    assert run["settings"]["device"] == "cuda"
    assert run["settings"]["bfloat16"] is (precision == "bfloat16")
    np.testing.assert_allclose(
        score(tmp_path / "run", frame, there), score(tmp_path / "run", frame, CPU), atol=CLOSE[precision]
    )


def test_where_its_memory_is_too_small_fewer_pairs_are_scored_and_learned_from(
    pairs: Path, bert: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The memory that a process may take is cut, so that the driver's own error is met."""
    frame = learn(pairs, bert, tmp_path / "run", "cross-encoder", GPU)
    many = pd.concat([frame] * 60, ignore_index=True)
    many["first"] = many["first"] + " " + many.index.astype(str)
    whole = score(tmp_path / "run", many, GPU)
    monkeypatch.setitem(machine.BATCH_PAIRS, "cuda", 1 << 20)
    torch.cuda.empty_cache()
    torch.cuda.set_per_process_memory_fraction(100e6 / torch.cuda.get_device_properties(0).total_memory)
    try:
        cut = score(tmp_path / "run", many, GPU)
    finally:
        torch.cuda.set_per_process_memory_fraction(1.0)
    np.testing.assert_allclose(cut, whole, atol=CLOSE["bfloat16"])


def test_an_attack_there_makes_the_same_edits_and_a_model_is_hardened(pairs: Path, bert: Path, tmp_path: Path) -> None:
    texts = tmp_path / "texts.txt"
    texts.write_text("\n".join(sentences(200, 5)["first"]))
    words = ("--steps", 20, "--batch-size", 8, "--window", 8, "--device", "cuda")
    assert call("mlm", "--encoder", bert, "--texts", texts, "--dataset", pairs, "--out", tmp_path / "mlm", *words) == 0
    learn(pairs, bert, tmp_path / "run", "cross-encoder", GPU)
    found = {}
    for device in ("cuda", "cpu"):
        out = tmp_path / device
        line = ("attack", tmp_path / "run", "--mlm", tmp_path / "mlm", "--dataset", pairs, "--originals", 10)
        assert call(*line, "--guards", "opposites", "--floor", 0, "--out", out, "--device", device) == 0
        found[device] = Store(out).read(Attacks).set_index("original_id").sort_index()
    for column in ("outcome", "label"):
        assert found["cuda"][column].tolist() == found["cpu"][column].tolist()
    np.testing.assert_allclose(found["cuda"]["score_before"], found["cpu"]["score_before"], atol=1e-3)
    same = [list(a) == list(b) for a, b in zip(found["cuda"]["edits"], found["cpu"]["edits"], strict=True)]
    assert np.mean(same) >= 0.9, "rounding may decide between two equal words, no more"
    line = ("harden", tmp_path / "run", "--mlm", tmp_path / "mlm", "--dataset", pairs, "--device", "cuda")
    assert call(*line, "--rounds", 1, "--judged", 4, "--most-loss", 1, "--share", 0.2) in (0, 1)
    assert json.loads((tmp_path / "run-hardened" / "round-1" / "run.json").read_text())["settings"]["device"] == "cuda"
