"""The texts of the pairs: lengths, overlap, likeness, entities named in their own definitions; pure.

Figures are plain values, None where they are not defined.
"""

import re
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

from analysis.evaluation.comparing import Samples, summarise
from analysis.statistics.agreement import describe_labels
from data.grouping import entities
from data.grouping.entities import ENTITIES, name_pairs
from data.labelled.dataset import Dataset
from data.labelled.metrics import HIGH_OVERLAP, LOW_OVERLAP
from data.measures.rules import ScoringRule
from data.texts import words

SAME = 1 - 1e-9
"""Overlap and cosine from here on count as the same words."""

DECILES = 10
MASK = "[entity]"


def measure_lengths(pairs: Dataset) -> dict[str, Any]:
    r"""Words per definition, separated by white space and as runs of letters and digits (`\w+`).

    Each over both sides of every pair (`slots`: a definition counts as often as it is used, as in the paper's mean of
    17.1) and over the distinct definitions. `histogram`: distinct definitions of 0, 1, 2, … white-space words.
    """
    slots = pd.concat([pairs.frame["first"], pairs.frame["second"]])
    places, distinct = pd.factorize(slots.astype(object))
    known = pd.Index(distinct).get_indexer(pd.Index(pairs.definitions["text"].astype(object)))
    counts = {
        "whitespace": np.array(list(map(words.count_words, distinct)), dtype="int64"),
        "regex_w": np.array(list(map(words.count_runs, distinct)), dtype="int64"),
    }
    figures: dict[str, Any] = {
        name: {kind: _summarise(pd.Series(each[chosen])) for kind, each in counts.items()}
        for name, chosen in (("slots", places), ("definitions", known))
    }
    return figures | {"histogram": np.bincount(counts["whitespace"][known]).tolist()}


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


def describe_overlap(pairs: Dataset) -> dict[str, Any]:
    """The distribution of the Jaccard overlap by label and by votes.

    `by_votes`: as in `agreement.count_votes`, the distribution of the pairs with 0, 1, 2, … votes. `auc`: how well
    overlap alone separates paraphrases from others (0.5: not at all), with its 95 % limits from drawing groups.
    `low_paraphrases`, `high_non_paraphrases`: the shares of hard pairs.
    """
    frame, overlap = pairs.frame, pairs.overlap
    by_votes = {
        str(n): [spread(overlap[rows.index[rows["votes"] == votes]]) for votes in range(n + 1)]
        for n, rows in pairs.by_votes()
    }
    yes, no = (overlap[frame["binary"] == label].dropna() for label in (1, 0))
    auc = _separate(pairs, overlap.loc[[*yes.index, *no.index]], len(yes))
    return {
        "paraphrase": spread(yes),
        "non_paraphrase": spread(no),
        "by_votes": by_votes,
        "undefined": int(overlap.isna().sum()),
        "auc": auc["value"],
        "auc_low": auc["low"],
        "auc_high": auc["high"],
        "low": LOW_OVERLAP,
        "low_paraphrases": float((yes < LOW_OVERLAP).mean()) if len(yes) else None,
        "high": HIGH_OVERLAP,
        "high_non_paraphrases": float((no >= HIGH_OVERLAP).mean()) if len(no) else None,
    }


def _separate(pairs: Dataset, overlap: "pd.Series[float]", n_yes: int) -> dict[str, float | None]:
    """The AUC of these overlaps, the first ones of which are of paraphrases: value, low, high."""
    is_yes = np.arange(len(overlap)) < n_yes
    samples = Samples(pairs.groups[overlap.index], ScoringRule())
    drawn = samples.auc(is_yes, np.asarray(overlap, dtype=np.float64))
    return summarise("auc", drawn, samples.effective)


def spread(overlap: "pd.Series[float]") -> dict[str, Any]:
    """The number, mean and median of the defined overlaps, the share of 0, the shares in [0, 0.1), … [0.9, 1]."""
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


