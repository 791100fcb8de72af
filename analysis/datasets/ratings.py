"""Single ratings of a campaign in a store, and the votes among them that count."""

import pandas as pd
import pyarrow as pa

from data.contract.questions import Control, Question
from data.contract.tables.campaign import Answers, Assignments, Ratings
from data.contract.tables.labels import Labels
from data.contract.vocabulary import PARAPHRASE_FROM, VOTING
from data.labelled.label_set import LabelSet
from data.labelled.snapshot import Snapshot
from data.recorded.plans import read_question

COLUMNS = ["assignment_id", "pair_id", "annotator", "kind", "flipped", "score", "skipped"]


def read_latest(snapshot: Snapshot, campaign: str) -> pd.DataFrame:
    """The latest rating of each assignment: COLUMNS, and whether a later assignment replaced it (`superseded`).

    `score` is the number of the answer to the question's vote; where it has none, 0 says that it was answered.
    """
    assigned = snapshot.read(Assignments, campaign=campaign)
    ratings = snapshot.read(Ratings, ["assignment_id", "submitted_at", "score", "skipped"])
    question = read_question(snapshot.store, campaign)
    if question is not None and question.scale is None:
        ratings = with_scores(ratings, snapshot.read(Answers), question)
    latest = ratings.sort_values("submitted_at").drop_duplicates("assignment_id", keep="last")
    replaced = assigned["supersedes"].dropna()
    rows = assigned.assign(superseded=assigned["assignment_id"].isin(replaced)).merge(latest, on="assignment_id")
    return rows[[*COLUMNS, "superseded"]]


def with_scores(ratings: pd.DataFrame, answers: pd.DataFrame, question: Question) -> pd.DataFrame:
    """The ratings with the column `score` from their answers, for a question that is no single scale."""
    key = ["assignment_id", "submitted_at"]
    given = answers[answers["control"] == question.first.name]
    scores = given[key].assign(score=code(given["chosen"], question.vote)).drop_duplicates(key)
    return ratings.drop(columns="score").merge(scores, on=key, how="left")


def code(chosen: "pd.Series[list[str]]", vote: Control | None) -> "pd.Series[int]":
    """The number of each answer to the vote; 0 where there is no vote."""
    codes = {} if vote is None else vote.codes
    numbers = [codes.get(next(iter(values), ""), 0) for values in chosen]
    return pd.Series(numbers, chosen.index, dtype=pd.ArrowDtype(pa.int64()))


def read_votes(snapshot: Snapshot, label_set: LabelSet) -> pd.DataFrame:
    """The votes that count: COLUMNS, and `vote`; none where the question has no vote."""
    rows = _read_scored(snapshot, label_set)
    return rows.loc[~rows["superseded"], [*COLUMNS, "superseded", "vote"]]


def read_first_votes(snapshot: Snapshot, label_set: LabelSet) -> pd.DataFrame:
    """The votes before any was replaced, without those asked where the first disagree: pair_id, vote, replaced."""
    rows = _read_scored(snapshot, label_set)
    assigned = snapshot.read(
        Assignments, ["assignment_id", "pair_id", "round", "supersedes", "kind"], campaign=label_set.campaign
    )
    assigned = assigned[assigned["kind"].isin(VOTING)]
    is_first = assigned["round"] == assigned.groupby("pair_id")["round"].transform("min")
    takes_open = assigned["supersedes"].notna() & ~assigned["supersedes"].isin(rows["assignment_id"])
    first = rows[rows["assignment_id"].isin(assigned.loc[is_first | takes_open, "assignment_id"])]
    return first[["pair_id", "vote"]].assign(replaced=first["superseded"])


def _read_scored(snapshot: Snapshot, label_set: LabelSet) -> pd.DataFrame:
    """The rows of `read_latest` that vote, those that a later one replaced among them, with `vote`."""
    rows = read_latest(snapshot, label_set.campaign)
    rows = rows[rows["kind"].isin(VOTING) & ~rows["skipped"] & rows["score"].notna()]
    question = read_question(snapshot.store, label_set.campaign)
    config = snapshot.config(Labels, campaign=label_set.campaign, method=label_set.method)
    if question is not None and question.vote is None:
        rows = rows[:0]
    return with_votes(rows, config.get("paraphrase_from") or lowest_positive(question))


def lowest_positive(question: Question | None) -> int:
    """The lowest score that is a vote for the item."""
    vote = None if question is None else question.vote
    return PARAPHRASE_FROM if vote is None else min(vote.codes[value] for value in vote.positive)


def with_votes(ratings: pd.DataFrame, paraphrase_from: int) -> pd.DataFrame:
    """The ratings with a column `vote`: 1 for a positive answer, that is a score of at least `paraphrase_from`."""
    return ratings.assign(vote=(ratings["score"] >= paraphrase_from).astype("int64"))
