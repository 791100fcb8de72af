"""How far raters agree beyond chance; pure.

Ratings come as two arrays of the same length, `pairs` (the number of each rated pair) and `values` (classes from 0); a
rating is known by its place in them. Undefined values are None, with a reason. Limits are those of the percentile
bootstrap over pairs (Efron 1979), by `RESAMPLES` draws from a fixed seed. docs/quality.md derives the formulas.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from data.questions import Level

COIN = 0.5
"""A coin flipper's chance of calling a pair a paraphrase."""

RESAMPLES = 1_000
SEED = 1

LIMITS = (2.5, 97.5)
"""The percentiles between which 95 % of the draws lie."""

NOTHING = "no rating can be compared"
NO_SECOND = "no pair has two ratings"
ONE_CLASS = "all ratings are of one class"
SAME_CLASS = "both used one and the same class throughout"
NO_ORDER = "the answers have no order"

Integers = NDArray[np.int64]
Reals = NDArray[np.float64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, kw_only=True)
class Agreement:
    """A measure with the number of things it rests on and its 95 % limits, or the reason why it is not defined."""

    n: int
    value: float | None = None
    low: float | None = None
    high: float | None = None
    reason: str | None = None


def counts(pairs: Integers, values: Integers, classes: int) -> Integers:
    """How many ratings of each class each pair has: shape (highest pair number + 1, classes)."""
    n_pairs = int(pairs.max(initial=-1)) + 1
    return np.bincount(pairs * classes + values, minlength=n_pairs * classes).reshape(n_pairs, classes)


def consensus(table: Integers) -> tuple[Integers, Mask]:
    """The class with most ratings in each row of counts, and whether it is the only one; without ratings it is not."""
    most = table.max(axis=1, keepdims=True)
    return table.argmax(axis=1), ((table == most).sum(axis=1) == 1) & (most[:, 0] > 0)


def others(pairs: Integers, values: Integers, classes: int) -> Integers:
    """The other ratings of each rating's pair: counts of shape (ratings, classes)."""
    table = counts(pairs, values, classes)[pairs]
    table[np.arange(len(values)), values] -= 1
    return table


def chance_corrected(tables: Reals, distances: Reals, *, small_sample: bool = False) -> Reals:
    """1 - observed / expected disagreement of tables of shape (…, classes, classes); NaN where none is expected.

    For the classes of two raters (rows and columns) it is Cohen's kappa, with squared distances the weighted one; for
    the `coincidences` of any number of raters it is Fleiss' kappa, and with `small_sample` Krippendorff's alpha.
    `distances`: of each two classes, the same for all tables or of each.
    """
    total = tables.sum(axis=(-2, -1))
    observed = (tables * distances).sum(axis=(-2, -1))
    expected = np.einsum("...i,...j,...ij->...", tables.sum(axis=-1), tables.sum(axis=-2), distances)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(expected > 0, 1 - (total - small_sample) * observed / expected, np.nan))


def distances(classes: int, *, squared: bool = False) -> Reals:
    """How far classes are apart: 1 for any two, or the square of their difference."""
    scale = np.arange(classes, dtype="float64")
    apart = np.asarray(scale[:, None] - scale)
    return apart**2 if squared else (apart != 0).astype("float64")


def ordinal_distances(tables: Reals) -> Reals:
    """How far ordered classes are apart in `coincidences` of shape (…, classes, classes).

    The square of the difference between the mean ranks of their ratings. Source: Krippendorff 2011, section E.
    """
    sizes = tables.sum(axis=-1)
    ranks = sizes.cumsum(axis=-1) - sizes / 2
    return np.asarray((ranks[..., :, None] - ranks[..., None, :]) ** 2)


def set_distances(sets: Sequence[frozenset[str]]) -> Reals:
    """How far each two sets of answers are apart: MASI (Passonneau 2006), through NLTK."""
    from nltk.metrics.distance import masi_distance

    return np.array([[masi_distance(first, second) for second in sets] for first in sets], dtype="float64")


def estimate(tables: Reals, formula: Callable[[Reals], Reals], reason: str, n: int, seed: int = SEED) -> Agreement:
    """The formula of the sum of the pairs' `tables` (pairs, classes, classes), with bootstrap limits over pairs.

    `n`: how many things the tables rest on. `reason`: why the formula may give NaN. Pairs with the same table are drawn
    together, so the cost of a draw grows with the number of distinct tables only.
    """
    if n == 0:
        return Agreement(n=0, reason=NOTHING)
    flat = tables.reshape(len(tables), -1)
    kinds, sizes = np.unique(flat, axis=0, return_counts=True)
    value = float(formula((sizes @ kinds).reshape(tables.shape[1:])))
    if np.isnan(value):
        return Agreement(n=n, reason=reason)
    draws = np.random.default_rng(seed).multinomial(len(tables), sizes / len(tables), size=RESAMPLES) @ kinds
    low, high = np.nanpercentile(formula(draws.reshape(-1, *tables.shape[1:])), LIMITS)
    return Agreement(n=n, value=value, low=float(min(low, value)), high=float(max(high, value)))


def cohen_kappa(first: Integers, second: Integers, classes: int = 2, pairs: Integers | None = None) -> Agreement:
    """Cohen's kappa of two raters of the same things; swapping them changes nothing.

    `pairs`: the pair of each rating, where a pair can have several. Not defined without ratings, or where both raters
    used the same single class throughout.
    """
    tables = np.eye(classes)[first][:, :, None] * np.eye(classes)[second][:, None, :]
    apart = distances(classes)
    return estimate(_by_pair(tables, pairs), lambda table: chance_corrected(table, apart), SAME_CLASS, len(first))


