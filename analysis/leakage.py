"""What two splits share and should not: entities, their number variants, definitions, near copies; pure.

`frame` is a data set in the form of `analysis.datasets`.
"""

from typing import Any

import pandas as pd

from data import similarity, words
from data.released import SPLITS

SIDES = ("first", "second")


def compare_splits(frame: pd.DataFrame, near_overlap: float) -> list[dict[str, Any]]:
    """One row for each split against one before it, and against all before it: what the two share.

    `entities`: names in both; `variants`: canonical names in both; `definitions`: texts in both (but for case,
    Unicode form and spaces). `pairs_*`: how many pairs of `split` are touched, by a canonical entity, a definition, or
    a near copy (overlap of at least `near_overlap` with a definition of `against`).
    """
    known = frame.assign(
        canonical=words.canonicals(frame["entity"].tolist()),
        **{side: frame[side].map(words.merge_key) for side in SIDES},
    )
    near = _near(known, near_overlap)
    return [_compare(known, split, against, near) for split, against in _combinations(known)]


def _combinations(frame: pd.DataFrame) -> list[tuple[str, tuple[str, ...]]]:
    present = [split for split in SPLITS if (frame["split"] == split).any()]
    return [
        (split, against)
        for position, split in enumerate(present)
        for against in dict.fromkeys([*((one,) for one in present[:position]), tuple(present[:position])])
        if against
    ]


def _compare(frame: pd.DataFrame, split: str, against: tuple[str, ...], near: dict[str, set[str]]) -> dict[str, Any]:
    mine, theirs = frame[frame["split"] == split], frame[frame["split"].isin(against)]
    texts, their_texts = (set(rows["first"]) | set(rows["second"]) for rows in (mine, theirs))
    copies = {text for text in texts if not near.get(text, set()).isdisjoint(their_texts)}
    variants = set(mine["canonical"]) & set(theirs["canonical"])
    return {
        "split": split,
        "against": list(against),
        "entities": len(set(mine["entity"]) & set(theirs["entity"])),
        "variants": len(variants),
        "definitions": len(texts & their_texts),
        "pairs_by_variants": int(mine["canonical"].isin(variants).sum()),
        "pairs_by_definitions": _touched(mine, texts & their_texts),
        "pairs_by_near_copies": _touched(mine, copies),
    }


def _touched(frame: pd.DataFrame, texts: set[str]) -> int:
    return int((frame["first"].isin(texts) | frame["second"].isin(texts)).sum())


def _near(frame: pd.DataFrame, near_overlap: float) -> dict[str, set[str]]:
    """Of each text the texts, itself among them, that overlap with it by at least `near_overlap`."""
    texts = sorted({*frame["first"], *frame["second"]})
    couples = similarity.overlapping(texts, near_overlap)
    near = {text: {text} for text in texts}
    for left, right in zip(couples["left"], couples["right"], strict=True):
        near[texts[left]].add(texts[right])
        near[texts[right]].add(texts[left])
    return near


def is_clean(comparisons: list[dict[str, Any]]) -> bool:
    """True if no split shares an entity, a number variant or a definition with another."""
    return not any(row[what] for row in comparisons for what in ("entities", "variants", "definitions"))
