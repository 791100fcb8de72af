"""A model in the tables of the store whose labels it learnt from, or whose pairs it scored."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from data.console.messages import quantity, say
from data.console.paths import same_place
from data.labelled.dataset import Dataset
from data.labelled.label_set import LabelSet
from data.models.runs import record
from data.models.scorers import PREDICTIONS, read_scores
from data.storage.store import Store

if TYPE_CHECKING:
    from identification.training.artefact import Run

STAGE = "identification.train"


@dataclass(frozen=True, kw_only=True)
class ScoredBy:
    """A model that scores pairs, as the tables name it."""

    name: str
    threshold: float = 0.5
    seed: int = 0
    run: "Run | None" = None
    """What its training wrote; None for a function, an endpoint and a model of another room."""
    identity: Mapping[str, Any] = field(default_factory=dict)
    """What else tells its run from others of this name."""


def describe(dataset: Dataset, label_set: LabelSet) -> dict[str, object]:
    """Where a data set is from, as `run.json` states it."""
    origin: dict[str, object] = {"path": str(dataset.path), "kind": dataset.kind, "scheme": dataset.scheme}
    if dataset.kind == "store":
        origin |= {"campaigns": label_set.campaigns, "method": label_set.method}
    return origin | {"tables": dataset.versions}


def record_run(store: Store, folder: Path, run: "Run") -> None:
    """Add the run and the scores of its folder to the store's tables."""
    scores = read_scores(folder / PREDICTIONS)
    row = {
        "model": run.name,
        "seed": run.config["seed"],
        "campaigns": run.data["campaigns"],
        "method": run.data["method"],
        "scheme": run.data["scheme"],
        "n_train": run.data["n_train"],
        "n_validation": run.data["n_validation"],
        "threshold": run.threshold,
        "artefact": str(folder.absolute()),
        "artefact_sha256": run.digest,
    }
    record(store, row, scores, STAGE)
    say(f"{quantity(len(scores), 'score')} written to the tables runs and predictions of {store.address}")


def record_scores(
    dataset: Dataset, label_set: LabelSet, judge: ScoredBy, scores: "pd.Series[float]", stage: str
) -> None:
    """Add the scores of a model that was not trained on the store to its tables, under the name it was given."""
    store, run = Store(dataset.path), judge.run
    row: dict[str, object] = {
        "model": judge.name,
        "seed": judge.seed,
        "campaigns": label_set.campaigns,
        "method": label_set.method,
        "scheme": dataset.scheme,
        "threshold": judge.threshold,
        "artefact": str(Path(judge.name).absolute()) if run else None,
        "artefact_sha256": run.digest if run else None,
    }
    record(store, {**row, **judge.identity}, scores, stage)
    say(f"scores of {judge.name} written to the tables runs and predictions of {store.address}")
    if run is None:
        return
    seen = run.data.get("path", "other data")
    if not same_place(seen, store.address):
        say(f"note: it was trained on {seen}; whether pairs of this store were among them is not known")
    if run.outcome != "trained":
        say(f"note: its training ended with {run.outcome}")
