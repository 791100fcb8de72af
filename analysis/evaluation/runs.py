"""Runs of models in a store: chosen by the split and the labels shown."""

import shlex
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from data.console.errors import TableError
from data.contract.tables.labels import Splits
from data.contract.tables.models import Predictions, Runs
from data.contract.vocabulary import SPLITS
from data.labelled.label_set import LabelSet
from data.models.names import BASELINE, ModelName
from data.models.runs import OF_LABELS, find_latest
from data.storage.store import Store

UNKNOWN_SPLIT = (
    "The table predictions was written by an earlier version, which does not say which split its models were trained "
    "on; they are left out. {command} replaces it."
)


REPLACED = "{n} of a model with the same seed {verb} not shown: the latest run of each model and seed counts."


def read_scores(store: Store, frame: pd.DataFrame, runs: pd.DataFrame) -> dict[str, dict[int, NDArray[np.float64]]]:
    """By model and seed, the score of each pair of the frame by the latest such run; NaN where it has none.

    A baseline goes by its bare name.
    """
    latest = find_latest(runs, by_seed=True)
    rows = store.read(Predictions) if len(latest) else pd.DataFrame({"run_id": []})
    scores = {run: some.set_index("pair_id")["score"] for run, some in rows.groupby("run_id")}
    by_model: dict[str, dict[int, NDArray[np.float64]]] = {}
    for model, seed, run in latest[["model", "seed", "run_id"]].itertuples(index=False):
        if run in scores:
            values = frame["pair_id"].map(scores[run]).to_numpy("float64", na_value=np.nan)
            name = ModelName.parse(model)
            by_model.setdefault(name.rest if name.kind == BASELINE else model, {})[int(seed)] = values
    return by_model


def choose(store: Store, label_set: LabelSet) -> tuple[pd.DataFrame, str | None]:
    """The runs that may be judged on the split shown, and a sentence on those that may not (None: all may).

    A run is left out where it was trained on another campaign's labels, on another method's or on another split,
    or where a pair that it was trained or tuned on has come into a later split since.
    """
    command = _training_command(store, label_set)
    runs = store.read(Runs)
    if runs.empty:
        is_old = store.version(Predictions) is not None
        return runs, UNKNOWN_SPLIT.format(command=command) if is_old else None
    reasons = pd.Series([_reason(run, label_set) for run in runs[[*OF_LABELS]].itertuples()], runs.index, dtype=object)
    same = runs[reasons.isna()]
    versions = same["splits_version"].unique()
    moved = [version for version in versions if _has_moved(store, label_set.store_scheme, int(version))]
    reasons[same.index[same["splits_version"].isin(moved)]] = "trained before the split was dealt again"
    counts, usable = reasons.dropna().value_counts(), runs[reasons.isna()]
    notes = []
    if n := int(counts.sum()):
        summary = "; ".join(f"{n} {reason}" for reason, n in counts.items())
        notes.append(
            f"{n} run{'s' if n > 1 else ''} of models {'are' if n > 1 else 'is'} left out: {summary}. "
            f"{command} trains models on the split shown."
        )
    if n := len(usable) - len(find_latest(usable, by_seed=True)):
        notes.append(REPLACED.format(n=f"{n:,} earlier run{'s' if n > 1 else ''}", verb="are" if n > 1 else "is"))
    return usable, " ".join(notes) or None


def _training_command(store: Store, label_set: LabelSet) -> str:
    words = ["python", "-m", "analysis.baselines", "--store", str(store.address), *label_set.flags]
    return f"`{shlex.join(words)}`"


def _reason(run: Any, label_set: LabelSet) -> str | None:
    if run.scheme != label_set.store_scheme:
        return f"trained on the split {run.scheme!r}"
    if list(run.campaigns) != list(label_set.campaigns):
        return f"trained on labels of the campaign {' and '.join(map(repr, run.campaigns))}"
    return None if run.method == label_set.method else f"trained on labels by the method {run.method!r}"


def _has_moved(store: Store, scheme: str, version: int) -> bool:
    """Whether a pair has come into a later split since, or that version can no longer be read."""
    try:
        then = store.read(Splits, ["pair_id", "split"], version, scheme=scheme)
    except TableError:
        return True
    both = then.merge(store.read(Splits, ["pair_id", "split"], scheme=scheme), on="pair_id")
    before, now = (both[column].map(SPLITS.index) for column in ("split_x", "split_y"))
    return bool((now > before).any())
