"""Labelled pairs of texts as other data sets publish them: delimited text or JSON, plain or gzip.

MRPC, QQP (as published, and in the split of Wang et al. 2017), PAWS and GLUE, Twitter-URL, PIT-2015, APT, Le-Wi-Di,
PARADE, and any file with one of the headers below.
"""

import csv
import io
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd

from data.console.errors import InputError, TableError
from data.console.messages import quantity, say
from data.contract.vocabulary import SPLITS
from data.files.sheets import name_unread, read_exact, separator_of, split_cells, whole_numbers
from data.labelled import parade, paws
from data.labelled.frame import COLUMNS, INTEGERS, from_published
from data.texts.identity import pair_id, text_id

HEADERS: tuple[tuple[str, str, str], ...] = (
    ("#1 String", "#2 String", "Quality"),
    ("text_a", "text_b", "labels"),
    ("sentence", "paraphrase", "mi"),
    ("question1", "question2", "is_duplicate"),
    ("sentence1", "sentence2", "label"),
    ("sentence1", "sentence2", paws.NOISY),
    ("Definition1", "Definition2", "Binary labels"),
    ("first", "second", "binary"),
)
"""The columns of the first text, the second text and the label (0, 1): in MRPC, APT (two forms), QQP, PAWS and GLUE,
PAWS without judgements, PARADE, and ours. Their case does not matter."""

KNOWN = {name.lower(): name for names in (*HEADERS, paws.INDEXED, ("id", "pair_id")) for name in names}
"""The columns by their names in lower case."""
NUMBERS = ("id", "index")
"""Columns that count the rows."""

LABELS = ("0", "1")
WORDS = {"false": "0", "true": "1"}
"""Labels that programs write as words."""
NO_LABEL = ("", "-1", "nan", "null", "none")
"""What fills the place of a label, in lower case: nothing, or what GLUE's test sets and programs write."""

HEADLESS = ["binary", "first", "second", "last"]
JUDGED = ["first", "second", "binary", "votes", "n_votes"]

SPLIT_OF = {"train": "train", "dev": "validation", "valid": "validation", "validation": "validation", "test": "test"}
ENDINGS = (".txt", ".tsv", ".csv", ".json", ".data")

QUOTED = "question1"
"""The column by which QQP's files are known: they quote texts, which may hold line breaks, even between tabs."""

TWITTER_VOTES = re.compile(r"\((\d+),\s*(\d+)\)")
TWITTER_UNDECIDED = 3
"""Of six votes, 4 or more make a paraphrase and 2 or fewer do not; 3 are debatable (Lan et al. 2017, section 4)."""

PIT_COLUMNS = 7
PIT_UNDECIDED = 2
"""Of five votes for train and dev, 3 or more make a paraphrase and 1 or fewer do not (Xu et al. 2015, README)."""
PIT_UNDECIDED_GRADE = 3
"""On the test set's scale from 0 to 5, 4 or more make a paraphrase and 2 or fewer do not: so says the published
`test.label`; the README has the last two the wrong way round."""


def load(path: Path) -> tuple[pd.DataFrame, list[Path]]:
    """The data set at `path`, in the form of `data.labelled.frame`, and its files: PARADE's folder, or as found by
    `find`."""
    if path.is_dir() and any(path.glob("PARADE_*.txt*")):
        return from_published(parade.read(path)), [parade.find(path, name) for name in SPLITS]
    files = find(path)
    return read(files), files


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
            expected="a store, a release, or files of pairs (.txt, .tsv, .csv, .json, .data, plain or .gz)",
            found="none of these" if path.is_dir() else "no such file or folder",
            remedy="check the path",
        )
    return [file for file in files if _split_of(file)] or files


def read(paths: list[Path]) -> pd.DataFrame:
    """The pairs of all files as a data set of `data.labelled.frame`, without entities, split by the files' names.

    Rows without two texts, with the same text twice outside the training split (as in PAWS, Zhang et al. 2019, section
    4, footnote 6), and repeated rows are left out, with a line that says how many. Raises TableError if a file has no
    known form or a label is unknown.
    """
    parts = [_read_file(path).assign(split=_split_of(path)) for path in paths]
    frame = pd.concat(parts, ignore_index=True)
    for side in ("first", "second"):
        frame[f"{side}_id"] = [text_id(text) for text in frame[side]]
    frame["pair_id"] = [pair_id(a, b) for a, b in zip(frame["first_id"], frame["second_id"], strict=True)]
    frame = frame.assign(entity=pd.Series(pd.NA, index=frame.index, dtype="str"))
    empty = (frame[["first", "second"]] == "").any(axis="columns")
    alike = ~empty & (frame["first_id"] == frame["second_id"]) & (frame["split"] != "train").fillna(True)
    repeated = ~(empty | alike) & frame.duplicated(["pair_id", "split", "binary"])
    left_out = {"without a text": empty.sum(), "with one text twice": alike.sum(), "repeated": repeated.sum()}
    if any(left_out.values()):
        why = ", ".join(f"{n:,} {kind}" for kind, n in left_out.items() if n)
        say(f"{sum(left_out.values()):,} of {quantity(len(frame), 'row')} left out: {why}")
    frame = frame[~(empty | alike | repeated)]
    return frame.reindex(columns=COLUMNS).astype(INTEGERS).reset_index(drop=True)


