"""The weighted mean logit of trained models: its weights are fitted on validation, its members stay where they are."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import load_file, save_file
from scipy.optimize import minimize
from scipy.special import expit, logit

from data.console.errors import InputError
from data.files.whole import write_whole
from data.measures.agreement import Reals
from data.models.runs import ENSEMBLE, ModelName

WEIGHTS, MEMBERS = "model.safetensors", "members.json"
SCORE_MARGIN = 1e-6
"""Scores nearer to 0 or 1 count as this near: no member can overrule all others."""


@dataclass(frozen=True, kw_only=True)
class Member:
    """A trained model of an ensemble."""

    folder: str
    model: str
    seed: int
    digest: str
    """Of the files that make the model."""


class Ensemble:
    """The members' weights; the models themselves are opened by `artefact`, in the same order."""

    def __init__(self, members: Sequence[Member], weights: Reals, opened: Sequence[Any] = ()) -> None:
        """`weights`: of the members' logits, none below 0; `opened`: each member's run and model, to score pairs."""
        self.members, self.weights, self.opened = list(members), weights, list(opened)

    def weigh(self, scores: Sequence[Reals]) -> Reals:
        """The logit of "paraphrase" of each pair, from the scores of each member."""
        logits: Reals = np.column_stack([to_logits(some) for some in scores]) @ self.weights
        return logits

    def save_form(self, folder: Path) -> dict[str, Any]:
        """The members, which are a file of the model, too; the weights go to `model.safetensors`."""
        save_file({"weights": self.weights}, folder / WEIGHTS)
        members = [asdict(member) for member in self.members]
        write_whole(folder / MEMBERS, json.dumps(members, indent=1, ensure_ascii=False) + "\n")
        return {"members": members}


def read_weights(form: dict[str, Any], folder: Path) -> tuple[list[Member], Reals]:
    """The members and their weights, as an ensemble's folder has them."""
    return [Member(**member) for member in form["members"]], load_file(folder / WEIGHTS)["weights"]


def to_logits(scores: Reals) -> Reals:
    """The logits of scores from 0 to 1."""
    logits: Reals = logit(np.clip(scores, SCORE_MARGIN, 1 - SCORE_MARGIN))
    return logits


def fit_weights(scores: Sequence[Reals], labels: Reals) -> Reals:
    """The weights, none below 0, of the members' logits whose sum has the lowest NLL on these pairs.

    Convex, so that there is one solution; a member that adds nothing gets the weight 0.
    """
    logits = np.column_stack([to_logits(some) for some in scores])

    def nll(weights: Reals) -> tuple[float, Reals]:
        summed = logits @ weights
        gradient: Reals = logits.T @ (expit(summed) - labels) / len(labels)
        return float((np.logaddexp(0, summed) - labels * summed).mean()), gradient

    n = logits.shape[1]
    found = minimize(nll, np.full(n, 1 / n), jac=True, bounds=[(0, None)] * n, method="L-BFGS-B")
    weights: Reals = found.x
    return weights


def name_ensemble(members: Sequence[Member]) -> str:
    """The name in tables: the members' models, each once, with its number of seeds where there are several."""
    models = [member.model for member in members]
    counts = {model: models.count(model) for model in models}
    names = [f"{n} {model}" if n > 1 else model for model, n in counts.items()]
    return str(ModelName(tuple(names), ENSEMBLE))


def split_name(model: str) -> list[Path]:
    """The members' folders in `ensemble:FOLDER+FOLDER`; raises InputError for fewer than two, or one that repeats."""
    folders = [Path(part).resolve() for part in ModelName.parse(model).parts if part]
    if len(set(folders)) < max(2, len(folders)):
        raise InputError(
            model,
            expected=f"{ModelName(('FOLDER', 'FOLDER'), ENSEMBLE)}, the folders of at least two trained models",
            found="the same folder twice" if len(folders) > 1 else f"{len(folders)} of them",
            remedy="name other folders",
        )
    return folders
