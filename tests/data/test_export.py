"""What leaves the store is harmless: no formula for a spreadsheet, no escape for a terminal."""

import csv
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.console.errors import InputError
from data.console.messages import say
from data.contract.tables.removals import Rejects
from data.files.spreadsheet_cells import guard, unguard
from data.guidance.commands.export import Arguments as Export
from data.guidance.commands.export import main as write_table
from data.storage.manifest import Manifest
from data.storage.store import Store

FORMULAS = ['=HYPERLINK("http://example.invalid")', "+1", "-1+1|cmd", "@SUM(A1)", "\t=1", "2 = 2", "a-b"]


def test_a_spreadsheet_runs_nothing(store: Store, tmp_path: Path) -> None:
    rows = pd.DataFrame({"id": [str(n) for n in range(len(FORMULAS))], "reason": "x", "detail": FORMULAS})
    store.reject("a stage", rows, Manifest(stage="a stage"))
    for ending, separator in ((".csv", ","), (".tsv", "\t")):
        out = tmp_path / f"rejects{ending}"
        write_table(Export(table="rejects", out=out, store=store.root))
        with out.open(encoding="utf-8", newline="") as file:
            details = [row["detail"] for row in csv.DictReader(file, delimiter=separator)]
        assert details == [f"'{text}" if text[0] in "=+-@\t" and text != "+1" else text for text in FORMULAS]
    write_table(Export(table="rejects", out=tmp_path / "rejects.parquet", store=store.root))
    assert pd.read_parquet(tmp_path / "rejects.parquet")["detail"].tolist() == FORMULAS
    assert Rejects.table_name() == "rejects"


@given(st.lists(st.text(alphabet="='+-@\tab1.", max_size=5)))
def test_guarded_cells_never_run_and_come_back_as_they_were(texts: list[str]) -> None:
    column = pd.Series(texts, dtype="str")
    safe = guard(column)
    for one in safe[safe.str.match(r"[=+\-@\t\r]")]:
        assert float(one) is not None  # a plain number is no formula
    assert unguard(safe).tolist() == texts


def test_numbers_stay_numbers_and_only_what_would_run_is_touched() -> None:
    texts = ["-0.25", "+3", "1e-5", "-1-1", "-", "- a list of keys", "a - b", "'quoted'", "'=x", "=1+1", "@x"]
    touched = ["-1-1", "-", "- a list of keys", "'=x", "=1+1", "@x"]
    column = pd.Series(texts, dtype="str")
    assert column[guard(column) != column].tolist() == touched


def test_a_terminal_obeys_no_text(capsys: pytest.CaptureFixture[str]) -> None:
    say("front \x1b[2J\x07 and \u202egnirts, tab\there")
    assert capsys.readouterr().out == "front \ufffd[2J\ufffd and \ufffdgnirts, tab\there\n"


def test_only_ratings_and_pairs_are_joined(store: Store, tmp_path: Path) -> None:
    write_table(Export(table="ratings", out=tmp_path / "ratings.csv", joined=True, store=store.root))
    first = (tmp_path / "ratings.csv").read_text()
    assert first.startswith("campaign,round,annotator,role,score,others,pair_id,entity,first,second")
    with pytest.raises(InputError, match="--joined"):
        write_table(Export(table="cards", out=tmp_path / "cards.csv", joined=True, store=store.root))
