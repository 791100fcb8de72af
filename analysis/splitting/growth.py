"""How far copied definitions join groups of pairs; pure."""

import pandas as pd

from data.console.messages import quantity
from data.grouping.entities import Synonyms
from data.grouping.groups import group_by_names
from data.texts.languages.base import Language


def describe_growth(
    pairs: pd.DataFrame, group: "pd.Series[str]", synonyms: Synonyms | None, language: Language
) -> str | None:
    """How many groups of `pairs` are joined since definitions were copied; None where none is."""
    sizes, apart = (names.value_counts() for names in (group, group_by_names(pairs, synonyms, language)))
    if len(sizes) >= len(apart):
        return None
    largest = f"the largest has {quantity(int(sizes.max()), 'pair')}, and had {int(apart.max()):,}"
    return f"copied definitions join {len(apart):,} groups to {len(sizes):,}: {largest}"
