"""Ensembles: weights by validation alone, members of the same data set, the same scores wherever they are computed."""

import dataclasses
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import log_loss

from data.console.errors import InputError
from data.labelled import corpora
from data.models.scorers import PREDICTIONS, open_scorer
from identification.config import Machine, TrainingConfig
from tests.identification.world import call, write_pairs

torch = pytest.importorskip("torch", reason="torch is not installed: make models")

from scipy.special import expit  # noqa: E402

from identification.training import artefact, ensemble, train  # noqa: E402
from identification.training.train import Request  # noqa: E402

Members = tuple[Path, Path]


@pytest.fixture(scope="module")
def frame(tmp_path_factory: pytest.TempPathFactory) -> pd.DataFrame:
    return corpora.load(write_pairs(tmp_path_factory.mktemp("pairs")))[0]


def fit(frame: pd.DataFrame, model: str, folder: Path, **config: object) -> artefact.Run:
    settings = TrainingConfig(**config)  # type: ignore[arg-type]
    request = Request(model=model, config=settings, machine=Machine(threads=1), frame=frame)
    return train.train(request, folder, lambda _: None)


@pytest.fixture(scope="module")
def members(frame: pd.DataFrame, tmp_path_factory: pytest.TempPathFactory) -> Members:
    folder = tmp_path_factory.mktemp("members")
    for seed in (1, 2):
        fit(frame, "bow", folder / str(seed), seed=seed, epochs=6, vector_size=12, learning_rate=0.005)
    return folder / "1", folder / "2"


def name(*folders: Path) -> str:
    return "ensemble:" + "+".join(map(str, folders))


@given(st.integers(0, 1000), st.integers(2, 4))
@settings(max_examples=20)
def test_no_member_alone_is_better_on_the_pairs_that_the_weights_are_fitted_on(seed: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    labels = (rng.random(80) < 0.5).astype("float64")
    scores = [expit(rng.normal(size=80) + strength * (labels - 0.5)) for strength in rng.uniform(-1, 2, n)]
    weights = ensemble.fit_weights(scores, labels)
    assert (weights >= 0).all()
    joined = ensemble.Ensemble([], weights).weigh(scores)
    best = min(log_loss(labels, some) for some in scores)
    assert log_loss(labels, expit(joined)) <= best + 1e-6


@pytest.mark.sweep
def test_an_ensemble_is_a_run_whose_folder_scores_as_it_did(
    frame: pd.DataFrame, members: Members, tmp_path: Path
) -> None:
    run = fit(frame, name(*members), tmp_path / "both")
    assert (run.model, run.outcome) == ("ensemble:2 bow", "trained")
    parts = [artefact.read(folder) for folder in members]
    assert run.seconds >= sum(part.seconds for part in parts)
    assert run.data["n_train"] == parts[0].data["n_train"]
    written = pd.read_csv(tmp_path / "both" / PREDICTIONS).set_index("pair_id")["score"][frame["pair_id"]]
    again = open_scorer(tmp_path / "both")(frame["first"].tolist(), frame["second"].tolist())
    np.testing.assert_allclose(again, written, atol=1e-6)
    card = (tmp_path / "both" / "README.md").read_text("utf-8")
    assert [f"seed {seed}, in {folder}" in card for seed, folder in zip((1, 2), members, strict=True)] == [True, True]


@pytest.mark.sweep
def test_an_ensemble_cannot_be_trained_on(
    frame: pd.DataFrame, members: Members, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fit(frame, name(*members), tmp_path / "both")
    pairs = write_pairs(tmp_path / "pairs")
    assert call("harden", tmp_path / "both", "--mlm", "none", "--dataset", pairs) == 2
    assert "expected one trained model, found an ensemble; harden a member" in capsys.readouterr().err


def test_test_labels_change_no_weight(frame: pd.DataFrame, members: Members) -> None:
    scores = [pd.read_csv(folder / PREDICTIONS)["score"].to_numpy() for folder in members]
    examples = train.prepare(frame, TrainingConfig(), soft=False)
    rows = examples.in_validation
    assert set(frame.loc[rows, "split"]) == {"validation"}
    run = train._fit_ensemble(Request(model=name(*members), config=TrainingConfig(), frame=frame))
    expected = ensemble.fit_weights([some[rows] for some in scores], frame.loc[rows, "binary"].to_numpy("float64"))
    np.testing.assert_array_equal(run.settings["weights"], expected)


def test_members_of_other_pairs_or_splits_are_refused(frame: pd.DataFrame, members: Members, tmp_path: Path) -> None:
    other = frame.assign(split=frame["split"].where(frame["split"] != "test", "train"))
    with pytest.raises(InputError, match="expected a model trained on the same pairs, labels and splits"):
        fit(other, name(*members), tmp_path / "other")
    with pytest.raises(InputError, match=r"found one trained with --share 1\.0"):
        fit(frame, name(*members), tmp_path / "share", share=0.5)


@pytest.mark.parametrize(("model", "found"), [("{0}", "1 of them"), ("{0}+{0}", "the same folder twice")])
def test_an_ensemble_needs_two_folders(
    frame: pd.DataFrame, members: Members, tmp_path: Path, model: str, found: str
) -> None:
    with pytest.raises(InputError, match=found):
        fit(frame, "ensemble:" + model.format(members[0]), tmp_path / "one")


def test_a_member_that_is_another_model_by_now_is_refused(
    frame: pd.DataFrame, members: Members, tmp_path: Path
) -> None:
    fit(frame, name(*members), tmp_path / "both")
    run = artefact.read(tmp_path / "both")
    changed = [run.form["members"][0], run.form["members"][1] | {"digest": "0" * 64}]
    artefact.write(dataclasses.replace(run, form={"members": changed}), tmp_path / "both")
    with pytest.raises(InputError, match="as it was when the ensemble was made, found another model"):
        open_scorer(tmp_path / "both")
    (tmp_path / "gone").mkdir()
    with pytest.raises(InputError, match=r"no run\.json in it"):
        fit(frame, name(members[0], tmp_path / "gone"), tmp_path / "neither")
