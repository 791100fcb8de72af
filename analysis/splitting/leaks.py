"""What two splits share and should not; pure. `frame` is a data set in the form of `data.labelled.frame`."""

from collections.abc import Iterable
from typing import Any

import pandas as pd

from analysis.splitting import entities
from data import similarity, words
from data.labelled.parade import SPLITS

SIDES = ("first", "second")

KINDS = {
    "entities": "entity names in both",
    "variants": "entities in both, under whatever number or synonym",
    "acronyms": "acronyms whose expansion is on the other side",
    "definitions": "texts in both, but for case, Unicode form and spaces",
    "copies": "of these, those that stand under another entity there",
    "near_copies": "texts that nearly stand on the other side",
    "shared_pairs": "pairs of the same two texts in both, whatever their order",
    "families": "pairs made from a pair of the other side, or from the same",
}
"""Every kind of leak, and what it counts."""

TOUCHING = ("variants", "acronyms", "definitions", "near_copies")


def compare_splits(
    frame: pd.DataFrame, near_overlap: float, synonyms: entities.Synonyms | None = None
) -> list[dict[str, Any]]:
    """One row for each split against one before it, and against all before it: what the two share.

    `split`, `against`; the kinds of KINDS; `pairs_by_*`: how many pairs of `split` are touched by each of TOUCHING;
    `pairs_touched`: by any kind. A near copy overlaps by at least `near_overlap` with a definition of `against`.
    """
    known = frame.assign(
        canonical=entities.name_all(frame["entity"], synonyms or {}).astype(object),
        **{side: _fold(frame[side]) for side in SIDES},
    )
    near = _couple(known, near_overlap)
    short = _both_ways(entities.acronyms(set(known["canonical"].dropna())))
    return [_compare(known, split, against, near, short) for split, against in _combinations(known)]


def _fold(texts: "pd.Series[str]") -> "pd.Series[Any]":
    """The key of each text, as Python's own strings: sets of them are made often."""
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
        for against in dict.fromkeys([*((one,) for one in present[:position]), tuple(present[:position])])
        if against
    ]


Couples = dict[str, set[str]]


def _compare(
    frame: pd.DataFrame, split: str, against: tuple[str, ...], near: Couples, short: Couples
) -> dict[str, Any]:
    mine, theirs = frame[frame["split"] == split], frame[frame["split"].isin(against)]
    texts, their_texts = _texts(mine), _texts(theirs)
    shared = {text for text in texts if text in their_texts}
    names, their_names = set(mine["canonical"].dropna()), set(theirs["canonical"].dropna())
    found = {
        "entities": set(mine["entity"].dropna()) & set(theirs["entity"].dropna()),
        "variants": names & their_names,
        "acronyms": {name for name in names if not short.get(name, set()).isdisjoint(their_names)},
        "definitions": shared,
        "copies": {text for text in shared if texts[text] != their_texts[text]},
        "near_copies": {text for text in texts if not their_texts.keys().isdisjoint(near[text])},
        "shared_pairs": set(_sides(mine)) & set(_sides(theirs)),
        "families": _families(mine, theirs),
    }
    touched = {
        kind: mine["canonical"].isin(found[kind]) if kind in ("variants", "acronyms") else _holds(mine, found[kind])
        for kind in TOUCHING
    }
    anything = pd.concat([*touched.values(), mine["pair_id"].isin(found["families"])], axis="columns")
    return {
        "split": split,
        "against": list(against),
        **{kind: len(found[kind]) for kind in KINDS},
        **{f"pairs_by_{kind}": int(rows.sum()) for kind, rows in touched.items()},
        "pairs_touched": int(anything.any(axis="columns").sum()),
    }


def _texts(frame: pd.DataFrame) -> dict[str, set[str]]:
    """The canonical entities (`""`: none) that each text stands under."""
    found: dict[str, set[str]] = {}
    for side in SIDES:
        for text, entity in zip(frame[side], frame["canonical"].fillna(""), strict=True):
            found.setdefault(text, set()).add(entity)
    return found


def _holds(frame: pd.DataFrame, texts: set[str]) -> "pd.Series[bool]":
    return frame["first"].isin(texts) | frame["second"].isin(texts)


def _sides(frame: pd.DataFrame) -> list[tuple[str, str]]:
    return [(min(a, b), max(a, b)) for a, b in zip(frame["first"], frame["second"], strict=True)]


def _families(mine: pd.DataFrame, theirs: pd.DataFrame) -> set[str]:
    """Pairs of `mine` that share a parent with one of `theirs`, or are its parent or child."""
    relatives = set(theirs["parents"].explode().dropna()) | set(theirs["pair_id"])
    by_parents = mine.loc[mine["parents"].explode().dropna().isin(relatives).loc[lambda hit: hit].index, "pair_id"]
    return set(by_parents) | (set(mine["pair_id"]) & set(theirs["parents"].explode().dropna()))


def _couple(frame: pd.DataFrame, near_overlap: float) -> Couples:
    """Of each text the texts, itself among them, that overlap with it by at least `near_overlap`."""
    texts = sorted({*frame["first"], *frame["second"]})
    couples = similarity.overlapping(texts, near_overlap)
    near = _both_ways((texts[a], texts[b]) for a, b in zip(couples["left"], couples["right"], strict=True))
    return {text: near.get(text, set()) | {text} for text in texts}


def _both_ways(couples: Iterable[tuple[str, str]]) -> Couples:
    found: Couples = {}
    for left, right in couples:
        found.setdefault(left, set()).add(right)
        found.setdefault(right, set()).add(left)
    return found
