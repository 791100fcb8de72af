"""The page of results: the papers' figures beside ours, and what each row without ours needs."""

import tomllib

import pytest

from studies.results import results
from tests.campaign import ROOT

TABLE = {
    "title": "A table",
    "about": "On the same pairs.",
    "dataset": "small",
    "rule": "half",
    "columns": ["accuracy", "pr_auc"],
    "rows": [
        {"name": "ESIM", "printed": [0.595, 0.6], "ours": "esim", "needs": ""},
        {"name": "BERT", "printed": [0.729, 0.7], "ours": "", "needs": "weights"},
    ],
}
FIGURE = {"value": 0.7, "low": 0.65, "high": 0.75, "spread": 0.01}
ESIM = {
    "name": "esim",
    "seeds": [1, 2],
    "half": {"accuracy": FIGURE},
    "stored": {"auc": FIGURE, "f1": FIGURE},
    "calibration": {"pr_auc": 0.61},
    "seconds": 1234.4,
    "memory_mb": None,
}
LEAD = {"value": -0.1, "low": -0.2, "high": 0.05}


def test_a_row_shows_ours_or_what_it_needs() -> None:
    lines = results.render(TABLE, {"models": [ESIM]}).splitlines()
    assert lines[-2] == "| ESIM | 0.595 | 0.600 | 0.700 [0.650, 0.750] ± 0.010 | 0.610 | `esim`, 2 seeds |"
    assert lines[-1] == "| BERT | 0.729 | 0.700 | – | – | needs weights |"


def test_a_table_without_ours_has_no_columns_of_ours() -> None:
    lines = results.render(TABLE, None).splitlines()
    assert lines[4] == "|  | printed: accuracy | printed: pr_auc | needs |"
    assert lines[-1] == "| BERT | 0.729 | 0.700 | weights |"


def test_what_was_trained_is_shown_with_its_command_and_its_lead() -> None:
    leads = {"stored": [{"first": "overlap features", "second": "esim", "auc": LEAD, "f1": LEAD}]}
    judged = {"n": 9, "models": [ESIM], "leads": leads, "ceiling": None}
    line = results.render_costs("small", judged, {("small", "esim"): "esim --epochs 5"}).splitlines()[-1]
    assert line.startswith("| `esim` | `esim --epochs 5` | 1 2 | 0.700 [0.650, 0.750] ± 0.010 |")
    assert line.endswith("| +0.100 [-0.050, +0.200] | +0.100 [-0.050, +0.200] | 1,234 | – |")


@pytest.mark.parametrize("mark", results.MARKS)
def test_the_page_has_its_marks(mark: str) -> None:
    assert (ROOT / "docs" / "results.md").read_text("utf-8").count(mark) == 1


def test_every_model_of_the_tables_is_in_the_bench_or_the_floor() -> None:
    tables = tomllib.loads(results.PUBLISHED.read_text("utf-8"))["tables"]
    bench = tomllib.loads((ROOT / "studies" / "results" / "results.toml").read_text("utf-8"))["models"]
    for table in tables:
        for row in table["rows"]:
            assert len(row["printed"]) in (0, len(table["columns"])), row["name"]
            assert row["ours"] in {"", results.FLOOR, "decatt-bilstm", *bench}, row["name"]
            assert row["needs"] or row["ours"] == results.FLOOR or row["ours"] in bench, row["name"]
