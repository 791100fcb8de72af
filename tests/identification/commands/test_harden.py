"""The command harden, as it is typed, and its rule to stop."""

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from data.contract.tables.models import Predictions, Runs
from data.storage.store import Store
from identification.config import Hardening
from tests.cluster import Cluster
from tests.identification.world import SIZES, call

pytest.importorskip("torch", reason="torch is not installed: make models")

from identification.robustness import hardening
from identification.robustness.attacking import AttackPlan, attack
from identification.robustness.hardening import Ends, Standing, choose, is_over

SMALL = ("--vector-size", "12", "--threads", "1", "--epochs", "3", "--learning-rate", "0.005")


def standings(*rows: tuple[float, float]) -> list[Standing]:
    return [
        Standing(
            round=number, folder="f", original=original, modified=modified, threshold=0.5, n_modified=1, seconds=1.0
        )
        for number, (original, modified) in enumerate(rows)
    ]


RULE = Hardening(rounds=4, patience=2, most_loss=0.03)


@pytest.mark.parametrize(
    ("rows", "over", "best"),
    [
        ([(0.9, 0.2)], False, 0),
        ([(0.9, 0.2), (0.89, 0.5)], False, 1),
        ([(0.9, 0.2), (0.89, 0.5), (0.9, 0.5), (0.9, 0.4)], True, 1),  # two rounds without a better one
        ([(0.94, 0.2), (0.91, 0.9)], False, 1),  # exactly 3 points, which is more only in the last bits
        ([(0.9, 0.2), (0.8, 0.9)], True, 0),  # it forgot: the round counts for nothing
        ([(0.9, 0.2), (0.9, 0.3), (0.9, 0.4), (0.9, 0.5), (0.9, 0.6)], True, 4),
    ],
)
def test_it_stops_once_rounds_bring_nothing_or_the_model_forgets(
    rows: list[tuple[float, float]], over: bool, best: int
) -> None:
    known = standings(*rows)
    assert (is_over(known, RULE), choose(known, RULE).round) == (over, best)


