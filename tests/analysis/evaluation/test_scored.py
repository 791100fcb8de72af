"""Runs of models: judged only under the split they were trained on, and only beside the labels they learnt from."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from deltalake import CommitProperties, write_deltalake

from analysis import baselines, report, splits
from data import __main__ as data_commands
from data.console.commands import run
from data.contract.tables.definitions import Cards
from data.contract.tables.labels import Labels, Splits
from data.contract.tables.models import Predictions, Runs
from data.contract.tables.pairs import Pairs
from data.contract.tables.removals import Tombstones
from data.labelled import metrics
from data.labelled.dataset import Dataset
from data.labelled.label_set import LabelSet
from data.labelled.sources import read_store
from data.measures.rules import ScoringRule
from data.models.runs import record
from data.storage.manifest import Manifest
from data.storage.store import Store

pytestmark = pytest.mark.sweep


def split(store: Store, scheme: str = "by-entity", seed: int = 3) -> None:
    rule = splits.SplitRule(shares=(40, 30, 30), seed=seed)
    splits.main(splits.Arguments(store=store.root, scheme=scheme, rule=rule))


def train(store: Store, *flags: object) -> int:
    args = ["--store", str(store.root), "--models", "jaccard", "all_positive", *map(str, flags)]
    return run(baselines.main, prog="baselines", args=args)


def show(store: Store, out: Path, *flags: str) -> dict[str, Any]:
    assert run(report.main, prog="report", args=["--store", str(store.root), "--out", str(out), *flags]) == 0
    return json.loads((out / "report.json").read_text(encoding="utf-8"))


def models(found: dict[str, Any]) -> set[str]:
    return {row["model"] for row in found["figures"]["baselines"]["value"] or []}


def test_a_report_of_another_split_shows_no_model_and_says_so(campaign: Store, tmp_path: Path) -> None:
    split(campaign)
    assert train(campaign) == 0
    split(campaign, "other", seed=5)
    assert models(show(campaign, tmp_path / "ours")) == {"jaccard", "all_positive"}
    found = show(campaign, tmp_path / "other", "--scheme", "other")
    assert models(found) == set()
    assert "2 runs of models are left out: 2 trained on the split 'by-entity'. " in found["notices"][-1]
    assert "--scheme other` trains models on the split shown." in found["notices"][-1]


def test_models_trained_on_another_campaign_s_labels_are_left_out(campaign: Store, tmp_path: Path) -> None:
    split(campaign)
    assert train(campaign) == 0
    labels = campaign.read(Labels).assign(method="dawid-skene")
    campaign.replace(Labels, labels, Manifest(stage="test"), campaign="main", method="dawid-skene")
    found = show(campaign, tmp_path, "--method", "dawid-skene")
    assert models(found) == set()
    assert "2 trained on labels by the method 'majority'" in found["notices"][-1]
    assert train(campaign, "--method", "dawid-skene") == 0
    assert models(show(campaign, tmp_path / "again", "--method", "dawid-skene")) == {"jaccard", "all_positive"}
    assert len(campaign.read(Runs)) == 4


def test_a_run_is_left_out_once_its_split_is_dealt_again(campaign: Store, tmp_path: Path) -> None:
    split(campaign)
    assert train(campaign) == 0
    split(campaign, seed=4)
    assert set(campaign.read(Splits)["scheme"]) == {"by-entity"}
    found = show(campaign, tmp_path / "dealt")
    assert models(found) == set()
    assert "2 trained before" in found["notices"][-1]
    assert train(campaign) == 0
    assert models(show(campaign, tmp_path / "again")) == {"jaccard", "all_positive"}


def test_a_run_says_what_it_was_trained_on_and_the_same_run_is_stored_once(campaign: Store) -> None:
    split(campaign)
    assert train(campaign) == 0
    before = campaign.read(Runs)
    assert train(campaign) == 0
    runs = campaign.read(Runs)
    assert runs.equals(before)
    frame = campaign.read(Splits).merge(campaign.read(Labels), on="pair_id")
    rows = runs.set_index("model").loc["baseline:jaccard"]
    assert ([*rows["campaigns"]], rows["method"], rows["scheme"]) == (["main"], "majority", "by-entity")
    assert (rows["n_train"], rows["n_validation"]) == tuple(
        (frame["split"] == name).sum() for name in ("train", "validation")
    )
    assert list(rows["generators"]) == ["paper"]
    assert pd.isna(rows["artefact"])
    assert pd.isna(rows["artefact_sha256"])
    assert set(campaign.read(Predictions)["run_id"]) == set(runs["run_id"])


def test_runs_of_several_seeds_are_one_model_with_mean_and_spread(campaign: Store, tmp_path: Path) -> None:
    split(campaign)
    pairs = campaign.read(Labels)["pair_id"]
    scores = {seed: np.random.default_rng(seed).random(len(pairs)) for seed in (1, 2, 3)}
    for seed in (3, 1, 2, 1):
        row = {"model": "mine", "seed": seed, "campaigns": ["main"], "method": "majority", "scheme": "by-entity"}
        record(campaign, row, pd.Series(scores[seed], pairs), "test")
    found = show(campaign, tmp_path / "all")
    assert len(campaign.read(Runs)) == 3, "the same run of a seed is stored once"
    rows = [
        row for row in found["figures"]["baselines"]["value"] if row["rule"] == "accuracy" and row["split"] == "test"
    ]
    assert [(row["model"], row["runs"]) for row in rows] == [("mine", 3)]
    each = [metrics.evaluate(_labelled(campaign), [scores[seed]], ("accuracy",), ScoringRule())[-1] for seed in scores]
    assert rows[0]["accuracy"]["value"] == pytest.approx(np.mean([row["accuracy"]["value"] for row in each]))
    assert rows[0]["accuracy"]["spread"] == pytest.approx(np.std([row["accuracy"]["value"] for row in each], ddof=1))
    assert rows[0]["auc"] == pytest.approx(np.mean([row["auc"] for row in each]))
    assert [row["accuracy"]["spread"] for row in each] == [None] * 3
    assert "3 seeds: mean, ± standard deviation" in (tmp_path / "all" / "report.html").read_text("utf-8")
    assert "earlier run" not in " ".join(found["notices"])
    record(campaign, row | {"file": "another"}, pd.Series(scores[2], pairs), "test")
    later = show(campaign, tmp_path / "later")
    assert "1 earlier run of a model with the same seed is not shown" in later["notices"][-1]


def _labelled(store: Store) -> Dataset:
    return read_store(store, LabelSet())


def test_scores_from_a_file_are_a_run_and_the_last_file_counts(campaign: Store, tmp_path: Path) -> None:
    split(campaign)
    pairs = campaign.read(Labels)["pair_id"]
    file = tmp_path / "mine.tsv"
    seen = []
    for scores in (range(len(pairs)), range(len(pairs), 0, -1), range(len(pairs))):
        file.write_text("".join(f"{pair}\t{score}\n" for pair, score in zip(pairs, scores, strict=True)), "utf-8")
        assert train(campaign, "--predictions", file) == 0
        runs = campaign.read(Runs)
        assert runs[runs["model"] == "mine"]["n_train"].isna().all()
        rows = show(campaign, tmp_path / "out")["figures"]["baselines"]["value"]
        seen.append([(row["split"], row["auc"]) for row in rows if row["model"] == "mine"])
    assert len(runs) == 5
    assert seen[0] == seen[2] != seen[1]


def write_old_predictions(store: Store) -> None:
    """Write predictions as earlier versions did, with the key model, seed, pair_id."""
    pairs = store.read(Pairs)["pair_id"]
    rows = pd.DataFrame({"model": "baseline:jaccard", "seed": 1, "pair_id": pairs, "score": 0.5})
    manifest = Manifest(stage="analysis.baselines").to_json({"model": "baseline:jaccard", "seed": 1})
    properties = CommitProperties(custom_metadata={"parade": manifest})
    write_deltalake(store.path(Predictions), rows, commit_properties=properties)


@pytest.mark.parametrize("command", [["pack", "OUT"], ["takedown", "CARD"]])
def test_predictions_of_an_earlier_version_are_refused_in_one_line(
    command: list[str], campaign: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_old_predictions(campaign)
    own = {"OUT": str(tmp_path / "store.tar.gz"), "CARD": campaign.read(Cards)["card_id"][0]}
    args = [*(own.get(word, word) for word in command), "--store", str(campaign.root)]
    assert data_commands.main(args) == 2
    lines = capsys.readouterr().err.splitlines()
    assert lines == [
        "error: predictions: expected the column run_id, found none in version 0: another release of this project "
        "wrote it; run the command that writes this table again"
    ]
    assert not (tmp_path / "store.tar.gz").exists()
    assert campaign.read(Tombstones).empty, "a takedown that cannot be completed is not begun"


def test_intervals_in_the_report_of_a_store_are_over_groups_by_the_synonyms_of_its_split(
    campaign: Store, tmp_path: Path
) -> None:
    names = tmp_path / "synonyms.txt"
    names.write_text("data structure, hash table\nfile system, graph theory, web browser\n", "utf-8")
    rule = splits.SplitRule(shares=(50, 0, 50))
    splits.main(splits.Arguments(store=campaign.root, synonyms=names, rule=rule))
    assert train(campaign) == 0
    rows = show(campaign, tmp_path / "out")["figures"]["baselines"]["value"]
    assert {row["split"] for row in rows} == {"test"}
    limits = {(row["accuracy"]["low"], row["accuracy"]["high"]) for row in rows}
    assert limits == {(0.0, 1.0)}, "the pairs of test are one group, which says nothing of others"
