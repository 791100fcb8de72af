"""The verbs that meet Label Studio: `open` (assignments -> projects) and `collect` (annotations -> ratings)."""

from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from annotation import accounts, collection, consents
from annotation.campaign import Campaign
from annotation.connection import AtServer, connect
from annotation.label_studio.annotations import read_export
from annotation.label_studio.client import LabelStudio
from annotation.projects import closed, list_projects, list_tasks
from data import schemas
from data.console import progress, say, say_next
from data.errors import ServerError
from data.identity import file_digest
from data.manifest import Manifest


@dataclass(frozen=True, kw_only=True)
class Open(AtServer):
    """Make accounts and one project a round and annotator in Label Studio, with their pairs in the planned order."""


@dataclass(frozen=True, kw_only=True)
class Collect(AtServer):
    """Fetch what the annotators said into the table `ratings`; a changed annotation is a new row, the latest counts."""

    file: Path | None = None
    """Read this CSV file instead of a server (the columns of the table `ratings`, flags joined by spaces)."""


def open_projects(arguments: Open) -> None:
    """Makes what is missing on the server; run again after any interruption it goes on where it stopped."""
    from annotation.label_studio.labelling import labelling

    campaign = Campaign(arguments)
    with campaign.alone():
        projects, tasks, answered = list_projects(campaign), list_tasks(campaign), campaign.answered
        working = {project.annotator for project in projects}
        people = [one for one in accounts.read_accounts(campaign.store.root, campaign.name) if one.annotator in working]
        consents.demand(campaign, people)
        show_entity, guide = campaign.plan["show_entity"], campaign.guide.text
        pages = {look: labelling(show_entity=show_entity, guide=guide, informed=look) for look in (False, True)}
        with connect(arguments) as client:
            accounts_made, tasks_made = client.ensure_accounts(people), 0
            numbers, over = client.projects(), closed(campaign)
            for one in progress([p for p in projects if p.title not in over], label="opening", unit="projects"):
                informed = any("told" in task for task in tasks[one.round, one.annotator])
                numbers[one.title] = client.ensure_project(title=one.title, labelling=pages[informed])
                open_tasks = [task for task in tasks[one.round, one.annotator] if task["assignment"] not in answered]
                tasks_made += client.ensure_tasks(numbers[one.title], open_tasks)
            emails = campaign.emails()
            there = [one for one in projects if one.title in numbers]
            open_ = {numbers[one.title]: (emails[one.annotator], one.title not in over) for one in there}
            client.open_for(open_, campaign.documents)
    say(
        f"{len(projects) - len(over)} projects are open, each to its annotator alone: "
        f"{accounts_made} accounts and {tasks_made} tasks are new"
    )
    if over:
        say(f"{len(over)} projects are closed: of rounds that are over, or of annotators who left")
    say(
        f"annotators sign in at {client.url}; their addresses and passwords: "
        f"{accounts.accounts_path(campaign.store.root, campaign.name)} (readable by you alone)"
    )
    say_next("python -m annotation status", *campaign.flags)


def collect(arguments: Collect) -> None:
    """Appends the ratings that are new; what cannot be one is a reject with its reason."""
    campaign = Campaign(arguments)
    assignments, accepted = campaign.assignments, None
    if arguments.file:
        ratings, rejects = collection.read_file(arguments.file, assignments), None
        inputs: dict[str, int | str | None] = {arguments.file.name: file_digest(arguments.file)}
    else:
        with connect(arguments) as client:
            ratings, rejects = collection.accept(_collected(campaign, client), assignments)
            accepted = client.acceptances()
        inputs = {}
    with campaign.alone():
        if accepted is not None:
            consents.keep(campaign, accepted)
        # somebody may have withdrawn while their answers were on the way
        _store_ratings(campaign, _without_withdrawn(campaign, ratings), rejects, inputs)
    say_next("python -m annotation quality", *campaign.flags)


def _collected(campaign: Campaign, client: LabelStudio) -> pd.DataFrame:
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


def _without_withdrawn(campaign: Campaign, ratings: pd.DataFrame) -> pd.DataFrame:
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


def _store_ratings(
    campaign: Campaign, ratings: pd.DataFrame, rejects: pd.DataFrame | None, inputs: dict[str, int | str | None]
) -> None:
    """`rejects` None: the ratings are a file's, which is taken whole, so those of the server's stay."""
    refused = {} if rejects is None else rejects["reason"].value_counts().to_dict()
    counts = {"rows_in": len(ratings) + sum(refused.values()), "rows_out": len(ratings), "rejects": refused}
    versions = consents.guides(campaign, ratings)
    manifest = Manifest(
        stage=campaign.stage("collect"),
        config={"campaign": campaign.name},
        inputs=campaign.store.inputs(schemas.Assignments) | inputs,
        counts=counts,
    )
    before = len(campaign.ratings)
    version = campaign.store.append(schemas.Ratings, ratings.assign(guide_version=versions), manifest)
    if rejects is not None:
        campaign.reject(rejects, manifest)
    campaign.refresh()
    added = len(campaign.ratings) - before
    where = f"{campaign.store.root}/ratings"
    say(f"{added} new ratings written to {where} (version {version})" if added else f"no new rating in {where}")
    for reason, n in refused.items():
        say(f"{n} annotations refused: {reason}")
