"""What more labels would teach a model: its learning curve by entity, and the best that the raters' noise allows; pure.

Only differences of overlap features (and, if asked, of a sentence model) are learned: the curve describes a floor, not
of the best model that there is.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn import config_context
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from data.console.errors import InputError
from data.labelled import features
from data.measures import ceiling, intervals
from data.measures.intervals import Floats, Groups
from data.models import sentence_models
from data.texts.languages.base import Language

MEASURES = ("accuracy", "F1", "AUC")
SHARES = (0.1, 0.2, 0.35, 0.5, 0.7, 1.0)
"""Shares of the entities to learn from."""
FOLDS, REPEATS, RESAMPLES = 5, 4, 30
MIN_ENTITIES = 10
MIN_PROBABILITY = 1e-12
CEILING_DRAWS = 200
"""Draws of the ceiling."""


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """A value and its 95 % interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, eq=False)
class LearningCurve:
    """Measures on held-out entities, by the number of labels learned from.

    `sizes`: shape (sizes,). `values`: measure -> shape (REPEATS, sizes), one row per order of the entities; `draws`:
    measure -> shape (RESAMPLES, sizes), one row per order and weights of the entities. `effective`: how many entities
    of equal size would say as much.
    """

    sizes: Floats
    values: Mapping[str, Floats]
    draws: Mapping[str, Floats]
    effective: float

    def at(self, place: int) -> dict[str, Estimate]:
        """The measures at one size, of a model that learns from other labels as well."""
        found = {}
        for name, rows in self.values.items():
            value = float(rows[:, place].mean())
            low, high = intervals.bounded(value, self.draws[name][:, place], self.effective) or (0.0, 1.0)
            found[name] = Estimate(value=value, low=low, high=high)
        return found

    def gain(self, n_labels: int, n_more: int) -> dict[str, Estimate]:
        """What `n_more` labels beside `n_labels` will add, by the law a - b/n of each measure, fitted to its curve.

        With few columns, what a model lacks for want of labels falls as 1/n; an exponent fitted to each curve promised
        too much. The interval holds the law's own error, and what depends on which labels come: nested sets of labels
        move a measure by a variance in proportion to 1/n - 1/(n + m), as the curve's own steps show.
        """
        rise, sizes = 1 / n_labels - 1 / (n_labels + n_more), self.sizes
        found = {}
        for name, rows in self.values.items():
            value = rise * float(_slopes(sizes, rows.mean(axis=0)[None])[0])
            steps = np.diff(rows - rows.mean(axis=0), axis=1) ** 2 / np.maximum(
                1 / sizes[:-1] - 1 / sizes[1:], MIN_PROBABILITY
            )
            luck = steps.mean() * len(rows) / (len(rows) - 1) * rise
            drawn = rise * _slopes(sizes, self.draws[name])
            widened = drawn * np.sqrt(1 + luck / max(drawn.var(), MIN_PROBABILITY))
            low, high = intervals.free(value, widened, self.effective) or (-1.0, 1.0)
            found[name] = Estimate(value=value, low=low, high=high)
        return found


def _slopes(sizes: Floats, rows: Floats) -> Floats:
    """The b of a - b/n for each row of values; a size counts in proportion to its labels."""
    weight = np.sqrt(sizes)
    columns = np.column_stack([weight, -weight / sizes])
    return np.asarray(np.linalg.lstsq(columns, (rows * weight).T)[0][1])


def require_learnable(label: NDArray[np.int64], entity: "pd.Series[str]", where: str) -> None:
    """Raise InputError where all labels are equal, or too few entities are labelled to hold some out."""
    found = (
        f"labels of {entity.nunique()} entities" if entity.nunique() < MIN_ENTITIES else f"{len(label)} equal labels"
    )
    if entity.nunique() < MIN_ENTITIES or len(np.unique(label)) < 2:
        raise InputError(
            where,
            expected=f"labels of both kinds, of at least {MIN_ENTITIES} entities",
            found=found,
            remedy="label more first",
        )


def describe(rows: pd.DataFrame, language: Language, model: str | None, watch: Callable[..., Iterator[Any]]) -> Floats:
    """What is learned from, one row per pair (columns first, second): overlap, and the cosine of a sentence model."""
    first, second = rows["first"].tolist(), rows["second"].tolist()
    columns = features.describe(first, second, language).to_numpy("float64")
    if model is None:
        return columns
    codes, texts = pd.factorize(np.array([*first, *second], dtype=object))
    vectors = sentence_models.encoder(model, "--model", watch)([str(text) for text in texts])
    left, right = codes.reshape(2, -1)
    return np.column_stack([np.einsum("ij,ij->i", vectors[left], vectors[right]), columns])


