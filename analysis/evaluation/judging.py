"""Baselines and the predictions of any model, judged in the same way; pure."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analysis.evaluation.baselines import MODELS
from data.labelled import metrics
from data.labelled.dataset import Dataset
from data.measures.rules import ScoringRule

Scores = Mapping[str, Sequence[NDArray[np.float64]]]


def judge_all(pairs: Dataset, scores: Scores, judge: ScoringRule) -> list[dict[str, Any]]:
    """The rows of `metrics.evaluate` for every model, our baselines first, with what is known of the model.

    `scores`: by model, the scores of each of its runs.

    That is `model`, `what`, `must_fail` and `headline`, the threshold rule under which the model is shown where
    there is room for only one.
    """
    rows = []
    for name in sorted(scores, key=lambda name: [*MODELS, name].index(name)):
        model = MODELS.get(name)
        rules = ("half",) if name == "all_positive" else ("half", "f1") if model and model.is_probability else None
        rules = rules or ("accuracy", "f1")
        head = {
            "model": name,
            "what": model.what if model else "given scores",
            "must_fail": bool(model and model.must_fail),
            "headline": rules[0],
        }
        rows += [head | row for row in metrics.evaluate(pairs, scores[name], rules, judge)]
    return rows