def _split_of(path: Path) -> str | None:
    parts = re.split(r"[^a-z]+", path.name.lower())
    return next((SPLIT_OF[part] for part in parts if part in SPLIT_OF), None)


def _read_file(path: Path) -> pd.DataFrame:
    text = read_exact(path, "pairs of texts")
    rows = _reader(path, text)(text, path)
    if rows.empty:
        raise TableError(path, expected="at least one pair", found="none", remedy="remove the file from the folder")
    return _checked(rows.assign(parents=paws.trace_parents(rows, path)), path)


def _reader(path: Path, text: str) -> Callable[[str, Path], pd.DataFrame]:
    if path.name.removesuffix(".gz").endswith(".json"):
        return _read_judged
    cells = text.partition("\n")[0].split("\t")
    if len(cells) == PIT_COLUMNS and _pit_label(cells[4]):
        return _read_pit
    if len(cells) > 2 and TWITTER_VOTES.search(cells[2]):
        return _read_twitter
    if len(cells) == len(HEADLESS) and any(_as_labels([cells[0], cells[3]]).isin([*LABELS, "-1"])):
        return _read_headless
    return _read_table


def _split(text: str, path: Path, **options: Any) -> pd.DataFrame:
    return split_cells(text, path, "as many cells in each line as in the first", "correct the line", **options)


def _require_whole(labels: "pd.Series[str]", text: str, path: Path, **options: Any) -> None:
    """Raise TableError where a line without a label is too short for one: a cell may be missing anywhere in it.

    `options`: delimiter and quoting.
    """
    if not (labels == "").any():
        return
    try:
        rows = [row for row in csv.reader(io.StringIO(text, newline=""), **options) if row]
    except csv.Error as fault:
        raise TableError(path, expected="lines of cells", found=str(fault), remedy="correct the line") from fault
    for number, row in enumerate(rows[len(rows) - len(labels) :], start=1):
        if len(row) < len(rows[0]):
            where, found = f"{path}, row {number}", "'' in a line that is too short"
            raise TableError(where, expected="a label of 0 or 1", found=found, remedy="correct the row")


def _read_table(text: str, path: Path) -> pd.DataFrame:
    """Delimited text with one of the known headers; between tabs, quotes are text, but for QQP; elsewhere, quotes.

    The first text and second text may be anywhere among other columns.
    """
    header = text.partition("\n")[0]
    tabs = "\t" in header
    plain = tabs and QUOTED not in header.lower()
    quoting = csv.QUOTE_NONE if plain else csv.QUOTE_MINIMAL
    separator = "\t" if tabs else separator_of(header)
    cells = name_columns(_split(text, path, sep=separator, quoting=quoting))
    for names in HEADERS:
        if set(names) <= set(cells.columns):
            _require_whole(cells[names[2]], text, path, delimiter=separator, quoting=quoting)
            if unread := name_unread(str(name) for name in cells.columns if name not in {*names, *NUMBERS}):
                say(f"{path}: {unread}")
            frame = paws.spell_out(cells, path)
            rows = frame[list(names)].set_axis(["first", "second", "binary"], axis="columns")
            return rows.assign(votes=0, n_votes=0, **{name: frame[name] for name in ("id",) if name in frame})
    raise TableError(
        path,
        expected="the columns " + ", or ".join(" ".join(names) for names in HEADERS),
        found=header.replace("\t", " ")[:200],
        remedy="rename the columns of the two texts and of the label (0, 1)",
    )


