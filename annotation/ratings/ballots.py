"""What was said of each assignment, and which of it counts at the end of a round; pure.

A *ballot* is an assignment with its latest rating. Ballots that a later assignment supersedes stay in the table
and leave the vote.
"""

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from annotation.config import VoteRule
from data.vocabulary import VOTING


def cast(assignments: pd.DataFrame, ratings: pd.DataFrame) -> pd.DataFrame:
    """One row an assignment of work, sorted by id: what its latest rating says.

    Columns: assignment_id, round, pair_id, annotator, `replaced_in` (the first round with an assignment that
    supersedes this one, null if none), `state` and `score` (Int64, null unless the state is `scored`).
    States: `scored`; `flagged` (a flag stands in place of a score); `skipped`; `open` (nothing said yet).
    """
    work = assignments.loc[assignments["kind"].isin(VOTING), ["assignment_id", "round", "pair_id", "annotator"]]
    work = work.astype({"round": "int64"}).sort_values("assignment_id", ignore_index=True)
    work["replaced_in"] = work["assignment_id"].map(_replacements(assignments)).astype("Int64")
    said = latest(ratings).set_index("assignment_id").reindex(work["assignment_id"]).reset_index(drop=True)
    work["state"] = _states(said)
    work["score"] = said["score"].astype("Int64").where(work["state"] == "scored")
    return work


def latest(ratings: pd.DataFrame) -> pd.DataFrame:
    """The last rating of each assignment by the time it was submitted; earlier ones are its history."""
    return ratings.sort_values("submitted_at").drop_duplicates("assignment_id", keep="last")


def given(ratings: pd.DataFrame) -> pd.DataFrame:
    """The last rating of each assignment that is an answer, a score or a flag: skips left out."""
    said = latest(ratings)
    return said[~said["skipped"].fillna(False).astype("bool")]


def votes_of(ballots: pd.DataFrame, rule: VoteRule) -> pd.DataFrame:
    """pair_id, annotator, score and binarised vote of the scored ballots."""
    scored = ballots[ballots["state"] == "scored"]
    score = scored["score"].astype("int64")
    vote = (score >= rule.paraphrase_from).astype("int64")
    return scored[["pair_id", "annotator"]].astype("object").assign(score=score, vote=vote)


def standing(ballots: pd.DataFrame, by_round: int | None = None) -> pd.DataFrame:
    """The ballots that count at the end of a round (the last one if None): made by then and not replaced by then."""
    if by_round is None:
        return ballots[ballots["replaced_in"].isna()]
    kept = ballots["replaced_in"].isna() | (ballots["replaced_in"] > by_round)
    return ballots[(ballots["round"] <= by_round) & kept.astype("bool")]


def by_origin(ballots: pd.DataFrame) -> pd.DataFrame:
    """The ballots in the rounds in which their annotators first got the pairs.

    Where a changed guide moved open work to a later round, the moved ballot stands in for the one that it was.
    """
    own = ["annotator", "pair_id"]
    first = ballots.assign(latest=ballots["round"], round=ballots.groupby(own)["round"].transform("min"))
    kept = first.sort_values("latest").drop_duplicates(own, keep="last").drop(columns="latest")
    return kept.sort_values("assignment_id", ignore_index=True)


def _replacements(assignments: pd.DataFrame) -> "pd.Series[int]":
    replacing = assignments[assignments["supersedes"].notna()]
    return replacing.astype({"round": "int64", "supersedes": "str"}).groupby("supersedes")["round"].min()


def _states(said: pd.DataFrame) -> NDArray[np.str_]:
    skipped = said["skipped"].fillna(False).to_numpy(dtype=bool)
    scored = said["score"].notna().to_numpy(dtype=bool)
    flagged = said["flags"].list.len().fillna(0).to_numpy(dtype="int64") > 0
    return np.select([skipped, scored, flagged], ["skipped", "scored", "flagged"], "open")
