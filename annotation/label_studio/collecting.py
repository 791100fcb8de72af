"""Copy the ratings from the server into the store."""

import pandas as pd

from annotation.campaign.campaign import Campaign
from annotation.campaign.people import acceptances
from annotation.campaign.progress.collection import accept, answer_rows
from annotation.label_studio.client import LabelStudio, Latest
from annotation.label_studio.projects import list_projects
from data.console.errors import ServerError
from data.console.messages import quantity, say
from data.contract.tables.campaign import Answers, Assignments, Ratings
from data.storage.manifest import Manifest


def collect(campaign: Campaign, client: LabelStudio) -> Latest:
    """Append the server's new ratings and the acceptances of documents; what cannot be a rating is a reject.

    Returns what the server said it had (`client.latest`): all of it was collected.
    """
    latest = client.latest()
    fetched = fetch_ratings(campaign, client, latest)
    ratings, rejects = accept(fetched, campaign.assignments, campaign.question)
    accepted = client.acceptances()
    with campaign.alone():
        acceptances.keep(campaign, accepted)
        # an annotator may have withdrawn while their answers were on the way
        store_ratings(campaign, without_withdrawn(campaign, ratings), rejects, {})
    return latest


def fetch_ratings(campaign: Campaign, client: LabelStudio, latest: Latest) -> pd.DataFrame:
    """The new annotations, with round, annotator and e-mail address of their project.

    Of a project where not all that the server has (`latest`) was collected, such as a refused annotation: all.
    """
    emails, numbers = campaign.emails(), client.projects()
    projects = [project for project in list_projects(campaign) if project.title in numbers]
    if not projects:
        raise ServerError(
            "Label Studio",
            expected=f"the projects of campaign {campaign.name}",
            found="none of them",
            remedy="open them first: python -m annotation open",
        )
    collected = _collected(campaign)
    known = {numbers[project.title]: collected.get((project.round, project.annotator)) for project in projects}
    rows = client.collect({number: one for number, one in known.items() if latest.get(number) != one})
    owners = {numbers[project.title]: (project.round, project.annotator) for project in projects}
    columns = {"round": "int64", "annotator": "object"}
    of = pd.DataFrame([owners[number] for number in rows.pop("project")], columns=list(columns)).astype(columns)
    return rows.assign(**of, email=of["annotator"].map(emails).astype("object"))


def without_withdrawn(campaign: Campaign, ratings: pd.DataFrame) -> pd.DataFrame:
    """The ratings of people who have not withdrawn."""
    remaining = ratings[ratings["assignment_id"].isin(campaign.present["assignment_id"])]
    if len(remaining) < len(ratings):
        say(f"{len(ratings) - len(remaining)} ratings by people who withdrew are skipped")
    return remaining


def _collected(campaign: Campaign) -> dict[tuple[int, str], tuple[int, pd.Timestamp]]:
    """(Round, annotator) -> the number of assignments collected and the latest time, to compare with the server's."""
    rated = campaign.ratings.merge(campaign.assignments[["assignment_id", "round", "annotator"]], on="assignment_id")
    parts = rated.groupby(["round", "annotator"]).agg(n=("assignment_id", "nunique"), at=("submitted_at", "max"))
    return {(int(number), str(name)): (int(n), at) for (number, name), n, at in parts.itertuples()}


def store_ratings(
    campaign: Campaign, ratings: pd.DataFrame, rejects: pd.DataFrame | None, inputs: dict[str, int | str | None]
) -> None:
    """Append the new ratings and replace the rejects.

    `rejects` is None where the ratings come from a file, which is taken whole: the server's rejects then stay.
    """
    refused = {} if rejects is None else rejects["reason"].value_counts().to_dict()
    counts = {"rows_in": len(ratings) + sum(refused.values()), "rows_out": len(ratings), "rejects": refused}
    versions = acceptances.guides(campaign, ratings)
    manifest = Manifest(
        stage="annotation.collect",
        part=campaign.name,
        config=campaign.question.identity | {"campaign": campaign.name},
        inputs=campaign.store.inputs(Assignments) | inputs,
        counts=counts,
    )
    before = len(campaign.ratings)
    # the answers come first: a rating without them would never be collected again
    campaign.store.append(Answers, answer_rows(ratings), manifest)
    rows = ratings.drop(columns="answers").assign(guide_version=versions)
    version = campaign.store.append(Ratings, rows, manifest)
    if rejects is not None:
        campaign.reject("collect", rejects, manifest)
    campaign.refresh()
    added = len(campaign.ratings) - before
    where = f"{campaign.store.address}/ratings"
    written = f"{quantity(added, 'new rating')} written to {where} (version {version})"
    say(written if added else f"no new ratings in {where}")
    for reason, n in refused.items():
        say(f"{quantity(n, 'annotation')} refused: {reason}")
