"""How simulated annotators err: the one noise model of `simulate`, `forecast` and the benchmarks; pure.

An annotator has a *confusion matrix*, the chance of each score (columns) for a pair that deserves a score (rows), and a
*kind*, which says what becomes of it. Some kinds look at the pair: who is `drifting` guesses in a share of the pairs
that grows evenly from 0 to 1, who is `tiring` in all of the last third. The others do not: `guessing` gives any score,
`always-2` the same one, `overlap` the score that the share of common words suggests.

There are two levels of noise, each with its own matrices for the kinds that look. `clear`: the good are right in 95 %
of the scores, the careless in 40 %; for demonstrations and tests. `parade`: as in PARADE, where experts often disagree.
An accuracy is then that of the *vote* (paraphrase or not). With good annotators right in 68 to 80 % of the votes and
three per pair, 58 % of the pairs are 2:1 splits and Fleiss' kappa is 0.23; PARADE's released votes have 58.9 % and
0.212.
"""

from collections.abc import Mapping
from typing import Literal, cast, get_args

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from annotation.ratings.agreement import Integers, Reals
from data.errors import InputError
from data.identity import digest
from data.vocabulary import SCORES

Kind = Literal["good", "careless", "guessing", "always-2", "overlap", "drifting", "tiring"]
KINDS: tuple[Kind, ...] = get_args(Kind)

GOOD: Kind = "good"
"""The only kind that no rule should accuse."""

FORMER_NAMES: Mapping[str, Kind] = {"random": "guessing"}

Noise = Literal["clear", "parade"]

ACCURACY: Mapping[Kind, tuple[float, float]] = {
    "good": (0.68, 0.80),
    "careless": (0.60, 0.60),
    "drifting": (0.68, 0.80),
    "tiring": (0.68, 0.80),
}
"""Of the kinds that look at the pair, the lowest and highest chance of a right vote at PARADE's noise, at the start."""

SAME_VOTE = np.array([[0.8, 0.2, 0, 0], [0.2, 0.8, 0, 0], [0, 0, 0.8, 0.2], [0, 0, 0.2, 0.8]])
"""At PARADE's noise, the chance of each score where the vote is right: mostly the deserved one."""

OTHER_VOTE = np.array([[0, 0, 0.7, 0.3], [0, 0, 0.7, 0.3], [0.3, 0.7, 0, 0], [0.3, 0.7, 0, 0]])
"""And where the vote is wrong: mostly the score next to the border."""

GUESSES = np.full((len(SCORES), len(SCORES)), 1 / len(SCORES))
TWOS = np.repeat(np.eye(len(SCORES))[[2]], len(SCORES), axis=0)

INDIFFERENT: Mapping[Kind, Reals] = {"guessing": GUESSES, "always-2": TWOS, "overlap": GUESSES}
"""The matrices of the kinds that do not look at the pair; `score_chances` replaces that of `overlap`."""

RIGHT_IN_95 = np.array([[0.95, 0.05, 0, 0], [0.025, 0.95, 0.025, 0], [0, 0.025, 0.95, 0.025], [0, 0, 0.05, 0.95]])
RIGHT_IN_40 = np.array([[0.4, 0.2, 0.2, 0.2], [0.2, 0.4, 0.2, 0.2], [0.2, 0.2, 0.4, 0.2], [0.2, 0.2, 0.2, 0.4]])

CLEAR: Mapping[Kind, Reals] = {
    **dict.fromkeys(ACCURACY, RIGHT_IN_95),
    "careless": RIGHT_IN_40,
    **INDIFFERENT,
}


def vote_confusion(accuracy: Reals) -> Reals:
    """The confusion matrices, of shape (…, 4, 4), of annotators with these chances of a right vote."""
    right = np.asarray(accuracy, dtype="float64")[..., None, None]
    return np.asarray(right * SAME_VOTE + (1 - right) * OTHER_VOTE)


def parade_confusions(annotators: pd.DataFrame) -> Reals:
    """The confusion matrices at PARADE's noise, one per row. `annotators`: kind, accuracy."""
    confusions = vote_confusion(annotators["accuracy"].fillna(0.5).to_numpy("float64"))
    for kind, matrix in INDIFFERENT.items():
        confusions[(annotators["kind"] == kind).to_numpy(bool)] = matrix
    return confusions


def score_chances(kinds: NDArray[np.object_], confusions: Reals, asked: pd.DataFrame) -> Reals:
    """The chance of each score, shape (ratings, 4).

    `kinds` and `confusions`: of each annotator. `asked`, one row per rating: `rater` (the annotator's place in these),
    `truth` (the deserved score; 0 or 3 where only a vote is known), `by_overlap` (the score that overlap suggests),
    `progress` (0 to 1, in the annotator's own work) and, where pairs differ in it, `ease` (what is added to the chance
    of a right vote).
    """
    raters, truth = asked["rater"].to_numpy("int64"), asked["truth"].to_numpy("int64")
    progress, kind = asked["progress"].to_numpy("float64"), kinds[raters]
    own = confusions[raters, truth]
    if "ease" in asked:
        ease = asked["ease"].to_numpy("float64") * np.isin(kind, list(ACCURACY))
        own = own + ease[:, None] * (SAME_VOTE - OTHER_VOTE)[truth]
    guessed = np.select([kind == "drifting", kind == "tiring"], [progress, progress > 2 / 3], 0.0)[:, None]
    chances = (1 - guessed) * own + guessed * GUESSES[truth]
    suggested = np.eye(len(SCORES))[asked["by_overlap"].to_numpy("int64")]
    return np.asarray(np.where((kind == "overlap")[:, None], suggested, chances))


def draw_scores(chances: Reals, uniforms: Reals) -> Integers:
    """One score per row of chances, by a number between 0 and 1 for each."""
    return np.asarray((uniforms[:, None] >= np.cumsum(chances, axis=1)[:, :-1]).sum(axis=1), dtype="int64")


def keyed_uniform(*parts: object) -> float:
    """A number between 0 and 1, neither of them, that depends on the parts alone."""
    return (int(digest(*parts)[:13], 16) + 0.5) / 16**13


def read_kinds(text: str, flag: str) -> list[tuple[Kind, int]]:
    """Kinds with numbers of annotators, from `good:32,guessing:8`. Raises InputError for anything else."""
    parts = [part.partition(":") for part in text.split(",")]
    named = [(FORMER_NAMES.get(name, name), number) for name, _, number in parts]
    if not all(name in KINDS and number.isdecimal() for name, number in named):
        raise InputError(
            flag,
            expected="kinds with numbers of annotators, as in good:32,guessing:8, of " + ", ".join(KINDS),
            found=repr(text),
            remedy="write it in that form",
        )
    return [(cast(Kind, name), int(number)) for name, number in named]


def count_kinds(text: str, flag: str) -> dict[Kind, int]:
    """How many annotators are of each kind, in the order of KINDS, from a text as of `read_kinds`."""
    listed = read_kinds(text, flag)
    named = {kind for kind, _ in listed}
    return {kind: sum(n for name, n in listed if name == kind) for kind in KINDS if kind in named}
