"""Delete a person's ratings for good, from the tables and their past; a tombstone stays.

What the person was asked stays (assignments, acceptances of consent and guide), and so do the campaign's plan and gold
pairs. Their answers go, and with them whatever was computed from them: the campaign's measures, verdicts and labels. A
corrected text that no other annotator wrote goes wherever it is asked about, with what others answered there.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import partial

import pandas as pd

from annotation.campaign.campaign import Campaign, OfCampaign
from data.console.errors import InputError
from data.contract.base import Table
from data.contract.tables.campaign import Answers, Assignments, Ratings, Worked
from data.contract.tables.labels import Copying, Labels, Quality, Verdicts
from data.contract.tables.pairs import Pairs
from data.contract.tables.removals import Rejects, Tombstones
from data.contract.vocabulary import ANNOTATOR, ARMS, DISCUSSION
from data.grouping.entities import ENTITIES, of_side
from data.provenance import paid_work as worked
from data.provenance import takedown
from data.provenance.removal import Removal, find_written
from data.storage.manifest import Manifest
from data.storage.store import Store, next_instant
from data.texts.identity import text_id

DERIVED = (Quality, Verdicts, Copying, Labels)
"""Tables computed from a campaign's ratings; labels settled in a pilot's discussion belong to no annotator and stay."""

PAY_COLUMNS = ("assignment_id", "submitted_at", "skipped", "seconds")
"""What pay is computed from."""


def arms(campaign: Campaign) -> list[Campaign]:
    """The campaign, its pilot and its control arm, as far as they are planned: they share their people."""
    return [part for part in map(campaign.arm_of_study, ARMS) if part.is_planned]


def mark(campaign: Campaign, name: str, reason: str) -> datetime:
    """Write the tombstone: from now on nothing of this person's is collected. Returns its time, the first run's."""
    at = next_instant(campaign.store.read(Tombstones, columns=["at"])["at"])
    row = {"kind": ANNOTATOR, "study": campaign.study, "id": name, "reason": reason, "at": at}
    campaign.store.append(Tombstones, pd.DataFrame([row]), Manifest(stage="annotation.withdraw", part=campaign.name))
    known = campaign.store.read(Tombstones, kind=ANNOTATOR, study=campaign.study, id=name)
    first: datetime = known["at"].iloc[0].to_pydatetime()
    return first


def find_corrections(parts: Sequence[Campaign], name: str) -> Removal:
    """What is asked about the texts that this person alone wrote, and what was made from these, in any campaign."""
    store = parts[0].store
    assigned = store.read(Assignments, columns=["assignment_id", "campaign", "annotator", "pair_id"])
    edited = store.read(Answers, columns=["assignment_id", "text"]).dropna(subset="text").merge(assigned)
    pairs = store.read(Pairs, columns=["pair_id", *ENTITIES]).drop_duplicates("pair_id")
    edited = edited.merge(pairs, on="pair_id").astype("object")
    names = [None if pd.isna(name) else name for name in of_side(edited, "second")]
    ids = pd.Series(map(text_id, edited["text"], names), edited.index, dtype="object")
    own = edited["campaign"].isin([part.name for part in parts]) & (edited["annotator"] == name)
    return find_written(store, frozenset(ids[own]).difference(ids[~own]))


def require_unquoted(removal: Removal, store: Store) -> None:
    """Raises InputError where a guide or consent in force quotes a text that falls."""
    quoting = takedown.quoting(store, removal.texts) if removal.texts else pd.DataFrame({"in_force": []})
    for document in quoting[quoting["in_force"].astype("bool")].to_dict("records"):
        raise InputError(
            f"{document['kind']} version {document['version']} of campaign {document['campaign']}",
            expected="no text that falls with this withdrawal",
            found="one among its examples",
            remedy=f"set one without it (python -m annotation {document['kind']} FILE) and withdraw again",
        )


def asked_about(removal: Removal, store: Store) -> dict[Campaign, pd.DataFrame]:
    """The assignments that ask about it, by campaign."""
    rows = store.read(Assignments)
    rows = rows[rows["assignment_id"].isin(removal.assignments)]
    return {
        Campaign(OfCampaign(store=store.address, campaign=str(name))): some for name, some in rows.groupby("campaign")
    }


def note_work(campaign: Campaign, name: str, ratings: pd.DataFrame, at: datetime) -> tuple[int, float]:
    """Store how many ratings a person gave and the hours these took, pauses cut off; returns all that is stored.

    `ratings`: everything collected or still on the server that is to be deleted: assignment_id, submitted_at, skipped,
    seconds. `at`: the time of the withdrawal's tombstone, under which a second run stores nothing more.
    """
    worked.note(campaign.store, (campaign.name, name), ratings, at, "annotation.withdraw")
    stored = campaign.store.read(Worked, campaign=campaign.name, annotator=name)
    return int(stored["ratings"].sum()), float(stored["seconds"].sum()) / 3600


def note_others(campaign: Campaign, asked: pd.DataFrame, work: pd.DataFrame, at: datetime) -> None:
    """Store the work of everybody whose ratings of these assignments are to be deleted, as `note_work` does.

    `work`: what the server has of them, as `LabelStudio.work` gives it.
    """
    rows = pd.concat([campaign.ratings[list(PAY_COLUMNS)], work])
    rows = rows.merge(asked[["assignment_id", "annotator"]], on="assignment_id")
    for name, ratings in rows.groupby("annotator"):
        note_work(campaign, str(name), ratings, at)


def erase(parts: Sequence[Campaign], name: str) -> Iterator[tuple[str, int]]:
    """Delete the person's answers, and everything computed from them, from all tables and their past.

    Yields each table with the number of rows removed; run again it finishes what was interrupted.
    """
    store = parts[0].store
    names = {part.name for part in parts}
    assigned = store.read(Assignments, columns=["assignment_id", "campaign", "annotator"])
    own = set(assigned.loc[assigned["campaign"].isin(names) & (assigned["annotator"] == name), "assignment_id"])

    def remaining(table: type[Table], rows: pd.DataFrame) -> pd.DataFrame:
        if table in (Ratings, Answers, Rejects):
            falls = rows["id" if table is Rejects else "assignment_id"].isin(own)
        else:
            settled = rows["method"] == DISCUSSION if "method" in rows else pd.Series(False, rows.index)
            falls = rows["campaign"].isin(names) & ~settled.astype("bool")
        return rows[~falls.astype("bool")]

    for table in (Ratings, Answers, Rejects, *DERIVED):
        yield table.table_name(), store.erase(table, partial(remaining, table), "annotation.withdraw")
