"""Several models on the same pairs: measures, differences with intervals, calibration; pure.

Intervals are from `data.measures.intervals`: whole groups are drawn, the same draws for every model, so that two models
are compared on the same pairs (paired). A model that was trained with several seeds counts with the mean of its runs'
measures.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from data.labelled import metrics
from data.labelled.metrics import Flags, Floats, weigh_auc
from data.measures import intervals
from data.measures.intervals import Groups
from data.measures.rules import ScoringRule

MEASURES = (*metrics.MEASURES, "auc")
N_BINS = 10
"""Bins of the scores from 0 to 1, for the calibration."""
BATCH_WEIGHTS = 4_000_000
"""Weights of groups in bootstrap samples that are in memory at once."""


class Samples:
    """Draws of the groups of some pairs, after the pairs as they are."""

    def __init__(self, groups: "pd.Series[str]", judge: ScoringRule) -> None:
        """`groups`: one per pair."""
        self._groups, self._judge = Groups.of(groups), judge
        self.codes, self.n_groups, self.effective = self._groups.codes, self._groups.n, self._groups.effective

    def weights(self) -> Iterator[Floats]:
        """What each group weighs, in blocks of draws, shape (draws, groups); first, each weighs 1.

        Blocks are small enough to lie in memory.
        """
        yield np.ones((1, self.n_groups))
        if self.n_groups < 2:  # one group drawn again is the same pairs: no interval
            return
        step = max(1, BATCH_WEIGHTS // self.n_groups)
        random = np.random.default_rng(self._judge.seed)
        for start in range(0, self._judge.resamples, step):
            yield random.standard_exponential((min(step, self._judge.resamples - start), self.n_groups))

    def sum(self, values: Floats) -> Floats:
        """The sums of the pairs' values, shape (1 + draws, columns)."""
        by_group = self._groups.add(values)
        return np.concatenate([weights @ by_group for weights in self.weights()])

    def auc(self, label: Flags, scores: Floats) -> Floats:
        """The area under the ROC curve (see `weigh_auc`), shape (1 + draws)."""
        return np.concatenate([weigh_auc(label, scores, weights, self.codes) for weights in self.weights()])


def measure_samples(label: Flags, scores: Floats, threshold: float, samples: Samples) -> dict[str, Floats]:
    """The MEASURES on the pairs as they are and on each draw, in that order; NaN where not defined.

    `label`, `scores`: one per pair; a score of at least `threshold` predicts a paraphrase.
    """
    counts = samples.sum(metrics.cells(label, scores >= threshold))
    return metrics.measures_of(counts) | {"auc": samples.auc(label, scores)}


def average(runs: Sequence[Mapping[str, Floats]], effective: float) -> dict[str, dict[str, Any]]:
    """The MEASURES of a model's runs (values of `measure_samples`): value (mean), low, high, spread, n.

    `low`, `high`: interval of the mean; null where a measure is not defined. `spread`: standard deviation over the
    runs; null for one. `effective`: the effective number of groups of the samples.
    """
    return {
        name: summarise(name, np.mean([run[name] for run in runs], axis=0), effective)
        | {
            "spread": metrics.spread(np.array([run[name][0] for run in runs])),
            "n": len(runs),
        }
        for name in MEASURES
    }


def compare(models: Mapping[str, Sequence[Mapping[str, Floats]]], effective: float) -> list[dict[str, Any]]:
    """One row for every two models: first, second, and for each of MEASURES the first's lead {value, low, high}."""
    means = {
        model: {name: np.mean([run[name] for run in runs], axis=0) for name in MEASURES}
        for model, runs in models.items()
    }
    return [
        {"first": a, "second": b} | {name: lead(means[a][name] - means[b][name], effective) for name in MEASURES}
        for a, b in combinations(means, 2)
    ]


def calibrate(label: Flags, scores: Floats) -> dict[str, Any]:
    """How far scores are probabilities: brier, log_loss, ece (expected calibration error), pr_auc and `bins`.

    `bins`: low, high, n, score (mean), share (of paraphrases), of the bins that have pairs. Null where a score lies
    outside 0 to 1; `pr_auc` (average precision) is null where one label is absent.
    """
    from sklearn.metrics import average_precision_score, brier_score_loss, log_loss

    pr_auc = float(average_precision_score(label, scores)) if label.any() and not label.all() else None
    if not len(scores) or scores.min() < 0 or scores.max() > 1:
        return {"brier": None, "log_loss": None, "ece": None, "pr_auc": pr_auc, "bins": None}
    places = np.minimum((scores * N_BINS).astype("int64"), N_BINS - 1)
    bins = [
        {
            "low": place / N_BINS,
            "high": (place + 1) / N_BINS,
            "n": int((places == place).sum()),
            "score": float(scores[places == place].mean()),
            "share": float(label[places == place].mean()),
        }
        for place in np.unique(places).tolist()
    ]
    gaps = sum(one["n"] * abs(one["score"] - one["share"]) for one in bins)
    return {
        "brier": float(brier_score_loss(label, scores)),
        "log_loss": float(log_loss(label, scores, labels=[False, True])),
        "ece": gaps / len(scores),
        "pr_auc": pr_auc,
        "bins": bins,
    }


def summarise(name: str, values: Floats, effective: float) -> dict[str, float | None]:
    """The value of this measure on the pairs as they are, which comes first, and the interval by those on the draws."""
    return {"value": metrics.plain(values[0])} | metrics.interval(name, float(values[0]), values[1:], effective)


def lead(values: Floats, effective: float) -> dict[str, float | None]:
    """A difference of two measures: arguments and value as in `summarise`."""
    low, high = intervals.free(float(values[0]), values[1:], effective) or (None, None)
    return {"value": metrics.plain(values[0]), "low": low, "high": high}
