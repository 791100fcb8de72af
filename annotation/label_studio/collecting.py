"""Ratings as the server holds them, brought into the store."""

import pandas as pd

from annotation.campaign import acceptances
from annotation.campaign.campaign import Campaign
from annotation.label_studio.annotations import read_export
from annotation.label_studio.client import LabelStudio
from annotation.label_studio.projects import list_projects
from data.console import progress, say
from data.errors import ServerError
from data.manifest import Manifest
from data.tables.campaign import Assignments, Ratings


def fetch_ratings(campaign: Campaign, client: LabelStudio) -> pd.DataFrame:
    """The annotations of the projects in which something is new, with round, annotator and e-mail address."""
    emails = campaign.emails()
    there = client.projects()
    projects = [one for one in list_projects(campaign) if one.title in there]
    if not projects:
        raise ServerError(
            "Label Studio",
            expected=f"the projects of campaign {campaign.name}",
            found="none of them",
            remedy="open them first: python -m annotation open",
        )
    latest, known = client.latest(), _known(campaign)
    changed = [one for one in projects if latest.get(there[one.title]) != known.get((one.round, one.annotator))]
    frames = [
        client.collect(there[one.title]).assign(round=one.round, annotator=one.annotator, email=emails[one.annotator])
        for one in progress(changed, label="collecting", unit="projects")
    ]
    nothing = read_export(b"[]", {}).assign(round=0, annotator="", email="")
    return pd.concat(frames or [nothing], ignore_index=True)


def without_withdrawn(campaign: Campaign, ratings: pd.DataFrame) -> pd.DataFrame:
    """The ratings of those who did not withdraw."""
    kept = ratings[ratings["assignment_id"].isin(campaign.present["assignment_id"])]
    if len(kept) < len(ratings):
        say(f"{len(ratings) - len(kept)} ratings of people who withdrew are passed by")
    return kept


def _known(campaign: Campaign) -> dict[tuple[int, str], tuple[int, pd.Timestamp]]:
    """By round and annotator, how many assignments were collected and the latest time: as the server has it, or not."""
    rated = campaign.ratings.merge(campaign.assignments[["assignment_id", "round", "annotator"]], on="assignment_id")
    parts = rated.groupby(["round", "annotator"]).agg(n=("assignment_id", "nunique"), at=("submitted_at", "max"))
    return {(int(number), str(name)): (int(n), at) for (number, name), n, at in parts.itertuples()}


def store_ratings(
    campaign: Campaign, ratings: pd.DataFrame, rejects: pd.DataFrame | None, inputs: dict[str, int | str | None]
) -> None:
    """`rejects` None: the ratings are a file's, which is taken whole, so those of the server's stay."""
    refused = {} if rejects is None else rejects["reason"].value_counts().to_dict()
    counts = {"rows_in": len(ratings) + sum(refused.values()), "rows_out": len(ratings), "rejects": refused}
    versions = acceptances.guides(campaign, ratings)
    manifest = Manifest(
        stage=campaign.stage("collect"),
        config={"campaign": campaign.name},
        inputs=campaign.store.inputs(Assignments) | inputs,
        counts=counts,
    )
    before = len(campaign.ratings)
    version = campaign.store.append(Ratings, ratings.assign(guide_version=versions), manifest)
    if rejects is not None:
        campaign.reject(rejects, manifest)
    campaign.refresh()
    added = len(campaign.ratings) - before
    where = f"{campaign.store.root}/ratings"
    say(f"{added} new ratings written to {where} (version {version})" if added else f"no new rating in {where}")
    for reason, n in refused.items():
        say(f"{n} annotations refused: {reason}")
