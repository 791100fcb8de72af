"""The members of an ensemble as trained models of one data set."""

from pathlib import Path

import pandas as pd

from data.console.errors import InputError
from data.labelled.dataset import data_digest
from data.measures.agreement import Reals
from data.models import scorers
from identification.config import TrainingConfig
from identification.training import artefact
from identification.training.artefact import Run
from identification.training.epochs.examples import VALIDATION


def require(folder: Path, frame: pd.DataFrame, config: TrainingConfig) -> Run:
    """The run in the folder; raises InputError where it did not learn from the pairs that the configuration takes.

    Otherwise pairs that the ensemble is tuned on, or judged on, could be pairs that a member was trained on.
    """
    run = artefact.read_unchanged(folder)
    drawn: dict[str, float | None] = {"share": config.share}
    if not (frame["split"] == VALIDATION).any():
        drawn |= {"validation_share": config.validation_share, "seed": config.seed}
    others = {name: run.config[name] for name, value in drawn.items() if run.config[name] != value}
    if run.outcome != "trained":
        expected, found, remedy = "a model that learned something", run.outcome, "leave it out"
    elif run.data["digest"] != data_digest(frame):
        expected, found = "a model trained on the same pairs, labels and splits", "one trained on others"
        remedy = "train it on this data set first"
    elif others:
        flags = " ".join(f"--{name.replace('_', '-')} {value}" for name, value in others.items())
        expected, found = "a model trained and tuned on the same pairs", f"one trained with {flags}"
        remedy = "give these flags to the ensemble, too, or train the member again"
    else:
        return run
    raise InputError(folder, expected=expected, found=found, remedy=remedy)


def read_scores(folder: Path, frame: pd.DataFrame) -> Reals:
    """A member's scores of the rows, as its training wrote them; raises InputError where one is missing."""
    path = folder / scorers.PREDICTIONS
    try:
        scores: Reals = scorers.read_scores(path).reindex(frame["pair_id"]).to_numpy("float64")
        known = bool(((scores >= 0) & (scores <= 1)).all())
    except InputError:
        known = False
    if not known:
        remedy = f"write them: python -m identification predict {folder} --dataset DATASET --out {path}"
        raise InputError(path, expected="the model's score of every pair", found="not all of them", remedy=remedy)
    return scores
