"""How well scores separate two labels: the area under the ROC curve, and the threshold with the best F1; pure."""

import numpy as np
from numpy.typing import NDArray

from data.measures.agreement import Mask, Reals


def measure_auc(label: Mask, scores: Reals) -> float | None:
    """The area under the ROC curve: how often a positive thing scores higher than a negative one, ties counting half.

    `label`, `scores`: one per thing. None where one label is absent.
    """
    value = float(weigh_auc(label, scores, np.ones((1, len(label))))[0])
    return None if np.isnan(value) else value


def weigh_auc(label: Mask, scores: Reals, weights: Reals) -> Reals:
    """The area under the ROC curve for each row of weights, shape (draws, things); NaN where one label has none."""
    _, place = np.unique(scores, return_inverse=True)
    by_score = np.zeros((2, weights.shape[0], place.max() + 1)) if len(scores) else np.zeros((2, weights.shape[0], 1))
    for side, flags in enumerate((~label, label)):
        order = np.argsort(place[flags], kind="stable")
        starts = np.flatnonzero(np.diff(place[flags][order], prepend=-1))
        if len(starts):
            sums = np.add.reduceat(weights[:, flags][:, order], starts, axis=1)
            by_score[side][:, place[flags][order][starts]] = sums
    no, yes = by_score
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
