"""`analysis.phenomena`: wrong predictions go to a campaign that asks what makes them hard, and are counted after it."""

from pathlib import Path

import pandas as pd
import pytest

from analysis import phenomena
from data.console.commands import run
from data.contract.tables.labels import Labels
from data.contract.tables.pairs import Pairs
from data.contract.tables.shown import Shown
from data.storage.manifest import Manifest
from tests.annotation.support.frames import planned, predicted


def call(*words: object) -> int:
    return run(
        phenomena.main,
        prog="python -m analysis.phenomena",
        args=["--campaign", "before", "--dataset", *map(str, words)],
    )


@pytest.mark.sweep
def test_wrong_predictions_are_labelled_and_counted(filled, command, tmp_path, capsys) -> None:
    predicted(filled)
    before = len(filled.read(Pairs, generator="recommended"))
    out = tmp_path / "p.csv"
    assert call(filled.root, "--split", "all", "--sample", 9, "--out", out) == 0
    lines = capsys.readouterr().out.splitlines()
    table = pd.read_csv(out)
    assert len(table) == 9
    assert lines[-1].startswith("next: python -m annotation plan --campaign phenomena ")
    generator = lines[-1].split("--generator ")[1].split()[0]
    rows = filled.read(Pairs, generator=generator)
    assert set(rows["pair_id"]) == set(table["pair_id"])
    assert (rows["detail"].to_numpy() == table["suggested"].to_numpy()).all()
    assert len(filled.read(Pairs, generator="recommended")) == before

    plan = lines[-1].split("annotation ")[1].split()
    code, _, err = command(*plan[:-2], "--annotators", 3)
    assert code == 0, err
    assert set(planned(filled, "phenomena")["pair_id"]) == set(table["pair_id"])
    shown = filled.read(Shown, campaign="phenomena")
    assert (shown["label"] != shown["prediction"]).all()
    labels = pd.DataFrame({"pair_id": table["pair_id"], "campaign": "phenomena", "method": "majority", "votes": 2})
    labels = labels.assign(
        control="phenomena", value=["knowledge detail"] * 5 + ["none"] * 4, n_votes=3, binary=pd.NA, scores=[[]] * 9,
        posterior=pd.NA, stratum="split", decided_by="majority",
    )  # fmt: skip
    filled.replace(Labels, labels, Manifest(stage="annotation.adjudicate"), campaign="phenomena", method="majority")
    assert call(filled.root, "--count", "phenomena") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("9 wrong predictions: ")
    counted = {line.split()[0]: line.split()[1::2][:2] for line in lines[2:]}
    assert sum(map(int, counted["knowledge"])) == 5
    assert sum(map(int, counted["scope"])) == 0

    assert call(filled.root, "--split", "all", "--sample", 5, "--out", out) == 0
    assert "stay as they are: campaign phenomena labels them" in capsys.readouterr().out
    assert len(filled.read(Pairs, generator=generator)) == 9


@pytest.mark.sweep
def test_another_threshold_draws_another_sample(filled, tmp_path: Path, capsys) -> None:
    predicted(filled)
    for threshold in ("0.5", "0.95"):
        assert call(filled.root, "--split", "all", "--threshold", threshold, "--out", tmp_path / "p.csv") == 0
        rows = filled.read(Pairs, generator="errors-a-model")
        assert set(rows["pair_id"]) == set(pd.read_csv(tmp_path / "p.csv")["pair_id"])


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (("--predictions", "scores.csv"), "--predictions: expected a data set that is no store, found "),
        (("--model", "esim"), "--model: expected one of "),
        (("--sample", "0"), "--sample: expected at least 1, found 0"),
        (("--count", "main"), "table labels: expected labels of a campaign that asks the question phenomena, found"),
        (("--split", "nowhere"), "in the split 'nowhere', found none among 0 labelled pairs that it scored"),
    ],
)
def test_bad_flags_are_one_line(filled, tmp_path: Path, capsys, flags: tuple[str, ...], message: str) -> None:
    predicted(filled)
    assert call(filled.root, "--out", tmp_path / "p.csv", *flags) == 2
    assert message in capsys.readouterr().err


def test_a_file_of_pairs_needs_predictions(shared_data: Path, tmp_path: Path, capsys) -> None:
    assert call(shared_data / "parade", "--out", tmp_path / "p.csv") == 2
    assert "--predictions: expected a file of scores, found nothing" in capsys.readouterr().err
