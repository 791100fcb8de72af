"""The ratings that count as a campaign's answers, and which of its assignments are open or void; pure."""

from collections.abc import Collection

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from data.contract.vocabulary import IDLE_SECONDS


def latest(ratings: pd.DataFrame) -> pd.DataFrame:
    """The last rating of each assignment by time of submission; earlier ones are its history."""
    return ratings.sort_values("submitted_at").drop_duplicates("assignment_id", keep="last")


def given(ratings: pd.DataFrame) -> pd.DataFrame:
    """The last rating of each assignment where it is a score or a flag, not a skip."""
    last = latest(ratings)
    return last[~is_skip(last)]


def is_skip(ratings: pd.DataFrame) -> "pd.Series[bool]":
    """Which of the ratings leave their pair without an answer."""
    return ratings["skipped"].fillna(False).astype("bool")


def seconds_spent(ratings: pd.DataFrame, idle_seconds: float = IDLE_SECONDS) -> float:
    """The seconds of all ratings together, each up to the idle limit."""
    return float(ratings["seconds"].astype("Float64").fillna(0).clip(upper=idle_seconds).sum())


def closing_rounds(assignments: pd.DataFrame, answered: Collection[str]) -> NDArray[np.int64]:
    """The rounds, in order, that end those before: they replace ratings, or move their annotators' own open work.

    The annotators of rounds before have been judged, or another guide applies since. `answered`: the assignments whose
    latest rating scores or flags the pair.
    """
    owners = assignments[["assignment_id", "annotator"]]
    both = assignments.merge(owners, left_on="supersedes", right_on="assignment_id", suffixes=("", "_before"))
    closes = both["supersedes"].isin(answered) | (both["annotator"] == both["annotator_before"])
    rounds: NDArray[np.int64] = np.unique(both.loc[closes.astype("bool"), "round"].to_numpy("int64"))
    return rounds


def find_void(assignments: pd.DataFrame, ratings: pd.DataFrame) -> "pd.Series[int]":
    """The assignments that no one rated before their round was over, by id, with the round that ended it."""
    closing = closing_rounds(assignments, given(ratings)["assignment_id"])
    open_ = assignments[~assignments["assignment_id"].isin(ratings["assignment_id"])]
    places = np.searchsorted(closing, open_["round"].to_numpy("int64"), side="right")
    is_over = places < len(closing)
    ids = open_.loc[is_over, "assignment_id"].to_numpy(object)
    return pd.Series(closing[places[is_over]], index=ids, dtype="int64")


def held(assignments: pd.DataFrame, ratings: pd.DataFrame) -> pd.DataFrame:
    """The assignments that are answered or open: not those that others took over unanswered, nor void ones."""
    taken_over = assignments["supersedes"].dropna()
    taken_over = taken_over[~taken_over.isin(given(ratings)["assignment_id"])]
    return assignments[~assignments["assignment_id"].isin([*taken_over, *find_void(assignments, ratings).index])]
