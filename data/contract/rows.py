"""Rows of the tables that several rooms write: what a room does not know of a row is filled in here."""

from typing import Any

import pandas as pd
import pyarrow as pa

from data.contract.base import Table
from data.contract.tables.generated import GeneratedTexts, PairMeasures
from data.contract.tables.labels import Labels
from data.contract.tables.pairs import Pairs
from data.contract.vocabulary import UNKNOWN
from data.texts.words import count_words


def pair_rows(pairs: pd.DataFrame, **known: Any) -> pd.DataFrame:
    """Rows of the table `pairs`; unless given, the rank is their order.

    As in all these functions, `known` are columns beside the frame's; what neither has is null or an empty list.
    """
    return _fill(Pairs, pairs.assign(**known), rank=range(len(pairs)))


def label_rows(labels: pd.DataFrame, **known: Any) -> pd.DataFrame:
    """Rows of the table `labels`; unless given, of labels that no vote decided."""
    return _fill(Labels, labels.assign(**known), votes=0, n_votes=0, stratum=UNKNOWN, further=False)


def text_rows(texts: pd.DataFrame, **known: Any) -> pd.DataFrame:
    """Rows of the table `generated_texts`; unless given, the words are counted."""
    rows = texts.assign(**known)
    return _fill(GeneratedTexts, rows, n_words=rows["text"].map(count_words))


def measure_rows(measures: pd.DataFrame, **known: Any) -> pd.DataFrame:
    """Rows of the table `pair_measures`."""
    return _fill(PairMeasures, measures.assign(**known))


def _fill(table: type[Table], rows: pd.DataFrame, **defaults: Any) -> pd.DataFrame:
    """The table's columns of the rows, with the defaults, null or an empty list for one that they do not have."""
    for name, spec in table.columns().items():
        if name in rows:
            continue
        if name in defaults:
            rows = rows.assign(**{name: defaults[name]})
        elif spec.nullable:
            rows = rows.assign(**{name: None})
        elif pa.types.is_list(spec.kind):
            rows = rows.assign(**{name: pd.Series([[] for _ in rows.index], rows.index, dtype="object")})
    return rows[[name for name in table.columns() if name in rows]]
