"""The split of labelled pairs, dealt by groups; pure."""

from dataclasses import dataclass

import pandas as pd

from data.grouping import allocation, groups
from data.grouping.entities import Synonyms
from data.texts.languages.base import Language
from data.texts.languages.en import ENGLISH


@dataclass(frozen=True, kw_only=True)
class SplitRule:
    """How labelled pairs are dealt to train, validation and test."""

    shares: tuple[float, float, float] = (74.2, 12.5, 13.3)
    """Shares of the pairs for train, validation and test, in any unit (He et al. 2020, 5.1: 7,550, 1,275 and 1,357
    of 10,182 pairs)."""

    seed: int = 1
    """The seed of the order of the groups (the paper names none)."""

    stratify: bool = False
    """Also give each split the same share of paraphrases."""


def split(
    pairs: pd.DataFrame, rule: SplitRule, synonyms: Synonyms | None = None, language: Language = ENGLISH
) -> pd.DataFrame:
    """The split and the group of each pair: columns pair_id, split, group; one row per row of `pairs`, same order.

    `pairs`: the columns of `data.grouping.groups`, and binary (1, 0, null) where `rule` stratifies.
    """
    group = groups.group(pairs, synonyms, language=language)
    return pd.DataFrame({"pair_id": pairs["pair_id"], "split": group.map(place(pairs, group, rule)), "group": group})


def place(pairs: pd.DataFrame, group: "pd.Series[str]", rule: SplitRule) -> "pd.Series[str]":
    """The split of each group."""
    if not rule.stratify:
        return allocation.place(group.value_counts(), rule.shares, rule.seed)
    label = pairs["binary"].astype("Int64").astype("str")
    return allocation.place_stratified(pd.crosstab(group, label), rule.shares, rule.seed)
