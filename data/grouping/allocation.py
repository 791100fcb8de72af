"""Which split each group of pairs is placed in; pure. `shares` are of the pairs, for train, validation and test."""

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from data.console.errors import InputError
from data.contract.vocabulary import SPLITS

Shares = tuple[float, float, float]


def place(sizes: "pd.Series[int]", shares: Shares, seed: int) -> "pd.Series[str]":
    """The split of each group; `sizes`: the number of pairs of each group.

    The groups are put in random order, the order is cut in proportion to the shares, and each group goes to the split
    that its middle pair falls into. So the result depends on the groups and the seed alone, and a split misses its
    share by at most the largest group. Source: He et al. 2020, section 5.1 (random by entity).
    """
    sizes = sizes.sort_index()
    order = np.random.default_rng(seed).permutation(len(sizes))
    in_order = sizes.to_numpy(dtype="int64")[order]
    middles = in_order.cumsum() - in_order / 2
    ends = np.cumsum(normalise(shares)) * in_order.sum()
    splits = np.searchsorted(ends[:-1], middles, side="right")
    return pd.Series(np.array(SPLITS)[splits], index=sizes.index[order], dtype="str")


def place_stratified(counts: pd.DataFrame, shares: Shares, seed: int) -> "pd.Series[str]":
    """The split of each group so that each split has its share of every label.

    `counts`: one row per group, one column per label. The largest groups come first, groups of equal size in random
    order; each goes to the split where it leaves the smallest squared distance from the shares, each label relative to
    all its pairs. Source: scikit-learn's StratifiedGroupKFold, generalised to unequal shares.
    """
    counts = counts.sort_index()
    table = counts.to_numpy(dtype="float64")
    lots = np.random.default_rng(seed).permutation(len(table))
    order = np.lexsort((lots, -table.sum(axis=1)))
    total = np.maximum(table.sum(axis=0), 1)
    wanted = normalise(shares)[:, None]
    reached = np.zeros((len(SPLITS), table.shape[1]))
    splits = np.zeros(len(table), dtype="int64")
    for group in order:
        with_it, without = ((reached + added) / total - wanted for added in (table[group], 0))
        splits[group] = np.argmin(((with_it**2) - (without**2)).sum(axis=1))
        reached[splits[group]] += table[group]
    return pd.Series(np.array(SPLITS)[splits], index=counts.index, dtype="str")


def fill_up(sizes: "pd.Series[int]", held: "pd.Series[int]", shares: Shares, seed: int) -> "pd.Series[str]":
    """The split of each new group beside the pairs that each split has already (`held`).

    The groups are taken in random order; each goes to the split that is furthest below its share.
    """
    sizes = sizes.sort_index()
    wanted = normalise(shares)
    reached = held.reindex(SPLITS, fill_value=0).to_numpy(dtype="float64")
    splits = {}
    for group in np.random.default_rng(seed).permutation(len(sizes)):
        n = int(sizes.iloc[group])
        split = int(np.argmax(wanted * (reached.sum() + n) - reached))
        reached[split] += n
        splits[sizes.index[group]] = SPLITS[split]
    return pd.Series(splits, dtype="str")


def normalise(shares: Shares) -> NDArray[np.float64]:
    """The shares scaled to sum to 1; raises InputError if one is negative or all are 0."""
    if min(shares) < 0 or sum(shares) <= 0:
        raise InputError(
            "--shares",
            expected="three shares of at least 0, not all 0",
            found=" ".join(map(str, shares)),
            remedy="give, for example, --shares 74.2 12.5 13.3",
        )
    return np.array(shares) / sum(shares)
