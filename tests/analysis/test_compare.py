"""Data sets side by side: stores, files, an earlier day, and the file of numbers."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pandas as pd
import pytest

from analysis import compare
from data.console.commands import run
from data.contract import register
from data.storage.store import Store


@pytest.mark.sweep
def test_a_store_is_set_beside_what_it_was_and_beside_a_file(
    store: Store, stages: Iterator[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    moments = {
        stage: max(manifest["at"] for table in register.TABLES for manifest in store.history(table)) for stage in stages
    }
    then = datetime.fromtimestamp(moments["pairs"] / 1000, UTC).isoformat()
    file, out = tmp_path / "own.csv", tmp_path / "sets.csv"
    file.write_text("first,second,label\na map of keys,keys in a map,1\na map of keys,a tree,0\n", "utf-8")
    flags = [str(store.root), str(file), "--as-of", then, "--out", str(out)]
    assert run(compare.main, prog="compare", args=flags) == 0
    note, _, *lines = capsys.readouterr().out.splitlines()
    assert note.startswith("note: store: Simulated labels: 11 of 33 ratings")
    assert lines[0].split() == ["pairs", "11", "11", "2"]
    table = pd.read_csv(out, index_col="dataset")
    assert table["pairs"].tolist() == [11, 11, 2]
    assert table["Fleiss’ κ"].notna().tolist() == [True, False, False]
    assert table["note"].notna().tolist() == [True, False, False]
    assert table["AUC of overlap alone"].iloc[2] == 1


def test_a_name_that_a_spreadsheet_would_run_is_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("=cmd.csv").write_text("first,second,label\na map of keys,keys in a map,1\na map of keys,a tree,0\n", "utf-8")
    assert run(compare.main, prog="compare", args=["=cmd.csv", "--out", "sets.csv"]) == 0
    assert Path("sets.csv").read_text("utf-8").splitlines()[1].startswith("'=cmd.csv,2,")


def test_a_day_that_is_none_is_one_line(campaign: Store, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(compare.main, prog="compare", args=[str(campaign.root), "--as-of", "yesterday"]) == 2
    assert "--as-of: expected a date or time" in capsys.readouterr().err
