"""A labelled data set, opened once, with what several statistics ask of it, each worked out at most once; pure.

Its frame has one row per pair: pair_id; first_id, second_id; entity (null: the data set names none); second_entity
(null: the second text defines no other entity); first, second (the two definitions); split (null: in none); votes (for
"paraphrase") of n_votes (0: unknown); binary (1 paraphrase, 0 not, null: undecided); parents (the pair_ids that the
pair was made from).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from data.console.paths import Address
from data.contract.questions import PUBLISHED_QUESTION, Question
from data.files.spreadsheet_cells import unguard
from data.grouping import entities, groups
from data.grouping.entities import ENTITIES, Names, Synonyms, of_side
from data.labelled.label_set import PUBLISHED
from data.labelled.releases import Release
from data.recorded.plans import Plans
from data.texts import similarity
from data.texts.identity import definition_id, digest, pair_id
from data.texts.languages.base import Language
from data.texts.languages.en import ENGLISH

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


@dataclass(frozen=True, eq=False)
class Dataset:
    """The labelled pairs of one opened set; every column derived from them has the index of `frame`."""

    frame: pd.DataFrame
    """One row per pair; the columns COLUMNS."""

    synonyms: Synonyms = field(default_factory=dict)
    """The names that count as one entity (see `data.grouping.entities`)."""

    language: Language = ENGLISH
    """The language of the texts: its stems and stop words decide what overlaps."""

    selections: Mapping[str, str] = field(default_factory=dict)
    """By pair_id, how the pair was chosen (`pairs.selection`), as far as it is known."""

    names: Names = field(default_factory=dict)
    """How people write the entities, as far as it is known."""

    kind: str = "pairs"
    """Where it is from: store, published, release or pairs."""

    path: Address = Path()
    """The folder or file that it was read from."""

    scheme: str = PUBLISHED
    """The name of its split."""

    versions: Sequence[dict[str, Any]] = ()
    """What was read: tables with versions, files with digests."""

    question: Question = PUBLISHED_QUESTION
    """What the labels answer."""

    tables: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    """The rows of a store's tables that it is made of: its `labels` of every control, where all `pairs` are from, the
    `splits` of its scheme."""

    release: Release | None = None
    """The whole release that it is from, if it is from one."""

    plans: Plans = field(default_factory=Plans)
    """How the campaigns of the store that it is from were planned."""

    @property
    def flags(self) -> tuple[str, Address]:
        """The flag that names the data set, as `sources.OfDataset` takes it."""
        return "--store" if self.kind == "store" else "--dataset", self.path

    def __len__(self) -> int:
        """The number of pairs."""
        return len(self.frame)

    @cached_property
    def overlap(self) -> "pd.Series[float]":
        """The Jaccard overlap of each pair's two texts (see `data.texts.similarity`), null where it is not defined.

        A column `overlap` of the frame is taken as it is.
        """
        if "overlap" in self.frame:
            return self.frame["overlap"].astype("Float64")
        overlap = similarity.jaccard(self.frame["first"].tolist(), self.frame["second"].tolist(), self.language)
        return overlap.set_axis(self.frame.index)

    def name(self, side: str) -> "pd.Series[str]":
        """The canonical name of the entity that each pair's `first` or `second` definition defines, one for synonyms.

        Null where there is none.
        """
        return entities.name_all(of_side(self.frame, side), self.synonyms, self.language)

    @cached_property
    def groups(self) -> "pd.Series[str]":
        """The group of each pair: what must stay in one split, and what intervals are resampled by."""
        return groups.group(self.frame, self.synonyms, language=self.language, merge_keys=self.merge_keys)

    @cached_property
    def merge_keys(self) -> dict[str, str]:
        """By text, the key that it shares with equal texts (see `data.texts.words`)."""
        return groups.find_merge_keys(self.frame)

    @cached_property
    def definitions(self) -> pd.DataFrame:
        """Every definition of the pairs once: columns definition_id, entity, text; sorted by id."""
        sides = [
            pd.DataFrame(
                {
                    "definition_id": self.frame[f"{side}_id"],
                    "entity": of_side(self.frame, side),
                    "text": self.frame[side],
                }
            )
            for side in ("first", "second")
        ]
        return pd.concat(sides).drop_duplicates("definition_id").sort_values("definition_id", ignore_index=True)

    @cached_property
    def decided(self) -> pd.DataFrame:
        """The rows of the pairs that have a label."""
        return self.frame[self.frame["binary"].notna()]

    @cached_property
    def is_split(self) -> bool:
        """True if any pair is in a split."""
        return bool(self.frame["split"].notna().any())

    @property
    def by_selection(self) -> dict[str, "Dataset"]:
        """The pairs by how they were chosen, the largest part first; pairs of which it is not known are in none."""
        selection = self.frame["pair_id"].map(dict(self.selections))
        names = selection.value_counts().index
        return {str(name): replace(self, frame=self.frame[selection == name]) for name in names}

    def in_split(self, name: str) -> "Dataset":
        """The pairs of one split."""
        return replace(self, frame=self.frame[self.frame["split"] == name])

    def by_votes(self) -> Iterator[tuple[int, pd.DataFrame]]:
        """The rows by their number of votes, fewest first."""
        numbers = self.frame["n_votes"].to_numpy("int64")
        for number in np.unique(numbers).tolist():
            yield number, self.frame[numbers == number]


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
