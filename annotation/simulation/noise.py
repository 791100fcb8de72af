"""How simulated annotators err: the one noise model of `simulate`, `forecast` and the benchmarks; pure.

An annotator has a *confusion matrix*, the chance of each answer (columns) for a pair that deserves an answer (rows),
such as a score from 0 to 3, and a *kind*, which says what becomes of it. Some kinds look at the pair: who is `drifting`
guesses in a share of the pairs that grows evenly from 0 to 1, who is `tiring` in all of the last third. The others do
not: `guessing` gives any answer, `always-2` the same one (the lowest positive: PARADE's 2), `overlap` the one that the
share of common words suggests.

There are two levels of noise, each with its own matrices for the kinds that look. `clear`: the good are right in 95 %
of the answers, the careless in 40 % of four; for demonstrations and tests. `parade`: as in PARADE, where experts often
disagree. An accuracy is then the *vote*'s (paraphrase or not). With good annotators right in 68 to 80 % of the
votes and three per pair, 58 % of the pairs are 2:1 splits and Fleiss' kappa is 0.23; PARADE's released votes have
58.9 % and 0.212.
"""

from collections.abc import Mapping
from typing import Literal, cast, get_args

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from data.console.errors import InputError
from data.measures.agreement import Integers, Reals
from data.measures.classes import PARADE, Classes
from data.texts.identity import digest

Kind = Literal["good", "careless", "guessing", "always-2", "overlap", "drifting", "tiring"]
KINDS: tuple[Kind, ...] = get_args(Kind)

GOOD: Kind = "good"
"""The only kind that no rule should accuse."""

FORMER_NAMES: Mapping[str, Kind] = {"random": "guessing"}

Noise = Literal["clear", "parade"]

INDIFFERENT: tuple[Kind, ...] = ("guessing", "always-2", "overlap")
"""The kinds that do not look at the pair."""

ACCURACY: Mapping[Kind, tuple[float, float]] = {
    "good": (0.68, 0.80),
    "careless": (0.60, 0.60),
    "drifting": (0.68, 0.80),
    "tiring": (0.68, 0.80),
}
"""Of the kinds that look at the pair, the lowest and highest chance of a right vote at PARADE's noise, at the start."""

DESERVED, NEXT = 0.8, 3 / 7
"""At PARADE's noise: how often the answer is the deserved one where the vote is right; and, where it is wrong, how much
rarer an answer is than the one before it, seen from the border."""

SHARP, DULL = 0.95, 0.2
"""At clear noise: how often the good give the deserved answer, and the careless instead of guessing."""


def same_vote(classes: Classes = PARADE) -> Reals:
    """At PARADE's noise, the chance of each answer where the vote is right: mostly the deserved one."""
    n_negative = len(classes) - classes.n_positive
    matrix = np.zeros((len(classes), len(classes)))
    matrix[:n_negative, :n_negative] = _near(n_negative, DESERVED)
    matrix[n_negative:, n_negative:] = _near(classes.n_positive, DESERVED)
    return matrix


def other_vote(classes: Classes = PARADE) -> Reals:
    """And where the vote is wrong: mostly the answer next to the border."""
    n_negative, n_positive = len(classes) - classes.n_positive, classes.n_positive
    matrix = np.zeros((len(classes), len(classes)))
    matrix[:n_negative, n_negative:] = _falling(n_positive)
    matrix[n_negative:, :n_negative] = _falling(n_negative)[::-1]
    return matrix


def clear_confusion(kind: Kind, classes: Classes = PARADE) -> Reals:
    """The confusion matrix of a kind at clear noise."""
    n = len(classes)
    if kind in INDIFFERENT:
        return _indifferent(kind, classes)
    return DULL * np.eye(n) + (1 - DULL) / n if kind == "careless" else _near(n, SHARP)


def vote_confusion(accuracy: Reals | float, classes: Classes = PARADE) -> Reals:
    """The confusion matrices, of shape (…, answers, answers), of annotators with these chances of a right vote."""
    right = np.asarray(accuracy, dtype="float64")[..., None, None]
    return np.asarray(right * same_vote(classes) + (1 - right) * other_vote(classes))


