"""The latest rating of each assignment, and the ratings that count at the end of a round; pure.

A *ballot* is an assignment with its latest rating. Ballots that a later assignment supersedes stay in the table
but leave the vote.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from annotation.config import VoteRule
from annotation.ratings.agreement import Mask
from data.contract.vocabulary import VOTING
from data.grouping.entities import drawn_by
from data.recorded.paid_work import latest

Couples = Sequence[tuple[str, str]]
"""Two annotators each who have one vote."""


def cast(assignments: pd.DataFrame, ratings: pd.DataFrame, entities: Mapping[str, str] | None = None) -> pd.DataFrame:
    """One row per assignment of work, sorted by id, with its latest rating.

    Columns: assignment_id, round, pair_id, annotator, `replaced_in` (the first round with an assignment that
    supersedes this one, null if none), `group` (what is drawn for intervals: the pair's entity, by pair_id in
    `entities`, or the pair itself), `state` and `score` (Int64, null unless the state is `scored`).
    States: `scored`; `flagged` (a flag in place of a score); `skipped`; `open` (no rating yet).
    """
    work = assignments.loc[assignments["kind"].isin(VOTING), ["assignment_id", "round", "pair_id", "annotator"]]
    work = work.astype({"round": "int64"}).sort_values("assignment_id", ignore_index=True)
    work["replaced_in"] = work["assignment_id"].map(_replacements(assignments)).astype("Int64")
    work["group"] = drawn_by(work["pair_id"], entities or {})
    last = latest(ratings).set_index("assignment_id").reindex(work["assignment_id"]).reset_index(drop=True)
    work["state"] = _states(last)
    work["score"] = last["score"].astype("Int64").where(work["state"] == "scored")
    return work


def votes_of(ballots: pd.DataFrame, rule: VoteRule) -> pd.DataFrame:
    """The scored ballots as pair_id, annotator, score and vote (1 for "paraphrase")."""
    scored = ballots[ballots["state"] == "scored"]
    score = scored["score"].astype("int64")
    vote = (score >= rule.lowest_yes).astype("int64")
    return scored[["pair_id", "annotator"]].astype("object").assign(score=score, vote=vote)


def standing(ballots: pd.DataFrame, by_round: int | None = None) -> pd.DataFrame:
    """The ballots that count at the end of a round (by default the last): made by then and not yet replaced."""
    if by_round is None:
        return ballots[ballots["replaced_in"].isna()]
    kept = ballots["replaced_in"].isna() | (ballots["replaced_in"] > by_round)
    return ballots[(ballots["round"] <= by_round) & kept.astype("bool")]


def count_once(rows: pd.DataFrame, couples: Couples) -> Mask:
    """Which votes count where each couple has one: not the second one's on a pair on which the first one voted.

    `rows`: pair_id, annotator of the votes.
    """
    counts = np.ones(len(rows), dtype=bool)
    names, pairs = rows["annotator"].to_numpy(object), rows["pair_id"]
    for first, second in couples:
        counts &= ~((names == second) & pairs.isin(pairs[names == first]).to_numpy(bool))
    return counts


def with_one_vote(ballots: pd.DataFrame, couples: Couples) -> pd.DataFrame:
    """The ballots without the scored ones that do not count (`count_once`)."""
    scored = ballots["state"] == "scored"
    return ballots[~scored | ballots.index.isin(ballots.index[scored][count_once(ballots[scored], couples)])]


def asked_at_first(ballots: pd.DataFrame) -> pd.DataFrame:
    """The ballots of each pair's first round, and what replaces them; no further ones, asked where the first disagree.

    So each pair has as many as the others, whatever its raters said.
    """
    first = ballots.groupby("pair_id")["round"].transform("min")
    replaced = pd.MultiIndex.from_frame(ballots.dropna(subset="replaced_in")[["pair_id", "replaced_in"]])
    replaces = pd.MultiIndex.from_frame(ballots[["pair_id", "round"]]).isin(replaced)
    return ballots[(ballots["round"] == first) | replaces]


def given_at_first(ballots: pd.DataFrame) -> pd.DataFrame:
    """The scored ballots of `asked_at_first` that take no other's place; one in place of a flag or of nothing does not.

    So these are the answers before any was replaced.
    """
    first = asked_at_first(ballots)
    scored = first[first["state"] == "scored"]
    replaced = pd.MultiIndex.from_frame(scored.dropna(subset="replaced_in")[["pair_id", "replaced_in"]])
    return scored[~pd.MultiIndex.from_frame(scored[["pair_id", "round"]]).isin(replaced)]


def by_origin(ballots: pd.DataFrame) -> pd.DataFrame:
    """The ballots, each in the round in which its annotator first got the pair.

    Where a changed guide moved open work to a later round, the moved ballot takes the place of the original.
    """
    own = ["annotator", "pair_id"]
    first = ballots.assign(latest=ballots["round"], round=ballots.groupby(own)["round"].transform("min"))
    kept = first.sort_values("latest").drop_duplicates(own, keep="last").drop(columns="latest")
    return kept.sort_values("assignment_id", ignore_index=True)


def _replacements(assignments: pd.DataFrame) -> "pd.Series[int]":
    replacing = assignments[assignments["supersedes"].notna()]
    return replacing.astype({"round": "int64", "supersedes": "str"}).groupby("supersedes")["round"].min()


def _states(last: pd.DataFrame) -> NDArray[np.str_]:
    skipped = last["skipped"].fillna(False).to_numpy(dtype=bool)
    scored = last["score"].notna().to_numpy(dtype=bool)
    flagged = last["flags"].list.len().fillna(0).to_numpy(dtype="int64") > 0
    return np.select([skipped, scored, flagged], ["skipped", "scored", "flagged"], "open")
