"""The files that the authors of the task released, as frames."""

import csv
import gzip
import re
from pathlib import Path

import pandas as pd

from data.errors import InputError

CHECKS, SUBMITS = "ap_h_final_checks.tsv.gz", "ap_h_final_submits.tsv.gz"
TRAIN, TEST = "ap_h_train.tsv.gz", "ap_h_test.tsv.gz"
_MACHINE = re.compile(r"-n?mi[0-9]$")
MACHINE = ("ap_t5_msrp.tsv.gz", "ap_t5_twitterppdb.tsv.gz")


def read_log(folder: Path, name: str = CHECKS) -> pd.DataFrame:
    """The checks or submissions of the authors' game, in the order of the file, with numbers as numbers.

    Columns: token, time, duration, dataset, index, sentence, candidate, bleurt, mi, dollar. A submission without
    numbers has null there. Lines are tab-separated without quoting: players typed quotes.
    """
    rows = _read(folder / name, csv.QUOTE_NONE, quotechar=None)
    rows.columns = rows.columns.str.lower()
    for column in ("time", "duration", "bleurt", "mi", "dollar"):
        rows[column] = pd.to_numeric(rows[column], errors="coerce")
    return rows


def read_split(folder: Path, name: str) -> pd.DataFrame:
    """The labelled pairs of AP_H's train or test file: text_a, text_b, labels (0 or 1); its fields are quoted."""
    return _numbers(_read(folder / name, csv.QUOTE_MINIMAL), "labels")


def read_machine(folder: Path, name: str) -> pd.DataFrame:
    """The attempts of the authors' generator: sentence, paraphrase, mi (0 or 1)."""
    return _numbers(_read(folder / name, csv.QUOTE_NONE, quotechar=None), "mi")


def read_attempts(folder: Path) -> pd.DataFrame:
    """The machine's attempts in the folder `nap` of the authors' repository: first, second, bleurt, mi; each once.

    Raises InputError where the folder has none of its files, which end in -mi0 … -nmi2.
    """
    files = sorted(path for path in folder.rglob("*") if _MACHINE.search(path.name))
    if not files:
        raise InputError(
            folder, expected="files such as msrp1/msrp1-nmi0", found="none", remedy="name the repository's folder `nap`"
        )
    texts = (path.read_text(encoding="utf-8").split("\n") for path in files)
    rows = [cells for lines in texts for line in lines if len(cells := line.split("\t")) == 4]
    frame = pd.DataFrame(rows, columns=["first", "second", "bleurt", "mi"])
    return frame.drop_duplicates(["first", "second"], ignore_index=True).astype({"bleurt": "float64", "mi": "int64"})


def _numbers(rows: pd.DataFrame, column: str) -> pd.DataFrame:
    return rows.assign(**{column: rows[column].astype("int64")})


def _read(path: Path, quoting: int, quotechar: str | None = '"') -> pd.DataFrame:
    if not path.is_file():
        raise InputError(
            path,
            expected="a file of the released data set",
            found="no such file",
            remedy="name the folder that holds the ap_h_* and ap_t5_* files",
        )
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        first, *rows = csv.reader(file, delimiter="\t", quoting=quoting, quotechar=quotechar)  # type: ignore[arg-type]
    return pd.DataFrame([row + [""] * (len(first) - len(row)) for row in rows], columns=first)
