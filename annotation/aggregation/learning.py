"""What more labels would teach a model: its learning curve by entity, and the best that the raters' noise allows; pure.

Only differences of overlap features (and, if asked, of a sentence model) are learned: the curve is that of a floor, not
of the best model that there is.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.optimize import nnls
from sklearn import config_context
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from data import intervals, sentence_models
from data.errors import InputError
from data.intervals import Groups
from data.labelled import ceiling, features
from data.languages.base import Language

Floats = NDArray[np.float64]

MEASURES = ("accuracy", "F1", "AUC")
SHARES = (0.1, 0.2, 0.35, 0.5, 0.7, 1.0)
"""Shares of the entities to learn from."""
FOLDS, REPEATS, RESAMPLES = 5, 4, 200
DECAYS = np.arange(0.1, 2.05, 0.1)
"""Exponents of the power law that are tried."""
FEWEST_ENTITIES = 10


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """A value and its 95 % interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, eq=False)
class Curve:
    """Measures on held-out entities, by the number of labels learned from.

    `values`: measure -> array [1 + RESAMPLES, number of sizes]; the first row is that of the pairs themselves, the
    others are those of samples of their entities.
    """

    sizes: Floats
    values: Mapping[str, Floats]

    def at(self, place: int) -> dict[str, Estimate]:
        """The measures at one size."""
        return {name: _estimate(rows[:, place]) for name, rows in self.values.items()}

    def gain(self, n_labels: int, n_more: int) -> dict[str, Estimate]:
        """What `n_more` labels beside `n_labels` are expected to add: by the power law a + b n^-c of each measure."""
        return {
            name: _estimate(np.array([_gain(self.sizes, row, n_labels, n_more) for row in rows]))
            for name, rows in self.values.items()
        }


def demand_learnable(label: NDArray[np.int64], entity: "pd.Series[str]", where: str) -> None:
    """Raise InputError where all labels are equal, or too few entities are labelled to hold some out."""
    found = (
        f"labels of {entity.nunique()} entities" if entity.nunique() < FEWEST_ENTITIES else f"{len(label)} equal labels"
    )
    if entity.nunique() < FEWEST_ENTITIES or len(np.unique(label)) < 2:
        raise InputError(
            where,
            expected=f"labels of both kinds, of at least {FEWEST_ENTITIES} entities",
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


def measure_curve(columns: Floats, label: NDArray[np.int64], entity: "pd.Series[str]", seed: int = 1) -> Curve:
    """The learning curve of a logistic regression on the columns, by entity.

    In each of FOLDS folds of entities the model learns from a share of the other entities; every pair is scored by
    models that saw no pair of its entity. Means over REPEATS orders of the entities.
    """
    codes, names = pd.factorize(entity)
    weights = _resample(codes, len(names), seed)
    random = np.random.default_rng(seed)
    sizes = np.zeros(len(SHARES))
    values = {name: np.zeros((len(weights), len(SHARES))) for name in MEASURES}
    with config_context(assume_finite=True, skip_parameter_validation=True):
        for _ in range(REPEATS):
            order = random.permutation(len(names))
            for place, share in enumerate(SHARES):
                scores, size = _out_of_fold(columns, label, order[codes], len(names), share)
                sizes[place] += size / REPEATS
                for name, some in zip(MEASURES, _measure(scores, label, weights), strict=True):
                    values[name][:, place] += some / REPEATS
    return Curve(sizes, values)


def _resample(codes: NDArray[np.intp], n: int, seed: int) -> Floats:
    """How often each pair is in each sample of entities, the first being the pairs themselves."""
    counts = np.random.default_rng(seed).multinomial(n, np.full(n, 1 / n), RESAMPLES)
    return np.vstack([np.ones(n), counts])[:, codes].astype(np.float64)


def _out_of_fold(
    columns: Floats, label: NDArray[np.int64], place: NDArray[np.intp], n: int, share: float
) -> tuple[Floats, float]:
    """The score of each pair by models that learned from a share of the entities of other folds; their mean size.

    `place`: the random place of each pair's entity among all n.
    """
    fold, rank = place % FOLDS, place // FOLDS
    scores, sizes = np.zeros(len(label)), []
    for held_out in range(FOLDS):
        known = (fold != held_out) & (rank < max(1, round(share * n / FOLDS)))
        sizes.append(int(known.sum()))
        if len(np.unique(label[known])) < 2:
            scores[fold == held_out] = label[known].mean() if known.any() else 0.5
            continue
        scaler = StandardScaler().fit(columns[known])
        model = LogisticRegression(max_iter=500).fit(scaler.transform(columns[known]), label[known])
        scores[fold == held_out] = model.predict_proba(scaler.transform(columns[fold == held_out]))[:, 1]
    return scores, float(np.mean(sizes))


def _measure(scores: Floats, label: NDArray[np.int64], weights: Floats) -> tuple[Floats, Floats, Floats]:
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


def _gain(sizes: Floats, values: Floats, n_labels: int, n_more: int) -> float:
    fits = [(nnls(np.column_stack([np.ones(len(sizes)), sizes**-decay]), 1 - values), decay) for decay in DECAYS]
    (weights, _), decay = min(fits, key=lambda fit: float(fit[0][1]))
    return float(weights[1] * (n_labels**-decay - (n_labels + n_more) ** -decay))


def measure_ceiling(
    votes: NDArray[np.int64], n_votes: NDArray[np.int64], entity: "pd.Series[str]", seed: int = 1
) -> dict[str, Estimate]:
    """What a model reaches at best against the majority of the raters: one that knows each pair's own share of "yes".

    See `data.labelled.ceiling.reach`; intervals from drawing entities.
    """
    cells, cell = np.unique(np.column_stack([votes, n_votes]), axis=0, return_inverse=True)
    groups = Groups.of(entity)
    counts = groups.add(np.eye(len(cells))[cell.ravel()])
    reached = ceiling.reach(cells, np.vstack([counts.sum(axis=0), groups.weigh(RESAMPLES, seed) @ counts]))
    return {
        name: _estimate_within(reached[key], groups.effective)
        for name, key in zip(MEASURES, ceiling.MEASURES, strict=True)
    }


def _estimate_within(values: Floats, effective: float) -> Estimate:
    low, high = intervals.bounded(float(values[0]), values[1:], effective) or (0.0, 1.0)
    return Estimate(value=float(values[0]), low=low, high=high)


def _estimate(values: Floats) -> Estimate:
    low, high = np.percentile(values[1:], [2.5, 97.5])
    return Estimate(value=float(values[0]), low=float(low), high=float(high))
