"""What two splits share and should not; pure."""

from collections.abc import Iterable
from typing import Any

import pandas as pd

from data.contract.vocabulary import SPLITS
from data.grouping import entities
from data.labelled.dataset import Dataset
from data.texts import words
from data.texts.languages.base import Language
from data.texts.near_copies import NEAR_OVERLAP, find_near_copies

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
TOUCHING = ("variants", *NAMES, "definitions", *COPIES)


def compare_splits(pairs: Dataset, near_overlap: float = NEAR_OVERLAP) -> list[dict[str, Any]]:
    """What each split shares with each split before it, and with all of those: one row per comparison.

    `split`, `against`; the kinds of KINDS; `pairs_by_*`: how many pairs of `split` are affected by each of TOUCHING;
    `pairs_touched`: by any kind. A near-duplicate overlaps by at least `near_overlap` with a definition of `against`.
    """
    known = pairs.frame.assign(
        **{side: _fold(pairs.frame[side]) for side in SIDES},
        **{f"{side}_name": pairs.name(side).astype(object) for side in SIDES},
    )
    near = _couple(known, near_overlap, pairs.language)
    others = {
        "acronyms": _both_ways(entities.acronyms(_names(known), pairs.language)),
        "spellings": _both_ways(entities.spellings(_names(known), pairs.language)),
    }
    return [_compare(known, split, against, near, others) for split, against in _combinations(known)]


def _names(frame: pd.DataFrame) -> set[str]:
    return {*frame["first_name"].dropna(), *frame["second_name"].dropna()}


def _fold(texts: "pd.Series[str]") -> "pd.Series[Any]":
    """The key of each text, as plain strings, of which many sets are built."""
    keys = {text: words.merge_key(text) for text in texts.unique()}
    return texts.map(keys).astype(object)


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


Couples = dict[str, set[str]]


def _compare(
    frame: pd.DataFrame, split: str, against: tuple[str, ...], near: dict[str, Couples], others: dict[str, Couples]
) -> dict[str, Any]:
    ours, theirs = frame[frame["split"] == split], frame[frame["split"].isin(against)]
    texts, their_texts = _texts(ours), _texts(theirs)
    copied = {text for text in texts if text in their_texts}
    names, their_names = _names(ours), _names(theirs)
    shared: dict[str, set[Any]] = {
        "entities": set(entities.each(ours)) & set(entities.each(theirs)),
        "variants": names & their_names,
        **{
            kind: {name for name in names if not others[kind].get(name, set()).isdisjoint(their_names)}
            for kind in NAMES
        },
        "definitions": copied,
        "copies": {text for text in copied if texts[text] != their_texts[text]},
        **{kind: {text for text in texts if not their_texts.keys().isdisjoint(near[kind][text])} for kind in COPIES},
        "shared_pairs": set(_sides(ours)) & set(_sides(theirs)),
        "families": _families(ours, theirs),
    }
    touched = {
        kind: _holds(ours, shared[kind], "{}_name" if kind in ("variants", *NAMES) else "{}") for kind in TOUCHING
    }
    anything = pd.concat([*touched.values(), ours["pair_id"].isin(shared["families"])], axis="columns")
    return {
        "split": split,
        "against": list(against),
        **{kind: len(shared[kind]) for kind in KINDS},
        **{f"pairs_by_{kind}": int(rows.sum()) for kind, rows in touched.items()},
        "pairs_touched": int(anything.any(axis="columns").sum()),
    }


def _texts(frame: pd.DataFrame) -> dict[str, set[str]]:
    """The canonical entities (`""`: none) that each text defines."""
    names: dict[str, set[str]] = {}
    for side in SIDES:
        for text, entity in zip(frame[side], frame[f"{side}_name"].fillna(""), strict=True):
            names.setdefault(text, set()).add(entity)
    return names


def _holds(frame: pd.DataFrame, values: set[str], column: str) -> "pd.Series[bool]":
    """Whether either side of each pair has one of the values in the column of that form."""
    return frame[column.format("first")].isin(values) | frame[column.format("second")].isin(values)


def _sides(frame: pd.DataFrame) -> list[tuple[str, str]]:
    return [(min(a, b), max(a, b)) for a, b in zip(frame["first"], frame["second"], strict=True)]


def _families(ours: pd.DataFrame, theirs: pd.DataFrame) -> set[str]:
    """Our pairs that share a parent with one of theirs, or are its parent or child."""
    relatives = set(theirs["parents"].explode().dropna()) | set(theirs["pair_id"])
    by_parents = ours.loc[ours["parents"].explode().dropna().isin(relatives).loc[lambda hit: hit].index, "pair_id"]
    return set(by_parents) | (set(ours["pair_id"]) & set(theirs["parents"].explode().dropna()))


def _couple(frame: pd.DataFrame, near_overlap: float, language: Language) -> dict[str, Couples]:
    """Of each kind of COPIES the texts that are so for each text, itself among them."""
    texts = sorted({*frame["first"], *frame["second"]})
    couples = {}
    for kind, rows in find_near_copies(texts, near_overlap, language).items():
        near = _both_ways((texts[a], texts[b]) for a, b in zip(rows["left"], rows["right"], strict=True))
        couples[kind] = {text: near.get(text, set()) | {text} for text in texts}
    return couples


def _both_ways(couples: Iterable[tuple[str, str]]) -> Couples:
    both: Couples = {}
    for left, right in couples:
        both.setdefault(left, set()).add(right)
        both.setdefault(right, set()).add(left)
    return both
