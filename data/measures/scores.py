"""How well scores separate two labels: the area under the ROC curve, and the threshold with the best F1; pure."""

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from data.measures.agreement import Mask, Reals


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
