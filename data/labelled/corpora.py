"""Labelled pairs of texts as other data sets publish them: delimited text or JSON, plain or gzip."""

import csv
import gzip
import io
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd

from data.errors import InputError, TableError
from data.identity import definition_id, pair_id
from data.labelled.frame import COLUMNS, INTEGERS, no_parents

HEADERS: tuple[tuple[str, str, str], ...] = (
    ("#1 String", "#2 String", "Quality"),
    ("text_a", "text_b", "labels"),
    ("sentence", "paraphrase", "mi"),
    ("question1", "question2", "is_duplicate"),
    ("sentence1", "sentence2", "label"),
    ("Definition1", "Definition2", "Binary labels"),
    ("first", "second", "binary"),
)
"""The columns of the first text, the second text and the label (0, 1): in MRPC, APT (two forms), QQP, PAWS and GLUE,
PARADE, and ours."""

SPLIT_OF = {"train": "train", "dev": "validation", "valid": "validation", "validation": "validation", "test": "test"}
ENDINGS = (".txt", ".tsv", ".csv", ".json")

TWITTER_VOTES = re.compile(r"\((\d+),\s*(\d+)\)")
TWITTER_UNDECIDED = 3
"""Of six votes, 4 or more make a paraphrase and 2 or fewer do not; 3 are debatable (Lan et al. 2017, section 4)."""


def find(path: Path) -> list[Path]:
    """The files of pairs at `path`: the file itself, those in the folder, or those whose names begin with it.

    If some of their names contain the name of a split, only those count. Raises InputError if there is none.
    """
    if path.is_file():
        return [path]
    candidates = path.glob("*") if path.is_dir() else path.parent.glob(path.name + "*")
    files = [file for file in sorted(candidates) if file.name.removesuffix(".gz").endswith(ENDINGS)]
    if not files:
        raise InputError(
            path,
            expected="a store, a release, or files of pairs (.txt, .tsv, .csv, .json, plain or .gz)",
            found="none of these" if path.is_dir() else "no such file or folder",
            remedy="check the path",
        )
    return [file for file in files if _split_of(file)] or files


def read(paths: list[Path]) -> pd.DataFrame:
    """The pairs of all files as a data set of `data.labelled.frame`, without entities, split by the files' names.

    Rows without two different texts and repeated rows are left out. Raises TableError if a file has no known form or a
    label is unknown.
    """
    parts = [_read_file(path).assign(split=_split_of(path)) for path in paths]
    frame = pd.concat(parts, ignore_index=True)
    for side in ("first", "second"):
        frame[f"{side}_id"] = [definition_id("", text) for text in frame[side]]
    frame["pair_id"] = [pair_id(a, b) for a, b in zip(frame["first_id"], frame["second_id"], strict=True)]
    frame = frame.assign(entity=pd.Series(pd.NA, index=frame.index, dtype="str"), parents=no_parents(len(frame)))
    frame = frame[frame["first_id"] != frame["second_id"]].drop_duplicates(["pair_id", "split", "binary"])
    return frame.reindex(columns=COLUMNS).astype(INTEGERS).reset_index(drop=True)


def _split_of(path: Path) -> str | None:
    parts = re.split(r"[^a-z]+", path.name.lower())
    return next((SPLIT_OF[part] for part in parts if part in SPLIT_OF), None)


def _read_file(path: Path) -> pd.DataFrame:
    try:
        content = path.read_bytes()
        text = (gzip.decompress(content) if path.suffix == ".gz" else content).decode("utf-8-sig")
    except (OSError, EOFError, ValueError) as fault:
        raise TableError(path, expected="UTF-8 text", found=str(fault), remedy="fetch the file again") from fault
    rows = _reader(path, text)(text, path)
    if rows.empty:
        raise TableError(path, expected="at least one pair", found="none", remedy="remove the file from the folder")
    return _checked(rows, path)


def _reader(path: Path, text: str) -> Callable[[str, Path], pd.DataFrame]:
    if path.name.removesuffix(".gz").endswith(".json"):
        return _read_judged
    first = text.partition("\n")[0]
    return _read_twitter if TWITTER_VOTES.search(first) else _read_table


def _read_table(text: str, path: Path) -> pd.DataFrame:
    """Delimited text with one of the known headers; between tabs, quotes are text; between commas, they quote."""
    header = text.partition("\n")[0]
    tabs = "\t" in header
    frame = pd.read_csv(
        io.StringIO(text),
        sep="\t" if tabs else ",",
        quoting=csv.QUOTE_NONE if tabs else csv.QUOTE_MINIMAL,
        dtype=str,
        keep_default_na=False,
        on_bad_lines="error",
    )
    for names in HEADERS:
        if set(names) <= set(frame.columns):
            return frame[list(names)].set_axis(["first", "second", "binary"], axis="columns").assign(votes=0, n_votes=0)
    raise TableError(
        path,
        expected="the columns " + ", or ".join(" ".join(names) for names in HEADERS),
        found=header.replace("\t", " ")[:200],
        remedy="rename the columns of the two texts and of the label (0, 1)",
    )


def _read_twitter(text: str, path: Path) -> pd.DataFrame:
    """The Twitter-URL corpus: text, text, (votes, annotators), address; without a header."""
    rows: list[tuple[str, str, str | None, int, int]] = []
    for number, line in enumerate(text.splitlines(), start=1):
        cells = line.split("\t")
        votes = TWITTER_VOTES.search(cells[2]) if len(cells) > 2 else None
        if votes is None:
            raise TableError(
                f"{path}, line {number}",
                expected="text, text, (votes, annotators)",
                found=line[:80],
                remedy="correct it",
            )
        yes, n = int(votes[1]), int(votes[2])
        label = None if yes == TWITTER_UNDECIDED else str(int(yes > TWITTER_UNDECIDED))
        rows.append((cells[0].strip(), cells[1].strip(), label, yes, n))
    return pd.DataFrame(rows, columns=["first", "second", "binary", "votes", "n_votes"])


def _read_judged(text: str, path: Path) -> pd.DataFrame:
    """The JSON of Le-Wi-Di: two questions and each annotator's score from -5 to 5; above 0 votes "paraphrase"."""
    try:
        rows = [_judge(item) for item in json.loads(text).values()]
    except (ValueError, KeyError, AttributeError, TypeError) as fault:
        raise TableError(
            path,
            expected="objects with text.Question1, text.Question2 and annotations",
            found=f"{type(fault).__name__}: {fault}",
            remedy="remove the file from the folder",
        ) from fault
    return pd.DataFrame(rows, columns=["first", "second", "binary", "votes", "n_votes"])


def _judge(item: dict[str, Any]) -> tuple[str, str, str | None, int, int]:
    votes = [int(score) > 0 for score in item["annotations"].values()]
    yes, n = sum(votes), len(votes)
    label = None if 2 * yes == n else str(int(2 * yes > n))
    return item["text"]["Question1"], item["text"]["Question2"], label, yes, n


def _checked(rows: pd.DataFrame, path: Path) -> pd.DataFrame:
    wrong = rows[~rows["binary"].isin(["0", "1"]) & rows["binary"].notna()]
    if len(wrong):
        raise TableError(
            f"{path}, row {wrong.index[0] + 1}",
            expected="a label of 0 or 1",
            found=repr(wrong["binary"].iloc[0]),
            remedy="correct the row",
        )
    stripped = rows.assign(first=rows["first"].str.strip(), second=rows["second"].str.strip())
    rows = stripped[(stripped["first"] != "") & (stripped["second"] != "")]
    return rows.assign(binary=pd.to_numeric(rows["binary"]).astype("Int64"))