def name_columns(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame with its known columns named as they are published, whatever their case."""
    known = [KNOWN.get(str(name).strip().lower(), name) for name in frame.columns]
    names = [name if known.count(name) == 1 else old for old, name in zip(frame.columns, known, strict=True)]
    return frame.set_axis(names, axis="columns")


def _read_headless(text: str, path: Path) -> pd.DataFrame:
    """Four columns without a header: id, text, text, label (PAWS), or label, text, text, id (QQP by Wang et al.)."""
    frame = _split(text, path, sep="\t", quoting=csv.QUOTE_NONE, header=None, names=HEADLESS)
    known = {name: _as_labels(frame[name]).isin([*LABELS, *NO_LABEL]).all() for name in ("binary", "last")}
    first_is_label = known["binary"] and not known["last"]
    label = frame["binary"] if first_is_label else frame["last"]
    _require_whole(label, text, path, delimiter="\t", quoting=csv.QUOTE_NONE)
    number = frame["last"] if first_is_label else frame["binary"]
    return frame[["first", "second"]].assign(binary=label, votes=0, n_votes=0, id=number)


def _read_twitter(text: str, path: Path) -> pd.DataFrame:
    """The Twitter-URL corpus: text, text, (votes, annotators), address; without a header."""
    rows: list[tuple[str, str, str | None, int, int]] = []
    for number, line in enumerate(text.split("\n"), start=1):
        cells = line.split("\t")
        votes = TWITTER_VOTES.search(cells[2]) if len(cells) > 2 else None
        if votes:
            yes, n = int(votes[1]), int(votes[2])
            rows.append((cells[0], cells[1], _decide(yes, TWITTER_UNDECIDED), yes, n))
        elif line.strip():
            raise _malformed(path, number, "text, text, (votes, annotators)", line)
    return pd.DataFrame(rows, columns=JUDGED)


def _read_pit(text: str, path: Path) -> pd.DataFrame:
    """PIT-2015: topic, its name, text, text, label, tags, tags; without a header.

    The label is "(votes for, votes against)" in train and dev, an expert's grade from 0 to 5 in test.
    """
    rows: list[tuple[str, str, str | None, int, int]] = []
    for number, line in enumerate(text.split("\n"), start=1):
        cells = line.split("\t")
        label = _pit_label(cells[4]) if len(cells) == PIT_COLUMNS else None
        if label:
            rows.append((cells[2], cells[3], *label))
        elif line.strip():
            raise _malformed(path, number, "topic, name, text, text, (votes, votes) or a grade, tags, tags", line)
    return pd.DataFrame(rows, columns=JUDGED)


def _pit_label(cell: str) -> tuple[str | None, int, int] | None:
    """Label, votes and number of votes; None for a cell that is no label."""
    votes = TWITTER_VOTES.fullmatch(cell.strip())
    if votes:
        yes, no = int(votes[1]), int(votes[2])
        return _decide(yes, PIT_UNDECIDED), yes, yes + no
    return (_decide(int(cell), PIT_UNDECIDED_GRADE), 0, 0) if cell.strip() in list("012345") else None


def _decide(votes: int, undecided: int) -> str | None:
    return None if votes == undecided else str(int(votes > undecided))


def _malformed(path: Path, number: int, expected: str, line: str) -> TableError:
    return TableError(f"{path}, line {number}", expected=expected, found=line[:80], remedy="correct it")


def _read_judged(text: str, path: Path) -> pd.DataFrame:
    """The JSON of Le-Wi-Di: two questions and each annotator's score from -5 to 5; above 0 votes "paraphrase"."""
    try:
        rows = [_judge(item) for item in json.loads(text).values()]
    except (ValueError, KeyError, AttributeError, TypeError, OverflowError, RecursionError) as fault:
        raise TableError(
            path,
            expected="objects with text.Question1, text.Question2 and annotations",
            found=f"{type(fault).__name__}: {fault}",
            remedy="remove the file from the folder",
        ) from fault
    return pd.DataFrame(rows, columns=JUDGED)


def _judge(item: dict[str, Any]) -> tuple[str, str, str | None, int, int]:
    votes = [int(score) > 0 for score in item["annotations"].values()]
    yes, n = sum(votes), len(votes)
    label = None if 2 * yes == n else str(int(2 * yes > n))
    return item["text"]["Question1"], item["text"]["Question2"], label, yes, n


def _checked(rows: pd.DataFrame, path: Path) -> pd.DataFrame:
    labels = _as_labels(rows["binary"])
    missing = labels.isin(NO_LABEL)
    labels = labels.mask(missing)
    wrong = rows["binary"][labels.notna() & ~labels.isin(LABELS)]
    if len(wrong):
        raise TableError(
            f"{path}, row {wrong.index[0] + 1}",
            expected="a label of 0 or 1",
            found=repr(wrong.iloc[0]),
            remedy="correct the row",
        )
    if missing.any():
        say(f"{missing.sum():,} of {quantity(len(rows), 'row')} of {path} have no label (nothing, or -1)")
    stripped = {side: rows[side].str.strip() for side in ("first", "second")}
    return rows.assign(**stripped, binary=pd.to_numeric(labels).astype("Int64"))


def _as_labels(cells: "pd.Series[str] | list[str]") -> "pd.Series[str]":
    """The cells as they are compared with labels."""
    return whole_numbers(pd.Series(cells, dtype="str")).str.lower().replace(WORDS)
