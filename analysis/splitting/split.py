"""New labelled pairs beside a frozen split, and the pairs that they were made from."""

import pandas as pd

from analysis.splitting import frozen
from data.grouping import allocation, groups
from data.grouping.dealing import SplitRule
from data.grouping.entities import Synonyms
from data.texts.languages.base import Language
from data.texts.languages.known import ENGLISH


def extend(
    held: pd.DataFrame, pairs: pd.DataFrame, rule: SplitRule, synonyms: Synonyms, language: Language = ENGLISH
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """A frozen scheme with the new pairs of `pairs`: its rows, and the rejects (see `analysis.splitting.frozen`)."""
    keys = groups.find_keys(pairs, synonyms, language).drop_duplicates().sort_values(["pair_id", "key"])
    added, rejects = frozen.admit(held, keys, groups.find_similar(keys["key"], language))
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
