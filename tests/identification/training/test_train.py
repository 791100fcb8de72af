"""Training as a whole: repeatable, resumable, honest about what went wrong."""

import dataclasses
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from analysis.datasets.predictions import read_predictions
from data.console.errors import InputError, StoreBusy
from data.files.whole import scratch_beside
from data.labelled import corpora
from data.models.scorers import open_scorer
from identification.config import Machine, TrainingConfig
from tests.identification.world import write_bert, write_pairs

torch = pytest.importorskip("torch", reason="torch is not installed: make models")

from identification.training import artefact, train  # noqa: E402
from identification.training.epochs.checkpoints import Checkpoints  # noqa: E402
from identification.training.train import Request  # noqa: E402

ONE_THREAD = Machine(threads=1)


@pytest.fixture(scope="module")
def frame(tmp_path_factory: pytest.TempPathFactory) -> pd.DataFrame:
    return corpora.load(write_pairs(tmp_path_factory.mktemp("pairs")))[0]


@pytest.fixture(scope="module")
def bert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_bert(tmp_path_factory.mktemp("bert"))


def silent(_: str) -> None:
    return None


def request(frame: pd.DataFrame, model: str = "bilstm", **changes: Any) -> Request:
    config = TrainingConfig(**{"epochs": 4, "vector_size": 12, "learning_rate": 0.005} | changes)
    return Request(model=model, config=config, machine=ONE_THREAD, frame=frame)


def scores(folder: Path) -> "pd.Series[float]":
    return pd.read_csv(folder / "predictions.csv", index_col="pair_id")["score"]


@pytest.mark.sweep
def test_a_network_learns_and_its_folder_scores_what_training_scored(frame: pd.DataFrame, tmp_path: Path) -> None:
    lines: list[str] = []
    run = train.train(request(frame, "bow", epochs=12), tmp_path / "run", lines.append)
    assert run.outcome == "trained"
    assert run.validation["at_half"]["auc"] > 0.9
    assert run.best_epoch == 1 + int(np.argmin([epoch["nll"] for epoch in run.history]))
    assert {path.name for path in (tmp_path / "run").iterdir()} == {
        "README.md", "model.safetensors", "predictions.csv", "run.json", "words.txt"
    }  # fmt: skip
    again = open_scorer(tmp_path / "run")(frame["first"].tolist(), frame["second"].tolist())
    np.testing.assert_allclose(again, scores(tmp_path / "run")[frame["pair_id"]], atol=1e-6)
    swapped = open_scorer(tmp_path / "run")(frame["second"].tolist(), frame["first"].tolist())
    np.testing.assert_allclose(swapped, again, atol=1e-6)
    assert len([line for line in lines if line.startswith("epoch ")]) == len(run.history)


@pytest.mark.sweep
@pytest.mark.parametrize("model", ["esim", "cross-encoder"])
def test_the_same_seed_gives_the_same_scores_and_another_gives_others(
    frame: pd.DataFrame, bert: Path, tmp_path: Path, model: str
) -> None:
    name = f"{model}:{bert}" if model == "cross-encoder" else model
    state = torch.get_rng_state()
    for folder, seed in (("one", 1), ("same", 1), ("other", 2)):
        train.train(request(frame, name, epochs=1, seed=seed), tmp_path / folder, silent)
    pd.testing.assert_series_equal(scores(tmp_path / "one"), scores(tmp_path / "same"))
    assert (scores(tmp_path / "one") - scores(tmp_path / "other")).abs().max() > 1e-4
    assert torch.equal(torch.get_rng_state(), state), "torch's own random state is left alone"


