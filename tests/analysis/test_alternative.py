"""The alternative annotator test on a store: its models, its votes, and what cannot be tested."""

import json
import shutil
from pathlib import Path

import pytest

from analysis import alternative, baselines
from data.console.commands import run
from data.contract.tables.labels import Splits
from data.storage.store import Store

pytestmark = pytest.mark.sweep


def call(store: Path, *flags: object) -> int:
    return run(alternative.main, prog="alternative", args=["--store", str(store), *map(str, flags)])


@pytest.fixture
def trained(ready: Store, tmp_path: Path) -> Path:
    store = Path(shutil.copytree(ready.root, tmp_path / "trained"))
    assert (
        run(baselines.main, prog="baselines", args=["--store", str(store), "--models", "jaccard", "all_positive"]) == 0
    )
    return store


def test_every_model_is_tested_on_votes_and_scale(
    trained: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(trained, "--min-pairs", 2, "--json", tmp_path / "found.json") == 0
    results = json.loads((tmp_path / "found.json").read_text())
    assert {result["model"] for result in results} == {"all_positive", "jaccard"}
    for result in results:
        for kind in ("binary", "scale"):
            assert result[kind]["n_pairs"] > 0
            assert {person["annotator"] for person in result[kind]["annotators"]} == {"a01", "a02", "a03"}
            assert 0 <= result[kind]["winning_rate"] <= 1
            assert {"always 0", "always 1"} < {one["name"] for one in result[kind]["trivial"]}
    out = capsys.readouterr().out
    assert "jaccard, test split" in out
    assert "3 of 3 annotators tested" in out
    assert "without reading: always 0 " in out


def test_where_a_constant_passes_there_is_no_verdict(
    trained: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    flags = ("--models", "jaccard", "--min-pairs", 2, "--json", tmp_path / "found.json")
    assert call(trained, *flags, "--epsilon", 50) == 0
    found = json.loads((tmp_path / "found.json").read_text())[0]
    assert (found["binary"]["passes"], found["binary"]["reason"]) == (None, "trivial_passes")
    assert "no verdict, since always 0, always 1, fair coin and base-rate coin would pass" in capsys.readouterr().out


def test_with_few_pairs_no_one_is_tested(trained: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(trained, "--models", "jaccard") == 0
    out = capsys.readouterr().out
    assert "0 of 3 annotators tested, winning rate –" in out
    assert "no annotator has the 30 pairs that a test needs (--min-pairs)" in out


def test_the_judged_pairs_match_the_test_split(trained: Path, tmp_path: Path) -> None:
    assert call(trained, "--models", "jaccard", "--json", tmp_path / "found.json") == 0
    splits = Store(trained).read(Splits)
    found = json.loads((tmp_path / "found.json").read_text())[0]
    assert found["binary"]["n_pairs"] == found["scale"]["n_pairs"] == int((splits["split"] == "test").sum())


def test_bad_input_is_one_line(trained: Path, ready: Store, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(trained, "--models", "bert") == 2
    assert "--models: expected all_positive, jaccard, found bert" in capsys.readouterr().err
    assert call(ready.root) == 2
    assert "analysis.baselines" in capsys.readouterr().err
