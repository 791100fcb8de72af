"""A person's ratings taken out for ever: from the server, the tables and their past; a tombstone stays.

What the person was asked stays (assignments, acceptances of consent and guide); what the person said is gone, and
with it whatever was computed from it: measures, verdicts and labels of the campaign are made again.
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
from data.studies import ARMS, withdrawal_id
from data.tables.base import Table
from data.tables.campaign import Assignments, Ratings, Worked
from data.tables.labels import Labels, Quality, Verdicts
from data.tables.removals import Rejects, Tombstones
from data.vocabulary import ANNOTATOR

DERIVED = (Quality, Verdicts, Labels)
"""Tables computed from a campaign's ratings; what a pilot's discussion settled is nobody's rating and stays."""


def arms(campaign: Campaign) -> list[Campaign]:
    """The campaign, its pilot and its control arm, as far as they are planned: they share their people."""
    return [one for one in map(campaign.arm, ("", *ARMS)) if one.is_planned]


def mark(campaign: Campaign, name: str, reason: str) -> None:
    """Keeps the tombstone: from now on nothing of this person is collected."""
    row = {"kind": ANNOTATOR, "id": withdrawal_id(campaign.name, name), "reason": reason, "at": datetime.now(UTC)}
    campaign.store.append(Tombstones, pd.DataFrame([row]), Manifest(stage=campaign.stage("withdraw")))


def note_work(campaign: Campaign, name: str, said: pd.DataFrame) -> tuple[int, float]:
    """Keeps how many ratings the person made, and their hours, pauses cut off; returns what is kept: the first count,
    since a second run finds nothing left to count.

    `said`: all that was collected or is on the server: assignment_id, submitted_at, skipped, seconds.
    """
    done = given(said)
    n, seconds = len(done), 60 * progress.minutes_spent(done, HabitRule())
    if n:
        row = {"campaign": campaign.name, "annotator": name, "ratings": n, "seconds": seconds, "at": datetime.now(UTC)}
        campaign.store.append(Worked, pd.DataFrame([row]), Manifest(stage=campaign.stage("withdraw")))
    kept = campaign.store.read(Worked, campaign=campaign.name, annotator=name)
    return int(kept["ratings"].sum()), float(kept["seconds"].sum()) / 3600


def erase(parts: Sequence[Campaign], name: str) -> Iterator[tuple[str, int]]:
    """Removes what the person said, and what was computed from it, from all tables and their past.

    Yields each table with the number of rows removed; run again it ends what was begun.
    """
    store = parts[0].store
    names = {one.name for one in parts}
    given = store.read(Assignments, columns=["assignment_id", "campaign", "annotator"])
    own = set(given.loc[given["campaign"].isin(names) & (given["annotator"] == name), "assignment_id"])

    def left(table: type[Table], rows: pd.DataFrame) -> pd.DataFrame:
        if table is Ratings:
            falls = rows["assignment_id"].isin(own)
        elif table is Rejects:
            falls = pd.Series([one.partition(" at ")[0] in own for one in rows["id"]], rows.index, dtype=bool)
        else:
            settled = rows["method"] == METHOD if "method" in rows else pd.Series(False, rows.index)
            falls = rows["campaign"].isin(names) & ~settled.astype("bool")
        return rows[~falls.astype("bool")]

    for table in (Ratings, Rejects, *DERIVED):
        yield table.table_name(), store.erase(table, partial(left, table), "annotation.withdraw")
