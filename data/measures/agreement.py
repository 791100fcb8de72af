"""How far raters agree beyond chance; pure.

Ratings come as two arrays of the same length, `pairs` (the number of each rated pair) and `values` (classes from 0); a
rating is known by its place in them. Undefined values are None, with a reason. Limits are computed by
`data.measures.intervals.agreement`, which draws whole `groups` (the entity of each thing that is compared; by default
each is a group of its own) and holds the raters fixed. docs/formulas.md derives the formulas.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from data.contract.questions import Level
from data.measures import intervals
from data.measures.intervals import Groups

COIN = 0.5
"""A coin flipper's chance of calling a pair a paraphrase."""

NOTHING = "no rating can be compared"
NO_SECOND = "no pair has two ratings"
ONE_CLASS = "all ratings are of one class"
SAME_CLASS = "both used one and the same class throughout"
NO_ORDER = "the answers have no order"

Integers = NDArray[np.int64]
Reals = NDArray[np.float64]
Mask = NDArray[np.bool_]
Names = NDArray[Any]
"""The name or number of each thing's group."""

KAPPAS, SHARES = (-1.0, 1.0), (0.0, 1.0)
"""What lies between these bounds."""


@dataclass(frozen=True, kw_only=True)
class Agreement:
    """A measure with the number of things it rests on and its 95 % limits, or the reason why it is not defined."""

    n: int
    value: float | None = None
    low: float | None = None
    high: float | None = None
    reason: str | None = None
    detail: str | None = None
    """The figures behind the reason."""


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


def estimate(
    tables: Reals, formula: Callable[[Reals], Reals], reason: str, groups: Names | None, bounds: intervals.Limits
) -> Agreement:
    """The formula of the sum of `tables` (things, classes, classes), with its limits; `n` is the number of things.

    `reason`: why the formula may give NaN. `groups`: the name of each thing's group. `bounds`: of the formula.
    """
    n = len(tables)
    if n == 0:
        return Agreement(n=0, reason=NOTHING)
    value = float(formula(tables.sum(axis=0)))
    if np.isnan(value):
        return Agreement(n=n, reason=reason)
    named = Groups(np.arange(n)) if groups is None else Groups.of(groups)
    low, high = intervals.agreement(tables, named, formula, bounds)
    return Agreement(n=n, value=value, low=low, high=high)


def cohen_kappa(first: Integers, second: Integers, classes: int = 2, groups: Names | None = None) -> Agreement:
    """Cohen's kappa of two raters of the same things; swapping them changes nothing.

    Not defined without ratings, or where both raters used the same single class throughout.
    """
    apart = distances(classes)
    return estimate(
        _tables(first, second, classes), lambda table: chance_corrected(table, apart), SAME_CLASS, groups, KAPPAS
    )


def same_share(first: Integers, second: Integers, classes: int = 2, groups: Names | None = None) -> Agreement:
    """The share of things to which two raters gave the same class; arguments as in `cohen_kappa`."""

    def share(table: Reals) -> Reals:
        return np.asarray(np.trace(table, axis1=-2, axis2=-1) / table.sum(axis=(-2, -1)))

    return estimate(_tables(first, second, classes), share, NOTHING, groups, SHARES)


def _tables(first: Integers, second: Integers, classes: int) -> Reals:
    """A table per thing, with a 1 for its two classes."""
    return np.asarray(np.eye(classes)[first][:, :, None] * np.eye(classes)[second][:, None, :])


def weighted_kappa(
    values: Integers, others: Integers, groups: Names | None = None, weights: Reals | None = None
) -> Agreement:
    """Cohen's kappa with squared weights of each rating with each other rating of its pair, all pooled.

    `others`: the other ratings of each rating's pair, counts of shape (ratings, classes). `weights`: of each two
    classes, by default the squared difference of their places. `n`: the ratings with any. Source: Cohen 1968.
    """
    classes, used = others.shape[1], others.any(axis=1)
    tables = np.eye(classes)[values[used]][:, :, None] * others[used][:, None, :]
    apart = distances(classes, squared=True) if weights is None else weights
    named = None if groups is None else groups[used]
    return estimate(tables, lambda table: chance_corrected(table, apart), SAME_CLASS, named, KAPPAS)


def chance_kappas(others: Integers, n_yes: int | None = None, seed: int = intervals.SEED) -> Reals:
    """Kappas that random votes among these others reach with the majority that includes them, one per draw.

    `others`: the other votes on each rating's pair, shape (ratings, 2). `n_yes`: by default the votes are a coin
    flipper's; else this many are yes, shuffled over the pairs (a permutation of an annotator's own votes). Ties decide
    nothing and are left out, as they are for people. NaN where a draw leaves the kappa undefined. Where two others
    differ, the coin decides and then agrees with itself; that is why its kappa is far above 0.
    """
    kinds, sizes = np.unique(others, axis=0, return_counts=True)
    random = np.random.default_rng(seed)
    if n_yes is None:
        yes = random.binomial(sizes, COIN, size=(intervals.RESAMPLES, len(sizes)))
    else:
        yes = random.multivariate_hypergeometric(sizes, n_yes, size=intervals.RESAMPLES)
    tables = np.zeros((intervals.RESAMPLES, 2, 2))
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


def fleiss_kappa(table: Integers, groups: Names | None = None) -> Agreement:
    """Fleiss' kappa of counts (pairs, classes) over the pairs with the most frequent number (>= 2) of ratings.

    The measure is defined only for a constant number of ratings per pair; `n` is the number of pairs that leaves.
    """
    return _of_pairs(table, _most_frequent(table), _fixed(distances(table.shape[1])), groups)


def fleiss_value(table: Integers) -> float | None:
    """Fleiss' kappa as `fleiss_kappa` gives it, without its limits; None where it is not defined."""
    used = _most_frequent(table)
    if not used.any():
        return None
    value = float(chance_corrected(coincidences(table[used]).sum(axis=0), distances(table.shape[1])))
    return None if np.isnan(value) else value


def _most_frequent(table: Integers) -> Mask:
    """Which pairs have the most frequent number (>= 2) of ratings."""
    sizes = table.sum(axis=1)
    several = np.bincount(sizes[sizes > 1], minlength=2)
    return np.asarray((sizes == several.argmax()) & bool(several.sum()))


def krippendorff_alpha(
    table: Integers, level: Level = "nominal", apart: Reals | None = None, groups: Names | None = None
) -> Agreement:
    """Krippendorff's alpha of counts (pairs, classes), of any number of ratings, by the classes' level of measurement.

    `apart`: distances of each two classes, in place of the level's. `n` is the number of pairs with at least
    two ratings; the others say nothing about agreement.
    """
    fixed = distances(table.shape[1], squared=level == "interval") if apart is None else apart
    by_rank = level == "ordinal" and apart is None
    formula = _ranked if by_rank else _fixed(fixed, small_sample=True)
    return _of_pairs(table, table.sum(axis=1) > 1, formula, groups)


def _fixed(apart: Reals, *, small_sample: bool = False) -> Callable[[Reals], Reals]:
    return lambda table: chance_corrected(table, apart, small_sample=small_sample)


def _ranked(table: Reals) -> Reals:
    return chance_corrected(table, ordinal_distances(table), small_sample=True)


def _of_pairs(table: Integers, used: Mask, formula: Callable[[Reals], Reals], groups: Names | None) -> Agreement:
    if not used.any():
        return Agreement(n=0, reason=NO_SECOND)
    named = None if groups is None else groups[used]
    return estimate(coincidences(table[used]), formula, ONE_CLASS, named, KAPPAS)
