"""Which pairs go to the experts, and in which order."""

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from clustering.config import Config

EVERY_PAIR = "every pair of a cluster"
"""The value of `chosen_by` where all pairs are kept."""
BORDER = 0.2
"""The overlap that says least about a label: of released pairs with more, 7 of 10 are paraphrases; of others 3."""


def choose(pairs: pd.DataFrame, config: Config) -> tuple[pd.DataFrame, pd.DataFrame]:
    """At most `max_pairs` of the pairs, with `rank` and `chosen_by`, and the others with their rank.

    The rank, from 0, does not depend on the order of the rows: the first N pairs are in every larger selection.
    """
    ordered = pairs.sort_values("pair_id", ignore_index=True)
    ordered["rank"] = rank(ordered, config)
    ordered["parents"] = pd.Series([[] for _ in range(len(ordered))], index=ordered.index, dtype=object)
    n_kept = len(ordered) if config.max_pairs is None else config.max_pairs
    kept = ordered["rank"] < n_kept
    chosen = ordered[kept].reset_index(drop=True)
    chosen["chosen_by"] = EVERY_PAIR if kept.all() else _reasons(chosen, config)
    return chosen, ordered[~kept].reset_index(drop=True)


def rank(pairs: pd.DataFrame, config: Config) -> pd.Series:
    """The rank of each pair (columns entity, overlap), from 0, by the configuration's `selection`.

    Ties are in a seeded random order. Pairs without an overlap come last where overlap decides, and form a group of
    their own where groups take turns.
    """
    shuffled = pairs.iloc[np.random.default_rng(config.seed).permutation(len(pairs))]
    overlap = _numbers(shuffled["overlap"])
    keys: tuple[NDArray[np.generic], ...] = ()
    if config.selection == "low-overlap":
        keys = (overlap,)
    elif config.selection == "high-overlap":
        keys = (-overlap,)
    elif config.selection == "balanced":
        tenth = _tenths(overlap)
        keys = (tenth, _turns(tenth, np.zeros(len(tenth))))
    elif config.selection == "cover":
        entity, distance = pd.factorize(shuffled["entity"])[0], np.abs(overlap - BORDER)
        keys = (distance, _turns(entity, distance))
    order = shuffled.index[np.lexsort(keys)] if keys else shuffled.index
    return pd.Series(range(len(order)), index=order, dtype="int64").sort_index()


def _numbers(values: pd.Series) -> NDArray[np.float64]:
    """The values with NaN for null, which NumPy sorts last."""
    return np.asarray(values.astype("Float64").to_numpy(dtype=np.float64, na_value=np.nan), dtype=np.float64)


def _tenths(overlap: NDArray[np.float64]) -> NDArray[np.float64]:
    """The tenth of each overlap, 0 to 9; 10 where there is none."""
    return np.where(np.isnan(overlap), 10, np.minimum(np.floor(overlap * 10), 9))


def _turns(groups: NDArray[np.generic], distance: NDArray[np.float64]) -> NDArray[np.int64]:
    """The rank of each row within its group, from 0, by distance and then by row number."""
    order = np.lexsort((distance, groups))
    places = np.empty(len(order), dtype=np.int64)
    places[order] = pd.Series(groups[order]).groupby(groups[order]).cumcount()
    return places


def _reasons(chosen: pd.DataFrame, config: Config) -> list[str]:
    """Why each pair was kept."""
    if config.selection == "random":
        return ["random sample of the pairs of all clusters"] * len(chosen)
    overlap = _numbers(chosen["overlap"])
    shown = ["no overlap defined" if np.isnan(one) else f"overlap {one:.2f}" for one in overlap]
    if config.selection == "cover":
        turns = chosen.sort_values("rank").groupby("entity").cumcount().sort_index() + 1
        return [f"pair {turn} of its entity by how little {one} tells" for turn, one in zip(turns, shown, strict=True)]
    what = {"balanced": "equal share of each tenth of overlap", "low-overlap": "lowest overlap first"}
    return [f"{what.get(config.selection, 'highest overlap first')}: {one}" for one in shown]
