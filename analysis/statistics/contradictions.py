"""Labels that contradict each other, pair by pair; pure."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from analysis.statistics import transitivity
from data.grouping import entities
from data.labelled.dataset import Dataset

KINDS = {
    "transitivity": "in a triangle whose labels contradict one another",
    "symmetry": "the same two texts of the same entity are labelled differently in another pair",
    "other_entity": "the same two texts are labelled differently under another entity",
}
COLUMNS = ["pair_id", "kind", "evidence"]

Contradiction = tuple[str, str, tuple[tuple[str, int], ...]]
"""A pair, the kind, and the pairs that contradict it together, each with its label."""


def find(pairs: Dataset) -> pd.DataFrame:
    """The rows of the table `inconsistencies`: pair_id, kind (see KINDS), evidence; sorted."""
    evidence: dict[tuple[str, str], list[dict[str, list[Any]]]] = {}
    for pair, kind, others in sorted({*_intransitive(pairs), *_unequal(pairs)}):
        pair_ids, labels = zip(*others, strict=True)
        evidence.setdefault((pair, kind), []).append({"pair_ids": [*pair_ids], "labels": [*labels]})
    rows = [(*key, entries) for key, entries in evidence.items()]
    return pd.DataFrame(rows, columns=COLUMNS, dtype="object").astype({"pair_id": "str", "kind": "str"})


def count(found: pd.DataFrame) -> dict[str, int]:
    """The number of inconsistent pairs of each kind."""
    return {kind: int((found["kind"] == kind).sum()) for kind in KINDS}


def count_equal_texts(pairs: Dataset) -> dict[str, dict[str, int]]:
    """Pairs whose two texts also form another pair, and how many of them are labelled differently there.

    By the kinds `symmetry` (the same entity, in either order) and `other_entity`: {pairs, inconsistent}.
    """
    couples = _couple(pairs)
    counts = {}
    for kind in ("symmetry", "other_entity"):
        some = couples[couples["kind"] == kind]
        differing = some[some["label"] != some["label_other"]]
        counts[kind] = {"pairs": some["row"].nunique(), "inconsistent": differing["row"].nunique()}
    return counts


def _intransitive(pairs: Dataset) -> Iterator[Contradiction]:
    for third, one, other in transitivity.list_broken(pairs).itertuples(index=False, name=None):
        yield third, "transitivity", ((one, 1), (other, 1))
        yield one, "transitivity", ((other, 1), (third, 0))
        yield other, "transitivity", ((one, 1), (third, 0))


def _unequal(pairs: Dataset) -> Iterator[Contradiction]:
    couples = _couple(pairs)
    for row in couples[couples["label"] != couples["label_other"]].itertuples():
        yield str(row.pair_id), str(row.kind), ((str(row.pair_id_other), int(str(row.label_other))),)


def _couple(pairs: Dataset) -> pd.DataFrame:
    """Every two labelled pairs of the same two texts, both ways: row, pair_id, label, the other's `_other`, kind."""
    keys = [pairs.merge_keys[text] for side in ("first", "second") for text in pairs.decided[side].tolist()]
    ends = np.sort(pd.factorize(np.array(keys, dtype=object))[0].reshape(2, -1), axis=0).T
    couple = ends[:, 0] * (ends.max(initial=0) + 1) + ends[:, 1]
    rows = np.flatnonzero(pd.Series(couple).duplicated(keep=False))
    decided, form = pairs.decided.iloc[rows], pairs.language.canonical
    sides = (entities.of_side(decided, side).fillna("").map(form) for side in ("first", "second"))
    known = pd.DataFrame(
        {
            "row": rows,
            "texts": couple[rows],
            "entity": ["\n".join(sorted(both)) for both in zip(*sides, strict=True)],
            "pair_id": decided["pair_id"].to_numpy(dtype=object),
            "label": decided["binary"].to_numpy(dtype="int64"),
        }
    )
    couples = known.merge(known, on="texts", suffixes=("", "_other"))
    couples = couples[couples["row"] != couples["row_other"]]
    same = couples["entity"] == couples["entity_other"]
    return couples.assign(kind=np.where(same, "symmetry", "other_entity"))
