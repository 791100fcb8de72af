"""The files that the authors of the task released, as frames."""

import csv
import re
from pathlib import Path
from typing import Any

import pandas as pd

from data.console.errors import InputError
from data.files.sheets import read_delimited, read_exact

CHECKS, SUBMITS = "ap_h_final_checks.tsv.gz", "ap_h_final_submits.tsv.gz"
TRAIN, TEST = "ap_h_train.tsv.gz", "ap_h_test.tsv.gz"
_MACHINE = re.compile(r"-n?mi[0-9]$")
NUMBERS = ("time", "duration", "bleurt", "mi", "dollar")
PLAIN: dict[str, Any] = {"sep": "\t", "quoting": csv.QUOTE_NONE, "lineterminator": "\n"}
"""Lines without quoting: players typed quotes."""
WHAT, REMEDY = "a file of the released data set", "name the folder that holds the ap_h_* and ap_t5_* files"


def read_log(folder: Path, name: str = CHECKS) -> pd.DataFrame:
    """The checks or submissions of the authors' game, in the order of the file, with numbers as numbers.

    Columns: token, time, duration, dataset, index, sentence, candidate, bleurt, mi, dollar. A submission without
    numbers has null there. Raises InputError for another file, as all of these functions do.
    """
    rows = _read(folder / name, **PLAIN)
    rows.columns = rows.columns.str.lower()
    _require(rows, folder / name, ("token", *NUMBERS[:2], "dataset", "sentence", "candidate", *NUMBERS[2:]))
    for column in NUMBERS:
        rows[column] = pd.to_numeric(rows[column], errors="coerce")
    return rows


def read_split(folder: Path, name: str) -> pd.DataFrame:
    """The labelled pairs of AP_H's train or test file: text_a, text_b, labels (0 or 1); its fields are quoted."""
    rows = _read(folder / name, sep="\t")
    return _count(rows, folder / name, ("text_a", "text_b", "labels"))


def read_attempts(folder: Path) -> pd.DataFrame:
    """The machine's attempts in the folder `nap` of the authors' repository: first, second, bleurt, mi; each once.

    Raises InputError, too, where the folder has none of its files, which end in -mi0 … -nmi2.
    """
    files = sorted(path for path in folder.rglob("*") if _MACHINE.search(path.name))
    if not files:
        raise InputError(
            folder, expected="files such as msrp1/msrp1-nmi0", found="none", remedy="name the repository's folder `nap`"
        )
    attempts = pd.concat([_read_attempts(path) for path in files])
    return attempts.drop_duplicates(["first", "second"], ignore_index=True)


def _read(path: Path, **options: Any) -> pd.DataFrame:
    if not path.is_file():
        raise InputError(path, expected=WHAT, found="nothing there", remedy=REMEDY)
    return read_delimited(path, WHAT, REMEDY, **options)


def _read_attempts(path: Path) -> pd.DataFrame:
    lines = [line.split("\t") for line in read_exact(path, WHAT).split("\n")]
    names = ["first", "second", "bleurt", "mi"]
    rows = pd.DataFrame([cells for cells in lines if len(cells) == len(names)], columns=names, dtype="str")
    similarity = pd.to_numeric(rows["bleurt"], errors="coerce").astype("float64")
    if similarity.isna().any():
        raise InputError(path, expected="a number as BLEURT", found="other texts", remedy="fetch the file again")
    return _count(rows.assign(bleurt=similarity), path, ("mi",))


def _count(rows: pd.DataFrame, path: Path, columns: tuple[str, ...]) -> pd.DataFrame:
    """The rows, which must have these columns, with 0 or 1 in the last of them as a number."""
    _require(rows, path, columns)
    wrong = rows[~rows[columns[-1]].isin(["0", "1"])]
    if len(wrong):
        found = repr(wrong[columns[-1]].iloc[0])[:80]
        raise InputError(path, expected=f"0 or 1 as {columns[-1]}", found=found, remedy="fetch the file again")
    return rows.astype({columns[-1]: "int64"})


def _require(rows: pd.DataFrame, path: Path, columns: tuple[str, ...]) -> None:
    if not set(columns) <= set(rows) or not rows.columns.is_unique:
        found = ", ".join(map(str, rows))[:120]
        raise InputError(path, expected=f"the columns {', '.join(columns)}", found=found, remedy=REMEDY)
