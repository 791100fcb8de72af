"""Which pairs go to the experts, and in which order."""

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from clustering.candidates.contrasts import ORDER
from clustering.config import Config
from data.contract.vocabulary import EVERY_PAIR

BORDER = 0.2
"""The overlap that says least about a label: of released pairs with more, 7 of 10 are paraphrases; of others 3."""


def choose(pairs: pd.DataFrame, config: Config) -> tuple[pd.DataFrame, pd.DataFrame]:
    """At most `limit` of the pairs, with `rank`, `selection` and `detail`, and the others with their rank.

    The rank, from 0, does not depend on the order of the rows: the first N pairs are in every larger selection. With
    the columns of `contrasts.ORDER`, as many of each kind as the configuration wants come first, evenly among the
    others; of the rest, those within a cluster are pairs like any other, and those without one are left out.
    """
    ordered = pairs.sort_values("pair_id", ignore_index=True)
    if "kind" not in ordered:
        ordered = ordered.assign(kind="", detail="", cluster=0)
    ordered["kind"] = ordered["kind"].where(_is_wanted(ordered, config), "")
    ordered["rank"] = _spread(ordered, config)
    ordered["parents"] = pd.Series([[] for _ in range(len(ordered))], index=ordered.index, dtype=object)
    n_kept = int(((ordered["kind"] != "") | ordered["cluster"].notna()).sum())
    kept = ordered["rank"] < (n_kept if config.limit is None else min(n_kept, config.limit))
    chosen = ordered[kept].reset_index(drop=True)
    every = (ordered["cluster"].isna() | kept).all()
    others = chosen["kind"] == ""
    chosen["selection"] = chosen["kind"].mask(others, EVERY_PAIR if every else config.selection)
    chosen["detail"] = chosen["detail"].astype("str")
    chosen.loc[others, "detail"] = None if every else _details(chosen[others], config)
    order = [name for name in ORDER if name != "detail"]
    return chosen.drop(columns=order, errors="ignore"), ordered[~kept].reset_index(drop=True)


def _is_wanted(pairs: pd.DataFrame, config: Config) -> "pd.Series[bool]":
    """Whether each pair is among the first of its kind of contrast, as many as the configuration wants."""
    if not config.contrasts:
        return pd.Series(data=False, index=pairs.index)
    place = pairs.sort_values(["turn", "preference", "pair_id"]).groupby("kind").cumcount()
    return place.reindex(pairs.index) < pairs["kind"].map(config.contrasts).fillna(0)


def _spread(pairs: pd.DataFrame, config: Config) -> "pd.Series[int]":
    """The rank of each pair: contrasts (`kind`) evenly among the others that fit beside them; surplus ones last."""
    ranks = pd.Series(0.0, index=pairs.index)
    others = (pairs["kind"] == "") & pairs["cluster"].notna()
    n_left = len(pairs) if config.limit is None else max(0, config.limit - int((pairs["kind"] != "").sum()))
    n_left = min(n_left, int(others.sum()))
    places = rank(pairs[others], config)
    ranks[others] = np.where(places < n_left, (places + 0.5) / max(1, n_left), 1 + places)
    for _, part in pairs[pairs["kind"] != ""].groupby("kind"):
        ordered = part.sort_values(["turn", "preference", "pair_id"]).index
        ranks[ordered] = (np.arange(len(part)) + 0.5) / len(part)
    ranks[(pairs["kind"] == "") & pairs["cluster"].isna()] = np.inf
    return ranks.rank(method="first").astype("int64") - 1


def rank(pairs: pd.DataFrame, config: Config) -> pd.Series:
    """The rank of each pair (columns entity, overlap), from 0, by the configuration's `selection`.

    Ties are in a seeded random order. Pairs without an overlap come last where overlap decides, and form a group of
    their own where groups take turns.
    """
    shuffled = pairs.iloc[np.random.default_rng(config.seed).permutation(len(pairs))]
    overlap = numbers(shuffled["overlap"])
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


def numbers(values: pd.Series) -> NDArray[np.float64]:
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


def _details(chosen: pd.DataFrame, config: Config) -> list[str] | None:
    """What decided that each pair was kept; None where chance did."""
    if config.selection == "random":
        return None
    overlap = numbers(chosen["overlap"])
    shown = ["no overlap defined" if np.isnan(one) else f"overlap {one:.2f}" for one in overlap]
    if config.selection == "cover":
        turns = chosen.sort_values("rank").groupby("entity").cumcount().sort_index() + 1
        return [f"pair {turn} of its entity, {one}" for turn, one in zip(turns, shown, strict=True)]
    return shown
