"""Pairs of your own: read from a file, they go the way of all pairs, to a release."""

from pathlib import Path

import pandas as pd
import pytest

from data.contract.tables.campaign import Assignments
from data.contract.tables.pairs import Pairs
from data.guidance.next_steps import next_steps
from data.storage.store import Store
from tests.campaign import ROOT, in_this_process

FILE = ROOT / "demo" / "pairs.csv"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PARADE_STORE", raising=False)
    return tmp_path


def ask(command: str) -> str:
    code, out, err = in_this_process(f"python -m {command}")
    assert code == 0, err
    return out


@pytest.mark.sweep
def test_pairs_of_a_file_are_read_once_and_reach_a_release(place: Path) -> None:
    assert "10 pairs of `own` written" in ask(f"clustering read {FILE}")
    assert "up to date" in ask(f"clustering read {FILE}")
    store = Store(place / "data" / "store")
    pairs = store.read(Pairs)
    assert pairs["overlap"].between(0, 1).all()
    assert pairs["entity"].isna().all()
    asked = "python -m annotation plan --annotators N --question same-meaning"
    assert [step.partition(" --store")[0] for step in next_steps(store, generator="own")] == [asked]
    ask("annotation plan --annotators 5 --question same-meaning")
    planned = store.read(Assignments)
    texts = planned.merge(pd.read_csv(FILE).reset_index().merge(pairs, on=["first", "second"]), on="pair_id")
    rated = texts[["assignment_id"]].assign(same_meaning=texts["index"].mod(2).map({0: "yes", 1: "no"}))
    rated.assign(submitted_at="2026-01-05T10:00:00Z").to_csv("ratings.csv", index=False)
    ask("annotation collect --file ratings.csv")
    assert "10 labels by majority: 5 yes" in ask("annotation adjudicate")
    ask("analysis.splits")
    ask('analysis.release own-set --permission "unknown=our own writing"')
    ask("analysis.verify own-set")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("first,second\na,\n", "pairs.csv: expected a row with two texts, found none; fill both columns"),
        ("left,right\na,b\n", "found left right; name them first and second"),
    ],
)
def test_other_files_are_refused_in_one_line(place: Path, content: str, said: str) -> None:
    (place / "pairs.csv").write_text(content, encoding="utf-8")
    code, _, err = in_this_process("python -m clustering read pairs.csv")
    assert (code, said in err, err.count("\n")) == (2, True, 1), err


def test_a_spreadsheet_with_semicolons_is_read(place: Path) -> None:
    (place / "pairs.csv").write_bytes(b"\xef\xbb\xbffirst;second\r\na cat, or two;a dog\r\n")
    assert "1 pair of `own` written" in ask("clustering read pairs.csv")
    assert Store(place / "data" / "store").read(Pairs)["first"].tolist() == ["a cat, or two"]


def test_pairs_of_another_command_are_not_replaced(place: Path) -> None:
    ask(f"clustering read {FILE} --generator mine")
    (place / "one.csv").write_text("first,second\na cat,a dog\n", encoding="utf-8")
    assert "1 pair of `mine` written" in ask("clustering read one.csv --generator mine")
