"""Which split a group of pairs falls into; pure. `shares` are of the pairs, for train, validation and test."""

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from data.errors import InputError
from data.labelled.parade import SPLITS

Shares = tuple[float, float, float]


def place(sizes: "pd.Series[int]", shares: Shares, seed: int) -> "pd.Series[str]":
    """The split of each group; `sizes` says how many pairs each group has.

    The groups are put in a random order; each falls into the split in whose stretch of the pairs its middle lies. So
    the choice depends on the groups and the seed alone, and a share misses what was asked by at most the largest
    group. Source: He et al. 2020, section 3.5 (random by entity).
    """
    sizes = sizes.sort_index()
    order = np.random.default_rng(seed).permutation(len(sizes))
    in_order = sizes.to_numpy(dtype="int64")[order]
    middles = in_order.cumsum() - in_order / 2
    ends = np.cumsum(checked(shares)) * in_order.sum()
    chosen = np.searchsorted(ends[:-1], middles, side="right")
    return pd.Series(np.array(SPLITS)[chosen], index=sizes.index[order], dtype="str")


def place_stratified(counts: pd.DataFrame, shares: Shares, seed: int) -> "pd.Series[str]":
    """The split of each group so that each split has its share of every label.

    `counts`: a row a group, a column a label. The groups with most pairs come first, equals in random order; each goes
    where it leaves the least squared distance from what is wanted, each label's measured against all its pairs.
    Source: scikit-learn's StratifiedGroupKFold, for shares that differ.
    """
    counts = counts.sort_index()
    table = counts.to_numpy(dtype="float64")
    lots = np.random.default_rng(seed).permutation(len(table))
    order = np.lexsort((lots, -table.sum(axis=1)))
    total = np.maximum(table.sum(axis=0), 1)
    wanted = checked(shares)[:, None]
    reached = np.zeros((len(SPLITS), table.shape[1]))
    chosen = np.zeros(len(table), dtype="int64")
    for one in order:
        here, there = ((reached + add) / total - wanted for add in (table[one], 0))
        chosen[one] = np.argmin(((here**2) - (there**2)).sum(axis=1))
        reached[chosen[one]] += table[one]
    return pd.Series(np.array(SPLITS)[chosen], index=counts.index, dtype="str")


def fill_up(sizes: "pd.Series[int]", held: "pd.Series[int]", shares: Shares, seed: int) -> "pd.Series[str]":
    """The split of each new group beside the pairs that each split holds (`held`): in random order, each to the split
    that is furthest below its share."""
    sizes = sizes.sort_index()
    wanted = checked(shares)
    reached = held.reindex(SPLITS, fill_value=0).to_numpy(dtype="float64")
    chosen = {}
    for one in np.random.default_rng(seed).permutation(len(sizes)):
        n = int(sizes.iloc[one])
        split = int(np.argmax(wanted * (reached.sum() + n) - reached))
        reached[split] += n
        chosen[sizes.index[one]] = SPLITS[split]
    return pd.Series(chosen, dtype="str")


def checked(shares: Shares) -> NDArray[np.float64]:
    """The shares with the sum 1; raises InputError where one is negative or all are 0."""
    if min(shares) < 0 or sum(shares) <= 0:
        raise InputError(
            "--shares",
            expected="three shares of at least 0, not all 0",
            found=" ".join(map(str, shares)),
            remedy="give for example --shares 74.2 12.5 13.3",
        )
    return np.array(shares) / sum(shares)
