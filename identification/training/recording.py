"""A trained model in the tables of the store whose labels it learnt from."""

from pathlib import Path

from data.console.messages import quantity, say
from data.labelled.dataset import Dataset
from data.labelled.label_set import LabelSet
from data.models.runs import record
from data.models.scorers import PREDICTIONS, read_scores
from data.storage.store import Store
from identification.training.artefact import Run

STAGE = "identification.train"


def describe(source: Dataset, label_set: LabelSet) -> dict[str, object]:
    """Where a data set is from, as `run.json` states it."""
    origin: dict[str, object] = {"path": str(source.path), "kind": source.kind, "scheme": source.scheme}
    if source.kind == "store":
        origin |= {"campaigns": label_set.campaigns, "method": label_set.method}
    return origin | {"tables": source.versions}


def record_run(store: Store, folder: Path, run: Run) -> None:
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
    say(f"{quantity(len(scores), 'score')} written to the tables runs and predictions of {store.root}")
