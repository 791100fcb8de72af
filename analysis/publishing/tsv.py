"""The tables of a release as tab-separated text; pure."""

import csv
from typing import Any

import pandas as pd

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
    values = ["" if _is_null(value) else _write(value) for value in column]
    return pd.Series(values, index=column.index, dtype="str").str.replace(BREAKS, " ", regex=True)


def _is_null(value: Any) -> bool:
    return value is None or (not hasattr(value, "__len__") and bool(pd.isna(value)))


def _write(value: Any) -> str:
    if isinstance(value, str):
        return value
    if hasattr(value, "__len__"):
        return " ".join(map(str, value))
    return value.isoformat() if hasattr(value, "isoformat") else str(value)
