"""Trained models side by side: found in folders, judged on pairs that none of them saw, shown on a page."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from analysis import models
from data.console.commands import run
from data.labelled import parade
from data.labelled.dataset import data_digest
from data.labelled.label_set import LabelSet
from data.labelled.sources import open_dataset

pytestmark = pytest.mark.sweep

Train = Callable[..., Path]


@pytest.fixture
def published(tmp_path: Path) -> Path:
    """A data set in the form of the published files: 60 entities with two pairs each."""
    generator = np.random.default_rng(1)
    rows = []
    for entity in range(60):
        split = "train" if entity < 30 else "validation" if entity < 45 else "test"
        for pair in range(2):
            votes = int(generator.integers(0, 4))
            texts = [" ".join(f"w{word}" for word in generator.integers(0, 40, 8)) for _ in "ab"]
            rows.append((split, votes, int(votes > 1), f"entity {entity} e{entity}", texts[0] + f" {pair}", texts[1]))
    columns = ["split", "votes", "binary", "entity", "first", "second"]
    parade.write(pd.DataFrame(rows, columns=columns).assign(second_entity=None), tmp_path / "published")
    return tmp_path / "published"


@pytest.fixture
def train(published: Path, tmp_path: Path) -> Train:
    """Write the folder of a training whose scores know the truth by `skill`, 0 to 1."""
    frame = open_dataset(published, LabelSet()).frame

    def write(model: str, skill: float, seed: int = 1, **facts: object) -> Path:
        noise = np.random.default_rng(seed).random(len(frame))
        scores = skill * frame["binary"].to_numpy("float64") + (1 - skill) * noise
        folder = tmp_path / "runs" / model / f"{seed}-{facts.get('share', 1)}"
        folder.mkdir(parents=True)
        share, n_train = facts.pop("share", 1), facts.pop("n_train", 60)
        known = {"model": "network", "threshold": 0.5, "seconds": 3.0, "memory": 70.0, "data": {"n_train": n_train}}
        config = {"seed": seed, "share": share}
        (folder / "run.json").write_text(json.dumps(known | {"config": config} | facts))
        predictions = pd.DataFrame({"pair_id": frame["pair_id"], "score": scores})
        predictions.to_csv(folder / "predictions.csv", index=False)
        return folder

    return write


def call(*flags: object) -> int:
    return run(models.main, prog="models", args=["--dataset", *(str(flag) for flag in flags)])


def test_models_are_shown_side_by_side(published: Path, train: Train, tmp_path: Path) -> None:
    for seed in (1, 2):
        train("guess", 0.0, seed)
        train("oracle", 0.9, seed)
    train("oracle", 0.5, 3, share=0.5, n_train=30)
    assert call(published, "--runs", tmp_path / "runs", "--out", tmp_path / "out", "--resamples", 100) == 0
    judged = json.loads((tmp_path / "out" / "models.json").read_text())
    assert judged["split"] == "test"
    assert (judged["n"], judged["left_out"]) == (30, 0)
    rows = {model["name"]: model for model in judged["models"]}
    assert list(rows) == ["overlap features", "guess", "oracle"]
    assert rows["oracle"]["seeds"] == [1, 2], "a training on a part belongs to the learning curve alone"
    assert rows["oracle"]["stored"]["accuracy"]["value"] == 1
    assert [point["n_train"] for curve in judged["curves"] for point in curve["points"]] == [30, 60]
    lead = next(row for row in judged["leads"]["stored"] if row["first"] == "guess")
    assert lead["auc"]["high"] < 0
    page = (tmp_path / "out" / "models.html").read_text()
    assert "ALBERT-xxlarge" in page
    assert sorted(path.name for path in (tmp_path / "out" / "figures").iterdir()) == [
        "calibration.svg",
        "curves_f1.svg",
        "models_auc.svg",
        "models_f1.svg",
    ]
    table = pd.read_csv(tmp_path / "out" / "models.csv")
    assert set(table["rule"]) == {"half", "stored"}
    assert len(table) == 6


def test_pairs_that_a_model_has_not_scored_are_left_out_for_all(published: Path, train: Train, tmp_path: Path) -> None:
    folder = train("partial", 0.5)
    train("whole", 0.5)
    lines = (folder / "predictions.csv").read_text().splitlines(keepends=True)
    (folder / "predictions.csv").write_text("".join(lines[:-10]))
    assert call(published, "--runs", tmp_path / "runs", "--out", tmp_path / "out", "--resamples", 10) == 0
    judged = json.loads((tmp_path / "out" / "models.json").read_text())
    assert judged["n"] + judged["left_out"] == 30
    assert judged["left_out"] > 0
    assert f"{judged['left_out']} pairs of the split are left out" in (tmp_path / "out" / "models.html").read_text()


def test_the_validation_split_can_be_shown(published: Path, train: Train, tmp_path: Path) -> None:
    train("model", 0.5)
    flags = ["--split", "validation", "--resamples", 10, "--out", tmp_path / "out"]
    assert call(published, "--runs", tmp_path / "runs", *flags) == 0
    judged = json.loads((tmp_path / "out" / "models.json").read_text())
    assert (judged["split"], [model["name"] for model in judged["models"]]) == (
        "validation",
        ["overlap features", "model"],
    )


def test_a_model_that_learned_nothing_is_named_so(published: Path, train: Train, tmp_path: Path) -> None:
    folder = train("model", 0.5, outcome="constant_prediction")
    for root, name in ((tmp_path / "runs", "model (constant prediction)"), (folder, "network (constant prediction)")):
        assert call(published, "--runs", root, "--resamples", 10, "--out", tmp_path / "out") == 0
        judged = json.loads((tmp_path / "out" / "models.json").read_text())
        assert [found["name"] for found in judged["models"]] == ["overlap features", name]


def test_trainings_of_one_model_and_seed_are_not_averaged(published: Path, train: Train, tmp_path: Path) -> None:
    folders = [train("soft", 0.9).parent, train("hard", 0.1).parent]
    assert call(published, "--runs", *folders, "--out", tmp_path / "page") == 0
    described = json.loads((tmp_path / "page" / "models.json").read_text())["models"]
    assert {model["name"] for model in described} == {"overlap features", "network, soft/1-1", "network, hard/1-1"}
    assert [len(model["seeds"]) for model in described] == [1, 1, 1]


def test_a_run_below_two_folders_is_read_once(
    published: Path, train: Train, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = train("only", 0.9).parent
    monkeypatch.chdir(tmp_path)
    flags = ("--out", tmp_path / "page")
    assert call(published, "--runs", "runs", folder, *flags) == 0  # one path is relative, the other is not
    _, described = json.loads((tmp_path / "page" / "models.json").read_text())["models"]
    assert (described["name"], described["seeds"]) == ("only", [1])


def test_a_model_of_another_split_is_not_judged_on_pairs_that_it_saw(
    published: Path, train: Train, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    flags = ("--resamples", 10, "--out", tmp_path / "out")
    dealt = open_dataset(published, LabelSet(scheme="by-entity"))
    data = {"kind": dealt.kind, "scheme": dealt.scheme, "digest": data_digest(dealt.frame)}
    folder = train("dealt", 0.9, data=data)
    assert call(published, "--runs", folder, *flags) == 2
    found = "expected a model trained on the scheme 'published', found one trained on 'by-entity'; "
    assert f"{found}give --scheme by-entity" in capsys.readouterr().err
    assert call(published, "--runs", folder, "--scheme", "by-entity", *flags) == 0
    assert "note:" not in capsys.readouterr().out
    page = (tmp_path / "out" / "models.html").read_text()
    assert f"python -m analysis.models --dataset {published} --runs {folder} --scheme by-entity" in page
    assert "No model has seen a pair of this split; epochs" in page
    older = train("older", 0.9, data={"kind": dealt.kind, "scheme": "published", "digest": "of other labels"})
    assert call(published, "--runs", older, *flags) == 0
    assert f"note: {older} was trained on other pairs, labels or splits" in capsys.readouterr().out
    page = (tmp_path / "out" / "models.html").read_text()
    assert "a pair of this split, except perhaps network: trained on other pairs, labels or splits; epochs" in page


def test_bad_input_is_one_line(
    published: Path, train: Train, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    assert call(published, "--runs", empty) == 2
    assert "identification train" in capsys.readouterr().err
    folder = train("model", 0.5)
    assert call(published, "--runs", folder, "--split", "train") == 2
    assert "--split: expected validation or test, found 'train'" in capsys.readouterr().err
    for content in ("{", "[]", '{"model": "x"}', '{"model": "x", "config": {"seed": "one"}}'):
        (folder / "run.json").write_text(content)
        assert call(published, "--runs", folder) == 2
        assert "run.json: expected what a training wrote" in capsys.readouterr().err