@pytest.fixture
def interrupted(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Interrupt the next training right after its n-th checkpoint."""

    def interrupt(after: int) -> None:
        plain = Checkpoints.save

        def save(self: Checkpoints, model: Any, optimizer: Any, state: dict[str, Any]) -> None:
            plain(self, model, optimizer, state)
            if state["epoch"] == after:
                monkeypatch.setattr(Checkpoints, "save", plain)
                raise KeyboardInterrupt

        monkeypatch.setattr(Checkpoints, "save", save)

    return interrupt


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("model", "changes"),
    [
        ("bilstm", {"train_words": True}),
        ("bilstm", {"recipe": "paper"}),
        ("decatt", {"recipe": "paper", "learning_rate": None}),
        ("cross-encoder", {}),
        ("bi-encoder", {}),
    ],
)
def test_an_interrupted_training_ends_with_the_scores_of_an_uninterrupted_one(
    frame: pd.DataFrame,
    bert: Path,
    tmp_path: Path,
    interrupted: Callable[[int], None],
    *,
    model: str,
    changes: Any,
) -> None:
    asked = request(frame, f"{model}:{bert}" if model.endswith("encoder") else model, epochs=3, patience=3, **changes)
    whole = train.train(asked, tmp_path / "whole", silent)
    interrupted(1)
    with pytest.raises(KeyboardInterrupt):
        train.train(asked, tmp_path / "cut", silent)
    assert not (tmp_path / "cut" / "run.json").exists()
    lines: list[str] = []
    resumed = train.train(asked, tmp_path / "cut", lines.append)
    assert "resumed after epoch 1" in lines
    pd.testing.assert_series_equal(scores(tmp_path / "whole"), scores(tmp_path / "cut"))
    assert (resumed.threshold, resumed.temperature) == (whole.threshold, whole.temperature)
    assert resumed.digest == whole.digest


def test_a_folder_belongs_to_one_training(
    frame: pd.DataFrame, tmp_path: Path, interrupted: Callable[[int], None]
) -> None:
    interrupted(1)
    folder, asked = tmp_path / "run", request(frame, "bow", epochs=2)
    with pytest.raises(KeyboardInterrupt):
        train.train(asked, folder, silent)
    with pytest.raises(InputError, match="expected a new folder, or one with this run, found an unfinished run"):
        train.train(request(frame, "bow", epochs=2, seed=2), folder, silent)
    with scratch_beside(folder), pytest.raises(StoreBusy, match="found a run in progress"):
        train.train(asked, folder, silent)
    run = train.train(asked, folder, silent)
    written = (folder / "run.json").stat().st_mtime_ns
    assert train.train(asked, folder, silent) == run
    assert (folder / "run.json").stat().st_mtime_ns == written
    with pytest.raises(InputError, match="found a finished run of another model, configuration or data set"):
        train.train(request(frame.iloc[:-1], "bow", epochs=2), folder, silent)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "thesis.txt").write_text("mine")
    with pytest.raises(InputError, match="found other files"):
        train.train(asked, tmp_path / "other", silent)


def test_folders_that_a_full_disk_left_empty_are_taken(frame: pd.DataFrame, tmp_path: Path) -> None:
    (tmp_path / "run" / "checkpoint").mkdir(parents=True)
    assert train.train(request(frame, "bow", epochs=1), tmp_path / "run", silent)


def test_what_went_wrong_has_a_name(frame: pd.DataFrame, tmp_path: Path) -> None:
    shuffled = frame.assign(binary=frame["binary"].sample(frac=1, random_state=1).to_numpy())
    flat = train.train(request(shuffled, "bow", epochs=1), tmp_path / "flat", silent)
    assert flat.outcome == "loss_did_not_fall"
    same = frame.assign(first="oak means elm", second="elm means oak")
    constant = train.train(request(same, "bow", epochs=2), tmp_path / "constant", silent)
    assert constant.outcome == "constant_prediction"
    assert "a lower --learning-rate" in str(train.advise(flat))
    assert "a lower --learning-rate" in str(train.advise(constant))
    assert str(train.advise(dataclasses.replace(flat, model="frozen:minilm"))).endswith(
        "try more pairs or another model"
    )


@pytest.mark.sweep
def test_long_texts_are_cut_and_the_pairs_counted(frame: pd.DataFrame, bert: Path, tmp_path: Path) -> None:
    frame = frame.copy()
    frame.loc[3, "first"] = "oak " * 10_000
    for model, unit in (("bow", 200), (f"cross-encoder:{bert}", 64), (f"bi-encoder:{bert}", 64)):
        lines: list[str] = []
        train.train(request(frame, model, epochs=1), tmp_path / model.partition(":")[0], lines.append)
        assert f"1 of 220 pairs are longer than {unit} and are not read to their end (--longest)" in lines


@pytest.mark.sweep
@pytest.mark.parametrize("model", ["bimpm", "diin"])
def test_networks_that_spell_their_words_score_as_in_training(frame: pd.DataFrame, tmp_path: Path, model: str) -> None:
    few = frame.groupby(["split", "binary"]).head(6)
    run = train.train(request(few, model, epochs=1, learning_rate=0.001), tmp_path / "run", silent)
    assert "o" in run.form["characters"]
    again = open_scorer(tmp_path / "run")(few["first"].tolist(), few["second"].tolist())
    np.testing.assert_allclose(again, scores(tmp_path / "run")[few["pair_id"]], atol=1e-5)
    assert np.isfinite(open_scorer(tmp_path / "run")(["ŵŷ żż"], ["oak"])).all()


@pytest.mark.sweep
def test_a_frozen_encoder_is_fitted_in_one_step(frame: pd.DataFrame, bert: Path, tmp_path: Path) -> None:
    run = train.train(request(frame, f"frozen:{bert}"), tmp_path / "run", silent)
    assert run.outcome == "trained"
    assert (run.n_parameters, run.asymmetry) == (10, 0)
    scorer = open_scorer(tmp_path / "run")
    found = scorer(frame["first"].tolist(), frame["second"].tolist())
    np.testing.assert_allclose(found, scores(tmp_path / "run")[frame["pair_id"]], atol=1e-5)
    np.testing.assert_allclose(scorer(["oak is elm"], ["elm is ash"]), scorer(["elm is ash"], ["oak is elm"]))
    write_bert(bert, seed=2)
    with pytest.raises(InputError, match="expected the encoder that the model was trained with, found another one"):
        open_scorer(tmp_path / "run")
    write_bert(bert, seed=1)


@pytest.mark.sweep
@pytest.mark.parametrize(("labels", "soft"), [("soft", True), (None, False)])
def test_labels_that_are_named_overrule_the_recipe(
    frame: pd.DataFrame, bert: Path, tmp_path: Path, labels: str | None, soft: bool
) -> None:
    run = train.train(request(frame, f"frozen:{bert}", recipe="paper", labels=labels), tmp_path / "run", silent)
    assert run.settings["soft"] is soft


@pytest.fixture(scope="module")
def finished(frame: pd.DataFrame, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a small model, to copy."""
    folder = tmp_path_factory.mktemp("finished") / "run"
    train.train(request(frame, "bow", epochs=1), folder, silent)
    return folder


def spoil_weights(folder: Path) -> None:
    (folder / "model.safetensors").write_bytes(b"\x80\x04pickled")


def spoil_run(folder: Path) -> None:
    (folder / "run.json").write_text("{", "utf-8")


def add_a_loader(folder: Path) -> None:
    content = json.loads((folder / "run.json").read_text("utf-8"))
    (folder / "run.json").write_text(json.dumps(content | {"loader": "tests.data.models.test_scorers:trap"}), "utf-8")


def change_format(folder: Path) -> None:
    content = json.loads((folder / "run.json").read_text("utf-8"))
    (folder / "run.json").write_text(json.dumps(content | {"format": "parade-run/9"}), "utf-8")


@pytest.mark.parametrize(
    ("spoil", "found"),
    [
        (spoil_weights, "found files that were changed since"),
        (spoil_run, "expected what a training says of its model, as JSON"),
        (add_a_loader, "unexpected keyword argument 'loader'"),
        (change_format, "found the format 'parade-run/9'"),
    ],
)
def test_a_changed_folder_is_refused_in_one_line(
    finished: Path, tmp_path: Path, spoil: Callable[[Path], None], found: str
) -> None:
    copy = tmp_path / "copy"
    copy.mkdir()
    for path in finished.iterdir():
        (copy / path.name).write_bytes(path.read_bytes())
    assert len(open_scorer(copy)(["an oak"], ["an elm"])) == 1
    spoil(copy)
    with pytest.raises(InputError, match=found):
        open_scorer(copy)


def test_nothing_to_score_and_unknown_words_are_answered(finished: Path) -> None:
    opened = artefact.open_model(finished)
    assert len(artefact.score_pairs(opened, ([], []), ONE_THREAD).scores) == 0
    strange = artefact.score_pairs(opened, (["zzz yyy", "?"], ["xxx", ""]), ONE_THREAD)
    assert strange.unknown_share == 1
    assert ((strange.scores >= 0) & (strange.scores <= 1)).all()


def test_names_that_are_no_model_are_answered_with_those_that_are(frame: pd.DataFrame, tmp_path: Path) -> None:
    for name in ("bert", "cross-encoder:", "frozen", "BOW"):
        asked = dataclasses.replace(request(frame), model=name)
        kinds = rf"expected one of bow, bilstm, decatt.*frozen:FOLDER, ensemble:FOLDER\+FOLDER, found {name!r}"
        with pytest.raises(InputError, match=kinds):
            train.train(asked, tmp_path / "run", silent)
    assert not (tmp_path / "run").exists()


def test_a_pair_with_two_rows_gets_one_line_that_serves_both(tmp_path: Path) -> None:
    pair_ids = ["a", "b", "a"]
    artefact.write_predictions(pair_ids, np.array([0.25, 0.5, 0.25]), tmp_path / "predictions.csv")
    assert scores(tmp_path).index.to_list() == ["a", "b"]
    assert read_predictions(tmp_path / "predictions.csv", pd.Series(pair_ids)).tolist() == [0.25, 0.5, 0.25]
