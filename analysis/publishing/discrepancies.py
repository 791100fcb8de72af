"""Whether the votes and measures of a release follow from its single ratings; pure."""

import math
from collections.abc import Iterator
from typing import Any

import pandas as pd

from analysis.statistics import recount
from data.vocabulary import ALL_ROUNDS, MAJORITY, SENIOR

TOLERANCE = 1e-9
VOTED = ["pair_id", "votes", "n_votes", "scores", "binary", "decided_by"]


def differ(tables: dict[str, pd.DataFrame], rule: recount.Rule) -> Iterator[str]:
    """Where the tables `pairs` and `quality` (see `analysis.publishing.edition`) say other than the table `ratings`."""
    ratings = tables["ratings"]
    yield from _differing_votes(tables["pairs"], recount.label(ratings, rule.paraphrase_from))
    yield from _differing_decisions(tables["pairs"], recount.decide(ratings, rule.paraphrase_from))
    measured = tables["quality"]
    if len(measured):
        rounds = set(measured["round"]) - {ALL_ROUNDS}
        yield from _differing_measures(measured, recount.measure(ratings, rounds, rule))


def list_unknown(quality: pd.DataFrame) -> list[str]:
    """The measures of the table `quality` that are not counted anew."""
    return sorted(set(quality["measure"]) - set(recount.MEASURES))


def _differing_votes(pairs: pd.DataFrame, counted: pd.DataFrame) -> Iterator[str]:
    found = counted.to_dict("index")
    for pair, yes, n, scores, binary, by in pairs[VOTED].itertuples(index=False, name=None):
        stated = {"votes": yes, "n_votes": n, "scores": list(scores)}
        if stated != found.get(pair):
            yield f"pair {pair}: {stated}, but the ratings give {found.get(pair)}"
        elif by == MAJORITY and binary != int(2 * yes > n):
            yield f"pair {pair}: label {binary} by the majority of {yes} of {n} votes"


def _differing_decisions(pairs: pd.DataFrame, decided: dict[str, set[int]]) -> Iterator[str]:
    by_senior = pairs[pairs["decided_by"] == SENIOR]
    for pair, binary in by_senior[["pair_id", "binary"]].itertuples(index=False, name=None):
        if binary not in decided.get(pair, set()):
            yield f"pair {pair}: label {binary} by a senior, but seniors decided {sorted(decided.get(pair, set()))}"


def _differing_measures(quality: pd.DataFrame, counted: pd.DataFrame) -> Iterator[str]:
    stated, found = (
        {tuple(key): (n, value) for *key, n, value in table[[*recount.KEYS, "n", "value"]].to_numpy(dtype=object) if n}
        for table in (quality[quality["measure"].isin(recount.MEASURES)], counted)
    )
    for key in sorted(stated.keys() | found.keys()):
        if not _same(stated.get(key), found.get(key)):
            number, annotator, measure = key
            one, other = _tell(stated.get(key)), _tell(found.get(key))
            yield f"quality: {measure} of {annotator} in round {number}: {one}, but the ratings give {other}"


def _same(one: Any, other: Any) -> bool:
    if one is None or other is None or one[0] != other[0] or pd.isna(one[1]) or pd.isna(other[1]):
        return one is not None and other is not None and one[0] == other[0] and pd.isna(one[1]) == pd.isna(other[1])
    return math.isclose(one[1], other[1], rel_tol=TOLERANCE, abs_tol=TOLERANCE)


def _tell(one: Any) -> str:
    if one is None:
        return "nothing"
    return f"{'not defined' if pd.isna(one[1]) else format(one[1], '.6f')} (n {one[0]})"
