"""Baselines: the reference's figures on the published split, laws of the measures, any model's scores, bad input."""

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics

from analysis import baselines, splits
from analysis.evaluation.baselines import MODELS
from analysis.statistics import lexical
from data.console.commands import run
from data.contract.tables.labels import Labels
from data.contract.tables.models import Predictions, Runs
from data.labelled import features, sources
from data.labelled import metrics as scoring
from data.labelled.dataset import COLUMNS, INTEGERS, Dataset, no_parents
from data.labelled.label_set import LabelSet
from data.measures.rules import ScoringRule
from data.storage.store import Store
from tests.reference_words import full_stops_at_their_words

QUICK = [name for name in MODELS if name != "word2vec"]
FEW = ScoringRule(resamples=50)


def call(*flags: object) -> int:
    return run(baselines.main, prog="baselines", args=["--dataset", *(str(flag) for flag in flags)])


@pytest.fixture(scope="module")
def published(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], Any]:
    """The test rows of the published data set by model and rule, with words as the reference counts them."""
    with full_stops_at_their_words():
        return judge(shared_data, QUICK, tmp_path_factory.mktemp("baselines") / "found.json")


def judge(shared_data: Path, models: list[str], file: Path) -> dict[tuple[str, str], Any]:
    assert call(shared_data / "parade", "--models", *models, "--resamples", "100", "--json", file) == 0
    found = json.loads(file.read_text(encoding="utf-8"))
    return {(row["model"], row["rule"]): row for row in found["rows"] if row["split"] == "test"}


@pytest.mark.sweep
def test_figures_of_the_published_split_with_full_stops_apart(shared_data: Path, tmp_path: Path) -> None:
    found = judge(shared_data, ["jaccard", "logistic_regression"], tmp_path / "found.json")
    reached = {
        key: [row["threshold"], *(round(row[name]["value"], 3) for name in ("accuracy", "f1"))]
        for key, row in found.items()
    }
    assert reached["jaccard", "accuracy"] == [0.26, 0.71, 0.631]
    assert reached["jaccard", "f1"] == [0.13, 0.671, 0.686]
    assert reached["logistic_regression", "half"][1:] == [0.742, 0.706]
    assert reached["logistic_regression", "f1"][1:] == [0.697, 0.702]


@pytest.mark.sweep
def test_the_published_split_gives_the_reference_s_figures(published: dict[tuple[str, str], Any]) -> None:
    def reached(model: str, rule: str) -> list[float]:
        return [round(published[model, rule][name]["value"], 3) for name in ("accuracy", "f1")]

    assert reached("all_positive", "half") == [0.479, 0.648]
    assert (published["jaccard", "accuracy"]["threshold"], reached("jaccard", "accuracy")) == (0.21, [0.712, 0.665])
    assert (published["jaccard", "f1"]["threshold"], reached("jaccard", "f1")) == (0.13, [0.674, 0.687])
    assert np.all(np.array(reached("logistic_regression", "half")) >= [0.728, 0.684])
    assert np.all(np.array(reached("logistic_regression", "f1")) >= [0.704, 0.698])
    strata = published["logistic_regression", "half"]["strata"]
    assert strata["unanimous"]["accuracy"] >= 0.90
    assert strata["divided"]["accuracy"] == pytest.approx(0.60, abs=0.03)


def test_controls_that_see_too_little_fail(published: dict[tuple[str, str], Any]) -> None:
    controls = {name for name, model in MODELS.items() if model.must_fail}
    assert controls == {"definition_only", "entity_only", "length_only"}
    for name in controls:
        assert published[name, "half"]["auc"] < 0.62
        assert published[name, "half"]["mcc"]["low"] < 0.06


@pytest.mark.sweep
def test_pairs_without_an_entity_are_a_data_set_too(shared_data: Path, tmp_path: Path) -> None:
    file = tmp_path / "found.json"
    flags = ["--models", "all_positive", "jaccard", "entity_only", "--resamples", "20", "--json", file]
    assert call(shared_data / "paraphrase" / "mrpc", *flags) == 0
    rows = json.loads(file.read_text(encoding="utf-8"))["rows"]
    assert {row["model"] for row in rows} == {"all_positive", "jaccard"}
    assert round(rows[0]["accuracy"]["value"], 3) == 0.665


