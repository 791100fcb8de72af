"""How far the two texts of a pair are alike, by how the pair was made: for sets whose texts were made from one another.

Word swaps share all their words, so overlap alone says nothing about their labels; pure.
"""

from typing import Any

import pandas as pd

from analysis.statistics.agreement import describe_labels
from data.labelled.dataset import Dataset

SAME = 1 - 1e-9
"""Overlap and cosine from here on count as the same words."""


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