def measure_curve(columns: Floats, label: NDArray[np.int64], entity: "pd.Series[str]", seed: int = 1) -> LearningCurve:
    """The learning curve of a logistic regression on the columns, by entity.

    In each of FOLDS folds of entities the model learns from a share of the other entities; every pair is scored by
    models that saw no pair of its entity. Draws weigh entities where the model learns and where it is judged.
    """
    groups, random = Groups.of(entity), np.random.default_rng(seed)
    orders = [random.permutation(groups.n)[groups.codes] for _ in range(REPEATS + RESAMPLES)]
    weights = np.vstack([np.ones((REPEATS, groups.n)), groups.weigh(RESAMPLES, seed)])[:, groups.codes]
    with config_context(assume_finite=True, skip_parameter_validation=True):
        curves = [
            [_score(columns, label, order, own, share) for share in SHARES]
            for order, own in zip(orders, weights, strict=True)
        ]
    found = np.array(curves)
    by_name = {name: found[:, :, place] for place, name in enumerate(MEASURES)}
    return LearningCurve(
        sizes=found[:REPEATS, :, -1].mean(axis=0),
        values={name: rows[:REPEATS] for name, rows in by_name.items()},
        draws={name: rows[REPEATS:] for name, rows in by_name.items()},
        effective=groups.effective,
    )


def _score(
    columns: Floats, label: NDArray[np.int64], place: NDArray[np.intp], weight: Floats, share: float
) -> tuple[float, float, float, float]:
    """Accuracy, F1 and AUC of models that learned from a share of the entities of other folds; their mean size.

    `place`: the random place of each pair's entity among all. AUC compares pairs of one fold, which one model scored.
    """
    n, fold, rank = int(place.max()) + 1, place % FOLDS, place // FOLDS
    scores, sizes, ranked = np.zeros(len(label)), [], []
    for held_out in range(FOLDS):
        known, asked = (fold != held_out) & (rank < max(1, round(share * n / FOLDS))), fold == held_out
        sizes.append(int(known.sum()))
        if len(np.unique(label[known])) < 2:
            scores[asked] = label[known].mean() if known.any() else 0.5
        else:
            scaler = StandardScaler().fit(columns[known])
            model = LogisticRegression(solver="newton-cholesky")
            model.fit(scaler.transform(columns[known]), label[known], sample_weight=weight[known])
            scores[asked] = model.predict_proba(scaler.transform(columns[asked]))[:, 1]
        yes, no = (weight[asked & (label == side)].sum() for side in (1, 0))
        ranked.append((float(measure(scores[asked], label[asked], weight[None, asked])[2][0]), float(yes * no)))
    accuracy, f1, _ = measure(scores, label, weight[None])
    total = sum(couples for _, couples in ranked)
    auc = sum(own * couples for own, couples in ranked) / total if total else 0.5
    return float(accuracy[0]), float(f1[0]), auc, float(np.mean(sizes))


def measure(scores: Floats, label: NDArray[np.int64], weights: Floats) -> tuple[Floats, Floats, Floats]:
    """Accuracy and F1 at 0.5, and ROC AUC, of each row of weights."""
    predicted, yes = scores >= 0.5, label == 1
    total, both = weights.sum(axis=1), weights @ (predicted & yes)
    accuracy = weights @ (predicted == yes) / total
    f1 = 2 * both / np.maximum(weights @ predicted + weights @ yes, 1e-12)
    order = np.argsort(scores, kind="stable")
    positive, negative = weights[:, order] * yes[order], weights[:, order] * ~yes[order]
    below = np.cumsum(negative, axis=1) - negative / 2
    pairs = positive.sum(axis=1) * negative.sum(axis=1)
    return accuracy, f1, (positive * below).sum(axis=1) / np.maximum(pairs, 1e-12)


def measure_ceiling(
    votes: NDArray[np.int64], n_votes: NDArray[np.int64], entity: "pd.Series[str]", seed: int = 1
) -> dict[str, Estimate]:
    """What a model reaches at best against the majority of the raters: one that knows each pair's own share of "yes".

    See `data.measures.ceiling.reach`; intervals from drawing entities.
    """
    cells, cell = np.unique(np.column_stack([votes, n_votes]), axis=0, return_inverse=True)
    groups = Groups.of(entity)
    counts = groups.add(np.eye(len(cells))[cell.ravel()])
    reached = ceiling.reach(cells, np.vstack([counts.sum(axis=0), groups.weigh(CEILING_DRAWS, seed) @ counts]))
    found = {}
    for name, key in zip(MEASURES, ceiling.MEASURES, strict=True):
        value, *draws = reached[key].tolist()
        low, high = intervals.bounded(value, np.array(draws), groups.effective) or (0.0, 1.0)
        found[name] = Estimate(value=value, low=low, high=high)
    return found
