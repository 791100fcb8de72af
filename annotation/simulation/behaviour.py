"""How simulated annotators label through the server: who errs how, which score each gives, and how fast; pure.

Every draw depends on the seed and on what is drawn for, never on order: an assignment gets the same score in any run.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import NormalDist

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from annotation.simulation.noise import (
    ACCURACY,
    Kind,
    Noise,
    clear_confusion,
    draw_scores,
    keyed_uniform,
    parade_confusions,
    read_kinds,
    score_chances,
)
from data.console.errors import InputError
from data.console.paths import existing_file
from data.files.values import read_json
from data.measures.agreement import Integers, Reals
from data.measures.classes import PARADE, Classes


@dataclass(frozen=True, kw_only=True)
class Profile:
    """How one annotator errs: the kind, or the name in the file of profiles, and the confusion matrix."""

    name: str
    confusion: Sequence[Sequence[float]]


def read_profiles(text: str, noise: Noise = "clear", classes: Classes = PARADE) -> list[Profile]:
    """One profile per annotator, from `good:5,careless:2,guessing:1`, or from a JSON file.

    The file maps each name to {"annotators": 2, "confusion": one row per answer}. Raises InputError for anything else.
    """
    if text.endswith(".json"):
        return _read_file(existing_file(Path(text), "a JSON file of profiles"), len(classes))
    return [
        Profile(name=kind, confusion=confusion)
        for kind, number in read_kinds(text, "--profiles")
        for confusion in _confusions(kind, number, noise, classes).tolist()
    ]


def _confusions(kind: Kind, number: int, noise: Noise, classes: Classes) -> Reals:
    """The matrices of this many annotators of a kind, their accuracies spread evenly where these differ."""
    if noise == "clear":
        return np.repeat(clear_confusion(kind, classes)[None], number, axis=0)
    accuracy = np.linspace(*ACCURACY.get(kind, (np.nan, np.nan)), num=number)
    return parade_confusions(pd.DataFrame({"kind": kind, "accuracy": accuracy}), classes)


def match_profiles(profiles: Sequence[Profile], annotators: Sequence[str]) -> dict[str, Profile]:
    """Each annotator's profile, in the order of the names. Raises InputError unless there are as many."""
    if len(profiles) != len(annotators):
        raise _unusable("--profiles", f"profiles for the {len(annotators)} annotators of the plan", str(len(profiles)))
    return dict(zip(sorted(annotators), profiles, strict=True))


def answer(asked: pd.DataFrame, profiles: Mapping[str, Profile], seed: int, classes: Classes = PARADE) -> Integers:
    """The place of each assignment's answer.

    `asked`: annotator, pair_id, round, kind, truth, by_overlap, progress (0 to 1, in the annotator's own work) and,
    where pairs differ in it, ease.
    """
    names = list(profiles)
    kinds = np.array([profiles[name].name for name in names], dtype=object)
    confusions = np.array([profiles[name].confusion for name in names], dtype="float64")
    raters = pd.Index(names).get_indexer(pd.Index(asked["annotator"]))
    chances = score_chances(kinds, confusions, asked.assign(rater=raters), classes)
    return draw_scores(chances, np.array([keyed_uniform("answer", seed, *key) for key in _keys(asked)]))


def seconds(asked: pd.DataFrame, seed: int) -> NDArray[np.float64]:
    """How long each assignment supposedly took: 12 s in the middle, two thirds of all between 7 and 20 s.

    `asked`: annotator, pair_id, round, kind.
    """
    draws = [NormalDist(np.log(12), 0.5).inv_cdf(keyed_uniform("seconds", seed, *key)) for key in _keys(asked)]
    return np.round(np.exp(draws), 1)


def _keys(asked: pd.DataFrame) -> list[tuple[object, ...]]:
    return list(zip(asked["annotator"], asked["pair_id"], asked["round"], asked["kind"], strict=True))


MAX_ANNOTATORS = 10_000
"""Simulated annotators of one profile."""


def _read_file(path: Path, n: int) -> list[Profile]:
    form = f'JSON as {{"name": {{"annotators": 2, "confusion": {n} rows of {n} chances}}}}'
    try:
        content = read_json(path, "profiles of annotators", "see python -m annotation simulate --help")
        rows = [(name, int(entry["annotators"]), entry["confusion"]) for name, entry in content.items()]
        matrices = [np.asarray(confusion, dtype="float64") for _, _, confusion in rows]
    except (ValueError, TypeError, AttributeError, KeyError, OverflowError) as fault:
        raise _unusable(path, form, str(fault)) from fault
    for (name, number, confusion), matrix in zip(rows, matrices, strict=True):
        if not 1 <= number <= MAX_ANNOTATORS:
            raise _unusable(f"{path}, {name}", f"1 to {MAX_ANNOTATORS:,} annotators", str(number)[:80])
        if matrix.shape != (n, n) or (matrix < 0).any() or not np.allclose(matrix.sum(axis=1), 1):
            raise _unusable(f"{path}, {name}", f"{n} rows of {n} chances that add up to 1", str(confusion))
    return [Profile(name=name, confusion=confusion) for name, number, confusion in rows for _ in range(number)]


def _unusable(where: object, expected: str, found: str) -> InputError:
    return InputError(where, expected=expected, found=found, remedy="see python -m annotation simulate --help")
