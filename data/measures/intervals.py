"""Every confidence interval that the project prints, of 95 %; pure.

Things of one group (pairs of one entity) are similar, so it is groups that are drawn, by the Bayesian bootstrap: each
draw weighs every group by an exponential weight (Rubin 1981). Few groups vary more than their draws show, so intervals
are widened as Student's. `python -m studies.quality.coverage` measures how often each kind holds the true value.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import bdtr, expit, logit, stdtrit

Floats = NDArray[np.float64]
Limits = tuple[float, float]

RESAMPLES = 1_000
SEED = 1
TAILS = (0.025, 0.975)
MIN_GROUPS = 10
"""With fewer groups, screens and pages say so."""
PSEUDO = 2.0
"""How many things are added to each draw of an agreement, spread over the cells: half a count for each cell of two
answers by two (Jeffreys' prior). Without them, raters who always agreed would have no uncertainty."""
ONE = 1 + 1e-9
"""An effective number of groups up to this is a single one."""
NORMAL = 1.959964
"""The normal distribution's quantile at the upper tail."""


@dataclass(frozen=True, eq=False)
class Groups:
    """The groups that some things belong to."""

    codes: NDArray[np.intp]
    """The number of each thing's group, from 0."""

    @staticmethod
    def of(names: ArrayLike) -> "Groups":
        """Those with these names, one per thing."""
        return Groups(np.unique(np.asarray(names, dtype=object).astype(str), return_inverse=True)[1])

    @property
    def n(self) -> int:
        """How many groups there are."""
        return int(self.codes.max(initial=-1)) + 1

    @property
    def effective(self) -> float:
        """How many groups of equal size would say as much: Kish's effective number, at most `n`."""
        sizes = np.bincount(self.codes).astype("float64")
        return float(sizes.sum() ** 2 / (sizes**2).sum()) if len(sizes) else 0.0

    def add(self, values: Floats) -> Floats:
        """The sums of the things' values by group: shape (n, ...)."""
        sums = np.zeros((self.n, *values.shape[1:]))
        np.add.at(sums, self.codes, values)
        return sums

    def weigh(self, n_draws: int = RESAMPLES, seed: int = SEED) -> Floats:
        """The weight of each group in each draw: shape (draws, groups)."""
        return np.random.default_rng(seed).standard_exponential((n_draws, self.n))


def warn_of_few(n_groups: int) -> str | None:
    """The line for screens and pages where intervals rest on fewer than MIN_GROUPS groups; else None."""
    if n_groups >= MIN_GROUPS:
        return None
    return f"few groups ({n_groups}): pairs of other entities may give quite different figures"


def share(part: ArrayLike, whole: ArrayLike, tail: float = TAILS[0]) -> tuple[Floats, Floats]:
    """The limits of the shares `part` / `whole` of independent things: Wilson's. `whole` is not 0."""
    from statsmodels.stats.proportion import proportion_confint

    low, high = proportion_confint(part, whole, alpha=2 * tail, method="wilson")
    return low, high


def share_difference(first: tuple[int, int], second: tuple[int, int]) -> Limits:
    """The limits of the difference of two shares of independent things, each (part, whole): Newcombe's."""
    from statsmodels.stats.proportion import confint_proportions_2indep

    low, high = confint_proportions_2indep(*first, *second, method="newcomb")
    return float(low), float(high)


def median(values: Floats) -> Limits | None:
    """The order statistics k and n - k + 1 that enclose the median of independent values in at least 95 % of samples.

    None with fewer than six values: no two of them do. Source: David and Nagaraja 2003, Order Statistics, section 7.1.
    """
    n = len(values)
    k = int(np.searchsorted(bdtr(np.arange(n), n, 0.5), TAILS[0]))
    if not k:
        return None
    ordered = np.sort(values)
    return float(ordered[k - 1]), float(ordered[n - k])


def mean(values: Floats) -> Limits | None:
    """Student's limits of the mean of independent values; None with fewer than two."""
    if len(values) < 2:
        return None
    reach = float(stdtrit(len(values) - 1, TAILS[1]) * values.std(ddof=1) / np.sqrt(len(values)))
    return float(values.mean()) - reach, float(values.mean()) + reach


def bounded(
    value: float, draws: Floats, effective: float, bounds: Limits = (0.0, 1.0), tail: float = TAILS[0]
) -> Limits | None:
    """Student's limits of a measure between two bounds, by the spread of its draws; they stay between the bounds.

    `draws`: the measure with `Groups.weigh`; undefined ones (NaN) are left out. `effective`: see `Groups`. The limits
    are computed on the logarithm of the odds. Of a measure at a bound, they are Wilson's of as many groups; of a single
    group, which says nothing, the bounds. None where the value is undefined. `tail`: how often the truth may lie beyond
    either of them.
    """
    known, (low, high) = draws[~np.isnan(draws)], bounds
    if np.isnan(value):
        return None
    if effective <= ONE or not len(known):
        return bounds
    at, width = (value - low) / (high - low), high - low
    if not 1e-9 < at < 1 - 1e-9:
        ends = np.array(share(round(at) * effective, effective, tail))
    else:
        reach = _widen(effective, tail) * NORMAL * known.std() / width / (at * (1 - at))
        ends = expit(logit(at) + np.array([-reach, reach]))
    return float(low + width * ends[0]), float(low + width * ends[1])


def free(value: float, draws: Floats, effective: float, widest: float = 1.0) -> Limits | None:
    """Student's limits of a difference, which lies between minus `widest` and `widest`; the rest is as in `bounded`."""
    known = draws[~np.isnan(draws)]
    if np.isnan(value):
        return None
    if effective <= ONE or not len(known):
        return -widest, widest
    reach = _widen(effective) * NORMAL * float(known.std())
    return max(value - reach, -widest), min(value + reach, widest)


def agreement(
    tables: Floats, groups: Groups, formula: Callable[[Floats], Floats], bounds: Limits = (-1.0, 1.0)
) -> Limits:
    """The limits of `formula` of the sum of `tables`, shape (things, classes, classes), one table per thing.

    Each draw weighs whole groups and adds PSEUDO things: draws of a Dirichlet distribution where each thing is a group
    of its own. The middle 95 % of the draws is widened as Student's around the value. A single group says nothing: its
    limits are the bounds. Draws depend on the groups' tables alone, not on their order.
    """
    if groups.effective <= ONE:
        return bounds
    shape = tables.shape[1:]
    by_group = groups.add(tables).reshape(groups.n, -1)
    kinds, sizes = np.unique(by_group.round(9), axis=0, return_counts=True)
    random = np.random.default_rng(SEED)
    sums = random.standard_gamma(sizes, (RESAMPLES, len(kinds))) @ kinds
    added = random.standard_gamma(PSEUDO / sums.shape[1], sums.shape) * (tables.sum() / len(tables))
    value = float(formula(by_group.sum(axis=0).reshape(shape)))
    return drawn(value, formula((sums + added).reshape(-1, *shape)), groups.effective, bounds)


def drawn(value: float, draws: Floats, effective: float, bounds: Limits = (0.0, 1.0)) -> Limits:
    """The middle 95 % of the draws, widened around the value as Student's for this number of groups, within the bounds.

    Undefined draws (NaN) are left out. A single group says nothing: its limits are the bounds.
    """
    if effective <= ONE:
        return bounds
    low, high = value + _widen(effective) * (np.nanquantile(draws, TAILS) - value)
    return float(np.clip(low, bounds[0], value)), float(np.clip(high, value, bounds[1]))


def middle(draws: Floats) -> Limits:
    """The middle 95 % of the draws that are defined, such as what guessers reach by chance: no confidence interval."""
    low, high = np.nanquantile(draws, TAILS)
    return float(low), float(high)


def _widen(effective: float, tail: float = TAILS[0]) -> float:
    """By how much Student's interval for this number of groups is wider than the draws' normal one of 95 %."""
    return float(stdtrit(effective - 1, 1 - tail) / NORMAL * np.sqrt((effective + 1) / (effective - 1)))
