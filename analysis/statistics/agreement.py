"""What the experts said and how far they agree: label shares, votes, chance-corrected agreement; pure.

`frame` is a data set in the form of `data.labelled.frame`; figures are plain values, None where not defined.
"""

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from statsmodels.stats.inter_rater import cohens_kappa, fleiss_kappa

from data.labelled import frame as datasets
from data.labelled.parade import SPLITS

Integers = NDArray[np.int64]

COIN = 0.5
"""A coin flipper's chance to say "paraphrase"."""


def describe_labels(frame: pd.DataFrame) -> dict[str, Any]:
    """How many pairs are paraphrases, are not, or are undecided; `paraphrase_share` is of the decided ones."""
    paraphrases = int((frame["binary"] == 1).sum())
    others = int((frame["binary"] == 0).sum())
    return {
        "pairs": len(frame),
        "paraphrase": paraphrases,
        "non_paraphrase": others,
        "undecided": len(frame) - paraphrases - others,
        "paraphrase_share": paraphrases / (paraphrases + others) if paraphrases + others else None,
    }


def count_votes(frame: pd.DataFrame) -> dict[str, list[int]]:
    """Pairs by their number of votes: {"3": [pairs with 0, 1, 2, 3 votes for "paraphrase"]}."""
    return {
        str(n): np.bincount(rows["votes"].to_numpy("int64"), minlength=n + 1).tolist()
        for n, rows in datasets.by_votes(frame)
    }


def describe_splits(frame: pd.DataFrame) -> dict[str, Any]:
    """Each split's pairs, share, entities, labels, votes and agreement."""
    return {
        name: {
            "share": len(rows) / len(frame) if len(frame) else None,
            "entities": int(rows["entity"].nunique()),
            **describe_labels(rows),
            "votes": count_votes(rows),
            "fleiss_kappa": agree(rows)["fleiss_kappa"],
        }
        for name, rows in ((name, frame[frame["split"] == name]) for name in SPLITS)
    }


def agree(frame: pd.DataFrame) -> dict[str, Any]:
    """Agreement of the votes beyond chance, over the pairs that have the most frequent number (>= 2) of votes.

    `raters`: that number; `pairs`: how many pairs have it. `fleiss_kappa`; `observed_agreement`: the chance that two
    of a pair's votes are the same; `split_pairs`: pairs that are not unanimous. `kappa_with_majority`: Cohen's kappa
    of each single vote with its pair's majority, own vote included (He et al. 2020, section 3.4, pooled over raters);
    `kappa_with_others`: with the majority of the other votes, ties among them left out; `chance_kappa`: the
    `kappa_with_majority` that a coin flipper reaches in the place of one of these raters.
    """
    several = np.bincount(frame["n_votes"].to_numpy("int64"), minlength=2)[2:]
    raters = int(several.argmax()) + 2 if several.sum() else 0
    used = frame[frame["n_votes"] == raters] if raters else frame.iloc[:0]
    yes = used["votes"].to_numpy("int64")
    table = np.column_stack([raters - yes, yes])
    return {
        "raters": raters,
        "pairs": len(used),
        "split_pairs": int((table.min(axis=1) > 0).sum()),
        "observed_agreement": _observed(table, raters),
        "fleiss_kappa": _fleiss(table),
        "kappa_with_majority": _cohen(_confusion(table, own=True)),
        "kappa_with_others": _cohen(_confusion(table, own=False)),
        "chance_kappa": _cohen(_coin_confusion(table)),
    }


def _observed(table: Integers, raters: int) -> float | None:
    if raters < 2 or not len(table):
        return None
    return float((table * (table - 1)).sum(axis=1).mean() / (raters * (raters - 1)))


def _fleiss(table: Integers) -> float | None:
    """Fleiss' kappa of counts (pairs, 2); None where all votes are of one class or there are none."""
    return float(fleiss_kappa(table)) if (table.sum(axis=0) > 0).all() else None


def _cohen(square: NDArray[np.float64]) -> float | None:
    """Cohen's kappa of a 2 x 2 table; None where chance alone explains it all or there is nothing in it."""
    by_chance = float(square.sum(axis=0) @ square.sum(axis=1))
    return float(cohens_kappa(square, return_results=False)) if by_chance < square.sum() ** 2 else None


def _confusion(table: Integers, *, own: bool) -> NDArray[np.float64]:
    """Single votes (rows) against the majority of their pair, own vote in or left out; ties are left out."""
    square = np.zeros((2, 2))
    for vote in (0, 1):
        said = table.copy()
        said[:, vote] -= 0 if own else 1
        for winner in (0, 1):
            wins = said[:, winner] > said[:, 1 - winner]
            square[vote, winner] = table[wins, vote].sum()
    return square


def _coin_confusion(table: Integers) -> NDArray[np.float64]:
    """A coin flipper in the place of each vote in turn, against the majority that holds the coin's vote: expected."""
    square = np.zeros((2, 2))
    for replaced in (0, 1):
        for coin in (0, 1):
            said = table.copy()
            said[:, replaced] -= 1
            said[:, coin] += 1
            for winner in (0, 1):
                wins = said[:, winner] > said[:, 1 - winner]
                square[coin, winner] += COIN * table[wins, replaced].sum()
    return square
