"""The command robustness: attempts and scores of a store -> a page and JSON."""

import json
import shutil
from pathlib import Path

import pandas as pd
import pytest

from analysis import baselines, report, robustness
from data.console.commands import run
from data.contract.tables.attacks import Attacks
from data.contract.tables.labels import Labels, Splits
from data.contract.tables.models import Runs
from data.contract.tables.pairs import Pairs
from data.models.runs import record
from data.storage.manifest import Manifest
from data.storage.store import Store
from tests.data.labelled.test_robustness import attempt, edit

MADE = Manifest(stage="test")


def call(*words: object) -> int:
    return run(robustness.main, prog="python -m analysis.robustness", args=[str(word) for word in words])


@pytest.fixture
def attacked(store: Store) -> Store:
    """A store with three attempts, the pairs they made, their labels and the model's scores."""
    edits = (edit("tree", "tree", "<b>"),)
    rows = pd.DataFrame([attempt(1, "fooled", 1, edits), attempt(1, "limit", 1, edits), attempt(0, "stuck")])
    rows = rows.assign(original_id=list("abc"), pair_id=["x", "y", None], parents=[["a"], ["b"], ["c", "d"]])
    rows = rows.assign(threshold=0.5, target_sha256="1", mlm_sha256="2")
    rows["new_first"] = "old <b> here"
    sizes = {"steps": 5, "beam": 4, "words": 3, "occurrences": "all", "guards": ["speech", "names"], "long_from": None}
    sizes |= {"refine": True, "places": None, "vocabulary": "data"}
    store.replace(Attacks, rows, Manifest(stage="test", config={"settings": sizes}), attack="a")
    pairs = pd.DataFrame({"pair_id": list("abcxy"), "selection": ["original"] * 3 + ["fooled", "resisted"]})
    pairs = pairs.assign(first_id="1", second_id="2", first="s", second="t", rank=0, parents=[[]] * 5, generator="a")
    pairs = pairs.assign(entity=None, cluster=None, similarity=None, overlap=None)
    store.replace(Pairs, pairs, MADE, generator="a")
    store.replace(Pairs, pairs.assign(generator="judged", sample_of="a"), MADE, generator="judged")
    labels = pd.DataFrame({"pair_id": list("abcxy"), "binary": [1, 1, 0, 1, 1]}).assign(
        campaign="main", method="inherited", control=None, value=None, votes=0, n_votes=0, scores=[[]] * 5,
        posterior=None, stratum="unanimous", decided_by="shared-words",
    )  # fmt: skip
    store.replace(Labels, labels, MADE, campaign="main", method="inherited")
    splits = pairs[["pair_id"]].assign(scheme="by-entity", split="test", group="g")
    store.replace(Splits, splits, MADE, scheme="by-entity")
    model = {
        "model": "m",
        "seed": 1,
        "campaigns": ["main"],
        "method": "inherited",
        "scheme": "by-entity",
        "threshold": 0.5,
    }
    record(store, model, pd.Series([0.9, 0.9, 0.1, 0.2, 0.8], index=list("abcxy")), "test")
    return store


