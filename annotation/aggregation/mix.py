"""The share of positive labels to expect among pairs without one, by the labels so far; pure.

A logistic regression with a ridge tells the label by similarity, overlap, whether any word or every word is shared, and
selection. No data set follows such a curve exactly, least at its ends, so a smooth deviation of unknown form is added
for the overlap, a Gaussian process. Where labels lie near, they tell the deviation; far from them, it makes the
interval wide. Pairs of an entity are similar, so errors count by entity. `python -m studies.pairs.mix` measures how
often the intervals hold.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.linalg import solve_triangular
from scipy.special import expit
from sklearn import config_context
from sklearn.linear_model import LogisticRegression

from data.measures import intervals
from data.measures.intervals import Floats, Groups

N_DRAWS = 400
PSEUDO_LABEL = 0.5
"""The weight of one positive and one negative label of an average pair: no forecast is exactly 0 or 1."""
CURVE_DEVIATION = 2.0
"""The standard deviation, in log odds, of how far the share leaves the logistic curve."""
OVERLAP_REACH = 1.0
"""How far, in standard deviations of the overlap, a label tells the deviation of others."""
MAX_INTERVAL_WIDTH = 0.5
"""A wider interval says too little to print."""


@dataclass(frozen=True, kw_only=True)
class Expected:
    """The share of positive labels among some pairs, and the interval that holds it in 95 of 100 cases."""

    share: float
    low: float
    high: float

    @property
    def is_vague(self) -> bool:
        """Whether the interval is so wide that pairs like these need labels first."""
        return self.high - self.low > MAX_INTERVAL_WIDTH


def expect(
    labelled: pd.DataFrame, rest: pd.DataFrame, parts: Mapping[str, NDArray[np.intp]], seed: int = 1
) -> dict[str, Expected]:
    """What to expect of each part of the pairs without a label.

    `labelled`, `rest`: entity, selection, similarity, overlap (0 to 1; null: unknown), and of the labelled `binary`.
    `parts`: name -> row numbers of `rest`, at least one each. The interval is Student's, of draws of the model and of
    the part's own labels; with labels of a single entity it is 0 to 1.
    """
    random, groups = np.random.default_rng(seed), Groups.of(labelled["entity"])
    known, unknown = _features(labelled, rest)
    centre, covariance = _fit(known, labelled["binary"].to_numpy(dtype=np.float64), groups)
    shares: dict[str, list[float]] = {name: [] for name in parts}
    drawn: dict[str, list[float]] = {name: [] for name in parts}
    for weights in random.multivariate_normal(centre, covariance, N_DRAWS, check_valid="ignore", method="eigh"):
        chances = expit(unknown @ weights)
        label = random.random(len(chances)) < chances
        for name, rows in parts.items():
            shares[name].append(float(chances[rows].mean()))
            drawn[name].append(float(label[rows].mean()))
    return {name: _summarise(float(np.mean(shares[name])), np.array(drawn[name]), groups) for name in parts}


def _features(labelled: pd.DataFrame, rest: pd.DataFrame) -> tuple[Floats, Floats]:
    """The features of both frames' pairs, each with a prior of variance 1, and last a column of ones."""
    both = pd.concat([labelled, rest], ignore_index=True)
    numbers = pd.DataFrame({"similarity": both["similarity"], "overlap": both["overlap"]}).astype("Float64")
    ends = [(numbers["overlap"] == end).fillna(value=False).to_numpy(dtype=np.float64) for end in (0, 1)]
    numbers["overlap"] **= 0.5
    numbers = (numbers - numbers.mean()) / numbers.std(ddof=0).where(lambda spread: spread > 0)
    numbers = numbers.fillna(0)
    selection, names = pd.factorize(both["selection"], sort=True)
    places: Floats = numbers["overlap"].to_numpy("float64")
    columns = [numbers.to_numpy("float64"), *ends, np.eye(len(names))[selection], _deviate(places), np.ones(len(both))]
    features: Floats = np.column_stack(columns)
    return features[: len(labelled)], features[len(labelled) :]


def _deviate(places: Floats) -> Floats:
    """Features whose sum, with standard normal weights, is a draw of the Gaussian process at these places."""

    def kernel(left: Floats, right: Floats) -> Floats:
        return np.asarray(CURVE_DEVIATION**2 * np.exp(-(((left[:, None] - right) / OVERLAP_REACH) ** 2) / 2))

    centres = np.arange(places.min(), places.max() + OVERLAP_REACH / 2, OVERLAP_REACH / 2)
    root = np.linalg.cholesky(kernel(centres, centres) + 1e-6 * np.eye(len(centres)))
    return np.asarray(solve_triangular(root, kernel(centres, places), lower=True).T)


def _fit(known: Floats, label: Floats, groups: Groups) -> tuple[Floats, Floats]:
    """The weights of the features and their covariance: the labels' noise by group, and what the prior leaves open."""
    average = known.mean(axis=0)
    with config_context(assume_finite=True, skip_parameter_validation=True):
        model = LogisticRegression(max_iter=1_000).fit(
            np.vstack([known, average, average])[:, :-1], [*label, 0, 1], [*np.ones(len(label)), *[PSEUDO_LABEL] * 2]
        )
    centre = np.append(model.coef_, model.intercept_)
    chances, at_average = expit(known @ centre), expit(average @ centre)
    information = (known.T * (chances * (1 - chances))) @ known
    prior = np.diag(np.append(np.ones(len(centre) - 1), 0.0))
    prior += 2 * PSEUDO_LABEL * at_average * (1 - at_average) * np.outer(average, average)
    inverse = np.linalg.inv(information + prior)
    errors = groups.add((label - chances)[:, None] * known)
    n, used = len(label), np.trace(inverse @ information)
    noise = errors.T @ errors * (n / max(1, n - used))
    return centre, inverse @ (noise + prior) @ inverse


def _summarise(share: float, drawn: Floats, groups: Groups) -> Expected:
    low, high = intervals.drawn(share, drawn, groups.effective)
    return Expected(share=share, low=low, high=high)
