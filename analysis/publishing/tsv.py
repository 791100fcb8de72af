"""The tables of a release as tab-separated text; pure."""

import csv
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as kinds

from data.files.spreadsheet_cells import guard
from data.grouping.entities import ENTITIES

BREAKS = r"[\t\r\n]+"


def as_tsv(rows: pd.DataFrame) -> str:
    """The rows as tab-separated text in which a spreadsheet finds no formula."""
    text: str = as_cells(rows).to_csv(sep="\t", index=False, quoting=csv.QUOTE_NONE, lineterminator="\n")
    return text


def publishable(pairs: pd.DataFrame) -> pd.DataFrame:
    """The pairs with their three texts safe for a spreadsheet and on one line, as the published files have them."""
    safe = {name: guard(pairs[name].str.replace(BREAKS, " ", regex=True)) for name in (*ENTITIES, "first", "second")}
    return pairs.assign(**safe)


def as_cells(table: pd.DataFrame) -> pd.DataFrame:
    """The table as texts safe for a spreadsheet: lists joined by spaces, tabs and line breaks replaced by spaces."""
    return pd.DataFrame({name: guard(_plain(table[name])) for name in table.columns})


def _plain(column: "pd.Series[Any]") -> "pd.Series[str]":
    values = pa.array(column, from_pandas=True)
    if kinds.is_integer(values.type):
        values = values.cast(pa.string())
    elif not (kinds.is_string(values.type) or kinds.is_large_string(values.type)):
        values = pa.array(map(_write, values.to_pylist()), pa.string())
    cells = pc.replace_substring_regex(values.fill_null(""), BREAKS, " ")
    return pd.Series(pd.array(cells, dtype="str"), index=column.index)


def _write(value: Any) -> str:
    if value is None:
        return ""
    if hasattr(value, "__len__"):
        return value if isinstance(value, str) else " ".join(map(str, value))
    return value.isoformat() if hasattr(value, "isoformat") else str(value)
