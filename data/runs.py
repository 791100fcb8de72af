"""Runs of models in a store, recorded with what they were trained on."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from data.identity import digest
from data.languages.recorded import followed
from data.manifest import Manifest
from data.store import Store, next_instant
from data.tables.labels import Labels, Splits
from data.tables.models import Predictions, Runs
from data.tables.pairs import Pairs

OF_LABELS = ("campaign", "method", "scheme")
"""The columns of `runs` that name the labels and the split."""


def record(store: Store, run: Mapping[str, Any], scores: "pd.Series[float]", stage: str) -> str:
    """Add a run and its predictions to the store, unless it is the latest of the model and seed; return its `run_id`.

    `run`: the columns of `runs` that the caller knows (model, seed, campaign, method, scheme), and what else tells this
    run from others; `scores`: by pair_id, null for none; `stage`: the command, for the manifest.
    """
    pairs = store.read(Pairs, ["generator", "pair_id"])
    run = {**run, "generators": sorted(pairs.loc[pairs["pair_id"].isin(scores.index), "generator"].unique())}
    inputs = store.inputs(Labels, Pairs, Splits)
    language = followed(store, Pairs).code
    manifest = Manifest(stage=stage, config=dict(run), language=language, seed=run["seed"], inputs=inputs)
    same = {name: run[name] for name in ("model", "seed", *OF_LABELS)}
    latest = find_latest(store.read(Runs, **same))
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


def find_latest(runs: pd.DataFrame, *, by_seed: bool = False) -> pd.DataFrame:
    """The latest run of each model; `by_seed`: the latest of each of its seeds."""
    one = ["model", "seed"] if by_seed else ["model"]
    return runs.sort_values(["at", "run_id"]).drop_duplicates(one, keep="last")
