"""The scores of a model, read from a file of two columns: pair_id and score."""

import csv
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from data.console.errors import TableError
from data.files.sheets import read_exact, split_cells

NUMBER = r"\s*[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?\s*"
SEPARATORS = ",\t;"
MAX_SCORE = 1e100
"""A score beyond it is none: two of them may be too large to add."""
MAX_LINE_CHARS = 10_000
"""Characters of a first line from which on a file holds something else than an id and a score."""


def read_predictions(path: Path, pair_ids: "pd.Series[str]") -> "np.ndarray[Any, np.dtype[np.float64]]":
    """The score of each pair in the file, NaN where it has none; raises InputError or TableError for any other file.

    `True` is 1, `False` 0; nothing and `NaN` are no score.
    """
    table = _read_columns(path)
    table = table.set_axis(["pair_id", "score"], axis="columns")
    table = table.apply(lambda cells: cells.str.strip().str.strip('"'))
    table = table[(table["pair_id"] != "") | (table["score"] != "")]
    if len(table) and table["pair_id"].iloc[0].lower() == "pair_id":
        table = table.iloc[1:]
    table["score"] = table["score"].str.lower().replace({"true": "1", "false": "0", "nan": ""})
    if not (table["score"] != "").any():
        raise TableError(path, expected="a score for each pair", found="none", remedy="write pair_id and score")
    numbers = pd.to_numeric(table["score"].where(table["score"].str.fullmatch(NUMBER)), errors="coerce")
    _require_valid(path, table[~(numbers.abs() <= MAX_SCORE) & (table["score"] != "")], "a number as score", "score")
    _require_valid(path, table[table["pair_id"].duplicated()], "each pair once", "pair_id")
    _require_valid(path, table[~table["pair_id"].isin(pair_ids)], "pairs of the data set", "pair_id")
    return pair_ids.map(pd.Series(numbers.to_numpy(), index=table["pair_id"])).to_numpy(dtype="float64")


def _read_columns(path: Path) -> pd.DataFrame:
    """The file's two columns as texts, blank lines and all; raises TableError where it has others."""
    what, remedy = "two columns", "write pair_id and score"
    text = read_exact(path, "a file of pair_id and score")
    first = text.partition("\n")[0]
    if len(first) >= MAX_LINE_CHARS or "\0" in first:
        raise TableError(path, expected=what, found="a line that is too long, or no text", remedy=remedy)
    separator = max(SEPARATORS, key=first.count)
    options = {"header": None, "skip_blank_lines": False, "quoting": csv.QUOTE_NONE}
    table = split_cells(text, path, what, remedy, sep=separator, **options)
    if table.shape[1] != 2:
        raise TableError(path, expected=what, found=f"{table.shape[1]} columns", remedy=remedy)
    return table


def _require_valid(path: Path, wrong: pd.DataFrame, expected: str, column: str) -> None:
    if len(wrong):
        where, found = f"{path}, line {wrong.index[0] + 1}", repr(wrong[column].iloc[0])[:80]
        raise TableError(where, expected=expected, found=found, remedy="correct the line")