def count_named(pairs: Dataset) -> dict[str, Any]:
    """Pairs that name their entity in one of the definitions, their share, and the same for entities with a hyphen."""
    frame, named = pairs.frame, name_entity(pairs)
    return {
        "pairs": int(named.sum()),
        "share": float(named.mean()) if len(frame) else None,
        "hyphenated": int((named & name_pairs(frame).str.contains("-", regex=False, na=False)).sum()),
    }


def name_entity(pairs: Dataset) -> "pd.Series[bool]":
    """Whether one of each pair's definitions contains the whole name of its entity, or of one of its two.

    Case and punctuation are ignored: `real-time` is named by `real time`.
    """
    frame, keys = pairs.frame, pairs.merge_keys
    bare = {name: words.bare(name) for name in entities.each(frame).unique()}
    plain = cache(lambda text: f" {words.bare(text)} ")
    sides = zip(*(frame[side].tolist() for side in ("first", "second")), strict=True)
    names = zip(*([bare.get(name, "") for name in frame[column].tolist()] for column in ENTITIES), strict=True)
    named = [
        any(
            name and name.partition(" ")[0] in keys[text] and f" {name} " in plain(text)  # few texts are read whole
            for name in both
            for text in texts
        )
        for both, texts in zip(names, sides, strict=True)
    ]
    return pd.Series(named, index=frame.index, dtype="bool")


def mask_entity(pairs: Dataset) -> Dataset:
    """The data set with `[entity]` in place of each entity's name in its definitions.

    Case and punctuation between the words of a name are ignored; a name within a longer word stays.
    """
    sides = {
        side: [
            _mask([name for name in names if not pd.isna(name)], text)
            for *names, text in pairs.frame[[*ENTITIES, side]].to_numpy(dtype=object).tolist()
        ]
        for side in ("first", "second")
    }
    return replace(pairs, frame=pairs.frame.assign(**sides))


def _mask(names: list[str], text: str) -> str:
    for name in sorted(names, key=len, reverse=True):
        text = _pattern(name).sub(MASK, text)
    return text


@cache
def _pattern(entity: str) -> re.Pattern[str]:
    return re.compile(
        r"(?<!\w)" + r"[\W_]+".join(map(re.escape, words.bare(entity).split())) + r"(?!\w)", re.IGNORECASE
    )


def measure_size(pairs: Dataset) -> dict[str, int]:
    """The numbers of pairs, entities as named and by canonical name, definitions (per entity) and distinct texts."""
    names = entities.each(pairs.frame)
    return {
        "pairs": len(pairs),
        "entities": int(names.nunique()),
        "canonical_entities": len({pairs.language.canonical(entity) for entity in names.unique()}),
        "definitions": len(pairs.definitions),
        "texts": int(pairs.definitions["text"].nunique()),
    }


def describe_likeness(pairs: Dataset, measures: pd.DataFrame) -> list[dict[str, Any]]:
    """One row per way in which pairs were made, the most frequent first, then one for all pairs (`selection` null).

    `measures`: pair_id, measure, value. A row: selection, pairs, paraphrase_share, overlap (mean), same_words (share of
    the pairs with all content words in common), measures (name -> mean over the pairs that have it).
    """
    parts: list[tuple[str | None, Dataset]] = [*pairs.by_selection.items(), (None, pairs)]
    names = sorted(measures["measure"].unique())
    known = measures.drop_duplicates(["pair_id", "measure"]).pivot(index="pair_id", columns="measure", values="value")
    return [
        {
            "selection": selection,
            "pairs": len(part),
            "paraphrase_share": describe_labels(part)["paraphrase_share"],
            "overlap": _mean(part.overlap),
            "same_words": _mean((part.overlap >= SAME).where(part.overlap.notna())),
            "measures": {name: _mean(known.reindex(part.frame["pair_id"])[name]) for name in names},
        }
        for selection, part in parts
    ]


def _mean(values: "pd.Series[Any]") -> float | None:
    values = values.dropna()
    return float(values.mean()) if len(values) else None
