"""The pairs that are modified: paraphrases as they are, and texts of two pairs put together; pure.

Shi and Huang 2020, section 3.2: a negative pair is the first text of one pair and the second of another, since two
texts about different things are no paraphrases, whatever words they are made to share.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from data.console.errors import InputError, TableError
from data.contract.vocabulary import SPLITS
from data.grouping.entities import ENTITIES
from data.labelled.dataset import Dataset, no_parents
from data.texts.identity import pair_id
from identification.config import AttackConfig
from identification.robustness.texts import list_words

MAX_LENGTH_DIFFERENCE = 3
"""Words by which the two texts of a negative pair differ in length at most, as in the released code."""
MAX_DRAWS = 100
"""Draws per negative pair before it is given up, as in the released code."""
COLUMNS = ["pair_id", "label", "parents", "first_id", "second_id", *ENTITIES, "first", "second"]


def sample(pairs: Dataset, split: str, n: int, seed: int, *, alike: bool = True) -> pd.DataFrame:
    """At most n positive and equally many negative originals of a split: COLUMNS, by label and order of drawing.

    Both parents of a negative pair are in the split and belong to different groups, so that no group grows over two
    splits. `alike`: the texts of a negative pair have about the same length and other first words. A data set without
    splits is one. Raises InputError for a split that there is not, TableError where there
    are no paraphrases, or where no two pairs make a negative one.
    """
    chosen = pairs.in_split(split) if pairs.is_split else pairs
    frame = chosen.decided.reset_index(drop=True)
    if split not in SPLITS or (pairs.is_split and frame.empty):
        known = ", ".join(sorted(pairs.frame["split"].dropna().unique()) if pairs.is_split else SPLITS)
        raise InputError("--split", expected=f"one of {known}", found=repr(split), remedy="choose one of them")
    rng = np.random.default_rng([seed, 0])
    positive = frame[frame["binary"] == 1]
    positive = positive.iloc[rng.permutation(len(positive))[:n]].assign(label=1)
    positive["parents"] = no_parents(len(positive)).set_axis(positive.index)
    frame = frame.assign(group=pairs.groups[chosen.decided.index].to_numpy())
    rng = np.random.default_rng([seed, 1])
    negative = pd.DataFrame(list(_negatives(frame, len(positive), rng, set(pairs.frame["pair_id"]), alike)))
    for rows, what in (
        (positive, "paraphrases"),
        (negative, "pairs of two groups" + (", alike in length, with other first words" if alike else "")),
    ):
        if rows.empty:
            raise TableError("the data set", expected=what, found="none", remedy="choose another --split or data set")
    return pd.concat([positive.head(len(negative))[COLUMNS], negative[COLUMNS]], ignore_index=True)


def choose_words(pairs: Dataset, config: AttackConfig) -> list[str] | None:
    """What may be substituted: the content words of the data set; None where the masked language model's own may."""
    if config.vocabulary == "model":
        return None
    texts = [str(text) for side in ("first", "second") for text in pairs.frame[side]]
    return list_words(texts, pairs.language, config.guards)


def _negatives(
    frame: pd.DataFrame, n: int, rng: np.random.Generator, known: set[str], alike: bool
) -> Iterator[dict[str, object]]:
    """Texts of two pairs put together, none of them a pair of the data set."""
    rows = frame.to_dict("records")
    for _ in range(n):
        for one, other in rng.integers(0, len(rows), (MAX_DRAWS, 2)):
            a, b = rows[one], rows[other]
            number = pair_id(a["first_id"], b["second_id"])
            if number not in known and a["group"] != b["group"] and (not alike or _is_alike(a["first"], b["second"])):
                known.add(number)
                yield {
                    "pair_id": number,
                    "label": 0,
                    "parents": [a["pair_id"], b["pair_id"]],
                    "first_id": a["first_id"],
                    "second_id": b["second_id"],
                    **_entities(a, b),
                    "first": a["first"],
                    "second": b["second"],
                }
                break


def _is_alike(first: str, second: str) -> bool:
    """Whether two texts have about the same length, and begin with different words."""
    one, other = first.lower().split(), second.lower().split()
    return bool(one and other) and abs(len(one) - len(other)) <= MAX_LENGTH_DIFFERENCE and one[0] != other[0]


def _entities(first: Mapping[Any, Any], second: Mapping[Any, Any]) -> dict[str, str | None]:
    """ENTITIES of the first text of one pair and the second text of another; none where either defines none."""
    one, other = first["entity"], second["entity"] if pd.isna(second["second_entity"]) else second["second_entity"]
    if pd.isna(one) or pd.isna(other):
        return dict.fromkeys(ENTITIES)
    return {"entity": one, "second_entity": None if one == other else other}
