"""Runs of models in a store: recorded with what they were trained on, chosen by the split and the labels shown."""

import shlex
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analysis.config import LabelSet
from analysis.datasets.snapshot import Snapshot
from data.errors import TableError
from data.identity import digest
from data.labelled.parade import SPLITS
from data.manifest import Manifest
from data.store import Store, next_instant
from data.tables.labels import Labels, Splits
from data.tables.models import Predictions, Runs
from data.tables.pairs import Pairs

STAGE = "analysis.baselines"
OF_LABELS = ("campaign", "method", "scheme")
"""The columns of `runs` that name the labels and the split."""
BASELINE = "baseline."
"""What the names of our own models begin with in the table."""

UNKNOWN_SPLIT = (
    "The table predictions was written by an earlier version, which does not say which split its models were trained "
    "on; they are left out. {command} replaces it."
)


def record(store: Store, run: Mapping[str, Any], scores: "pd.Series[float]") -> str:
    """Add a run and its predictions to the store, unless it is the model's latest already; return its `run_id`.

    `run`: the columns of `runs` that the caller knows (model, seed, campaign, method, scheme, generators), and what
    else tells this run from others; `scores`: by pair_id, null for none.
    """
    inputs = store.inputs(Labels, Pairs, Splits)
    manifest = Manifest(stage=STAGE, config=dict(run), seed=run["seed"], inputs=inputs)
    latest = find_latest(store.read(Runs, model=run["model"], **{name: run[name] for name in OF_LABELS}))
    previous = latest["run_id"].iloc[0] if len(latest) else ""
    if previous and store.is_current(Predictions, manifest, run_id=previous):
        return str(previous)
    run_id = digest("run", manifest.fingerprint(), previous)
    known = scores.dropna().rename_axis("pair_id").rename("score").reset_index().assign(run_id=run_id)
    store.replace(Predictions, known, manifest, run_id=run_id)
    row = dict.fromkeys(Runs.to_schema().columns) | {name: run.get(name) for name in Runs.to_schema().columns}
    row |= {
        "run_id": run_id,
        "splits_version": inputs["splits"],
        "at": next_instant(store.read(Runs, columns=["at"])["at"]),
    }
    store.append(Runs, pd.DataFrame([row]), manifest)
    return run_id


def find_latest(runs: pd.DataFrame) -> pd.DataFrame:
    """The latest run of each model."""
    return runs.sort_values(["at", "run_id"]).drop_duplicates("model", keep="last")


def read_scores(snapshot: Snapshot, frame: pd.DataFrame, runs: pd.DataFrame) -> dict[str, NDArray[np.float64]]:
    """By model, the score of each pair of the frame by the model's latest run; NaN where it has none."""
    latest = find_latest(runs)
    rows = snapshot.read(Predictions) if len(latest) else pd.DataFrame({"run_id": []})
    scores = {run: some.set_index("pair_id")["score"] for run, some in rows.groupby("run_id")}
    return {
        model.removeprefix(BASELINE): frame["pair_id"].map(scores[run]).to_numpy("float64", na_value=np.nan)
        for model, run in latest[["model", "run_id"]].itertuples(index=False)
        if run in scores
    }


def choose(snapshot: Snapshot, label_set: LabelSet) -> tuple[pd.DataFrame, str | None]:
    """The runs that may be judged on the split shown, and a sentence on those that may not (None: all may).

    A run is left out where it was trained on another campaign's labels, on those of another method or on another split,
    or where a pair that it was trained or tuned on has come into a later split since.
    """
    command = _training_command(snapshot, label_set)
    runs = snapshot.read(Runs)
    if runs.empty:
        is_old = any(table["table"] == "predictions" for table in snapshot.tables())
        return runs, UNKNOWN_SPLIT.format(command=command) if is_old else None
    reasons = pd.Series([_reason(run, label_set) for run in runs[[*OF_LABELS]].itertuples()], runs.index, dtype=object)
    same = runs[reasons.isna()]
    versions = same["splits_version"].unique()
    moved = [version for version in versions if _has_moved(snapshot, label_set.store_scheme, int(version))]
    reasons[same.index[same["splits_version"].isin(moved)]] = "trained before the split was dealt again"
    counts = reasons.dropna().value_counts()
    if counts.empty:
        return runs, None
    summary = "; ".join(f"{n} {reason}" for reason, n in counts.items())
    n = int(counts.sum())
    return runs[reasons.isna()], (
        f"{n} run{'s' if n > 1 else ''} of models {'are' if n > 1 else 'is'} left out: {summary}. "
        f"{command} trains models on the split shown."
    )


def _training_command(snapshot: Snapshot, label_set: LabelSet) -> str:
    given = {name: value for name, value in vars(label_set).items() if value != getattr(LabelSet(), name)}
    flags = [word for name, value in given.items() for word in (f"--{name}", value)]
    return f"`{shlex.join(['python', '-m', 'analysis.baselines', str(snapshot.store.root), *flags])}`"


def _reason(run: Any, label_set: LabelSet) -> str | None:
    if run.scheme != label_set.store_scheme:
        return f"trained on the split {run.scheme!r}"
    if run.campaign != label_set.campaign:
        return f"trained on labels of the campaign {run.campaign!r}"
    return None if run.method == label_set.method else f"trained on labels by the method {run.method!r}"


def _has_moved(snapshot: Snapshot, scheme: str, version: int) -> bool:
    """Whether a pair has come into a later split since, or that version can no longer be read."""
    try:
        then = snapshot.store.read(Splits, ["pair_id", "split"], version, scheme=scheme)
    except TableError:
        return True
    both = then.merge(snapshot.read(Splits, ["pair_id", "split"], scheme=scheme), on="pair_id")
    before, now = (both[column].map(SPLITS.index) for column in ("split_x", "split_y"))
    return bool((now > before).any())
