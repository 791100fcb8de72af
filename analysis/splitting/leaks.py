"""What two splits share and should not; pure."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from data.contract.vocabulary import SPLITS
from data.grouping import entities
from data.labelled.dataset import Dataset
from data.texts.near_copies import find_near_copies

SIDES = ("first", "second")

KINDS = {
    "entities": "entity names in both splits",
    "variants": "entities in both, singular and plural and synonyms counted as one",
    "acronyms": "acronyms whose expansion is in the other split",
    "spellings": "names that the other split spells in another way",
    "definitions": "texts in both, ignoring case, Unicode form and spaces",
    "copies": "of these, texts that define another entity there",
    "near_copies": "texts with a near-duplicate in the other split",
    "changed_copies": "texts that are one in the other split with a part cut off or added, or some words changed",
    "shared_pairs": "pairs of the same two texts in both, in either order",
    "families": "pairs made from a pair of the other split, or from the same pair as one there",
}
"""Every kind of leak and what it counts."""

COPIES = ("near_copies", "changed_copies")
NAMES = ("acronyms", "spellings")
OF_NAMES = ("variants", *NAMES)
TOUCHING = (*OF_NAMES, "definitions", *COPIES)

Numbers = NDArray[np.int64]
Flags = NDArray[np.bool_]


def compare_splits(pairs: Dataset) -> list[dict[str, Any]]:
    """What each split shares with each split before it, and with all of those: one row per comparison.

    `split`, `against`; the kinds of KINDS; `pairs_by_*`: how many pairs of `split` are affected by each of TOUCHING;
    `pairs_touched`: by any kind. A near-duplicate overlaps by at least NEAR_OVERLAP with a definition of `against`.
    """
    known = ComparedPairs.of(pairs)
    return [_compare(known, split, against) for split, against in _combinations(pairs.frame)]


@dataclass(frozen=True, kw_only=True, eq=False)
class ComparedPairs:
    """The pairs with numbers in place of their texts and entities."""

    frame: pd.DataFrame
    texts: Numbers
    """The numbers of each pair's two texts, by `merge_key`: shape (pairs, 2)."""
    names: Numbers
    """The same of the canonical names of the entities that they define; the last number: none."""
    n_texts: int
    n_names: int
    """How many numbers there are."""
    parents: "pd.Series[Any]"
    """The parents of each pair, a row each."""
    tied: dict[str, tuple[Numbers, Numbers]]
    """By kind of COPIES and NAMES, every two texts or names that are so, both ways."""

    @staticmethod
    def of(pairs: Dataset) -> "ComparedPairs":
        """The data set with these numbers."""
        frame, language = pairs.frame.reset_index(drop=True), pairs.language
        keys = pairs.merge_keys
        distinct = sorted(set(keys.values()))
        place_of = {text: place for place, text in enumerate(distinct)}
        texts = [[place_of[keys[text]] for text in frame[side].tolist()] for side in SIDES]
        named = pd.concat([pairs.name(side).astype(object) for side in SIDES])
        names, own = pd.factorize(named)
        tied: dict[str, tuple[Numbers, Numbers]] = {
            kind: (rows["left"].to_numpy(), rows["right"].to_numpy())
            for kind, rows in find_near_copies(distinct, language=language).items()
        }
        place_of_name = {name: place for place, name in enumerate(own)}
        for kind, find in (("acronyms", entities.acronyms), ("spellings", entities.spellings)):
            couples = [couple for couple in find(own, language) if place_of_name.keys() >= {*couple}]
            ends = [[place_of_name[name] for name in couple] for couple in couples]
            left, right = np.array(ends, dtype=np.int64).reshape(-1, 2).T
            tied[kind] = left, right
        return ComparedPairs(
            frame=frame,
            texts=np.array(texts, dtype=np.int64).T,
            names=np.where(names < 0, len(own), names).reshape(2, -1).T,
            n_texts=len(distinct),
            n_names=len(own) + 1,
            parents=frame["parents"].explode().dropna(),
            tied={kind: (np.append(left, right), np.append(right, left)) for kind, (left, right) in tied.items()},
        )


