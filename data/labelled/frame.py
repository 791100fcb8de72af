"""A labelled data set as one frame, from the published files or from a store's tables; pure.

One row per pair: pair_id; first_id, second_id; entity (null: the data set names none); second_entity (null: the second
text defines no other entity); first, second (the two definitions); split (null: in none); votes (for "paraphrase") of
n_votes (0: unknown); binary (1 paraphrase, 0 not, null: undecided); parents (the pair_ids that the pair was made from).
"""

from typing import Any

import pandas as pd

from data.files.spreadsheet_cells import unguard
from data.grouping.entities import ENTITIES, of_side
from data.texts.identity import definition_id, digest, pair_id

COLUMNS = [
    "pair_id",
    "first_id",
    "second_id",
    "entity",
    "second_entity",
    "first",
    "second",
    "split",
    "votes",
    "n_votes",
    "binary",
    "parents",
]
INTEGERS = {"votes": "Int64", "n_votes": "Int64", "binary": "Int64"}

EXPERTS = 3
"""Votes per published pair (He et al. 2020, section 4.3)."""


def from_published(published: pd.DataFrame) -> pd.DataFrame:
    """The data set of the published files as `data.labelled.parade.read` returns them, with the ids of our tables.

    The apostrophe before a text that a spreadsheet would run (see `data.files.spreadsheet_cells`) is removed.
    """
    texts = ("entity", "second_entity", "first", "second")
    published = published.assign(**{name: unguard(published[name]) for name in texts})
    ids = {
        f"{side}_id": list(map(definition_id, of_side(published, side), published[side]))
        for side in ("first", "second")
    }
    frame = published.assign(**ids, n_votes=EXPERTS, parents=no_parents(len(published)))
    frame["pair_id"] = [pair_id(a, b) for a, b in zip(frame["first_id"], frame["second_id"], strict=True)]
    return frame[COLUMNS].astype(INTEGERS)


def no_parents(n: int) -> "pd.Series[Any]":
    """A column of `n` empty lists."""
    return pd.Series([[] for _ in range(n)], dtype="object")


def from_tables(labels: pd.DataFrame, pairs: pd.DataFrame, splits: pd.DataFrame) -> pd.DataFrame:
    """The data set of one campaign's labels by one method: rows of the tables `labels`, `pairs`, `splits`.

    A pair that several generators proposed is one row. Labels of pairs that are no longer in `pairs` are left out.
    """
    texts = pairs.drop_duplicates("pair_id")[
        ["pair_id", "first_id", "second_id", *ENTITIES, "first", "second", "parents"]
    ]
    frame = labels.merge(texts, on="pair_id", validate="one_to_one")
    frame = frame.merge(splits[["pair_id", "split"]], on="pair_id", how="left", validate="one_to_one")
    return _typed(frame).sort_values("pair_id", ignore_index=True)


def unlabelled(pairs: pd.DataFrame) -> pd.DataFrame:
    """The data set of unlabelled pairs: no votes, no labels, no splits."""
    frame = pairs.drop_duplicates("pair_id").assign(votes=0, n_votes=0)
    return _typed(frame.reindex(columns=COLUMNS)).sort_values("pair_id", ignore_index=True)


def _typed(frame: pd.DataFrame) -> pd.DataFrame:
    """The columns, the texts as plain strings: statistics read each many times, which Arrow's columns make slow."""
    return frame[COLUMNS].astype(INTEGERS | dict.fromkeys(("first", "second"), "object"))


def data_digest(frame: pd.DataFrame) -> str:
    """A digest of the pairs, their texts, splits, votes and labels."""
    columns = ["pair_id", "first", "second", "split", "votes", "n_votes", "binary"]
    return digest(*pd.util.hash_pandas_object(frame[columns].astype("str"), index=False).tolist())
