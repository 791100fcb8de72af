"""How far copied texts join groups of pairs; pure."""

import pandas as pd

from data.console import quantity
from data.labelled.entities import Synonyms
from data.labelled.groups import group_by_names
from data.languages.base import Language


def describe_growth(pairs: pd.DataFrame, group: "pd.Series[str]", synonyms: Synonyms | None, language: Language) -> str:
    """One line: the number and the largest of the groups of `pairs`, and of those by names and origin alone."""
    alone = group_by_names(pairs, synonyms, language)
    return f"groups: {_describe(group)}; by names and origin alone: {_describe(alone)}"


def _describe(group: "pd.Series[str]") -> str:
    sizes = group.value_counts()
    return f"{len(sizes):,}, the largest of {quantity(int(sizes.max()) if len(sizes) else 0, 'pair')}"
