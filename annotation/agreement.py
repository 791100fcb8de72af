"""How far raters agree beyond chance; pure.

Ratings come as two arrays of the same length, `pairs` (numbers of the pairs rated) and `values` (classes from 0);
a rating's place in them is its identity. Undefined values are None and say why.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from statsmodels.stats import inter_rater

COIN = 0.5
"""A coin flipper's chance to call a pair a paraphrase."""

Integers = NDArray[np.int64]
Reals = NDArray[np.float64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, kw_only=True)
class Agreement:
    """A measure with the number of things that it rests on and its 95 % limits, or why it is not defined."""

    n: int
    value: float | None = None
    low: float | None = None
    high: float | None = None
    reason: str | None = None


def counts(pairs: Integers, values: Integers, classes: int) -> Integers:
    """How many ratings of each class a pair has: shape (highest pair number + 1, classes)."""
    n_pairs = int(pairs.max(initial=-1)) + 1
    return np.bincount(pairs * classes + values, minlength=n_pairs * classes).reshape(n_pairs, classes)


def consensus(table: Integers) -> tuple[Integers, Mask]:
    """The class with most ratings in each row of counts, and whether it is the only one; no rating decides nothing."""
    most = table.max(axis=1, keepdims=True)
    return table.argmax(axis=1), ((table == most).sum(axis=1) == 1) & (most[:, 0] > 0)


def others(pairs: Integers, values: Integers, classes: int) -> Integers:
    """Of each rating, what the others said of its pair: counts of shape (ratings, classes)."""
    table = counts(pairs, values, classes)[pairs]
    table[np.arange(len(values)), values] -= 1
    return table


def cohen_kappa(first: Integers, second: Integers, classes: int = 2) -> Agreement:
    """Cohen's kappa of two raters of the same things, with asymptotic limits; swapping them changes nothing.

    Not defined without ratings, or where both used one and the same class throughout.
    """
    table = counts(first, second, classes)
    square = np.zeros((classes, classes), dtype="int64")
    square[: len(table)] = table
    return _kappa_of(square, len(first))


def coin_kappa(others_said: Integers) -> Agreement:
    """The kappa of a coin flipper's votes with the majority that contains them, beside these others' votes.

    `others_said`: shape (ratings, 2), what the others said of each rating's pair. Expected, not drawn: each pair
    counts half for either vote; ties are left out as they are for people. The limits are those of that many votes.
    Beside two raters who differ, the coin decides and then agrees with itself: that is why it gets far above 0.
    """
    expected = np.zeros((2, 2))
    for vote in (0, 1):
        table = others_said.copy()
        table[:, vote] += 1
        winner, decided = consensus(table)
        expected[vote] = COIN * np.bincount(winner[decided], minlength=2)
    return _kappa_of(expected, len(others_said))


def fleiss_kappa(table: Integers) -> Agreement:
    """Fleiss' kappa of counts (pairs, classes) over the pairs with the most frequent number (>= 2) of ratings.

    The measure is defined for one number of ratings a pair only; `n` says how many pairs that leaves.
    """
    sizes = table.sum(axis=1)
    several = np.bincount(sizes[sizes > 1], minlength=2)
    used = table[sizes == several.argmax()] if several.sum() else table[:0]
    if len(used) == 0:
        return Agreement(n=0, reason="no pair has two ratings")
    if (used.sum(axis=0) > 0).sum() < 2:
        return Agreement(n=len(used), reason="all ratings are of one class")
    return Agreement(n=len(used), value=float(inter_rater.fleiss_kappa(used)))


def krippendorff_alpha(table: Integers, *, interval: bool = False) -> Agreement:
    """Krippendorff's alpha of counts (pairs, classes), nominal or by squared distances; any number of ratings a pair.

    `n` is the number of pairs with at least two ratings; the others say nothing of agreement.
    Source: Krippendorff 2011, Computing Krippendorff's Alpha-Reliability, section D.
    """
    used = table[table.sum(axis=1) > 1].astype("float64")
    classes = np.arange(table.shape[1], dtype="float64")
    distances = (classes[:, None] - classes) ** 2 if interval else (classes[:, None] != classes).astype("float64")
    weights = 1 / (used.sum(axis=1) - 1)
    coincidences = (used.T * weights) @ used - np.diag((used * weights[:, None]).sum(axis=0))
    totals = used.sum(axis=0)
    expected = float((np.outer(totals, totals) * distances).sum())
    if len(used) == 0:
        return Agreement(n=0, reason="no pair has two ratings")
    if expected == 0:
        return Agreement(n=len(used), reason="all ratings are of one class")
    observed = float((coincidences * distances).sum())
    return Agreement(n=len(used), value=1 - (totals.sum() - 1) * observed / expected)


def _kappa_of(table: Integers | Reals, n: int) -> Agreement:
    total = table.sum()
    if total == 0:
        return Agreement(n=n, reason="no rating can be compared")
    if table.max() == table.diagonal().max() == total:
        return Agreement(n=n, reason="both used one and the same class throughout")
    with np.errstate(divide="ignore", invalid="ignore"):  # statsmodels divides by a zero variance on the way
        found = inter_rater.cohens_kappa(table)
    kappa, low, high = (float(found[name]) for name in ("kappa", "kappa_low", "kappa_upp"))
    if np.isnan(low):
        return Agreement(n=n, value=kappa)
    return Agreement(n=n, value=kappa, low=max(low, -1.0), high=min(high, 1.0))
