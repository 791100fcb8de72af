"""Intervals hold the true value about as often as they say, and never leave what is possible."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from data.measures import intervals
from data.measures.intervals import Groups

WORLDS = 300
FEWEST, MOST = 0.915, 0.985
"""Of 300 intervals of which 95 % hold the truth, a share outside these limits has a probability below 1 %."""


def kappa(tables: np.ndarray) -> np.ndarray:
    rows, columns, total = tables.sum(axis=-1), tables.sum(axis=-2), tables.sum(axis=(-2, -1))
    apart = tables[..., 0, 1] + tables[..., 1, 0]
    expected = rows[..., 0] * columns[..., 1] + rows[..., 1] * columns[..., 0]
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(expected > 0, 1 - total * apart / expected, np.nan)


def coverage(one: Callable[[np.random.Generator], intervals.Limits | None], truth: float) -> float:
    found = [one(np.random.default_rng([5, world])) for world in range(WORLDS)]
    return float(np.mean([limits is not None and limits[0] <= truth <= limits[1] for limits in found]))


def agree(random: np.random.Generator, groups: Groups, right: float) -> np.ndarray:
    """A table per pair of two raters who are right in this many cases; pairs of a group mostly have the same truth."""
    n = len(groups.codes)
    truth = random.random(n) < random.beta(0.5, 0.5, groups.n)[groups.codes]
    votes = np.where(random.random((n, 2)) < right, truth[:, None], ~truth[:, None]).astype("int64")
    return np.eye(2)[votes[:, 0]][:, :, None] * np.eye(2)[votes[:, 1]][:, None, :]


@pytest.mark.parametrize(("n_groups", "size", "right"), [(50, 1, 0.97), (12, 8, 0.9), (30, 6, 0.75)])
def test_kappas_of_few_groups_and_of_good_raters(n_groups: int, size: int, right: float) -> None:
    groups = Groups(np.repeat(np.arange(n_groups), size))
    truth = (2 * right - 1) ** 2  # both labels are equally frequent
    held = coverage(lambda random: intervals.agreement(agree(random, groups, right), groups, kappa), truth)
    assert FEWEST <= held <= MOST


@pytest.mark.sweep
def test_pairs_of_one_entity_are_no_evidence_of_their_own() -> None:
    groups = Groups(np.repeat(np.arange(20), 10))

    def one(random: np.random.Generator) -> np.ndarray:
        sides = (random.random(20) < 0.5)[groups.codes].astype("int64")  # raters agree on all of a group or on none
        first = np.resize([0, 1], 200)
        return np.eye(2)[first][:, :, None] * np.eye(2)[np.where(sides == 1, first, 1 - first)][:, None, :]

    assert coverage(lambda random: intervals.agreement(one(random), groups, kappa), 0.0) >= FEWEST
    single = Groups(np.arange(200))
    assert coverage(lambda random: intervals.agreement(one(random), single, kappa), 0.0) < 0.6


def test_raters_who_always_agreed_may_yet_differ() -> None:
    tables = np.eye(2)[np.resize([0, 1], 20)][:, :, None] * np.eye(2)[np.resize([0, 1], 20)][:, None, :]
    low, high = intervals.agreement(tables, Groups(np.arange(20)), kappa)
    assert low < 0.85
    assert high == 1


@given(st.permutations(range(12)))
def test_the_order_of_pairs_and_names_of_groups_change_nothing(order: list[int]) -> None:
    random = np.random.default_rng(3)
    groups = Groups(np.repeat(np.arange(4), 3))
    tables = agree(random, groups, 0.8)
    shuffled = Groups.of([f"name {5 - code}" for code in groups.codes[order]])
    assert intervals.agreement(tables[order], shuffled, kappa) == pytest.approx(
        intervals.agreement(tables, groups, kappa), abs=1e-12
    )


def measured(random: np.random.Generator, groups: Groups, good: float) -> tuple[np.ndarray, np.ndarray]:
    """The accuracy of a model that is right more often in some groups than in others: its value, and its draws."""
    shares = random.beta(6 * good, 6 * (1 - good), groups.n)
    right = (random.random(len(groups.codes)) < shares[groups.codes]).astype("float64")
    weights = np.vstack([np.ones(groups.n), groups.weigh()])
    values = (weights @ groups.add(right)) / (weights @ groups.add(np.ones(len(right))))
    return values[0], values[1:]


@pytest.mark.parametrize(("n_groups", "good"), [(5, 0.75), (9, 0.85), (25, 0.9)])
def test_accuracies_of_few_groups(n_groups: int, good: float) -> None:
    groups = Groups(np.repeat(np.arange(n_groups), 12))
    held = coverage(lambda random: intervals.bounded(*measured(random, groups, good), groups.effective), good)
    assert FEWEST <= held <= MOST


@pytest.mark.parametrize("n_groups", [4, 15])
def test_differences_of_few_groups(n_groups: int) -> None:
    groups = Groups(np.repeat(np.arange(n_groups), 12))

    def one(random: np.random.Generator) -> intervals.Limits | None:
        first, second = measured(random, groups, 0.8), measured(random, groups, 0.7)
        return intervals.free(first[0] - second[0], first[1] - second[1], groups.effective)

    assert FEWEST <= coverage(one, 0.1) <= MOST


@pytest.mark.parametrize("n", [6, 10, 20, 33, 200])
def test_the_median_lies_between_its_order_statistics(n: int) -> None:
    low, high = intervals.median(np.arange(1.0, n + 1))
    below = binom.cdf(low - 1, n, 0.5)  # the median is below the low-th value where fewer than `low` values are
    assert low == n + 1 - high
    assert 2 * below <= 0.05 < 2 * binom.cdf(low, n, 0.5)
    assert intervals.median(np.arange(5.0)) is None


def test_shares_and_means() -> None:
    low, high = intervals.share(np.arange(26), 25)
    chances = np.linspace(0.05, 0.95, 91)[:, None]
    held = (binom.pmf(np.arange(26), 25, chances) * ((low <= chances) & (chances <= high))).sum(axis=1)
    assert 0.94 < held.mean() < 0.96  # exact, on average over the chances
    assert FEWEST <= coverage(lambda random: intervals.mean(random.random(8)), 0.5) <= MOST
    assert intervals.mean(np.ones(1)) is None


@given(st.floats(0, 1), st.floats(0, 0.5), st.floats(1, 40))
def test_limits_stay_within_the_bounds_and_hold_the_value(value: float, spread: float, effective: float) -> None:
    draws = np.clip(np.random.default_rng(1).normal(value, spread, 200), 0, 1)
    low, high = intervals.bounded(value, draws, effective)
    assert 0 <= low <= value + 1e-9
    assert value - 1e-9 <= high <= 1
    low, high = intervals.free(value, draws, effective)
    assert -1 <= low <= value <= high <= 1


def test_a_smaller_tail_gives_wider_limits() -> None:
    draws = np.random.default_rng(1).normal(0.7, 0.05, 1_000)
    usual, wider = intervals.bounded(0.7, draws, 20), intervals.bounded(0.7, draws, 20, tail=0.003)
    assert wider[0] < usual[0] < 0.7 < usual[1] < wider[1]
    at_bound = [intervals.bounded(1.0, draws, 20, tail=tail)[0] for tail in (0.003, 0.025)]
    assert 0 < at_bound[0] < at_bound[1] < 1


def test_a_single_group_says_nothing_and_what_is_undefined_has_no_limits() -> None:
    tables = agree(np.random.default_rng(1), Groups(np.zeros(9, dtype="int64")), 0.7)
    assert intervals.agreement(tables, Groups(np.zeros(9, dtype="int64")), kappa) == (-1, 1)
    assert intervals.bounded(0.7, np.full(9, 0.7), 1.0) == (0, 1)
    assert intervals.bounded(np.nan, np.full(9, np.nan), 5.0) is None
    assert intervals.free(np.nan, np.full(9, 0.1), 5.0) is None


def test_one_large_group_among_small_ones_counts_as_few() -> None:
    assert Groups.of(["a", "b", "c", "c"]).effective == pytest.approx(16 / 6)
    assert Groups.of([*["a"] * 96, "b", "c", "d", "e"]).effective < 1.1
    assert Groups.of(list("abcde")).effective == pytest.approx(5)