def small(n: int = 24) -> Dataset:
    """A data set with all three splits, in which overlap tells the label."""
    rows = []
    for place in range(n):
        shared = "sorted table of keys" if place % 2 else "green trees by rivers"
        rows.append((f"topic {place // 2}", f"{shared} {place}", f"sorted table of keys number {place}", place % 2))
    frame = pd.DataFrame(rows, columns=["entity", "first", "second", "binary"])
    ids = frame.index.astype("str")
    frame = frame.assign(second_entity=None, pair_id="p" + ids, first_id="a" + ids, second_id="b" + ids)
    frame["split"] = [("train", "train", "validation", "test")[place // 2 % 4] for place in range(n)]
    frame = frame.assign(votes=3 * frame["binary"], n_votes=3, parents=no_parents(n))
    return Dataset(frame[COLUMNS].astype(INTEGERS))


@pytest.mark.parametrize("name", list(MODELS))
def test_every_model_scores_every_pair_the_same_way_twice_and_never_sees_a_label_of_the_test(name: str) -> None:
    pairs = small()
    scores = MODELS[name].score(pairs, 1)
    assert scores.shape == (len(pairs),)
    assert ((scores >= 0) & (scores <= 1)).all()
    hidden = pairs.frame.assign(binary=pairs.frame["binary"].where(pairs.frame["split"] == "train"))
    assert np.array_equal(MODELS[name].score(Dataset(hidden), 1), scores)


TEXTS = st.lists(st.sampled_from(["a", "graph", "graphs", "of", "nodes", "x1", "…"]), max_size=6).map(" ".join)


@given(st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=8))
def test_features_do_not_depend_on_which_text_is_first(couples: list[tuple[str, str]]) -> None:
    first, second = map(list, zip(*couples, strict=True))
    found = features.describe(first, second)
    assert list(found.columns) == list(features.FEATURES)
    np.testing.assert_allclose(found, features.describe(second, first))
    assert ((found.iloc[:, :6] >= 0) & (found.iloc[:, :6] <= 1)).all(axis=None)


@given(st.lists(st.tuples(st.booleans(), st.booleans(), st.integers(0, 5)), min_size=2, max_size=40))
def test_measures_equal_scikit_learns_and_are_in_range(rows: list[tuple[bool, bool, int]]) -> None:
    label, predicted, group = (np.array(column) for column in zip(*rows, strict=True))
    found = scoring.measure(label, predicted, pd.Series(group).astype("str"), FEW)
    assert found["accuracy"]["value"] == pytest.approx(metrics.accuracy_score(label, predicted))
    for name, theirs in (("f1", metrics.f1_score), ("precision", metrics.precision_score)):
        if found[name]["value"] is not None:
            assert found[name]["value"] == pytest.approx(theirs(label, predicted, zero_division=0))
    if found["mcc"]["value"] is not None:
        assert found["mcc"]["value"] == pytest.approx(metrics.matthews_corrcoef(label, predicted))
    for value in found.values():
        assert value["low"] is None or -1 <= value["low"] <= value["high"] <= 1


def test_intervals_over_groups_are_wider_than_over_pairs_if_groups_are_homogeneous() -> None:
    label = np.repeat(np.arange(20) % 2 == 0, 20)
    predicted = np.repeat(np.arange(20) % 3 == 0, 20)
    wide = scoring.measure(label, predicted, pd.Series(np.repeat(np.arange(20), 20).astype("str")), FEW)["accuracy"]
    narrow = scoring.measure(label, predicted, pd.Series(np.arange(400).astype("str")), FEW)["accuracy"]
    assert wide["high"] - wide["low"] > 2 * (narrow["high"] - narrow["low"])


def test_strata_and_the_hard_part() -> None:
    frame, overlap = small().frame, pd.Series([0.1, 0.1, 0.5, 0.5] * 6, dtype="Float64")
    frame.loc[0, "votes"] = 1
    found = scoring.by_stratum(frame, overlap, np.ones(24, dtype=bool))
    assert found["divided"] == {"n": 1, "accuracy": 0.0}
    assert found["unanimous"]["n"] == 23
    assert found["low-overlap paraphrases"] == {"n": 6, "accuracy": 1.0}
    assert found["high-overlap non-paraphrases"] == {"n": 6, "accuracy": 0.0}
    assert found["hard"] == {"n": 12, "accuracy": 0.5}


def test_the_whole_name_of_an_entity_is_masked_whatever_separates_its_words() -> None:
    frame = small(2).frame.assign(entity=["file system", None], first=["A File-System, file systems", "file system"])
    masked = lexical.mask_entity(Dataset(frame)).frame
    assert masked["first"].tolist() == [
        "A [entity], file systems",
        "file system",
    ]


@pytest.mark.sweep
def test_scores_of_any_model_are_judged_beside_the_baselines_and_stored(campaign: Store, tmp_path: Path) -> None:
    splits.main(splits.Arguments(store=campaign.root, rule=splits.SplitRule(shares=(40, 30, 30), seed=3)))
    frame = sources.open_dataset(campaign.root, LabelSet()).frame
    file = tmp_path / "mine.tsv"
    file.write_text("".join(f"{pair}\t0.{place}\n" for place, pair in enumerate(frame["pair_id"])), encoding="utf-8")
    out = tmp_path / "found.json"
    flags = ["--models", "jaccard", "--predictions", file, "--json", out]
    assert call(campaign.root, *flags) == 0
    assert set(campaign.read(Runs)["model"]) == {"baseline:jaccard", "mine"}
    assert len(campaign.read(Predictions)) == 2 * len(frame)
    assert {row["model"] for row in json.loads(out.read_text(encoding="utf-8"))["rows"]} == {"jaccard", "mine"}


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("a\tb\tc\n", "expected two columns, found 3 columns"),
        ("PAIR\thigh\n", "line 1: expected a number as score, found 'high'"),
        ("PAIR\t1\nPAIR\t0\n", "line 2: expected each pair once"),
        ("pair_id\tscore\nnone\t1\n", "line 2: expected pairs of the data set, found 'none'"),
        ("", "expected two columns, found"),
    ],
)
def test_a_file_without_predictions_is_one_line_and_exit_code_2(
    content: str, expected: str, campaign: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    splits.main(splits.Arguments(store=campaign.root, rule=splits.SplitRule(shares=(40, 30, 30), seed=3)))
    pair = campaign.read(Labels)["pair_id"][0]
    (tmp_path / "mine.tsv").write_text(content.replace("PAIR", pair), encoding="utf-8")
    assert call(campaign.root, "--models", "jaccard", "--predictions", tmp_path / "mine.tsv") == 2
    error = capsys.readouterr().err
    assert expected in error
    assert error.count("\n") == 1


def test_an_unknown_model_and_a_train_split_with_one_label_are_one_line(
    shared_data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(shared_data / "paraphrase" / "mrpc", "--models", "bert") == 2
    assert "--models: expected all_positive jaccard" in capsys.readouterr().err
    for name in ("train", "test"):
        content = f"sentence1\tsentence2\tlabel\n{name} a\tb c\t1\n"
        (tmp_path / f"{name}.tsv").write_text(content, encoding="utf-8")
    assert call(tmp_path) == 2
    assert "found 1 decided pairs with 1 label" in capsys.readouterr().err


HOSTILE = {
    "NaN": "PAIR\tnan\n",
    "infinite": "PAIR\tinf\n",
    "too large for a number": "PAIR\t1e400\n",
    "too large to add": "PAIR\t1e308\n",
    "null": "PAIR\tNone\n",
    "complex": "PAIR\t1j\n",
    "other digits": "PAIR\t٣\n",
    "underscores": "PAIR\t1_0\n",
    "no score": "PAIR\t\n",
    "wrong id": "other\t1\n",
    "no id": "\t1\n",
    "NUL": "PAIR\x00\t1\n",
    "NUL alone": "\x00" * 1000,
    "id twice": "PAIR\t1\nPAIR\t1\n",
    "id twice apart by blank lines": "PAIR\t1\n\n\nPAIR\t1\n",
    "binary": b"\x80\x03}q\x00X\x04\xff\xfe",
    "UTF-16": "PAIR\t1\n".encode("utf-16"),
    "gzip": b"\x1f\x8b\x08\x00",
    "pickle": b"\x80\x04\x95\x00",
    "many columns": "PAIR" + "\t1" * 1_000_000 + "\n",
    "many columns later": "PAIR\t1\nx" + "\t1" * 1_000_000 + "\n",
    "one long line": "x" * 5_000_000,
    "open quote": '"PAIR\t1\nx\t2\n',
    "empty": "",
    "blank": "\n\n\n",
    "header alone": "pair_id\tscore\n",
}


@pytest.mark.parametrize("content", [pytest.param(content, id=name) for name, content in HOSTILE.items()])
def test_hostile_files_of_scores_are_one_short_line(
    content: str | bytes, ready: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pair = ready.read(Labels)["pair_id"][0]
    file = tmp_path / "mine.tsv"
    file.write_bytes(content if isinstance(content, bytes) else content.replace("PAIR", pair).encode())
    assert call(ready.root, "--models", "jaccard", "--predictions", file) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert len(error) < 600
    assert not ready.exists(Runs)


def test_a_byte_order_mark_and_blank_lines_are_no_part_of_the_scores(campaign: Store, tmp_path: Path) -> None:
    splits.main(splits.Arguments(store=campaign.root, rule=splits.SplitRule(shares=(40, 30, 30), seed=3)))
    lines = "".join(f"{pair},0.5\r\n\r\n" for pair in campaign.read(Labels)["pair_id"])
    (tmp_path / "mine.csv").write_text("\ufeffpair_id,score\r\n" + lines, "utf-8", newline="")
    assert call(campaign.root, "--models", "jaccard", "--predictions", tmp_path / "mine.csv") == 0


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        *((name, "a file name") for name in ("jaccard.tsv", "baseline.mine.tsv", "a\nb.tsv", "a\x1b[2Jb.tsv")),
        (os.fsdecode(b"\xff.tsv"), "text in UTF-8"),
    ],
)
def test_a_file_whose_name_is_no_name_for_a_model_is_refused(
    name: str, expected: str, ready: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / name).write_text(ready.read(Labels)["pair_id"][0] + "\t1\n", "utf-8")
    assert call(ready.root, "--models", "jaccard", "--predictions", tmp_path / name) == 2
    assert f"expected {expected}" in capsys.readouterr().err
