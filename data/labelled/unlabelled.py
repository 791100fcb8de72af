"""Pairs of texts from a file, without labels: what a model is to score."""

from pathlib import Path

import pandas as pd

from data.console.errors import TableError
from data.console.messages import quantity, say
from data.files.sheets import name_unread, read_table
from data.labelled import paws
from data.labelled.corpora import find_texts, split_named
from data.texts.identity import pair_id, text_id


def read(path: Path) -> pd.DataFrame:
    """The pairs of a table with a header, as `read_table` takes it: columns pair_id, first, second.

    Where there is no column pair_id, a pair's id is computed from its texts. Rows that repeat a pair_id are left out,
    with a line that says how many. Raises InputError where there is no file, TableError where it has no two columns of
    texts (`corpora.TEXTS`), or a text is empty.
    """
    cells = split_named(read_table(path, "a file of pairs"), path)
    names = find_texts(path, cells)
    frame = paws.spell_out(cells, path)
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
