"""Kinds of pairs on which models differ: by votes, overlap, and what their texts contain; pure."""

import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from analysis.statistics.lexical import name_entity
from data.labelled.dataset import Dataset
from data.labelled.metrics import HIGH_OVERLAP, LOW_OVERLAP, Flags
from data.texts.languages.base import Language
from data.texts.words import count_words

ACRONYM = re.compile(r"\b[A-Z]{2,6}s?\b")
NUMBER = re.compile(r"[0-9=<>≤≥]")
"""Digits, and the signs of equations."""
OVERLAPS = (0.1, 0.2, 0.4)
"""Borders between the strata of overlap."""


def find_strata(pairs: Dataset, language: Language) -> dict[str, "pd.Series[bool]"]:
    """By name, whether each pair belongs to the stratum; the strata of one kind follow one another.

    By the votes for "paraphrase" (where there are several voters); by overlap; the hard part; pairs
    with a text that names its entity, an acronym, a number or sign of an equation, a negation in one text alone; thirds
    by the words of the longer text. Also by how they were chosen, where that differs.
    """
    frame = pairs.frame
    return {name: pd.Series(np.asarray(flags, dtype=bool), frame.index) for name, flags in _strata(pairs, language)}


def _strata(pairs: Dataset, language: Language) -> Iterator[tuple[str, Any]]:
    frame, sides = pairs.frame, ("first", "second")
    for number, rows in pairs.by_votes():
        if number > 1:
            for votes in range(number + 1):
                yield f"{votes} of {number} votes", frame.index.isin(rows.index[rows["votes"] == votes])
    overlap = pairs.overlap.fillna(0).to_numpy("float64")
    for low, high in zip((0.0, *OVERLAPS), (*OVERLAPS, np.inf), strict=True):
        name = f"overlap {low:g} to {high:g}" if np.isfinite(high) else f"overlap from {low:g}"
        yield name, (overlap >= low) & (overlap < high)
    label = frame["binary"]
    hard = (label == 1) & (overlap < LOW_OVERLAP) | (label == 0) & (overlap >= HIGH_OVERLAP)
    yield "hard", hard.fillna(False)
    yield "entity named", name_entity(pairs)
    for name, pattern in (("acronym", ACRONYM), ("number or equation", NUMBER)):
        yield name, np.logical_or(*(_holds(frame[side], pattern) for side in sides))
    yield "one text negates", np.logical_xor(*(_each(frame[side], language.negates) for side in sides))
    for name, part in pairs.by_selection.items() if len(pairs.by_selection) > 1 else ():
        yield f"chosen by {name}", frame.index.isin(part.frame.index)
    words = np.maximum(*(_each(frame[side], count_words) for side in sides)).astype("float64")
    borders = np.quantile(words, [1 / 3, 2 / 3]) if len(words) else np.zeros(2)
    yield f"at most {borders[0]:.0f} words", words <= borders[0]
    yield f"more than {borders[0]:.0f}, at most {borders[1]:.0f} words", (words > borders[0]) & (words <= borders[1])
    yield f"more than {borders[1]:.0f} words", words > borders[1]


def _each(texts: "pd.Series[str]", ask: Any) -> Any:
    """What is asked of each text, once for equal texts."""
    return texts.map({text: ask(text) for text in texts.unique()}).to_numpy()


def _holds(texts: "pd.Series[str]", pattern: re.Pattern[str]) -> Flags:
    flags: Flags = _each(texts, lambda text: pattern.search(text) is not None).astype(bool)
    return flags
