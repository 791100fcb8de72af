"""Copy the ratings from the server into the store."""

import pandas as pd

from annotation.campaign.campaign import Campaign
from annotation.campaign.people import acceptances
from annotation.campaign.progress.collection import accept, answer_rows
from annotation.label_studio.annotations import read_export
from annotation.label_studio.client import ExportError, LabelStudio
from annotation.label_studio.projects import Project, list_projects
from data.console.errors import ServerError
from data.console.messages import progress, say
from data.contract.tables.campaign import Answers, Assignments, Ratings
from data.storage.manifest import Manifest


def collect(campaign: Campaign, client: LabelStudio) -> str:
    """Append the server's new ratings and the acceptances of documents; what cannot be a rating is a reject.

    Returns which projects the server could not export and what to do about it; nothing where it exported all.
    """
    fetched, unreadable = fetch_ratings(campaign, client)
    ratings, rejects = accept(fetched, campaign.assignments, campaign.question)
    accepted = client.acceptances()
    with campaign.alone():
        acceptances.keep(campaign, accepted)
        # an annotator may have withdrawn while their answers were on the way
        store_ratings(campaign, without_withdrawn(campaign, ratings), rejects, {})
    return _what_to_do(unreadable)


def fetch_ratings(campaign: Campaign, client: LabelStudio) -> tuple[pd.DataFrame, list[Project]]:
    """The annotations of the projects that have changed, with round, annotator and e-mail address.

    The second value: the projects that the server cannot export.
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
    latest, collected = client.latest(), _collected(campaign)
    changed = [
        project
        for project in projects
        if latest.get(numbers[project.title]) != collected.get((project.round, project.annotator))
    ]
    nothing = read_export(b"[]", {}).assign(round=0, annotator="", email="")
    frames, unreadable = [], []
    for project in progress(changed, label="collecting", unit="projects"):
        try:
            rows = client.collect(numbers[project.title])
        except ExportError:
            unreadable.append(project)
        else:
            email = emails[project.annotator]
            frames.append(rows.assign(round=project.round, annotator=project.annotator, email=email))
    return pd.concat(frames or [nothing], ignore_index=True), unreadable


def without_withdrawn(campaign: Campaign, ratings: pd.DataFrame) -> pd.DataFrame:
    """The ratings of people who have not withdrawn."""
    remaining = ratings[ratings["assignment_id"].isin(campaign.present["assignment_id"])]
    if len(remaining) < len(ratings):
        say(f"{len(ratings) - len(remaining)} ratings by people who withdrew are skipped")
    return remaining


def _what_to_do(unreadable: list[Project]) -> str:
    if not unreadable:
        return ""
    names = ", ".join(f"{project.title} ({project.annotator}, round {project.round})" for project in unreadable)
    return (
        f"not collected, since the server cannot export them: {names}; correct or delete their broken answers there as "
        "administrator (the server's log says what is wrong) and collect again, or withdraw these people"
    )


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
    say(f"{added} new ratings written to {where} (version {version})" if added else f"no new ratings in {where}")
    for reason, n in refused.items():
        say(f"{n} annotations refused: {reason}")
