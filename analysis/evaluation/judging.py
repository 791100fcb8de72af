"""Baselines and any model's predictions, judged in one way; pure."""

from typing import Any

import numpy as np
import pandas as pd

from analysis.config import ScoringRule
from analysis.evaluation import metrics
from analysis.evaluation.baselines import MODELS
from analysis.splitting import entities, groups
from data import similarity


def prepare(frame: pd.DataFrame, synonyms: entities.Synonyms) -> pd.DataFrame:
    """The data set with the group of each pair (what intervals are drawn by) and its Jaccard overlap."""
    overlap = similarity.jaccard(frame["first"].tolist(), frame["second"].tolist()).set_axis(frame.index)
    return frame.assign(group=groups.group(frame, synonyms), overlap=overlap)


def judge_all(
    frame: pd.DataFrame, scores: "dict[str, np.ndarray[Any, np.dtype[np.float64]]]", judge: ScoringRule
) -> list[dict[str, Any]]:
    """The rows of `scoring.evaluate` for every model, with `model`, `what`, `must_fail` and `headline`.

    `headline`: the rule by which the model is shown where there is room for one.
    """
    rows = []
    for name, one in scores.items():
        model = MODELS.get(name)
        rules = ("half",) if name == "all_positive" else ("half", "f1") if model and model.is_probability else None
        rules = rules or ("accuracy", "f1")
        head = {
            "model": name,
            "what": model.what if model else "given scores",
            "must_fail": bool(model and model.must_fail),
            "headline": rules[0],
        }
        rows += [head | row for row in metrics.evaluate(frame, one, rules, judge)]
    return rows
