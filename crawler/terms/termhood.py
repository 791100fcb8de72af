"""How much a phrase is a term: scores of counted phrases, and the order by them.

Counting alone ranks `et al` and `extensive experiments` high. A term comes back in the paper that holds it, stands in
titles, is more than a part of longer terms, and has function words and punctuation beside it. Each of the four is a
column, and `score` is the mean of a term's places in their orders: no weights to fit, and nothing to carry over from
one speciality to another. Chosen on one half of the phrases of 55,171 papers; `benchmarks/terms.py` shows the other.
"""

import numpy as np
import pandas as pd

SCORES = ("recurrence", "title_share", "c_value", "boundary")
COLUMNS = (*SCORES, "score")


def score(counted: pd.DataFrame, keys: pd.Series) -> pd.DataFrame:
    """The columns of COLUMNS for counted terms, one row each.

    `counted` has the columns of `phrases.GROUP_FIGURES`, `keys` each term's words. `recurrence`: occurrences for each
    paper that holds it, at least 1 (the burstiness of Church and Gale 1995). `title_share`: of these papers, those with
    it in the title, 0 to 1; five papers without it are added, so that the rare ones do not lead. `c_value`: see below.
    `boundary`: occurrences beside which a term could begin or end, on the worse side, 0 to 1. `score`: 0 to 1.
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
    """The frequency of a term less the mean of the longer terms that hold it, times log2(words + 0.1), in papers.

    Longer means by one word. Source: Frantzi, Ananiadou and Mima 2000, with papers for occurrences.
    """
    size = keys.str.count(" ") + 1
    longer = keys[size > 1]
    parts = pd.concat([longer.str.rsplit(" ", n=1).str[0], longer.str.split(" ", n=1).str[1]])
    around = frequency.reindex(parts.index).groupby(parts.to_numpy()).mean()
    alone = frequency - keys.map(around).fillna(0)
    values: pd.Series = alone * np.log2(size + 0.1)
    return values


def order(terms: pd.DataFrame, rank_by: str) -> pd.Series:
    """The place of each term, from 0, by the column `rank_by`, the highest first; null last, ties by alphabet."""
    ordered = terms.sort_values([rank_by, "term"], ascending=[False, True], na_position="last")
    return pd.Series(range(len(terms)), index=ordered.index).sort_index()
