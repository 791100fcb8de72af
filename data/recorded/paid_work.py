"""Work that was done, and what is kept of it where its ratings are deleted: people are paid for it."""

from datetime import datetime

import pandas as pd

from data.contract.tables.campaign import Assignments, Ratings, Worked
from data.contract.vocabulary import IDLE_SECONDS
from data.storage.manifest import Manifest
from data.storage.store import Store


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


def note(store: Store, who: tuple[str, str], ratings: pd.DataFrame, at: datetime, stage: str) -> None:
    """Store how many of the ratings a person gave, and how long these took; once per time `at` of the deletion.

    `who`: campaign and annotator; `ratings`: assignment_id, submitted_at, skipped, seconds.
    """
    answers = given(ratings)
    if len(answers):
        campaign, name = who
        row = {"campaign": campaign, "annotator": name, "ratings": len(answers), "seconds": seconds_spent(answers)}
        store.append(Worked, pd.DataFrame([row]).assign(at=at), Manifest(stage=stage, part=campaign))


def note_deleted(store: Store, assignments: frozenset[str], at: datetime, stage: str) -> None:
    """Store the work of everybody who rated these assignments, as `note` does."""
    rows = store.read(Ratings, ["assignment_id", "submitted_at", "skipped", "seconds"])
    asked = store.read(Assignments, ["assignment_id", "campaign", "annotator"])
    rows = rows[rows["assignment_id"].isin(assignments)].merge(asked, on="assignment_id")
    for (campaign, name), ratings in rows.groupby(["campaign", "annotator"]):
        note(store, (str(campaign), str(name)), ratings, at, stage)
