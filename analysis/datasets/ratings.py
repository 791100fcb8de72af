"""Single ratings of a campaign in a store, and the votes among them that count."""

import pandas as pd

from data.labelled.label_set import LabelSet
from data.labelled.snapshot import Snapshot
from data.tables.campaign import Assignments, Ratings
from data.tables.labels import Labels
from data.vocabulary import PARAPHRASE_FROM, VOTING

COLUMNS = ["assignment_id", "pair_id", "annotator", "kind", "flipped", "score", "skipped"]


def read_latest(snapshot: Snapshot, campaign: str) -> pd.DataFrame:
    """The latest rating of each assignment: COLUMNS, and whether a later assignment replaced it (`superseded`)."""
    assigned = snapshot.read(Assignments, campaign=campaign)
    ratings = snapshot.read(Ratings, ["assignment_id", "submitted_at", "score", "skipped"])
    latest = ratings.sort_values("submitted_at").drop_duplicates("assignment_id", keep="last")
    replaced = assigned["supersedes"].dropna()
    rows = assigned.assign(superseded=assigned["assignment_id"].isin(replaced)).merge(latest, on="assignment_id")
    return rows[[*COLUMNS, "superseded"]]


def read_votes(snapshot: Snapshot, label_set: LabelSet) -> pd.DataFrame:
    """The votes that count: COLUMNS, and `vote`."""
    rows = read_latest(snapshot, label_set.campaign)
    rows = rows[rows["kind"].isin(VOTING) & ~rows["superseded"] & ~rows["skipped"] & rows["score"].notna()]
    config = snapshot.config(Labels, campaign=label_set.campaign, method=label_set.method)
    return with_votes(rows, config.get("paraphrase_from", PARAPHRASE_FROM))


def with_votes(ratings: pd.DataFrame, paraphrase_from: int) -> pd.DataFrame:
    """The ratings with a column `vote`: 1 for "paraphrase", that is a score of at least `paraphrase_from`, else 0."""
    return ratings.assign(vote=(ratings["score"] >= paraphrase_from).astype("int64"))
