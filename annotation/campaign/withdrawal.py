"""Delete a person's ratings for good, from the tables and their past; a tombstone stays.

What the person was asked stays (assignments, acceptances of consent and guide), and so do the campaign's plan and gold
pairs. Their answers go, and with them whatever was computed from them: the campaign's measures, verdicts and labels.
"""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from functools import partial

import pandas as pd

from annotation.assignment.pilot import METHOD
from annotation.campaign.campaign import Campaign
from annotation.config import HabitRule
from annotation.quality import progress
from annotation.ratings.ballots import given
from data.manifest import Manifest
from data.store import next_instant
from data.studies import ARMS, withdrawal_id
from data.tables.base import Table
from data.tables.campaign import Answers, Assignments, Ratings, Worked
from data.tables.labels import Labels, Quality, Verdicts
from data.tables.removals import Rejects, Tombstones
from data.vocabulary import ANNOTATOR

DERIVED = (Quality, Verdicts, Labels)
"""Tables computed from a campaign's ratings; labels settled in a pilot's discussion are nobody's ratings and stay."""


def arms(campaign: Campaign) -> list[Campaign]:
    """Those of the campaign, its pilot and its control arm that are planned: they share their people."""
    return [part for part in map(campaign.arm, ("", *ARMS)) if part.is_planned]


def mark(campaign: Campaign, name: str, reason: str) -> None:
    """Write the tombstone: from now on nothing of this person's is collected."""
    at = next_instant(campaign.store.read(Tombstones, columns=["at"])["at"])
    row = {"kind": ANNOTATOR, "id": withdrawal_id(campaign.name, name), "reason": reason, "at": at}
    campaign.store.append(Tombstones, pd.DataFrame([row]), Manifest(stage=campaign.stage("withdraw")))


def note_work(campaign: Campaign, name: str, ratings: pd.DataFrame) -> tuple[int, float]:
    """Store how many ratings a person gave and the hours these took, pauses cut off; returns both as stored.

    A second run finds no ratings left to count, and returns what the first one stored.
    `ratings`: everything collected or still on the server: assignment_id, submitted_at, skipped, seconds.
    """
    answers = given(ratings)
    n, seconds = len(answers), 60 * progress.minutes_spent(answers, HabitRule())
    if n:
        row = {"campaign": campaign.name, "annotator": name, "ratings": n, "seconds": seconds, "at": datetime.now(UTC)}
        campaign.store.append(Worked, pd.DataFrame([row]), Manifest(stage=campaign.stage("withdraw")))
    stored = campaign.store.read(Worked, campaign=campaign.name, annotator=name)
    return int(stored["ratings"].sum()), float(stored["seconds"].sum()) / 3600


def erase(parts: Sequence[Campaign], name: str) -> Iterator[tuple[str, int]]:
    """Delete the person's answers, and everything computed from them, from all tables and their past.

    Yields each table with the number of rows removed; run again it finishes what was interrupted.
    """
    store = parts[0].store
    names = {part.name for part in parts}
    assigned = store.read(Assignments, columns=["assignment_id", "campaign", "annotator"])
    own = set(assigned.loc[assigned["campaign"].isin(names) & (assigned["annotator"] == name), "assignment_id"])

    def remaining(table: type[Table], rows: pd.DataFrame) -> pd.DataFrame:
        if table in (Ratings, Answers):
            falls = rows["assignment_id"].isin(own)
        elif table is Rejects:
            falls = pd.Series([reject.partition(" at ")[0] in own for reject in rows["id"]], rows.index, dtype=bool)
        else:
            settled = rows["method"] == METHOD if "method" in rows else pd.Series(False, rows.index)
            falls = rows["campaign"].isin(names) & ~settled.astype("bool")
        return rows[~falls.astype("bool")]

    for table in (Ratings, Answers, Rejects, *DERIVED):
        yield table.table_name(), store.erase(table, partial(remaining, table), "annotation.withdraw")
