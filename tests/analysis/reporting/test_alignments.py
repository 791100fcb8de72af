"""Files of alignments as a figure of the report."""

import json
from pathlib import Path

import pytest

from analysis import report
from data.console.commands import run
from data.console.errors import InputError
from data.contract.tables.labels import Labels
from data.models import alignments
from data.models.alignments import Alignment
from data.storage.store import Store


def show(store: Store, out: Path, *files: Path) -> int:
    flags = ["--store", str(store.root), "--out", str(out), "--alignments", *map(str, files)]
    return run(report.main, prog="report", args=flags)


@pytest.mark.sweep
def test_what_a_model_aligns_is_drawn(campaign: Store, tmp_path: Path) -> None:
    pair = campaign.read(Labels)["pair_id"][0]
    words = ["keys", "<b>"], ["keys", "buckets", "$x$"]
    cells = [[0.75, 0.25, 0.0], [0.0, 0.625, 0.0]]
    read = [
        Alignment(pair_id=pair, score=0.9, first=words[0], second=words[1], cells=cells),
        Alignment(pair_id=pair, score=0.25, first=words[0], second=["lone"], effects=[[0.125, -0.5], [None]]),
    ]
    alignments.write(tmp_path / "read.json", "models/decatt", read)
    assert alignments.read(tmp_path / "read.json") == ("models/decatt", read)
    assert show(campaign, tmp_path / "out", tmp_path / "read.json") == 0
    figure = json.loads((tmp_path / "out" / "report.json").read_text("utf-8"))["figures"]["alignments"]["value"]
    assert [one["strongest"] for one in figure] == [
        "<b> – buckets 0.625; keys – buckets 0.250; keys – $x$ 0.000; <b> – keys 0.000; <b> – $x$ 0.000",
        "<b> -0.500; keys +0.125",
    ]
    page = (tmp_path / "out" / "report.html").read_text("utf-8")
    assert "How models read pairs" in page
    assert "<b> – buckets" not in page
    for number in (1, 2):
        assert "keys" in (tmp_path / "out" / "figures" / f"alignment-{number}.svg").read_text("utf-8")


@pytest.mark.sweep
def test_pairs_of_another_data_set_are_refused(
    campaign: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    read = [Alignment(pair_id="other", score=0.9, first=["a"], second=["b"], cells=[[1.0]])]
    alignments.write(tmp_path / "read.json", "m", read)
    assert show(campaign, tmp_path / "out", tmp_path / "read.json") == 2
    assert "expected pairs of the data set that is shown, found the pair other" in capsys.readouterr().err


@pytest.mark.parametrize(
    "content",
    ["", "[]", "{}", '{"format": "x", "model": "m", "pairs": []}',
     '{"format": "parade-alignments/1", "model": "m", "pairs": [{"pair_id": "p", "score": 1, "first": ["a"], '
     '"second": ["b"], "cells": [[1, 2]]}]}'],
)  # fmt: skip
def test_other_files_are_refused_in_one_line(content: str, tmp_path: Path) -> None:
    (tmp_path / "file.json").write_text(content)
    with pytest.raises(InputError, match="what `python -m identification align` writes"):
        alignments.read(tmp_path / "file.json")
