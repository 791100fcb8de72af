"""The command predict: any model scores a store, in shards, with the same bytes from any number of processes."""

import shutil
from pathlib import Path

import pandas as pd
import pytest

from data.contract.tables.labels import Labels, Splits
from data.contract.tables.models import Predictions, Runs
from data.storage.manifest import Manifest
from data.storage.store import Store
from identification.config import Machine
from tests.identification.world import call, sentences

pytest.importorskip("torch", reason="torch is not installed: make models")

from identification.training import shards


@pytest.fixture(scope="module")
def trained(pairs: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a small model."""
    folder = tmp_path_factory.mktemp("trained") / "bow"
    small = ("--vector-size", "12", "--threads", "1", "--epochs", "2", "--learning-rate", "0.005")
    assert call("train", "bow", "--dataset", pairs, "--out", folder, *small) == 0
    return folder


@pytest.mark.sweep
def test_a_model_of_other_data_scores_a_store_under_its_own_name(
    ready_store: Store, trained: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for _ in range(2):
        assert call("predict", trained, "--dataset", ready_store.root, "--unlabelled") == 0
    assert "whether pairs of this store were among them is not known" in capsys.readouterr().out
    rows = ready_store.read(Runs)
    assert rows[["model", "scheme"]].values.tolist() == [[str(trained), "by-entity"]]
    assert call("predict", trained, "--dataset", ready_store.root) == 0
    assert len(ready_store.read(Predictions, run_id=rows["run_id"].iloc[0])) == 140


def test_a_function_scores_a_store(ready_store: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    name, out = "tests.data.models.test_scorers:overlap", tmp_path / "scores.csv"
    assert call("predict", name, "--dataset", ready_store.root, "--out", out) == 0
    assert len(ready_store.read(Predictions)) == len(pd.read_csv(out)) < 140
    assert call("predict", name, "--dataset", ready_store.root, "--unlabelled", "--out", out) == 0
    assert "of them paraphrases from 0.500 on" in capsys.readouterr().out
    assert ready_store.read(Runs)[["model", "threshold"]].values.tolist() == [[name, 0.5]]
    assert len(ready_store.read(Predictions)) == len(pd.read_csv(out)) == 140
    assert call("predict", "tests.data.models.test_scorers:none", "--dataset", ready_store.root) == 2
    assert (
        "--model tests.data.models.test_scorers:none: expected a function that can be imported"
        in capsys.readouterr().err
    )


def test_a_store_without_splits_is_refused_before_anything_is_scored(
    ready_store: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.rmtree(ready_store.path(Splits))
    words = ("tests.data.models.test_scorers:overlap", "--dataset", ready_store.root, "--out", tmp_path / "scores.csv")
    assert call("predict", *words) == 2
    assert "run `python -m analysis.splits` first" in capsys.readouterr().err
    assert ready_store.read(Predictions).empty
    assert not (tmp_path / "scores.csv").exists()


@pytest.mark.sweep
def test_a_model_of_elsewhere_scores_a_store_with_other_labels_too(ready_store: Store, trained: Path) -> None:
    assert call("predict", trained, "--dataset", ready_store.root) == 0
    labels = ready_store.read(Labels).assign(campaign="second")
    ready_store.replace(Labels, labels, Manifest(stage="test"), campaign="second", method="majority")
    assert call("predict", trained, "--dataset", ready_store.root, "--campaign", "second") == 0
    assert sorted(map(list, ready_store.read(Runs)["campaigns"])) == [["main"], ["second"]]


def test_ids_with_commas_come_back_whole(trained: Path, tmp_path: Path) -> None:
    rows = sentences(3, 1)[["first", "second"]].assign(pair_id=["a,b", 'c"d', "e"])
    rows.to_csv(tmp_path / "new.csv", index=False)
    out = tmp_path / "scores.csv"
    for _ in range(2):
        assert call("predict", trained, "--file", tmp_path / "new.csv", "--out", out) == 0
    assert pd.read_csv(out)["pair_id"].tolist() == ["a,b", 'c"d', "e"]


def test_scores_do_not_spoil_the_model_or_another_releases(
    pairs: Path, trained: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call("predict", trained, "--dataset", pairs, "--out", trained / "scores.tsv") == 2
    assert "expected a place outside the model, found scores.tsv" in capsys.readouterr().err
    for name in ("release-1.0", "release-1.1"):
        assert call("predict", trained, "--dataset", shutil.copytree(pairs, tmp_path / name)) == 0
        assert (trained / f"predictions-{name}.csv").is_file()


def test_what_a_command_does_not_read_is_refused(
    pairs: Path, trained: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sentences(3, 1)[["first", "second"]].to_csv(tmp_path / "new.tsv", sep="\t", index=False)
    assert call("predict", trained, "--file", tmp_path / "new.tsv", "--scheme", "by-entity") == 2
    assert "--scheme: expected labels, found --file" in capsys.readouterr().err
    assert call("predict", trained, "--file", tmp_path / "new.tsv", "--unlabelled") == 2
    assert "--unlabelled: expected --store, found --file" in capsys.readouterr().err


@pytest.mark.sweep
def test_any_number_of_processes_writes_the_same_bytes(
    pairs: Path, trained: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shards, "PAIRS", 70)
    written = []
    for engine in ("here", "processes:2"):
        out = tmp_path / engine.replace(":", "-") / "scores.csv"
        assert call("predict", trained, "--dataset", pairs, "--out", out, "--engine", engine) == 0
        assert sorted(path.name for path in out.parent.iterdir()) == ["scores.csv"]
        written.append(out.read_bytes())
    assert written[0] == written[1]
    assert call("predict", trained, "--dataset", pairs, "--engine", "horses") == 2


def test_an_interrupted_prediction_goes_on_from_its_shards(
    trained: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shards, "PAIRS", 10)
    rows = sentences(35, 5)
    texts, scored = (rows["first"].tolist(), rows["second"].tolist()), []
    score = shards.score_shard

    def interrupted(shard: Path, out: Path) -> None:
        if len(scored) == 2:
            scored.append("interrupted")
            raise KeyboardInterrupt
        scored.append(shard.name)
        score(shard, out)

    monkeypatch.setattr(shards, "score_shard", interrupted)
    ask = (str(trained), texts, Machine(), "here", tmp_path / "shards")
    with pytest.raises(KeyboardInterrupt):
        shards.score_in_shards(*ask)
    found = shards.score_in_shards(*ask)
    assert len(found.scores) == 35
    assert scored == ["shard-00000", "shard-00001", "interrupted", "shard-00002", "shard-00003"]
    assert not (tmp_path / "shards").exists()
