"""Models compared on the same pairs: the measures are scikit-learn's, the intervals from whole groups."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics as sklearn_metrics

from analysis.evaluation import comparing
from data.labelled import metrics
from data.measures.rules import ScoringRule

JUDGE = ScoringRule(resamples=200)


def world(n: int, seed: int = 1) -> tuple[np.ndarray, np.ndarray, "pd.Series[str]"]:
    generator = np.random.default_rng(seed)
    label = generator.random(n) < 0.4
    scores = np.round(np.clip(0.3 * label + generator.random(n) * 0.7, 0, 1), 2)
    return label, scores, pd.Series(generator.integers(0, max(1, n // 5), n).astype(str))


@given(st.integers(2, 80), st.integers(0, 50))
def test_the_measures_match_scikit_learn(n: int, seed: int) -> None:
    label, scores, groups = world(n, seed)
    found = comparing.measure_samples(label, scores, 0.5, comparing.Samples(groups, JUDGE))
    predicted = scores >= 0.5
    assert found["accuracy"][0] == pytest.approx(sklearn_metrics.accuracy_score(label, predicted))
    if label.any() and predicted.any():
        assert found["f1"][0] == pytest.approx(sklearn_metrics.f1_score(label, predicted))
        assert found["precision"][0] == pytest.approx(sklearn_metrics.precision_score(label, predicted))
    if label.any() and not label.all():
        assert found["auc"][0] == pytest.approx(sklearn_metrics.roc_auc_score(label, scores))
    else:
        assert np.isnan(found["auc"][0])


def test_intervals_match_the_other_tables() -> None:
    label, scores, groups = world(300)
    samples = comparing.Samples(groups, JUDGE)
    found = comparing.measure_samples(label, scores, 0.5, samples)
    others = metrics.measure(label, scores >= 0.5, groups, JUDGE)
    averaged = comparing.average([found], samples.effective)
    for name in metrics.MEASURES:
        assert {side: averaged[name][side] for side in others[name]} == pytest.approx(others[name])


def test_the_area_of_a_draw_matches_its_weighted_pairs() -> None:
    label, scores, groups = world(60)
    samples = comparing.Samples(groups, ScoringRule(resamples=20))
    found = comparing.measure_samples(label, scores, 0.5, samples)["auc"]
    weights = np.concatenate(list(samples.weights()))[:, samples.codes]
    for value, weight in zip(found, weights, strict=True):
        expected = sklearn_metrics.roc_auc_score(label, scores, sample_weight=weight)
        assert value == pytest.approx(expected)


def test_blocks_of_samples_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    label, scores, groups = world(90)
    whole = comparing.measure_samples(label, scores, 0.5, comparing.Samples(groups, JUDGE))
    monkeypatch.setattr(comparing, "BATCH_WEIGHTS", 7 * groups.nunique())
    parts = comparing.measure_samples(label, scores, 0.5, comparing.Samples(groups, JUDGE))
    for name in comparing.MEASURES:
        np.testing.assert_allclose(whole[name], parts[name])


def test_a_model_beside_itself_has_no_lead_and_a_better_one_has() -> None:
    label, scores, groups = world(400)
    samples = comparing.Samples(groups, JUDGE)
    weak = comparing.measure_samples(label, scores, 0.5, samples)
    strong = comparing.measure_samples(label, np.where(label, 0.9, 0.1), 0.5, samples)
    rows = comparing.compare({"strong": [strong], "weak": [weak, weak], "again": [weak]}, samples.effective)
    assert [row["first"] + " " + row["second"] for row in rows] == ["strong weak", "strong again", "weak again"]
    assert rows[0]["accuracy"]["low"] > 0
    assert rows[2]["auc"] == {"value": 0, "low": 0, "high": 0}


def test_seeds_are_averaged_and_their_spread_shown() -> None:
    label, scores, groups = world(200)
    samples = comparing.Samples(groups, JUDGE)
    runs = [
        comparing.measure_samples(label, np.random.default_rng(seed).permutation(scores), 0.5, samples)
        for seed in (1, 2, 3)
    ]
    averaged = comparing.average(runs, samples.effective)
    values = [run["accuracy"][0] for run in runs]
    assert averaged["accuracy"]["value"] == pytest.approx(np.mean(values))
    assert averaged["accuracy"]["spread"] == pytest.approx(np.std(values, ddof=1))
    assert averaged["accuracy"]["n"] == 3
    assert comparing.average(runs[:1], samples.effective)["accuracy"]["spread"] is None


def test_calibration_of_true_probabilities_and_of_others() -> None:
    generator = np.random.default_rng(1)
    scores = generator.random(20_000)
    label = generator.random(20_000) < scores
    true = comparing.calibrate(label, scores)
    sharp = comparing.calibrate(label, (scores > 0.5).astype(float))
    assert true["ece"] < 0.02
    assert sharp["ece"] > 0.2
    assert sum(one["n"] for one in true["bins"]) == 20_000
    assert comparing.calibrate(label, scores * 7)["brier"] is None
    assert comparing.calibrate(np.ones(3, dtype=bool), np.ones(3))["pr_auc"] is None


def test_one_group_says_nothing() -> None:
    label, scores, _ = world(30)
    samples = comparing.Samples(pd.Series(["a"] * 30), JUDGE)
    measured = comparing.average([comparing.measure_samples(label, scores, 0.5, samples)], samples.effective)
    assert (measured["accuracy"]["low"], measured["accuracy"]["high"]) == (0, 1)
