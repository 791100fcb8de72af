"""The published PARADE files (He et al. 2020), read and written: one tab-separated file per split."""

import csv
from pathlib import Path

import pandas as pd

from data.console.errors import InputError, TableError
from data.contract.vocabulary import SPLITS
from data.files.sheets import read_delimited
from data.grouping.entities import BETWEEN, name_pairs

HEADER = ["Four-class labels", "Binary labels", "Entity", "Definition1", "Definition2"]
COLUMNS = ["votes", "binary", "entity", "first", "second"]
"""The five columns' names in this project. `votes`: how many of three experts called the pair a paraphrase, 0 to 3."""


def read(folder: Path) -> pd.DataFrame:
    """The published pairs in order: columns split, votes, binary, entity, second_entity, first, second.

    Reads `PARADE_{train,validation,test}.txt`, plain or gzip. Quotes are text, as in the published files. Raises
    InputError if a file is missing, TableError if its header or a label is not as published, or a text is missing.
    """
    return pd.concat([_read_split(folder, split) for split in SPLITS], ignore_index=True)


def write(frame: pd.DataFrame, folder: Path) -> list[Path]:
    """Write rows in the form of `read` as the published files; return their paths. Texts hold no tab or newline."""
    folder.mkdir(parents=True, exist_ok=True)
    texts = as_texts(frame)
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    return [folder / name for name in texts]


def as_texts(frame: pd.DataFrame) -> dict[str, str]:
    """File name -> content of the published files of the rows of `read`'s form; no text holds a tab or newline."""
    frame = frame.assign(entity=name_pairs(frame))
    rows = {split: frame.loc[frame["split"] == split, COLUMNS] for split in SPLITS}
    return {
        f"PARADE_{split}.txt": some.set_axis(HEADER, axis="columns").to_csv(
            sep="\t", index=False, quoting=csv.QUOTE_NONE, lineterminator="\n"
        )
        for split, some in rows.items()
    }


def _read_split(folder: Path, split: str) -> pd.DataFrame:
    path = find(folder, split)
    what, again = "tab-separated text", "fetch the file again"
    frame = read_delimited(path, what, again, sep="\t", quoting=csv.QUOTE_NONE)
    if list(frame.columns) != HEADER:
        raise TableError(
            path,
            expected="the columns " + ", ".join(HEADER),
            found=", ".join(frame.columns),
            remedy="point at the folder of the published files",
        )
    frame = frame.set_axis(COLUMNS, axis="columns")
    for column, allowed in (("votes", "0123"), ("binary", "01")):
        _require_digits(path, frame[column], allowed)
    for column in ("entity", "first", "second"):
        _require_texts(path, frame[column])
    frame.insert(0, "split", split)
    names = frame["entity"].str.partition(BETWEEN)  # these files have one column for both entities of a pair
    frame = frame.assign(entity=names[0], second_entity=names[2].mask(names[2] == "", None))
    return frame.astype({"votes": "int64", "binary": "int64"})


def _require_digits(path: Path, values: pd.Series, allowed: str) -> None:
    wrong = values[~values.isin(list(allowed))]
    if not wrong.empty:
        raise TableError(
            f"{path}, line {wrong.index[0] + 2}",
            expected=f"{values.name} to be one of {', '.join(allowed)}",
            found=repr(wrong.iloc[0]),
            remedy="fix the line or fetch the file again",
        )


def _require_texts(path: Path, texts: pd.Series) -> None:
    empty = texts[texts.fillna("").str.strip() == ""]
    if not empty.empty:
        raise TableError(
            f"{path}, line {empty.index[0] + 2}",
            expected=f"{empty.name} to be a text",
            found="nothing",
            remedy="fix the line, or fetch the file again if it is truncated",
        )


def find(folder: Path, split: str) -> Path:
    """The file of a split, plain or gzip. Raises InputError if there is none."""
    for name in (f"PARADE_{split}.txt", f"PARADE_{split}.txt.gz"):
        if (folder / name).is_file():
            return folder / name
    raise InputError(
        folder,
        expected=f"a file PARADE_{split}.txt or PARADE_{split}.txt.gz",
        found="none",
        remedy="point at the folder of the published files",
    )
