"""Published files of pairs without a header: QQP (Wang et al. 2017), PAWS, Twitter-URL, PIT-2015, Le-Wi-Di."""

import csv
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd

from data.console.errors import TableError
from data.files.sheets import read_exact
from data.labelled.forms.cells import LABELS, NO_LABEL, as_labels, require_whole, split

HEADLESS = ["binary", "first", "second", "last"]
JUDGED = ["first", "second", "binary", "votes", "n_votes"]
TWITTER_VOTES = re.compile(r"\((\d+),\s*(\d+)\)")
TWITTER_UNDECIDED = 3
"""Of six votes, 4 or more make a paraphrase and 2 or fewer do not; 3 are debatable (Lan et al. 2017, section 4)."""
PIT_COLUMNS = 7
PIT_UNDECIDED = 2
"""Of five votes for train and dev, 3 or more make a paraphrase and 1 or fewer do not (Xu et al. 2015, README)."""
PIT_UNDECIDED_GRADE = 3
"""On the test set's scale from 0 to 5, 4 or more make a paraphrase and 2 or fewer do not: so says the published
`test.label`; the README has the last two the wrong way round."""


def find_reader(text: str) -> Callable[[str, Path], pd.DataFrame] | None:
    """What reads text of one of the forms between tabs; None for any other text."""
    cells = text.partition("\n")[0].split("\t")
    if len(cells) == PIT_COLUMNS and _pit_label(cells[4]):
        return _read_pit
    if len(cells) > 2 and TWITTER_VOTES.search(cells[2]):
        return _read_twitter
    if len(cells) == len(HEADLESS) and any(as_labels([cells[0], cells[3]]).isin([*LABELS, "-1"])):
        return _read_headless
    return None


def _read_headless(text: str, path: Path) -> pd.DataFrame:
    """Four columns without a header: id, text, text, label (PAWS), or label, text, text, id (QQP by Wang et al.)."""
    frame = split(text, path, sep="\t", quoting=csv.QUOTE_NONE, header=None, names=HEADLESS)
    known = {name: as_labels(frame[name]).isin([*LABELS, *NO_LABEL]).all() for name in ("binary", "last")}
    first_is_label = known["binary"] and not known["last"]
    label = frame["binary"] if first_is_label else frame["last"]
    require_whole(label, text, path, delimiter="\t", quoting=csv.QUOTE_NONE)
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


def find_judged(path: Path) -> list[dict[str, Any]]:
    """The items of the JSON of Le-Wi-Di, which have annotations; none where the file is something else."""
    if not path.name.removesuffix(".gz").endswith(".json"):
        return []
    try:
        items = [*json.loads(read_exact(path, "pairs of texts")).values()]
    except (ValueError, AttributeError, RecursionError):
        return []
    return items if items and all(isinstance(item, dict) and "annotations" in item for item in items) else []


def read_judged(items: list[dict[str, Any]], path: Path) -> pd.DataFrame:
    """Two questions and each annotator's score from -5 to 5; above 0 votes "paraphrase"."""
    try:
        rows = [_judge(item) for item in items]
    except (ValueError, KeyError, AttributeError, TypeError, OverflowError) as fault:
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