def is_clean(comparisons: list[dict[str, Any]]) -> bool:
    """True if no split shares anything with another."""
    return not any(row[kind] for row in comparisons for kind in KINDS)


def _combinations(frame: pd.DataFrame) -> list[tuple[str, tuple[str, ...]]]:
    present = [split for split in SPLITS if (frame["split"] == split).any()]
    return [
        (split, against)
        for position, split in enumerate(present)
        for against in dict.fromkeys([*((earlier,) for earlier in present[:position]), tuple(present[:position])])
        if against
    ]


def _compare(known: ComparedPairs, split: str, against: tuple[str, ...]) -> dict[str, Any]:
    frame = known.frame
    ours, theirs = ((frame["split"].isin(some)).to_numpy(bool) for some in ((split,), against))
    texts, their_texts = (_among(known.texts[rows], known.n_texts) for rows in (ours, theirs))
    names, their_names = (_among(known.names[rows], known.n_names)[:-1] for rows in (ours, theirs))
    found = {
        "variants": names & their_names,
        **{kind: names & _tied(known.tied[kind], their_names) for kind in NAMES},
        "definitions": texts & their_texts,
        **{kind: texts & (their_texts | _tied(known.tied[kind], their_texts)) for kind in COPIES},
    }
    families = _families(known, ours, theirs)
    touched = {
        kind: places[(known.names if kind in OF_NAMES else known.texts)[ours]].any(axis=1)
        for kind, places in ((kind, np.append(found[kind], False)) for kind in TOUCHING)
    }
    anything = np.logical_or.reduce([*touched.values(), frame.loc[ours, "pair_id"].isin(families).to_numpy(bool)])
    shared = {kind: int(places.sum()) for kind, places in found.items()} | {
        "entities": len({*entities.each(frame[ours]).unique()} & {*entities.each(frame[theirs]).unique()}),
        "copies": _count_copies(known, ours, theirs, found["definitions"]),
        "shared_pairs": len(np.intersect1d(_couples(known, ours), _couples(known, theirs))),
        "families": len(families),
    }
    return {
        "split": split,
        "against": list(against),
        **{kind: shared[kind] for kind in KINDS},
        **{f"pairs_by_{kind}": int(rows.sum()) for kind, rows in touched.items()},
        "pairs_touched": int(anything.sum()),
    }


def _among(numbers: Numbers, n: int) -> Flags:
    """Which of n numbers are there."""
    there = np.zeros(n, dtype=bool)
    there[numbers.ravel()] = True
    return there


def _tied(couples: tuple[Numbers, Numbers], there: Flags) -> Flags:
    """What is tied to something that is there."""
    left, right = couples
    return _among(left[there[right]], len(there))


def _couples(known: ComparedPairs, rows: Flags) -> Numbers:
    """A number for the two texts of each of these pairs, whatever their order."""
    texts = np.sort(known.texts[rows], axis=1)
    return np.asarray(texts[:, 0] * known.n_texts + texts[:, 1])


def _count_copies(known: ComparedPairs, ours: Flags, theirs: Flags, copied: Flags) -> int:
    """How many of the copied texts do not define the same entities in both."""
    of_text: list[dict[int, set[int]]] = []
    for rows in (ours, theirs):
        texts, names = known.texts[rows].ravel(), known.names[rows].ravel()
        defined: dict[int, set[int]] = {}
        for place in np.flatnonzero(copied[texts]).tolist():
            defined.setdefault(int(texts[place]), set()).add(int(names[place]))
        of_text.append(defined)
    return sum(of_text[1][text] != names for text, names in of_text[0].items())


def _families(known: ComparedPairs, ours: Flags, theirs: Flags) -> set[str]:
    """Our pairs that share a parent with one of theirs, or are its parent or child."""
    ids, parents = known.frame["pair_id"], known.parents
    if parents.empty:
        return set()
    is_ours, is_theirs = ours[parents.index], theirs[parents.index]
    their_parents = set(parents[is_theirs])
    relatives = their_parents | set(ids[theirs])
    by_parents = ids.loc[parents.index[is_ours & parents.isin(relatives).to_numpy(bool)]]
    return set(by_parents) | (set(ids[ours]) & their_parents)