def parade_confusions(annotators: pd.DataFrame, classes: Classes = PARADE) -> Reals:
    """The confusion matrices at PARADE's noise, one per row. `annotators`: kind, accuracy."""
    confusions = vote_confusion(annotators["accuracy"].fillna(0.5).to_numpy("float64"), classes)
    for kind in INDIFFERENT:
        confusions[(annotators["kind"] == kind).to_numpy(bool)] = _indifferent(kind, classes)
    return confusions


def score_chances(
    kinds: NDArray[np.object_], confusions: Reals, asked: pd.DataFrame, classes: Classes = PARADE
) -> Reals:
    """The chance of each answer, shape (ratings, answers).

    `kinds` and `confusions`: of each annotator. `asked`, one row per rating: `rater` (the annotator's place in these),
    `truth` (the place of the deserved answer; the first or last where only a vote is known), `by_overlap` (the place of
    the answer that overlap suggests), `progress` (0 to 1, in the annotator's own work) and, where pairs differ in it,
    `ease` (what is added to the chance of a right vote, see `with_ease`).
    """
    raters, truth = asked["rater"].to_numpy("int64"), asked["truth"].to_numpy("int64")
    progress, kind = asked["progress"].to_numpy("float64"), kinds[raters]
    own = confusions[raters, truth]
    if "ease" in asked:
        own = with_ease(own, truth, asked["ease"].to_numpy("float64") * ~np.isin(kind, INDIFFERENT), classes)
    guessed = np.select([kind == "drifting", kind == "tiring"], [progress, progress > 2 / 3], 0.0)[:, None]
    chances = (1 - guessed) * own + guessed / len(classes)
    suggested = np.eye(len(classes))[asked["by_overlap"].to_numpy("int64")]
    return np.asarray(np.where((kind == "overlap")[:, None], suggested, chances))


def spread_ease(uniforms: Reals, unequal: float) -> Reals:
    """The ease of pairs, evenly between `unequal` less and `unequal` more, by a number between 0 and 1 for each."""
    return np.asarray(-unequal + 2 * unequal * uniforms)


def with_ease(chances: Reals, truth: Integers, ease: Reals, classes: Classes = PARADE) -> Reals:
    """The chances of each answer where the chance of a right vote is higher by `ease` (lower where it is negative).

    It moves no further up than it can move down, so that over all pairs the votes are right as often as before. Answers
    on one side of the border keep their shares among themselves.
    """
    n_negative = len(classes) - classes.n_positive
    is_right = (np.arange(len(classes)) >= n_negative) == (truth >= n_negative)[:, None]
    right = np.where(is_right, chances, 0).sum(axis=1)
    room = np.minimum(right, 1 - right).clip(min=0)
    moved = np.clip(ease, -room, room)[:, None]
    side = np.where(is_right, right[:, None], 1 - right[:, None])
    share = np.divide(np.where(is_right, moved, -moved), side, out=np.zeros(chances.shape), where=side > 0)
    return np.asarray(chances * (1 + share))


def _near(n: int, own: float) -> Reals:
    """A matrix of `n` answers with the chance `own` of each answer itself; its neighbours share the rest."""
    if n == 1:
        return np.ones((1, 1))
    beside = np.eye(n, k=1) + np.eye(n, k=-1)
    return np.asarray(own * np.eye(n) + (1 - own) * beside / beside.sum(axis=1, keepdims=True)).round(12)


def _falling(n: int) -> Reals:
    """The chances of `n` answers of which each is rarer than the one before."""
    weights = NEXT ** np.arange(n)
    return np.asarray(weights / weights.sum()).round(12)


def _indifferent(kind: Kind, classes: Classes) -> Reals:
    """The matrix of a kind that does not look at the pair; `score_chances` replaces the matrix of `overlap`."""
    n = len(classes)
    if kind == "always-2":
        return np.repeat(np.eye(n)[[n - classes.n_positive]], n, axis=0)
    return np.full((n, n), 1 / n)


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
    """How many annotators are of each kind, in the order of KINDS, from a text that is parsed as in `read_kinds`."""
    listed = read_kinds(text, flag)
    named = {kind for kind, _ in listed}
    return {kind: sum(n for name, n in listed if name == kind) for kind in KINDS if kind in named}
