"""The scores of a model, read from a file of two columns: pair_id and score."""

import csv
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from data.errors import InputError, TableError

NUMBER = r"\s*[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?\s*"
LARGEST = 1e100
"""A score beyond it is none: two of them may be too large to add."""
LONGEST = 10_000
"""Characters of a first line from which on a file holds something else than an id and a score."""


def read_predictions(path: Path, pair_ids: "pd.Series[str]") -> "np.ndarray[Any, np.dtype[np.float64]]":
    """The score of each pair in the file, NaN where it has none; raises InputError or TableError for any other file."""
    if not path.is_file():
        raise InputError(path, expected="a file of pair_id and score", found="nothing there", remedy="check the path")
    table = _read_columns(path)
    table = table.set_axis(["pair_id", "score"], axis="columns")
    table = table[(table["pair_id"] != "") | (table["score"] != "")]
    if len(table) and table["pair_id"].iloc[0] == "pair_id":
        table = table.iloc[1:]
    if table.empty:
        raise TableError(path, expected="a line for each pair", found="none", remedy="write pair_id and score")
    numbers = pd.to_numeric(table["score"].where(table["score"].str.fullmatch(NUMBER)), errors="coerce")
    _check(path, table[~(numbers.abs() <= LARGEST)], "a number as score", "score")
    _check(path, table[table["pair_id"].duplicated()], "each pair once", "pair_id")
    _check(path, table[~table["pair_id"].isin(pair_ids)], "pairs of the data set", "pair_id")
    return pair_ids.map(pd.Series(numbers.to_numpy(), index=table["pair_id"])).to_numpy(dtype="float64")


def _read_columns(path: Path) -> pd.DataFrame:
    """The file's two columns as texts, blank lines and all; raises TableError where it has others."""
    try:
        with path.open(encoding="utf-8-sig") as file:
            first = file.readline(LONGEST)
        if len(first) == LONGEST or "\0" in first:
            raise ValueError("a line that is too long, or no text")
        table = pd.read_csv(
            path,
            sep="\t" if "\t" in first else ",",
            header=None,
            dtype=str,
            keep_default_na=False,
            skip_blank_lines=False,
            quoting=csv.QUOTE_NONE,
            encoding="utf-8-sig",
        )
    except ValueError as fault:
        found = " ".join(str(fault).split())[:120]
        raise TableError(path, expected="two columns", found=found, remedy="write pair_id and score") from fault
    if table.shape[1] != 2:
        raise TableError(
            path, expected="two columns", found=f"{table.shape[1]} columns", remedy="write pair_id and score"
        )
    return table.fillna("")


def _check(path: Path, wrong: pd.DataFrame, expected: str, column: str) -> None:
    if len(wrong):
        where, found = f"{path}, line {wrong.index[0] + 1}", repr(wrong[column].iloc[0])[:80]
        raise TableError(where, expected=expected, found=found, remedy="correct the line")
