"""Tables of pairs with a header: their cells, and which columns have the texts, the label, the split and entities."""

import csv
import io
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from data.console.errors import TableError
from data.console.messages import say
from data.files.sheets import name_unread, separator_of, split_cells, whole_numbers
from data.grouping.entities import ENTITIES
from data.labelled.forms import paws

TEXTS = (
    ("#1 String", "#2 String"),
    ("text_a", "text_b"),
    ("sentence", "paraphrase"),
    ("question1", "question2"),
    ("sentence1", "sentence2"),
    ("Definition1", "Definition2"),
    ("first", "second"),
    ("original", "paraphrase"),
)
"""The columns of the two texts: in MRPC, APT (two forms), QQP, PAWS and GLUE, PARADE, ours, and others. Their case and
the marks between words do not matter. Elsewhere, the texts are in the only two columns whose names end in 1 and 2, or a
and b, or differ in `first` and `second` alone."""

LABEL = (
    "binary", "Binary labels", "Quality", "is_duplicate", "mi", "labels", "label", "is_paraphrase", "gold_label",
    "gold", "paraphrase", paws.NOISY,
)  # fmt: skip
"""The names of the label's column (0, 1), of which the first counts: in ours, PARADE, MRPC, QQP, APT (two forms), PAWS
and GLUE, others, and PAWS without judgements."""

SPLIT = "split"
"""The column of the splits' names, as files' names have them."""

_MARKS = re.compile(r"[\s_.?:-]+")
KNOWN = {
    _MARKS.sub("", name.lower()): name
    for names in (*TEXTS, LABEL, paws.INDEXED, ("id", "pair_id", SPLIT), ENTITIES)
    for name in names
}
"""The columns by their names in lower case, without marks."""
NUMBERS = ("id", "idx", "index", "#1 ID", "#2 ID", "qid1", "qid2")
"""Columns that count the rows or the texts."""

LABELS = ("0", "1")
WORDS = {"false": "0", "true": "1", "no": "0", "yes": "1", "f": "0", "t": "1", "n": "0", "y": "1"}
"""Labels that are written as words."""
NO_LABEL = ("", "-1", "nan", "null", "none", "na", "n/a", "<na>", "-", "?")
"""What fills the place of a label, in lower case: nothing, or what GLUE's test sets, programs and people write."""
QUOTED = "question1"
"""The column by which QQP's files are known: they quote texts, which may hold line breaks, even between tabs."""


def read_named(text: str, path: Path) -> pd.DataFrame:
    """A table with a header that names the columns of the texts and of the label, anywhere among others."""
    cells = split_named(text, path)
    texts = find_texts(path, cells)
    label = next((name for name in LABEL if name in cells.columns and name not in texts), None)
    if label is None:
        raise TableError(
            path,
            expected="a column of labels (0, 1) called " + ", ".join(LABEL[:-1]),
            found=" ".join(map(str, cells.columns))[:200],
            remedy="rename that column to label",
        )
    require_whole(cells[label], text, path, **_layout(text))
    if unread := name_unread(
        str(name) for name in cells.columns if name not in {*texts, label, SPLIT, *NUMBERS, *ENTITIES}
    ):
        say(f"{path}: {unread}")
    frame = paws.spell_out(cells, path)
    rows = frame[[*texts, label]].set_axis(["first", "second", "binary"], axis="columns")
    return rows.assign(
        votes=0, n_votes=0, **find_entities(frame), **{name: frame[name] for name in ("id", SPLIT) if name in frame}
    )


def split_named(text: str, path: Path) -> pd.DataFrame:
    """The cells of delimited text with a header; its known columns are named as in TEXTS and LABEL."""
    layout = _layout(text)
    cells = split(text, path, sep=layout["delimiter"], quoting=layout["quoting"])
    known = [KNOWN.get(_MARKS.sub("", str(name).lower()), name) for name in cells.columns]
    names = [name if known.count(name) == 1 else old for old, name in zip(cells.columns, known, strict=True)]
    return cells.set_axis(names, axis="columns")


def _layout(text: str) -> dict[str, Any]:
    """What separates cells, and whether they are quoted: between tabs, quotes are text, but for QQP."""
    header = text.partition("\n")[0]
    plain = "\t" in header and QUOTED not in header.lower()
    separator = "\t" if "\t" in header else separator_of(header)
    return {"delimiter": separator, "quoting": csv.QUOTE_NONE if plain else csv.QUOTE_MINIMAL}


def find_texts(path: Path, cells: pd.DataFrame) -> tuple[str, str]:
    """The columns of the two texts, see TEXTS; raises TableError where there are none, or more than two may be."""
    columns = [str(name) for name in cells.columns]
    couples = [names for names in TEXTS if set(names) <= set(columns)][:1] or _find_couples(columns)
    if len(couples) != 1:
        raise TableError(
            path,
            expected="two columns of texts, such as first and second, text1 and text2, or sentence_a and sentence_b",
            found=" ".join(columns)[:200],
            remedy="name them first and second",
        )
    return couples[0]


def _find_couples(columns: Sequence[str]) -> list[tuple[str, str]]:
    """The columns whose names differ in their end, or in `first` and `second`, alone, but for ids."""
    keys = {_MARKS.sub("", name.lower()): name for name in columns}
    ends = (("1", "2"), ("a", "b"))
    couples = [(key, key[: -len(one)] + other) for key in keys for one, other in ends if key.endswith(one)]
    numbered = [(keys[one], keys[other]) for one, other in couples if other in keys and not one[:-1].endswith("id")]
    spelled = [(key, key.replace("first", "second")) for key in keys if "first" in key and not key.endswith("id")]
    return numbered or [(keys[one], keys[other]) for one, other in spelled if other in keys]


def find_entities(cells: pd.DataFrame) -> dict[str, "pd.Series[str]"]:
    """The columns `entity` and `second_entity` as far as a table has them; an empty cell is null."""
    own = {name: cells[name].str.strip() for name in ENTITIES if name in cells}
    return {name: column.mask(column == "") for name, column in own.items()}


def split(text: str, path: Path, **options: Any) -> pd.DataFrame:
    """The cells of delimited text (`sheets.split_cells`)."""
    return split_cells(text, path, "a table of pairs", "correct the file", **options)


def require_whole(labels: "pd.Series[str]", text: str, path: Path, **options: Any) -> None:
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


def as_labels(cells: "pd.Series[str] | list[str]") -> "pd.Series[str]":
    """The cells as they are compared with labels."""
    return whole_numbers(pd.Series(cells, dtype="str")).str.lower().replace(WORDS)
