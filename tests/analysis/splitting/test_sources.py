"""Splits dealt on the fly: by the synonyms of a release, and shown by the report."""

import json
import shutil
from pathlib import Path

import pytest

from analysis import report
from data.console.commands import run
from data.labelled.label_set import LabelSet
from data.labelled.sources import open_dataset

SYNONYMS = {
    "data structure": "data structure", "hash table": "data structure",
    "file system": "file system", "graph theory": "file system", "web browser": "file system",
}  # fmt: skip
DEALT = LabelSet(scheme="by-entity")


@pytest.fixture
def release(released_folder: Path, tmp_path: Path) -> Path:
    """A release whose five entities are two by its synonyms."""
    folder = shutil.copytree(released_folder, tmp_path / "release")
    file = folder / "statements.json"
    content = json.loads(file.read_text("utf-8"))
    content["release"]["synonyms"] = SYNONYMS
    file.write_text(json.dumps(content), "utf-8")
    return folder


def test_a_release_is_dealt_by_its_synonyms(release: Path) -> None:
    frame = open_dataset(release, DEALT).frame
    assert (frame.groupby(frame["entity"].map(SYNONYMS))["split"].nunique() == 1).all()


@pytest.mark.sweep
def test_a_report_shows_the_new_splits_of_a_data_set(release: Path, tmp_path: Path) -> None:
    flags = ["--dataset", str(release), "--scheme", "by-entity", "--out", str(tmp_path / "out")]
    assert run(report.main, prog="report", args=flags) == 0
    shown = json.loads((tmp_path / "out" / "report.json").read_text("utf-8"))["figures"]["splits"]["value"]
    dealt, published = (
        open_dataset(release, label_set).frame["split"].value_counts().to_dict() for label_set in (DEALT, LabelSet())
    )
    assert {name: split["pairs"] for name, split in shown.items() if split["pairs"]} == dealt != published