def same_share(first: Integers, second: Integers, classes: int = 2, pairs: Integers | None = None) -> Agreement:
    """The share of things to which two raters gave the same class; arguments as of `cohen_kappa`."""
    tables = np.eye(classes)[first][:, :, None] * np.eye(classes)[second][:, None, :]

    def share(table: Reals) -> Reals:
        return np.asarray(np.trace(table, axis1=-2, axis2=-1) / table.sum(axis=(-2, -1)))

    return estimate(_by_pair(tables, pairs), share, NOTHING, len(first))


def weighted_kappa(
    values: Integers, others: Integers, pairs: Integers | None = None, weights: Reals | None = None
) -> Agreement:
    """Cohen's kappa with squared weights of each rating with each other rating of its pair, all pooled.

    `others`: the other ratings of each rating's pair, counts of shape (ratings, classes). `weights`: of each two
    classes, by default the squared difference of their places. `n`: the ratings with any. Source: Cohen 1968.
    """
    classes, used = others.shape[1], others.any(axis=1)
    tables = np.eye(classes)[values[used]][:, :, None] * others[used][:, None, :]
    apart = distances(classes, squared=True) if weights is None else weights
    grouped = _by_pair(tables, None if pairs is None else pairs[used])
    return estimate(grouped, lambda table: chance_corrected(table, apart), SAME_CLASS, int(used.sum()))


def _by_pair(tables: Reals, pairs: Integers | None) -> Reals:
    """The sum of the tables of each pair's ratings."""
    if pairs is None:
        return tables
    numbers, places = np.unique(pairs, return_inverse=True)
    added = np.zeros((len(numbers), *tables.shape[1:]))
    np.add.at(added, places, tables)
    return added


def chance_kappas(others: Integers, n_yes: int | None = None, seed: int = SEED) -> Reals:
    """Kappas that random votes among these others reach with the majority that includes them, one per draw.

    `others`: the other votes on each rating's pair, shape (ratings, 2). `n_yes`: by default the votes are a coin
    flipper's; else so many are yes, shuffled over the pairs (a permutation of an annotator's own votes). Ties decide
    nothing and are left out, as they are for people. NaN where a draw leaves the kappa undefined. Where two others
    differ, the coin decides and then agrees with itself; that is why its kappa is far above 0.
    """
    kinds, sizes = np.unique(others, axis=0, return_counts=True)
    random = np.random.default_rng(seed)
    if n_yes is None:
        yes = random.binomial(sizes, COIN, size=(RESAMPLES, len(sizes)))
    else:
        yes = random.multivariate_hypergeometric(sizes, n_yes, size=RESAMPLES)
    tables = np.zeros((RESAMPLES, 2, 2))
    for vote, drawn in ((0, sizes - yes), (1, yes)):
        winner, decided = consensus(kinds + np.eye(2, dtype="int64")[vote])
        for majority in (0, 1):
            tables[:, vote, majority] = drawn[:, decided & (winner == majority)].sum(axis=1)
    return chance_corrected(tables, distances(2))


def coincidences(table: Integers) -> Reals:
    """How often each two classes meet in each pair: shape (pairs, classes, classes), from counts (pairs, classes).

    Each pair weighs as much as it has ratings; a single rating meets none. Source: Krippendorff 2011, Computing
    Krippendorff's Alpha-Reliability, section D.
    """
    sizes = table.sum(axis=1)
    met = table[:, :, None] * table[:, None, :] - np.eye(table.shape[1], dtype="int64") * table[:, :, None]
    return np.asarray(met / np.maximum(sizes - 1, 1)[:, None, None], dtype="float64")


def fleiss_kappa(table: Integers) -> Agreement:
    """Fleiss' kappa of counts (pairs, classes) over the pairs with the most frequent number (>= 2) of ratings.

    The measure is defined only for a constant number of ratings per pair; `n` is the number of pairs that leaves.
    """
    sizes = table.sum(axis=1)
    several = np.bincount(sizes[sizes > 1], minlength=2)
    return _of_groups(table[sizes == several.argmax()] if several.sum() else table[:0], small_sample=False)


def krippendorff_alpha(table: Integers, level: Level = "nominal", apart: Reals | None = None) -> Agreement:
    """Krippendorff's alpha of counts (pairs, classes), of any number of ratings, by the classes' level of measurement.

    `apart`: distances of each two classes, in place of those of the level. `n` is the number of pairs with at least
    two ratings; the others say nothing about agreement.
    """
    return _of_groups(table[table.sum(axis=1) > 1], level, apart, small_sample=True)


def _of_groups(
    used: Integers, level: Level = "nominal", apart: Reals | None = None, *, small_sample: bool
) -> Agreement:
    if len(used) == 0:
        return Agreement(n=0, reason=NO_SECOND)
    fixed = distances(used.shape[1], squared=level == "interval") if apart is None else apart

    def formula(table: Reals) -> Reals:
        ranked = level == "ordinal" and apart is None
        return chance_corrected(table, ordinal_distances(table) if ranked else fixed, small_sample=small_sample)

    return estimate(coincidences(used), formula, ONE_CLASS, len(used))
