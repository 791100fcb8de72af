"""Pairs of texts from a file, without labels: what a model is to score."""

import csv
from pathlib import Path

import pandas as pd

from data.console.errors import TableError
from data.console.messages import quantity, say
from data.files.sheets import name_unread, read_delimited
from data.labelled import paws
from data.labelled.corpora import HEADERS, name_columns
from data.texts.identity import pair_id, text_id

NAMES = tuple(dict.fromkeys((first, second) for first, second, _ in HEADERS))
"""The columns of the two texts that are known, in order."""


def read(path: Path) -> pd.DataFrame:
    """The pairs of a delimited file (.tsv or .csv, plain or .gz) with a header: columns pair_id, first, second.

    Where there is no column pair_id, a pair's id is computed from its texts. Rows that repeat a pair_id are left out,
    with a line that says how many. Raises InputError where there is no file, TableError where it has no two columns of
    texts, or a text is empty.
    """
    frame = paws.spell_out(name_columns(_read_table(path)), path)
    names = next((names for names in NAMES if set(names) <= set(frame.columns)), None)
    if names is None:
        raise TableError(
            path,
            expected="a header with " + " or ".join(f"{one} and {other}" for one, other in NAMES),
            found=" ".join(map(str, frame.columns))[:200],
            remedy="name the two columns of texts first and second",
        )
    if unread := name_unread(name for name in map(str, frame.columns) if name not in {*names, "pair_id"}):
        say(f"{path}: {unread}")
    texts = frame[list(names)].set_axis(["first", "second"], axis="columns").apply(lambda column: column.str.strip())
    empty = texts[(texts == "").any(axis=1)]
    if len(empty):
        where, found = f"{path}, row {empty.index[0] + 1} below the header", "an empty one"
        found += f", as in {len(empty) - 1} more rows" if len(empty) > 1 else ""
        raise TableError(where, expected="two texts", found=found, remedy="complete or remove these rows")
    sides = zip(texts["first"], texts["second"], strict=True)
    ids = [pair_id(text_id(one), text_id(other)) for one, other in sides]
    texts.insert(0, "pair_id", frame.get("pair_id", ids))
    pairs: pd.DataFrame = texts.drop_duplicates("pair_id", ignore_index=True)
    if len(pairs) < len(texts):
        say(f"{len(texts) - len(pairs):,} of {quantity(len(texts), 'row')} left out: repeated")
    return pairs


def _read_table(path: Path) -> pd.DataFrame:
    """The cells as texts; between tabs, quotes are text."""
    tabs = path.name.removesuffix(".gz").endswith((".tsv", ".txt"))
    what, options = "a file of pairs", {"sep": "\t", "quoting": csv.QUOTE_NONE} if tabs else {}
    return read_delimited(path, what, "correct the file", **options)
