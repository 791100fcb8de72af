"""The commands train, predict and models, as they are typed."""

import json
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pandas as pd
import pytest

from data.console.commands import run
from data.contract.tables.models import Predictions, Runs
from data.storage.store import Store
from tests.campaign import ROOT
from tests.identification.world import SIZES, call, sentences, write_bert, write_pairs

SMALL = ("--vector-size", "12", "--threads", "1", "--epochs", "2", "--learning-rate", "0.005")


@pytest.fixture(scope="module")
def trained(pairs: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a small model."""
    pytest.importorskip("torch", reason="torch is not installed: make models")
    folder = tmp_path_factory.mktemp("trained") / "bow"
    assert call("train", "bow", "--dataset", pairs, "--out", folder, *SMALL) == 0
    return folder


@pytest.mark.parametrize("words", [("train", "bow"), ("predict", "somewhere"), ("models",)])
def test_without_torch_every_command_says_what_to_run(
    words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("data.console.optional_packages.importlib.util.find_spec", lambda name: None)
    assert call(*words) == 2
    message = f"error: {words[0]}: expected the packages of the extra `models`, found no torch; run `make models`\n"
    assert capsys.readouterr().err == message


def test_training_says_what_it_reached_and_what_to_run_next(
    pairs: Path, trained: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call("train", "bow", "--dataset", pairs, "--out", trained, *SMALL) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"{trained} holds this run already"
    assert lines[1].startswith("validation: NLL 0.")
    assert lines[-1] == f"next: python -m analysis.models --dataset {pairs} --runs {trained}"
    card = (trained / "README.md").read_text("utf-8")
    assert "the threshold\nwith the best F1 on validation" in card
    assert "| at 0.5 | " in card


@pytest.mark.sweep
def test_the_scores_are_those_that_analysis_judges(pairs: Path, trained: Path, tmp_path: Path) -> None:
    from analysis import baselines, models

    words = ["--dataset", str(pairs), "--models", "all_positive", "--predictions", str(trained / "predictions.csv")]
    assert run(baselines.main, prog="baselines", args=words) == 0
    words = ["--dataset", str(pairs), "--runs", str(trained), "--out", str(tmp_path / "page"), "--resamples", "20"]
    assert run(models.main, prog="models", args=words) == 0


def test_predict_scores_files_and_data_sets(
    pairs: Path, trained: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = sentences(9, 77)
    rows.loc[3, "first"] = "oak " * 10_000
    rows[["first", "second"]].to_csv(tmp_path / "new.tsv", sep="\t", index=False)
    assert call("predict", trained, "--file", tmp_path / "new.tsv", "--out", tmp_path / "p.csv", "--threads", 1) == 0
    out = capsys.readouterr().out
    assert "9 pairs scored" in out
    assert "read not to its end: 1 pair of more than 200 words or tokens" in out
    assert len(pd.read_csv(tmp_path / "p.csv")) == 9
    assert call("predict", trained, "--dataset", pairs, "--threads", 1) == 0
    both = [pd.read_csv(trained / name) for name in (f"predictions-{pairs.name}.csv", "predictions.csv")]
    merged = both[0].merge(both[1], on="pair_id", validate="one_to_one")
    assert len(merged) == len(both[1]) == sum(SIZES.values())
    assert (merged["score_x"] - merged["score_y"]).abs().max() < 1e-5
    other = tmp_path / "elsewhere" / pairs.name
    other.parent.mkdir()
    sentences(5, 78)[["first", "second"]].to_csv(other.with_suffix(".tsv"), sep="\t", index=False)
    assert call("predict", trained, "--file", other.with_suffix(".tsv"), "--threads", 1) == 2
    assert "found another file; name one by --out FILE" in capsys.readouterr().err
    assert len(pd.read_csv(trained / f"predictions-{pairs.name}.csv")) == len(both[1])
    (trained / f"predictions-{pairs.name}.csv").unlink()


@pytest.mark.sweep
def test_models_are_listed_with_their_papers_and_sizes(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("torch", reason="torch is not installed: make models")
    assert call("models", "--deviations") == 0
    out = capsys.readouterr().out
    assert "esim              4,330,802  Chen, Zhu" in out
    assert "  - SPM_toolkit reads both directions with one LSTM" in out
    assert "frozen:F" in out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("berth",), "model: expected one of bow, bilstm, decatt"),
        (("bow", "--epochs", "0"), "--epochs: expected at least 1, found 0"),
        (("bow", "--learning-rate", "-1"), "--learning-rate: expected above 0, below 10, found -1.0"),
        (("bow", "--validation-share", "1.5"), "--validation-share: expected between 0 and 1, found 1.5"),
        (("bow", "--share", "0"), "--share: expected above 0, at most 1, found 0.0"),
        (("bow", "--threads", "0"), "--threads: expected at least 1, found 0"),
        (("bow", "--device", "cuda"), "--device: expected auto or cpu, found cuda, without a CUDA device"),
        (("bow", "--vectors", "none.txt"), "--vectors none.txt: expected a text file of word vectors, found nothing"),
        (("bow", "--texts", "none.txt"), "none.txt: expected"),
        (("bow", "--scheme", "soup"), "--scheme: expected published or by-entity, found soup"),
        (("frozen:minilm", "--epochs", "3"), "--epochs: expected no other settings than labels, recipe, seed, share"),
        (
            ("ensemble:a+b", "--labels", "soft"),
            "--labels: expected no other settings than seed, share,",
        ),
        (("bi-encoder:minilm", "--vector-size", "9"), "--vector-size: expected a model that learns word vectors"),
        (("bow", "--vectors", "v.txt", "--texts", "t.txt"), "--texts: expected no --vectors beside it, found v.txt"),
        (("cross-encoder:/no/model",), "cross-encoder:/no/model: expected a folder of a model with its tokenizer"),
    ],
)
def test_bad_input_is_one_line(
    pairs: Path, tmp_path: Path, words: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed: make models")
    if "cuda" in words and torch.cuda.is_available():
        pytest.skip("there is a CUDA device")
    assert call("train", *words, "--dataset", pairs, "--out", tmp_path / "run") == 2
    err = capsys.readouterr().err
    errors = [line for line in err.splitlines() if line.startswith("error:")]
    assert len(errors) == 1
    assert f"error: {message}" in errors[0]
    assert not (tmp_path / "run" / "run.json").exists()


def test_data_sets_that_cannot_be_trained_on_are_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("torch", reason="torch is not installed: make models")
    write_pairs(tmp_path / "no-validation", {"train": 40, "test": 20})
    assert call("train", "bow", "--dataset", tmp_path / "no-validation", "--out", tmp_path / "run", *SMALL) == 2
    assert "in its validation split, found 0 decided pairs; give --validation-share 0.1" in capsys.readouterr().err
    remedy = ("--validation-share", "0.3", "--out", tmp_path / "run", *SMALL)
    call("train", "bow", "--dataset", tmp_path / "no-validation", *remedy)
    assert json.loads((tmp_path / "run" / "run.json").read_text("utf-8"))["data"]["n_validation"] == 12
    shutil.rmtree(tmp_path / "run")
    one = write_pairs(tmp_path / "one-class")
    for path in one.iterdir():
        pd.read_csv(path, sep="\t").assign(binary=1).to_csv(path, sep="\t", index=False)
    assert call("train", "bow", "--dataset", one, "--out", tmp_path / "run", *SMALL) == 2
    assert "found 120 decided pairs with one label" in capsys.readouterr().err


def test_a_model_that_learned_nothing_is_a_finding_with_advice(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("torch", reason="torch is not installed: make models")
    random = write_pairs(tmp_path / "random")
    for path in random.iterdir():
        rows = pd.read_csv(path, sep="\t")
        rows.assign(binary=rows["binary"].sample(frac=1, random_state=3).to_numpy()).to_csv(path, sep="\t", index=False)
    assert call("train", "bow", "--dataset", random, "--out", tmp_path / "run", *SMALL) == 1
    err = capsys.readouterr().err
    assert "findings: loss_did_not_fall: on validation it is no better than one answer to all pairs; try" in err
    assert (tmp_path / "run" / "run.json").is_file()


@pytest.mark.sweep
def test_a_killed_training_ends_with_the_scores_of_an_uninterrupted_one(pairs: Path, tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="torch is not installed: make models")
    words = ["train", "bilstm", "--dataset", pairs, "--vector-size", "12", "--threads", "1", "--epochs", "12"]
    words = [str(word) for word in [*words, "--patience", "12"]]
    line = [sys.executable, "-m", "identification", *words, "--out", str(tmp_path / "killed")]
    state = tmp_path / "killed" / "checkpoint" / "state.json"
    killed = subprocess.Popen(line, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        while not state.exists():
            assert killed.poll() is None, killed.communicate()
            time.sleep(0.005)
    finally:
        killed.kill()
        killed.communicate()
    assert killed.returncode == -9
    assert not (tmp_path / "killed" / "run.json").exists()
    assert call(*words, "--resume", "--out", tmp_path / "killed") == 0
    assert call(*words, "--out", tmp_path / "whole") == 0
    killed_scores, whole = (pd.read_csv(tmp_path / name / "predictions.csv") for name in ("killed", "whole"))
    pd.testing.assert_frame_equal(killed_scores, whole)
    assert not state.parent.exists()


def test_without_resume_an_unfinished_run_begins_again(
    pairs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("torch", reason="torch is not installed: make models")
    from identification.training import train

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    folder = tmp_path / "run"
    with monkeypatch.context() as patched:
        patched.setattr(train, "_finish", stop)
        assert call("train", "bow", "--dataset", pairs, "--out", folder, *SMALL) == 130
    assert "stopped; run the same command again to go on" in capsys.readouterr().err
    assert call("train", "bow", "--dataset", pairs, "--out", folder, *SMALL, "--seed", "2") == 2
    assert "found an unfinished run of another model, configuration or data set" in capsys.readouterr().err
    assert call("train", "bow", "--dataset", pairs, "--out", folder, *SMALL, "--no-resume", "--seed", "2") == 0
    assert "resumed" not in capsys.readouterr().out


def test_without_resume_the_checkpoint_of_something_else_stays(pairs: Path, tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="torch is not installed: make models")
    kept = tmp_path / "run" / "checkpoint" / "thesis.txt"
    kept.parent.mkdir(parents=True)
    kept.write_text("mine")
    assert call("train", "bow", "--dataset", pairs, "--out", tmp_path / "run", *SMALL, "--no-resume") == 2
    assert kept.read_text() == "mine"


@pytest.mark.sweep
def test_runs_of_a_store_are_rows_and_unlabelled_pairs_are_scored(
    ready_store: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("torch", reason="torch is not installed: make models")
    store, folder = ready_store, tmp_path / "frozen"
    bert = write_bert(tmp_path / "bert")
    words = ("train", f"frozen:{bert}", "--dataset", store.root, "--out", folder)
    assert call(*words) == 0
    assert call(*words) == 0, "the same command again adds no row"
    rows = store.read(Runs, model=f"frozen:{bert}")
    assert rows[["method", "scheme", "seed"]].values.tolist() == [["majority", "by-entity", 1]]
    assert [list(names) for names in rows["campaigns"]] == [["main"]]
    assert rows["threshold"].between(0, 1).all()
    assert rows["artefact"].tolist() == [str(folder)]
    assert len(rows["artefact_sha256"].iloc[0]) == 64
    run_id = rows["run_id"].iloc[0]
    n_labelled = len(store.read(Predictions, run_id=run_id))
    assert call("predict", folder, "--dataset", store.root, "--unlabelled") == 0
    assert len(store.read(Predictions, run_id=run_id)) > n_labelled
    assert call(*words) == 0, "the same command once more adds no row, and takes no scores away"
    assert store.read(Runs)["run_id"].tolist() == [run_id]
    assert len(store.read(Predictions)) > n_labelled
    capsys.readouterr()
    assert call("predict", folder, "--dataset", store.root, "--scheme", "other") == 2
    err = capsys.readouterr().err
    assert f"{folder}: expected a model trained on the scheme 'other', found one trained on 'by-entity'" in err
