"""Termhood: scores for counted phrases, and the order by them.

Counting alone ranks `et al` and `extensive experiments` high. A term recurs in the papers that use it, is in titles,
is more than a part of longer terms, and has function words and punctuation around it. Each of the four is a column, and
`score` is the mean of a term's ranks in them: there are no weights to fit or to carry over from one speciality to
another. Chosen on one half of the phrases of 55,171 papers; `python -m studies.terms` shows the results for the other.
"""

import numpy as np
import pandas as pd

SCORES = ("recurrence", "title_share", "c_value", "boundary")
COLUMNS = (*SCORES, "score")


def score(counted: pd.DataFrame, keys: pd.Series) -> pd.DataFrame:
    """The columns of COLUMNS for counted terms, one row each.

    `counted` has the columns of `phrases.GROUP_FIGURES`, `keys` each term's words. `recurrence`: occurrences per paper
    that holds it, at least 1 (the burstiness of Church and Gale 1995). `title_share`: share of these papers with it
    in the title, 0 to 1, where five papers without it are added so that rare terms do not lead. `c_value`: see below.
    `boundary`: share of occurrences next to which a term could end or begin, on the worse side. `score`: 0 to 1.
    """
    frequency = counted["group_frequency"].astype("float64")
    scores = pd.DataFrame(
        {
            "recurrence": counted["occurrences"] / frequency,
            "title_share": counted["title_frequency"] / (frequency + 5),
            "c_value": c_value(keys, frequency),
            "boundary": counted["boundary"],
        },
        index=counted.index,
    ).astype("float64")
    return scores.assign(score=scores.rank(pct=True).mean(axis=1))


def c_value(keys: pd.Series, frequency: pd.Series) -> pd.Series:
    """The frequency of a term minus the mean frequency of the terms one word longer that contain it, times
    log2(words + 0.1).

    Source: Frantzi, Ananiadou and Mima 2000, with papers instead of occurrences.
    """
    size = keys.str.count(" ") + 1
    longer = keys[size > 1]
    parts = pd.concat([longer.str.rsplit(" ", n=1).str[0], longer.str.split(" ", n=1).str[1]])
    around = frequency.reindex(parts.index).groupby(parts.to_numpy()).mean()
    alone = frequency - keys.map(around).fillna(0)
    values: pd.Series = alone * np.log2(size + 0.1)
    return values


def order(terms: pd.DataFrame, rank_by: str) -> pd.Series:
    """The rank of each term, from 0, by the column `rank_by`, highest first; nulls last, ties by alphabet."""
    ordered = terms.sort_values([rank_by, "term"], ascending=[False, True], na_position="last")
    return pd.Series(range(len(terms)), index=ordered.index).sort_index()
