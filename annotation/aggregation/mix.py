"""The share of positive labels to expect among pairs without one, by the labels so far; pure.

A logistic regression with a ridge tells the label by similarity, overlap, whether a word is shared, and selection. It
is fitted again to bootstrap samples of whole entities, whose pairs are similar. `python -m benchmarks.mix` measures how
often the intervals hold.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import expit
from scipy.stats import t
from sklearn import config_context
from sklearn.linear_model import LogisticRegression

RESAMPLES = 100
PSEUDO_LABEL = 0.5
"""The weight of one positive and one negative label of an average pair: no forecast is exactly 0 or 1."""
SURE = 0.95

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Expected:
    """The share of positive labels among some pairs, and the interval that holds it in 95 of 100 cases."""

    share: float
    low: float
    high: float


def expect(
    labelled: pd.DataFrame, rest: pd.DataFrame, parts: Mapping[str, NDArray[np.intp]], seed: int = 1
) -> dict[str, Expected]:
    """What to expect of each part of the pairs without a label.

    `labelled`, `rest`: entity, selection, similarity, overlap (0 to 1; null: unknown), and of the labelled `binary`.
    `parts`: name -> row numbers of `rest`, at least one each. The effect of a selection without labels is drawn from
    the ridge's own prior, so that its interval is wide. The interval is Student's, with the bootstrap's standard error
    and the chance of the part's own labels; with labels of a single entity it is 0 to 1.
    """
    random = np.random.default_rng(seed)
    known, unknown, is_new = _features(labelled, rest)
    codes, entities = pd.factorize(labelled["entity"])
    label, n = labelled["binary"].to_numpy(dtype=np.int64), len(entities)
    with config_context(assume_finite=True, skip_parameter_validation=True):
        central = _chances(known, label, np.ones(len(label)), unknown)
        shares: dict[str, list[float]] = {name: [] for name in parts}
        for counts in random.multinomial(n, np.full(n, 1 / n), RESAMPLES):
            surprise = unknown[:, -len(is_new) :] @ (random.standard_normal(len(is_new)) * is_new)
            drawn = _chances(known, label, counts[codes].astype(np.float64), unknown, surprise)
            for name, rows in parts.items():
                shares[name].append(drawn[rows].mean())
    return {name: _summarise(central[rows], np.array(shares[name]), n) for name, rows in parts.items()}


def _features(labelled: pd.DataFrame, rest: pd.DataFrame) -> tuple[Floats, Floats, NDArray[np.bool_]]:
    """The features of both frames' pairs, the last ones one per selection, and which selections have no label."""
    both = pd.concat([labelled, rest], ignore_index=True)
    numbers = pd.DataFrame({"similarity": both["similarity"], "overlap": both["overlap"]}).astype("Float64")
    is_disjoint = (numbers["overlap"] == 0).fillna(value=False).to_numpy(dtype=np.float64)[:, None]
    numbers["overlap"] **= 0.5
    numbers = (numbers - numbers.mean()) / numbers.std(ddof=0).where(lambda spread: spread > 0)
    selection, names = pd.factorize(both["selection"], sort=True)
    columns = numbers.fillna(0).to_numpy(dtype=np.float64), is_disjoint, np.eye(len(names))[selection]
    features = np.hstack(columns)
    is_new = ~np.isin(np.arange(len(names)), selection[: len(labelled)])
    return features[: len(labelled)], features[len(labelled) :], is_new


def _chances(
    known: Floats, label: NDArray[np.int64], weight: Floats, unknown: Floats, surprise: Floats | float = 0.0
) -> Floats:
    """The chance of a positive label of each unknown pair, by the known ones with these weights."""
    average = np.average(known, axis=0, weights=weight)
    model = LogisticRegression(max_iter=1_000).fit(
        np.vstack([known, average, average]), [*label, 0, 1], [*weight, PSEUDO_LABEL, PSEUDO_LABEL]
    )
    chances: Floats = expit(model.decision_function(unknown) + surprise)
    return chances


def _summarise(chances: Floats, shares: Floats, n_entities: int) -> Expected:
    share = float(chances.mean())
    if n_entities < 2:
        return Expected(share=share, low=0.0, high=1.0)
    variance = shares.var(ddof=1) * n_entities / (n_entities - 1) + (chances * (1 - chances)).sum() / len(chances) ** 2
    reach = t.ppf((1 + SURE) / 2, n_entities - 1) * np.sqrt(variance)
    return Expected(share=share, low=float(max(0, share - reach)), high=float(min(1, share + reach)))