@pytest.mark.sweep
def test_rounds_train_on_and_are_kept(
    pairs: Path, mlm: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(hardening, "choose", lambda standings, _: standings[-1])
    start = tmp_path / "bow"
    assert call("train", "bow", "--dataset", pairs, "--out", start, *SMALL) == 0
    words = ("--dataset", pairs, "--rounds", "2", "--patience", "2", "--judged", "6", "--threads", "1")
    more = ("--most-loss", "1", "--share", "0.2")
    assert call("harden", start, "--mlm", mlm, *words, *more) == 0
    capsys.readouterr()
    folder = tmp_path / "bow-hardened"
    rows = json.loads((folder / "rounds.json").read_text("utf-8"))
    assert [row["round"] for row in rows] == [0, 1, 2]
    assert all(0 <= row["modified"] <= row["original"] <= 1 for row in rows)
    assert [row["threshold"] for row in rows[1:]] == [
        json.loads((folder / f"round-{number}" / "run.json").read_text("utf-8"))["threshold"] for number in (1, 2)
    ]
    assert 0 < rows[1]["n_modified"] < rows[2]["n_modified"]  # the pairs of the round before are among them
    scored = pd.read_csv(folder / "best" / "predictions.csv")["pair_id"]
    assert set(scored) == set(pd.read_csv(start / "predictions.csv")["pair_id"])
    in_rounds = {len(pd.read_csv(path)) for path in folder.glob("round-*/predictions.csv")}
    assert in_rounds == {SIZES["validation"]}  # the others are scored once, by the best
    kept = {path: path.stat().st_mtime_ns for path in folder.rglob("model.safetensors")}
    assert call("harden", start, "--mlm", mlm, *words, *more) == 0
    assert {path: path.stat().st_mtime_ns for path in kept if path.parent.name != "best"} == {
        path: time for path, time in kept.items() if path.parent.name != "best"
    }
    assert "holds this run already" in capsys.readouterr().out
    monkeypatch.setattr(hardening, "choose", lambda standings, _: standings[0])
    assert call("harden", start, "--mlm", mlm, *words, *more) == 1
    assert not (folder / "best").exists()  # the folder of another choice


@pytest.mark.sweep
def test_a_cluster_gives_the_same_rounds(
    pairs: Path, mlm: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("distributed", reason="Dask is not installed: make setup")
    monkeypatch.setattr(hardening, "choose", lambda standings, _: standings[-1])
    start = tmp_path / "bow"
    assert call("train", "bow", "--dataset", pairs, "--out", start, *SMALL) == 0
    monkeypatch.chdir(mlm.parent)
    words = ("--dataset", pairs, "--rounds", "1", "--judged", "4", "--threads", "1", "--most-loss", "1")
    rounds = []
    with Cluster(tmp_path) as running:
        for engine in ("here", f"dask:{running.address}"):
            out = tmp_path / engine.partition(":")[0]
            assert call("harden", start, "--mlm", mlm.name, *words, "--out", out, "--engine", engine) == 0
            found = json.loads((out / "rounds.json").read_text("utf-8"))
            rounds.append([{**row, "folder": Path(row["folder"]).name, "seconds": None} for row in found])
    assert rounds[0] == rounds[1]


@pytest.mark.sweep
def test_a_learning_rate_of_0_is_no_default_and_judging_needs_a_validation_split(
    pairs: Path, mlm: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    start = tmp_path / "bow"
    assert call("train", "bow", "--dataset", pairs, "--out", start, *SMALL) == 0
    assert call("harden", start, "--mlm", mlm, "--dataset", pairs, "--learning-rate", "0") == 2
    assert "--learning-rate: expected above 0" in capsys.readouterr().err
    files = shutil.copytree(pairs, tmp_path / "pairs")
    (files / "validation.tsv").unlink()
    assert call("harden", start, "--mlm", mlm, "--dataset", files) == 2
    assert "expected a validation split, on which every round is judged, found none" in capsys.readouterr().err


@pytest.mark.sweep
def test_in_a_store_the_hardened_model_is_a_run_of_its_own(
    ready_store: Store, mlm: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hardening, "choose", lambda standings, _: standings[-1])
    start = tmp_path / "bow"
    assert call("train", "bow", "--dataset", ready_store.root, "--out", start, *SMALL) == 0
    words = ("--rounds", "1", "--judged", "4", "--threads", "1", "--most-loss", "1", "--share", "0.2")
    assert call("harden", start, "--mlm", mlm, "--dataset", ready_store.root, *words) == 0
    runs = ready_store.read(Runs).set_index("model")
    assert set(runs.index) == {"bow", "bow (hardened)"}
    scores = ready_store.read(Predictions, run_id=runs.loc["bow (hardened)", "run_id"])
    assert set(scores["pair_id"]) == set(ready_store.read(Predictions, run_id=runs.loc["bow", "run_id"])["pair_id"])


@pytest.mark.sweep
def test_training_pairs_are_attacked_by_the_beam_asked_for_and_validation_as_an_attack_would(
    pairs: Path, mlm: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    plans: list[tuple[int, bool]] = []

    def watched(plan: AttackPlan, *rest: Any) -> Any:
        plans.append((plan.config.beam, plan.to_the_end))
        return attack(plan, *rest)

    monkeypatch.setattr(hardening, "attack", watched)
    start = tmp_path / "bow"
    assert call("train", "bow", "--dataset", pairs, "--out", start, *SMALL) == 0
    words = ("--dataset", pairs, "--rounds", "1", "--judged", "3", "--threads", "1", "--most-loss", "1", "--beam", "3")
    assert call("harden", start, "--mlm", mlm, *words) in (0, 1)
    assert plans == [(5, True), (3, False), (5, True)]
    plans.clear()
    assert call("harden", start, "--mlm", mlm, *words, "--recipe", "paper", "--out", tmp_path / "paper") in (0, 1)
    assert plans == [(25, True), (3, False), (25, True)]


ENDS = Ends(
    label=np.array([1.0, 1.0, 1.0, 0.0, 0.0, 0.0]),
    before=np.array([0.95, 0.9, 0.6, 0.1, 0.2, 0.55]),
    after=np.array([0.9, 0.8, 0.3, 0.1, 0.5, 0.58]),
)


def test_where_searches_came_to_tells_what_every_threshold_would_keep() -> None:
    assert [ENDS.original(cut) for cut in (0.4, 0.58, 0.7)] == pytest.approx([5 / 6, 1, 5 / 6])
    assert [ENDS.modified(cut) for cut in (0.4, 0.55, 0.7)] == pytest.approx([3 / 6, 4 / 6, 5 / 6])


def test_the_threshold_is_the_allowed_one_that_keeps_most_modified_pairs_right() -> None:
    assert ENDS.choose_threshold(lambda cut: True) == pytest.approx(0.69)
    assert ENDS.choose_threshold(lambda cut: cut < 0.6) == pytest.approx(0.54)
    assert ENDS.choose_threshold(lambda cut: False) is None


def test_a_setting_outside_its_range_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert call("harden", "x", "--mlm", "y", "--share", "0.9") == 2
    assert "--share: expected above 0, at most 0.5, found 0.9" in capsys.readouterr().err
