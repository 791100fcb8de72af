"""The split of labelled pairs, new or beside a frozen one."""

import pandas as pd

from analysis.config import SplitRule
from analysis.splitting import allocation, frozen
from data.labelled import groups
from data.labelled.entities import Synonyms


def split(pairs: pd.DataFrame, rule: SplitRule, synonyms: Synonyms | None = None) -> pd.DataFrame:
    """The split and the group of each pair: columns pair_id, split, group; one row per row of `pairs`, same order.

    `pairs`: the columns of `data.labelled.groups`, and binary (1, 0, null) where `rule` stratifies.
    """
    group = groups.group(pairs, synonyms)
    return pd.DataFrame({"pair_id": pairs["pair_id"], "split": group.map(place(pairs, group, rule)), "group": group})


def place(pairs: pd.DataFrame, group: "pd.Series[str]", rule: SplitRule) -> "pd.Series[str]":
    """The split of each group."""
    if not rule.stratify:
        return allocation.place(group.value_counts(), rule.shares, rule.seed)
    label = pairs["binary"].astype("Int64").astype("str")
    return allocation.place_stratified(pd.crosstab(group, label), rule.shares, rule.seed)


def extend(
    held: pd.DataFrame, pairs: pd.DataFrame, rule: SplitRule, synonyms: Synonyms
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """A frozen scheme with the new pairs of `pairs`: its rows, and the rejects (see `analysis.splitting.frozen`)."""
    keys = groups.find_keys(pairs, synonyms)
    added, rejects = frozen.admit(held, keys, groups.find_similar(keys["key"], groups.NEAR_OVERLAP))
    free = added[added["split"].isna()]
    placed = allocation.fill_up(free["group"].value_counts(), held["split"].value_counts(), rule.shares, rule.seed)
    added["split"] = added["split"].fillna(added["group"].map(placed))
    return pd.concat([held[["pair_id", "split", "group"]], added], ignore_index=True), rejects


def with_ancestors(selected: pd.DataFrame, pairs: pd.DataFrame) -> pd.DataFrame:
    """The selected pairs and all pairs that they were made from, as far as `pairs` has them."""
    while True:
        parents = selected["parents"].explode().dropna()
        missing = pairs[pairs["pair_id"].isin(parents) & ~pairs["pair_id"].isin(selected["pair_id"])]
        if missing.empty:
            return selected
        selected = pd.concat([selected, missing], ignore_index=True)
