"""How well scores separate paraphrases from other pairs: thresholds, measures, intervals by groups, strata; pure."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.sparse import csr_array

from data.labelled.dataset import Dataset
from data.measures import intervals
from data.measures.agreement import Mask, Reals
from data.measures.intervals import Groups
from data.measures.rules import ScoringRule

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

MEASURES = ("accuracy", "f1", "precision", "recall", "mcc")
RULES = {
    "half": "0.5, for a probability",
    "accuracy": "the one with the best accuracy on validation",
    "f1": "the one with the best F1 on validation",
}
"""How the threshold is chosen; without a validation split, on train."""
LOW_OVERLAP, HIGH_OVERLAP = 0.2, 0.4
"""A paraphrase with a lower Jaccard overlap is hard, and so is another pair with at least the higher one."""
GRID = 100
"""Thresholds are tried at every hundredth between the lowest and the highest score."""


def evaluate(
    pairs: Dataset, runs: Sequence[Floats], rules: tuple[str, ...], judge: ScoringRule
) -> list[dict[str, Any]]:
    """One row for each rule of RULES and each split except train that has decided pairs.

    `runs`: the scores of each run of the model, one per pair, NaN where it has none (pairs that a run has not scored
    are left out and counted as `missing`). A row: rule, runs (their number), threshold, split, n, n_groups, missing,
    auc (null where one label is absent) and auc_spread, the MEASURES (see `measure`), and `strata`: name -> {n,
    accuracy} for unanimous and divided pairs and the hard part. Each run has a threshold of its own;
    all figures are means over the runs.
    """
    frame = pairs.frame
    decided = frame["binary"].notna().to_numpy()
    scores = np.stack(runs)
    scored = ~np.isnan(scores).any(axis=0)
    label = frame["binary"].fillna(0).to_numpy(dtype="int64") == 1
    rows = []
    for rule in rules:
        thresholds = [choose_threshold(frame, label, run, decided & scored, rule) for run in runs]
        for split in ("validation", "test"):
            held_out = decided & (frame["split"] == split).to_numpy(dtype=bool)
            used = held_out & scored
            if used.any():
                predicted = scores >= np.array(thresholds)[:, None]
                aucs = [measure_auc(label[used], run[used]) for run in runs]
                rows.append(
                    {
                        "rule": rule,
                        "runs": len(runs),
                        "threshold": float(np.mean(thresholds)),
                        "split": split,
                        "n": int(used.sum()),
                        "n_groups": int(pairs.groups[used].nunique()),
                        "missing": int((held_out & ~scored).sum()),
                        "auc": None if None in aucs else float(np.mean(np.array(aucs, dtype="float64"))),
                        "auc_spread": None if None in aucs else spread(np.array(aucs, dtype="float64")),
                        **measure(label[used], predicted[:, used], pairs.groups[used], judge),
                        "strata": by_stratum(frame[used], pairs.overlap[used], predicted[:, used]),
                    }
                )
    return rows


def choose_threshold(frame: pd.DataFrame, label: Flags, scores: Floats, usable: Flags, rule: str) -> float:
    """The threshold of the rule (see RULES); of several equally good ones, the one nearest the middle of the scores."""
    if rule == "half":
        return 0.5
    split = frame["split"].to_numpy(dtype=object)
    tuned = usable & (split == "validation")
    tuned = tuned if tuned.any() else usable & (split == "train")
    if not tuned.any():
        return 0.5
    low, high = scores[tuned].min(), scores[tuned].max()
    tried = np.unique(np.round(np.linspace(low, high, GRID + 1), 2)) if high - low > 0.1 else np.unique(scores[tuned])
    predicted = scores[tuned][None, :] >= tried[:, None]
    counts = _count(label[tuned][None, :], predicted)
    reached = measures_of(counts)[rule]
    best = tried[reached >= np.nanmax(reached) - 1e-12]
    return float(best[np.abs(best - (low + high) / 2).argmin()])


def measure(label: Flags, predicted: Flags, group: "pd.Series[str]", judge: ScoringRule) -> dict[str, dict[str, Any]]:
    """The MEASURES, each {value, low, high, spread}: means over runs, with the interval from drawing whole groups.

    `predicted`: one row per run of the model, or only one. A value is None where it is not defined (precision without a
    positive prediction), the spread (standard deviation over runs) for one run. Pairs of a group are similar:
    drawing single pairs would make the intervals too narrow.
    """
    groups, runs = Groups.of(group), np.atleast_2d(predicted)
    counts = groups.add(cells(label[:, None], runs.T))
    weights = groups.weigh(judge.resamples, judge.seed)
    values = measures_of(counts.sum(axis=0))
    samples = [measures_of(weights @ counts[:, run]) for run in range(len(runs))]
    means = {name: np.mean([sample[name] for sample in samples], axis=0) for name in MEASURES}
    return {
        name: {
            "value": plain(values[name].mean()),
            **interval(name, float(values[name].mean()), means[name], groups.effective),
            "spread": spread(values[name]),
        }
        for name in MEASURES
    }


def by_stratum(frame: pd.DataFrame, overlap: "pd.Series[float]", predicted: Flags) -> dict[str, dict[str, Any]]:
    """Accuracy on unanimous pairs, on divided pairs, and on the hard part; `frame`: pairs that have a label.

    `predicted`: one row per run of the model, or only one.
    """
    label = frame["binary"].to_numpy(dtype="int64") == 1
    votes, n_votes = (frame[name].to_numpy(dtype="int64") for name in ("votes", "n_votes"))
    shared = overlap.fillna(0).to_numpy(dtype="float64")
    low, high = label & (shared < LOW_OVERLAP), ~label & (shared >= HIGH_OVERLAP)
    parts = {
        "unanimous": (n_votes > 1) & ((votes == 0) | (votes == n_votes)),
        "divided": (n_votes > 1) & (votes > 0) & (votes < n_votes),
        "low-overlap paraphrases": low,
        "high-overlap non-paraphrases": high,
        "hard": low | high,
    }
    right = (label == np.atleast_2d(predicted)).mean(axis=0)
    return {
        name: {"n": int(part.sum()), "accuracy": float(right[part].mean()) if part.any() else None}
        for name, part in parts.items()
    }


def cells(label: Flags, predicted: Flags) -> Floats:
    """True positive, false positive, false negative, true negative of each pair as 0 or 1; shape (..., pairs, 4)."""
    return np.stack([label & predicted, ~label & predicted, label & ~predicted, ~label & ~predicted], axis=-1).astype(
        "float64"
    )


def _count(label: Flags, predicted: Flags) -> Floats:
    """The cells summed over the pairs; shape (thresholds, 4)."""
    summed: Floats = cells(np.broadcast_to(label, predicted.shape), predicted).sum(axis=-2)
    return summed


def measures_of(counts: Floats) -> dict[str, Floats]:
    """The MEASURES of rows of tp, fp, fn, tn; NaN where not defined."""
    tp, fp, fn, tn = counts.T
    product = (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)
    return {
        "accuracy": divide(tp + tn, counts.sum(axis=1)),
        "f1": divide(2 * tp, 2 * tp + fp + fn),
        "precision": divide(tp, tp + fp),
        "recall": divide(tp, tp + fn),
        "mcc": divide(tp * tn - fp * fn, np.sqrt(product)),
    }


def interval(name: str, value: float, draws: Floats, effective: float) -> dict[str, float | None]:
    """The limits of this measure (`data.measures.intervals.bounded`) as low and high; null where it is not defined."""
    low, high = intervals.bounded(value, draws, effective, (-1.0, 1.0) if name == "mcc" else (0.0, 1.0)) or (None, None)
    return {"low": low, "high": high}


def spread(values: Floats) -> float | None:
    """The standard deviation over runs; None for one, or where a run has no value."""
    return plain(float(np.std(values, ddof=1))) if len(values) > 1 else None


def plain(value: float) -> float | None:
    """The number, or None where it is not one."""
    return None if np.isnan(value) else float(value)


def measure_auc(label: Mask, scores: Reals) -> float | None:
    """The area under the ROC curve: how often a positive thing scores higher than a negative one, ties counting half.

    `label`, `scores`: one per thing. None where one label is absent.
    """
    value = float(weigh_auc(label, scores, np.ones((1, len(label))))[0])
    return None if np.isnan(value) else value


def weigh_auc(label: Mask, scores: Reals, weights: Reals, groups: NDArray[np.intp] | None = None) -> Reals:
    """The area under the ROC curve for each row of weights; NaN where one label has none.

    `weights`: shape (draws, groups); `groups`: the number of each thing's group, by default one of its own.
    """
    values, place = np.unique(scores, return_inverse=True)
    columns = np.arange(len(label)) if groups is None else groups
    shape = weights.shape[1], max(1, len(values))
    no, yes = (
        weights @ csr_array((np.ones(flags.sum()), (columns[flags], place[flags])), shape=shape)
        for flags in (~label, label)
    )
    below = np.cumsum(no, axis=1) - no / 2
    return divide((yes * below).sum(axis=1), yes.sum(axis=1) * no.sum(axis=1))


def divide(part: Reals, whole: Reals) -> Reals:
    """The ratios; NaN where the whole is 0."""
    return np.asarray(np.divide(part, whole, out=np.full(len(part), np.nan), where=whole > 0))


def best_threshold(scores: Reals, labels: NDArray[np.float64] | NDArray[np.int64]) -> float:
    """The threshold with the highest F1, half-way between two scores; of several the one nearest to 0.5.

    `scores`: at least the threshold means 1; `labels`: 0 or 1.
    """
    order = np.argsort(-scores, kind="stable")
    ranked, hits = scores[order], np.cumsum(labels[order])
    f1 = 2 * hits / (np.arange(1, len(ranked) + 1) + labels.sum())
    ends = np.append(ranked[:-1] > ranked[1:], True)
    cuts = (ranked + np.append(ranked[1:], 0.0)) / 2
    best = np.flatnonzero(ends & (f1 >= f1[ends].max() - 1e-12))
    return float(cuts[best[np.argmin(np.abs(cuts[best] - 0.5))]])
