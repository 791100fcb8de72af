"""Who seems to have copied whom: couples that agree more than their agreement with the others explains; pure.

An annotator who errs alone agrees with each colleague as far as the two are good: the kappa of a couple is about the
product of two numbers, one of each person (one factor, as in Spearman 1904). They are fitted to all couples at once, by
a loss that few outliers do not bend. A couple far above its product shares what the others do not: one copied from the
other, both from a third, or both follow the same rule or tool. docs/measurements.md says how well it works.
"""

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.optimize import least_squares
from scipy.sparse import csr_array

from data.measures import agreement
from data.measures.agreement import Mask, Reals

MIN_COMMON_PAIRS = 20
"""Pairs that two people must have in common (ours)."""

SURELY, FAR = 4.5, 0.25
"""By how many standard errors, and by how much, the kappa of a flagged couple is above the fit (ours)."""

THREE, SAME = 3, 0.95
"""The kappa from which two of three people are named, where nothing tells copying from being good."""

COLUMNS = ["first", "second", "n", "same", "same_others", "kappa", "expected", "z", "is_clear"]


def find_copying(votes: pd.DataFrame) -> pd.DataFrame:
    """The couples to look at, the clearest first; empty where there is none.

    `votes`: pair_id, annotator, score. Columns: first, second (by name); n (pairs in common); same (the share of equal
    answers) and same_others (the mean share of the two with the others); kappa; expected (by the fit); z (standard
    errors above it); is_clear. With three people, whom no fit can tell apart, `expected` is the higher kappa with the
    third, and `is_clear` is false.
    """
    if votes.empty:
        return pd.DataFrame(columns=COLUMNS)
    couples = _compare(votes)
    judged = couples[_is_determined(couples)]
    if len(judged):
        judged = judged.assign(expected=_fit(judged), is_clear=True)
    elif votes["annotator"].nunique() == THREE and len(couples) == THREE:
        judged = couples.assign(expected=_of_third(couples), is_clear=False)
        judged = judged[judged["kappa"] >= SAME]
    else:
        return pd.DataFrame(columns=COLUMNS)
    above = judged["kappa"] - judged["expected"]
    judged = judged.assign(z=above / _error(judged, judged["expected"].to_numpy("float64")))
    found = judged[(judged["z"] > SURELY) & (above >= FAR)]
    found = found.sort_values(["z", "first", "second"], ascending=[False, True, True], ignore_index=True)
    shares = [_same_others(couples, two) for two in zip(found["first"], found["second"], strict=True)]
    return found.assign(same_others=pd.Series(shares, dtype="Float64"))[COLUMNS]


def _compare(votes: pd.DataFrame) -> pd.DataFrame:
    """The couples with enough pairs in common and a kappa: first, second, n, same, kappa, by_chance (expected)."""
    names = np.unique(votes["annotator"].to_numpy(object).astype(str))
    met = _meet(votes, names)
    first, second = np.triu_indices(len(names), 1)
    tables = met[:, :, first, second].transpose(2, 0, 1)
    enough = tables.sum(axis=(1, 2)) >= MIN_COMMON_PAIRS
    first, second, tables = first[enough], second[enough], tables[enough]
    n = tables.sum(axis=(1, 2))
    by_chance = (tables.sum(axis=2) * tables.sum(axis=1)).sum(axis=1) / n**2
    rows = {"n": n.astype("int64"), "same": np.trace(tables, axis1=1, axis2=2) / n, "by_chance": by_chance}
    kappa = agreement.chance_corrected(tables, agreement.distances(tables.shape[1]))
    found = pd.DataFrame({"first": names[first], "second": names[second], **rows, "kappa": kappa})
    return found[found["kappa"].notna()].reset_index(drop=True)


def _meet(votes: pd.DataFrame, names: NDArray[np.str_]) -> Reals:
    """How often each answer of each person met each of each other: shape (answers, answers, names, names)."""
    given = votes.drop_duplicates(["pair_id", "annotator"], keep="last")
    classes, answers = np.unique(given["score"].to_numpy("int64"), return_inverse=True)
    pairs = pd.factorize(given["pair_id"])[0]
    people = np.searchsorted(names, given["annotator"].to_numpy(object).astype(str))
    shape = (len(names), int(pairs.max()) + 1)
    used = [
        csr_array(((answers == one).astype("float64"), (people, pairs)), shape=shape) for one in range(len(classes))
    ]
    return np.array([[(one @ other.T).toarray() for other in used] for one in used])


def _is_determined(couples: pd.DataFrame) -> Mask:
    """Whether both people of each couple are compared with at least three others each, so that these say what is due.

    Of four people, two who copy and two who err alone answer as two very good ones and two who copy would.
    """
    n = pd.concat([couples["first"], couples["second"]]).value_counts()
    return np.asarray((couples["first"].map(n) > THREE) & (couples["second"].map(n) > THREE))


def _fit(couples: pd.DataFrame) -> Reals:
    """The product of two numbers, one of each person, that is nearest to each couple's kappa."""
    names, numbers = np.unique(couples[["first", "second"]].to_numpy(str), return_inverse=True)
    first, second = numbers.reshape(-1, 2).T
    kappa, rows = couples["kappa"].to_numpy("float64"), np.arange(len(couples))
    middle = max(float(np.median(kappa)), 0.0)
    weight = 1 / _error(couples, np.full(len(couples), middle))

    def miss(skills: Reals) -> Reals:
        return np.asarray((skills[first] * skills[second] - kappa) * weight)

    def slopes(skills: Reals) -> csr_array:
        values, places = [skills[second] * weight, skills[first] * weight], [first, second]
        return csr_array(
            (np.concatenate(values), (np.tile(rows, 2), np.concatenate(places))), shape=(len(rows), len(names))
        )

    start = np.full(len(names), np.sqrt(middle) + 0.1)
    skills = least_squares(miss, start, jac=slopes, bounds=(-1.5, 1.5), loss="soft_l1").x
    return np.asarray(skills[first] * skills[second])


def _error(couples: pd.DataFrame, kappa: Reals) -> Reals:
    """The standard error that kappas would have if these were the true ones."""
    by_chance, kappa = couples["by_chance"].to_numpy("float64"), kappa.clip(0, 0.99)
    same = by_chance + (1 - by_chance) * kappa
    return np.asarray(np.sqrt(same * (1 - same) / couples["n"]) / (1 - by_chance))


def _of_third(couples: pd.DataFrame) -> Reals:
    """The higher kappa of either of two with the third person."""
    kappa = couples["kappa"].to_numpy("float64")
    return np.array([np.delete(kappa, place).max() for place in range(len(kappa))])


def _same_others(couples: pd.DataFrame, two: tuple[str, str]) -> float | None:
    """The share of equal answers of either of two with the others."""
    other = couples[couples["first"].isin(two) ^ couples["second"].isin(two)]
    return float(np.average(other["same"], weights=other["n"])) if len(other) else None
