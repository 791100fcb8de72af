"""What the pairs' texts are like: lengths, overlap, an entity named in its own definition; pure.

`frame` is a data set in the form of `data.labelled.frame`; figures are plain values, None where not defined.
"""

import re
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

from analysis.config import ScoringRule
from analysis.evaluation.metrics import measure_auc
from data import words
from data.labelled import frame as datasets

DECILES = 10
LOW_OVERLAP, HIGH_OVERLAP = ScoringRule.low_overlap, ScoringRule.high_overlap
MASK = "[entity]"
_WORD = re.compile(r"\w+")


def measure_lengths(frame: pd.DataFrame) -> dict[str, Any]:
    r"""Words a definition, as white space cuts them and as runs of letters and digits (`\w+`).

    Each over the pairs' sides (`slots`: a definition counts as often as it is used, as in the paper's mean of 17.1)
    and over the distinct definitions. `histogram`: distinct definitions with 0, 1, 2, … white-space words.
    """
    texts = {
        "slots": pd.concat([frame["first"], frame["second"]]),
        "definitions": datasets.definitions(frame)["text"],
    }
    lengths = {name: {kind: _count(one, kind) for kind in ("whitespace", "regex_w")} for name, one in texts.items()}
    figures: dict[str, Any] = {
        name: {kind: _summarise(counts) for kind, counts in kinds.items()} for name, kinds in lengths.items()
    }
    distinct = lengths["definitions"]["whitespace"]
    return figures | {"histogram": np.bincount(distinct.to_numpy("int64")).tolist()}


def _count(texts: "pd.Series[str]", kind: str) -> "pd.Series[int]":
    distinct = {
        text: words.count_words(text) if kind == "whitespace" else len(_WORD.findall(text)) for text in texts.unique()
    }
    return texts.map(distinct)


def _summarise(counts: "pd.Series[int]") -> dict[str, float | int | None]:
    if counts.empty:
        return dict.fromkeys(("n", "min", "mean", "median", "max"))
    return {
        "n": len(counts),
        "min": int(counts.min()),
        "mean": float(counts.mean()),
        "median": float(counts.median()),
        "max": int(counts.max()),
    }


def describe_overlap(frame: pd.DataFrame, overlap: "pd.Series[float]") -> dict[str, Any]:
    """The distribution of `overlap` (Jaccard, one a pair, null where not defined) by label and by votes.

    `by_votes`: as in `votes.count_votes`, the distribution of the pairs with 0, 1, 2, … votes. `auc`: how well overlap
    alone tells paraphrases (0.5: not at all). `low_paraphrases`, `high_non_paraphrases`: shares of the hard ones.
    """
    by_votes = {
        str(n): [spread(overlap[rows.index[rows["votes"] == votes]]) for votes in range(n + 1)]
        for n, rows in datasets.by_votes(frame)
    }
    yes, no = (overlap[frame["binary"] == label].dropna() for label in (1, 0))
    is_yes = np.arange(len(yes) + len(no)) < len(yes)
    return {
        "paraphrase": spread(yes),
        "non_paraphrase": spread(no),
        "by_votes": by_votes,
        "undefined": int(overlap.isna().sum()),
        "auc": measure_auc(is_yes, np.asarray(pd.concat([yes, no]), dtype=np.float64)),
        "low": LOW_OVERLAP,
        "low_paraphrases": float((yes < LOW_OVERLAP).mean()) if len(yes) else None,
        "high": HIGH_OVERLAP,
        "high_non_paraphrases": float((no >= HIGH_OVERLAP).mean()) if len(no) else None,
    }


def spread(overlap: "pd.Series[float]") -> dict[str, Any]:
    """Of the defined overlaps: number, mean, median, share of 0, shares in [0, 0.1), [0.1, 0.2), … [0.9, 1]."""
    known = overlap.dropna().to_numpy("float64")
    if not len(known):
        return {"n": 0, "mean": None, "median": None, "zero": None, "deciles": None}
    tenth = np.minimum((known * DECILES).astype("int64"), DECILES - 1)
    return {
        "n": len(known),
        "mean": float(known.mean()),
        "median": float(np.median(known)),
        "zero": float((known == 0).mean()),
        "deciles": (np.bincount(tenth, minlength=DECILES) / len(known)).tolist(),
    }


def count_named(frame: pd.DataFrame) -> dict[str, Any]:
    """Pairs whose entity is named in one of their definitions, their share, and those of entities with a hyphen."""
    named = name_entity(frame)
    return {
        "pairs": int(named.sum()),
        "share": float(named.mean()) if len(frame) else None,
        "hyphenated": int((named & frame["entity"].str.contains("-", regex=False, na=False)).sum()),
    }


def name_entity(frame: pd.DataFrame) -> "pd.Series[bool]":
    """Whether the entity's name stands, whole and in a row, in one of a pair's definitions; one row a pair.

    Case and punctuation do not count: `real-time` is named by `real time`.
    """
    plain = {
        text: f" {words.bare(text)} "
        for column in ("entity", "first", "second")
        for text in frame[column].dropna().unique()
    }
    rows = zip(frame["entity"].astype(object), frame["first"], frame["second"], strict=True)
    named = [
        not pd.isna(entity) and (plain[entity] in plain[first] or plain[entity] in plain[second])
        for entity, first, second in rows
    ]
    return pd.Series(named, index=frame.index, dtype="bool")


def mask_entity(frame: pd.DataFrame) -> pd.DataFrame:
    """The data set with `[entity]` in the place of each entity's name in its definitions.

    Case, and what stands between the name's words, do not count; a name within a longer word stays.
    """
    sides = {
        side: [
            text if pd.isna(entity) else _pattern(str(entity)).sub(MASK, text)
            for entity, text in zip(frame["entity"], frame[side], strict=True)
        ]
        for side in ("first", "second")
    }
    return frame.assign(**sides)


@cache
def _pattern(entity: str) -> re.Pattern[str]:
    return re.compile(
        r"(?<!\w)" + r"[\W_]+".join(map(re.escape, words.bare(entity).split())) + r"(?!\w)", re.IGNORECASE
    )


def measure_size(frame: pd.DataFrame) -> dict[str, int]:
    """Pairs; entities as named and as canonical names; definitions (of an entity) and distinct texts."""
    found = datasets.definitions(frame)
    return {
        "pairs": len(frame),
        "entities": int(frame["entity"].nunique()),
        "canonical_entities": len({words.canonical(one) for one in frame["entity"].dropna().unique()}),
        "definitions": len(found),
        "texts": int(found["text"].nunique()),
    }
