"""Work that was done, and what is kept of it where its ratings are deleted: people are paid for it."""

from datetime import datetime

import pandas as pd

from data.contract.tables.campaign import Assignments, Ratings, Worked
from data.measures.ballots import given, seconds_spent
from data.storage.manifest import Manifest
from data.storage.store import Store


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
