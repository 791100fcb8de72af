"""Which pairs go to the experts, and in which order."""

import numpy as np
import pandas as pd

from clustering.config import Config

EVERY_PAIR = "every pair of a cluster"
FIRST_BY = {
    "random": "seeded random sample of the pairs of all clusters",
    "balanced": "as many pairs of each tenth of overlap",
    "low-overlap": "lowest overlap first",
    "high-overlap": "highest overlap first",
}
"""What the column `chosen_by` says where not every pair was kept."""


def choose(pairs: pd.DataFrame, config: Config) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The pairs with `rank` and `chosen_by`, at most `max_pairs` of them, and the others with their rank.

    The rank, from 0, is an order of all pairs, whatever order they come in: the first N lie in every larger choice.
    """
    ordered = pairs.sort_values("pair_id", ignore_index=True)
    ordered["rank"] = rank(ordered["overlap"], config)
    ordered["parents"] = [[] for _ in range(len(ordered))]
    n_kept = len(ordered) if config.max_pairs is None else config.max_pairs
    kept = ordered["rank"] < n_kept
    chosen = ordered[kept].assign(chosen_by=EVERY_PAIR if kept.all() else FIRST_BY[config.selection])
    return chosen.reset_index(drop=True), ordered[~kept].reset_index(drop=True)


def rank(overlap: pd.Series, config: Config) -> pd.Series:
    """The place of each pair, from 0, by the configuration's `selection`; what is equal follows a seeded random order.

    Pairs without an overlap come last where it decides, and form a part of their own where parts take turns.
    """
    shuffled = overlap.astype("Float64").iloc[np.random.default_rng(config.seed).permutation(len(overlap))]
    if config.selection == "low-overlap":
        shuffled = shuffled.sort_values(kind="stable")
    elif config.selection == "high-overlap":
        shuffled = shuffled.sort_values(kind="stable", ascending=False)
    elif config.selection == "balanced":
        tenth = (shuffled * 10 // 1).clip(upper=9).fillna(10)
        turn = tenth.groupby(tenth).cumcount()
        shuffled = shuffled.iloc[np.lexsort((tenth.to_numpy(dtype=float), turn))]
    return pd.Series(range(len(shuffled)), index=shuffled.index, dtype="int64").sort_index()
