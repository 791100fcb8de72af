"""Trained models judged side by side on a data set's held-out pairs; pure.

A run: model, seed, n_train, threshold (chosen on validation; null: none), seconds, memory_mb, share (of the training
pairs' groups that it saw; 1: all), scores (by the data set's rows, NaN where it has none).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analysis.evaluation import comparing
from analysis.evaluation.ceiling import find_ceiling
from analysis.statistics.strata import find_strata
from data.labelled.dataset import Dataset
from data.measures.rules import ScoringRule

RULES = {"half": "0.5", "stored": "the threshold chosen on validation"}
"""How scores become predictions."""
HEADLINE = "stored"
"""The rule under which models are compared with one another and by stratum."""


@dataclass(frozen=True, kw_only=True, eq=False)
class ModelRun:
    """One training of a model, and its score of each pair of the data set."""

    model: str
    seed: int
    scores: NDArray[np.float64]
    threshold: float | None = None
    share: float = 1.0
    n_train: int | None = None
    seconds: float | None = None
    memory_mb: float | None = None
    may_have_seen: bool = False
    """Whether it is not known that it learned from none of the pairs that it is judged on."""

    def cut(self, rule: str) -> float:
        """The threshold of the rule; 0.5 where the run has none of its own."""
        return 0.5 if rule == "half" or self.threshold is None else self.threshold


def judge(
    pairs: Dataset,
    runs: Sequence[ModelRun],
    split: str,
    rule: ScoringRule,
    part: pd.DataFrame | None = None,
) -> dict[str, Any]:
    """All figures of the runs on the decided pairs of a split that every run has scored.

    split, n, left_out (pairs of the split that a run has not scored), unknown (models that may have seen them), ceiling
    (see `find_ceiling`), models, leads (by rule: rows of `comparing.compare`), curves. A model: name, seeds, n_train,
    seconds, memory_mb (means over its runs), `half` and `stored` (see `comparing.average`), calibration (means), bins
    of its first run, strata: name -> {n, accuracy}. `part`: the votes of the random part, where there is one.
    """
    frame = pairs.frame
    decided = (frame["binary"].notna() & (frame["split"] == split)).to_numpy(dtype=bool)
    scored = np.logical_and.reduce([~np.isnan(run.scores) for run in runs])
    used = decided & scored
    label = frame.loc[used, "binary"].to_numpy("int64") == 1
    samples = comparing.Samples(pairs.groups[used], rule)
    strata = {name: flags[used].to_numpy() for name, flags in find_strata(pairs, pairs.language).items()}
    whole = _by_model([run for run in runs if run.share == 1])
    measured = {
        name: {
            how: [comparing.measure_samples(label, run.scores[used], run.cut(how), samples) for run in some]
            for how in RULES
        }
        for name, some in whole.items()
    }
    return {
        "split": split,
        "n": int(used.sum()),
        "n_groups": samples.n_groups,
        "positive": float(label.mean()) if len(label) else None,
        "left_out": int((decided & ~scored).sum()),
        "unknown": sorted({run.model for run in runs if run.may_have_seen}),
        "ceiling": find_ceiling(frame[used], samples, part),
        "models": [
            _describe(name, some, label, used, strata)
            | {how: comparing.average(measured[name][how], samples.effective) for how in RULES}
            for name, some in whole.items()
        ],
        "leads": {
            how: comparing.compare({name: parts[how] for name, parts in measured.items()}, samples.effective)
            for how in RULES
        },
        "curves": _draw_curves(runs, label, used, samples),
    }


def _by_model(runs: Sequence[ModelRun]) -> dict[str, list[ModelRun]]:
    models: dict[str, list[ModelRun]] = {}
    for run in sorted(runs, key=lambda run: run.seed):
        models.setdefault(run.model, []).append(run)
    return models


def _describe(
    name: str, runs: Sequence[ModelRun], label: Any, used: Any, strata: dict[str, NDArray[np.bool_]]
) -> dict[str, Any]:
    calibrations = [comparing.calibrate(label, run.scores[used]) for run in runs]
    right = np.mean([(run.scores[used] >= run.cut(HEADLINE)) == label for run in runs], axis=0)
    return {
        "name": name,
        "seeds": [run.seed for run in runs],
        **{fact: _mean([getattr(run, fact) for run in runs]) for fact in ("n_train", "seconds", "memory_mb")},
        "thresholds": [run.cut(HEADLINE) for run in runs],
        "calibration": {
            figure: _mean([calibration[figure] for calibration in calibrations])
            for figure in ("pr_auc", "brier", "log_loss", "ece")
        },
        "bins": calibrations[0]["bins"],
        "strata": {
            kind: {"n": int(flags.sum()), "accuracy": float(right[flags].mean()) if flags.any() else None}
            for kind, flags in strata.items()
        },
    }


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return float(np.mean(known)) if known and len(known) == len(values) else None


def _draw_curves(runs: Sequence[ModelRun], label: Any, used: Any, samples: comparing.Samples) -> list[dict[str, Any]]:
    """For each model that was also trained on a part of the pairs: name, points (share, n_train, the measures)."""
    partial = {run.model for run in runs if run.share < 1}
    curves = []
    for name, some in _by_model([run for run in runs if run.model in partial]).items():
        shares = sorted({run.share for run in some})
        points = []
        for share in shares:
            alike = [run for run in some if run.share == share]
            measured = [comparing.measure_samples(label, run.scores[used], run.cut(HEADLINE), samples) for run in alike]
            found = comparing.average(measured, samples.effective)
            points.append({"share": share, "n_train": _mean([run.n_train for run in alike])} | found)
        curves.append({"name": name, "points": points})
    return curves


def tabulate(judged: dict[str, Any]) -> pd.DataFrame:
    """One row for each model and rule: every measure with its interval and spread, calibration, cost."""
    rows = [
        {
            "model": model["name"],
            "rule": how,
            "split": judged["split"],
            "n": judged["n"],
            "runs": len(model["seeds"]),
            "simulated": judged["simulated"] is not None,
        }
        | {
            name if part == "value" else f"{name}_{part}": model[how][name][part]
            for name in comparing.MEASURES
            for part in ("value", "low", "high", "spread")
        }
        | model["calibration"]
        | {fact: model[fact] for fact in ("n_train", "seconds", "memory_mb")}
        for model in judged["models"]
        for how in RULES
    ]
    return pd.DataFrame(rows)