def test_the_page_shows_attacks_and_sets(attacked: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call("--store", attacked.root, "--out", tmp_path / "out") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "attack a on t, words by m"
    sizes = "S 5, B 4, K 3, all places, words of the data, occurrences: all"
    assert lines[1] == f"  {sizes}; guards: speech, names; refined"
    assert any(line.startswith("  paraphrase") and "1.000 [" in line and "0.500 [" in line for line in lines)
    assert any(line.startswith("a (originals)") and "1.000" in line for line in lines)
    content = json.loads((tmp_path / "out" / "robustness.json").read_text("utf-8"))
    assert [row["set"] for row in content["sets"]] == ["a", "a (originals)"]
    page = (tmp_path / "out" / "robustness.html").read_text("utf-8")
    assert "<del>tree</del> <ins>&lt;b&gt;</ins>" in page
    assert "<ins><b>" not in page
    assert "the model says paraphrase from 0.50 on" in page
    assert "guards: speech, names; refined." in page


def test_originals_stay_originals_whatever_the_attack_is_called(
    attacked: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pairs = attacked.read(Pairs, generator="a")
    others = pairs.head(2).assign(generator="peer-review", selection="random")
    attacked.replace(Pairs, others, MADE, generator="peer-review")
    judged = pd.DataFrame({"pair_id": [*"abcxy", "z"], "binary": [1, 0, 0, 1, 1, 1]}).assign(
        campaign="review", method="majority", control=None, value=None, votes=0, n_votes=3, scores=[[]] * 6,
        posterior=None, stratum="unanimous", decided_by="majority",
    )  # fmt: skip
    attacked.replace(Labels, judged, MADE, campaign="review", method="majority")
    assert call("--store", attacked.root, "--out", tmp_path, "--review", "review") == 0
    out = capsys.readouterr().out
    assert "not shown: 1 judged pair of no attack's review, or without a label that it inherited" in out
    shown = json.loads((tmp_path / "robustness.json").read_text("utf-8"))
    assert {row["set"] for row in shown["sets"]} == {"a", "a (originals)", "peer-review"}
    rows = shown["review"]
    found = {(row["label"], row["kind"]): (row["n"], row["kept"]["value"]) for row in rows}
    assert found == {
        ("paraphrase", "original"): (2, 0.5),
        ("paraphrase", "modified"): (2, 1.0),
        ("no paraphrase", "original"): (1, 1.0),
    }


def test_a_set_of_one_group_with_every_pair_right_says_nothing(attacked: Store, tmp_path: Path) -> None:
    assert call("--store", attacked.root, "--out", tmp_path) == 0
    sets = json.loads((tmp_path / "robustness.json").read_text("utf-8"))["sets"]
    (originals,) = (row for row in sets if row["set"] == "a (originals)")
    assert originals["accuracy"]["value"] == originals["accuracy"]["high"] == 1
    assert (originals["n_groups"], originals["accuracy"]["low"]) == (1, 0)


@pytest.mark.sweep
def test_the_report_has_a_section_of_the_attacks_on_its_pairs(attacked: Store, tmp_path: Path) -> None:
    words = ["--store", str(attacked.root), "--method", "inherited", "--out", str(tmp_path)]
    assert run(report.main, prog="python -m analysis.report", args=words) == 0
    figure = json.loads((tmp_path / "report.json").read_text("utf-8"))["figures"]["attacks"]
    (attack,) = figure["value"]
    assert (attack["name"], attack["target"]) == ("a", "t")
    assert [(row["label"], row["n"], row["after"]["value"]) for row in attack["rows"]] == [
        ("paraphrase", 2, 0.5), ("no paraphrase", 1, 1.0), ("both", 3, 2 / 3)
    ]  # fmt: skip
    assert '<section id="attacks">' in (tmp_path / "report.html").read_text("utf-8")
    attacked.replace(Attacks, attacked.read(Attacks).assign(parents=[["elsewhere"]] * 3), MADE, attack="a")
    assert run(report.main, prog="python -m analysis.report", args=words) == 0
    assert "attacks" not in json.loads((tmp_path / "report.json").read_text("utf-8"))["figures"]


def test_originals_without_an_answer_are_neither_right_nor_wrong(
    attacked: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = attacked.read(Attacks)
    silent = rows.assign(original_id=rows["original_id"] + "2", outcome="budget", pair_id=None, score_before=None)
    attacked.replace(Attacks, pd.concat([rows, silent]), MADE, attack="a")
    assert call("--store", attacked.root, "--out", tmp_path) == 0
    assert "  not among them: 3 originals that the model gave no answer to" in capsys.readouterr().out
    (attack,) = json.loads((tmp_path / "robustness.json").read_text("utf-8"))["attacks"]
    assert [row["n"] for row in attack["rows"]] == [2, 1, 3]
    page = (tmp_path / "robustness.html").read_text("utf-8")
    assert "Not among the pairs: 3 that the model gave no answer to. Paraphrase: " in page


def test_a_store_without_attempts_or_scores_says_what_to_run(store: Store, capsys: pytest.CaptureFixture[str]) -> None:
    assert call("--store", store.root) == 2
    assert "run `python -m identification attack` first" in capsys.readouterr().err


@pytest.mark.sweep
def test_a_run_that_is_not_the_latest_can_be_named(
    attacked: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = attacked.read(Runs).iloc[0][["model", "campaigns", "method", "scheme", "threshold"]].to_dict()
    record(attacked, model | {"seed": 2}, pd.Series([0.1], index=["a"]), "test")
    assert call("--store", attacked.root, "--out", tmp_path) == 0
    out = capsys.readouterr().out
    assert "m has 2 runs; taken: m, seed 2, of " in out
    assert "(--models 'm, seed 1')" in out
    assert call("--store", attacked.root, "--out", tmp_path, "--models", "m, seed 1", "m, seed 2") == 0
    assert "m has 2 runs" not in capsys.readouterr().out
    sets = json.loads((tmp_path / "robustness.json").read_text("utf-8"))["sets"]
    accuracies = {(row["set"], row["model"]): row["accuracy"]["value"] for row in sets}
    assert accuracies[("a (originals)", "m, seed 1")] == 1
    assert accuracies[("a (originals)", "m, seed 2")] == 0
    assert call("--store", attacked.root, "--models", "m, seed 3") == 2
    assert "expected one of m; m, seed 1; m, seed 2, or a run_id, found 'm, seed 3'" in capsys.readouterr().err


def test_scores_without_an_attack_are_shown_under_the_warning_of_simulated_labels(
    ready: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = Store(shutil.copytree(ready.root, tmp_path / "store"))
    baselines.main(baselines.Arguments(dataset=store.root, models=("jaccard",)))
    capsys.readouterr()
    assert call("--store", store.root, "--out", tmp_path / "out") == 0
    assert "paper" in capsys.readouterr().out
    warning = "Simulated labels: 11 of 33 ratings were made by 1 simulated annotator."
    assert warning in (tmp_path / "out" / "robustness.html").read_text("utf-8")
    assert warning in json.loads((tmp_path / "out" / "robustness.json").read_text("utf-8"))["simulated"]


def test_a_run_without_a_threshold_is_cut_where_baselines_cuts_it(attacked: Store, tmp_path: Path) -> None:
    splits = pd.DataFrame({"pair_id": list("abcxy"), "split": ["validation"] * 3 + ["test"] * 2})
    attacked.replace(Splits, splits.assign(scheme="by-entity", group="g"), MADE, scheme="by-entity")
    model = {"model": "low", "seed": 1, "campaigns": ["main"], "method": "inherited", "scheme": "by-entity"}
    record(attacked, model | {"threshold": None}, pd.Series([0.3, 0.3, 0.1, 0.3, 0.3], index=list("abcxy")), "test")
    assert call("--store", attacked.root, "--out", tmp_path, "--models", "low") == 0
    rows = json.loads((tmp_path / "robustness.json").read_text("utf-8"))["sets"]
    assert {row["accuracy"]["value"] for row in rows} == {1.0}
