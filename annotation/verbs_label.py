"""The verbs that meet Label Studio: `open` (assignments -> projects) and `collect` (annotations -> ratings)."""

from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from annotation import accounts, collection, consents
from annotation.campaign import Campaign
from annotation.connection import AtServer, connect
from annotation.label_studio.client import LabelStudio
from data import schemas
from data.console import existing_file, progress, say, say_next
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
        projects, tasks, answered = campaign.projects(), campaign.tasks(), campaign.answered
        working = {project.annotator for project in projects}
        people = [one for one in accounts.read_accounts(campaign.store.root, campaign.name) if one.annotator in working]
        consents.demand(campaign, people)
        show_entity, guide = campaign.plan["show_entity"], campaign.guide.text
        pages = {look: labelling(show_entity=show_entity, guide=guide, informed=look) for look in (False, True)}
        with connect(arguments) as client:
            accounts_made, tasks_made = client.ensure_accounts(people), 0
            numbers, closed = client.projects(), campaign.closed()
            for one in progress([p for p in projects if p.title not in closed], label="opening", unit="projects"):
                informed = any("told" in task for task in tasks[one.round, one.annotator])
                numbers[one.title] = client.ensure_project(title=one.title, labelling=pages[informed])
                open_tasks = [task for task in tasks[one.round, one.annotator] if task["assignment"] not in answered]
                tasks_made += client.ensure_tasks(numbers[one.title], open_tasks)
            emails = {one.annotator: one.email for one in people}
            there = [one for one in projects if one.title in numbers]
            open_ = {numbers[one.title]: (emails[one.annotator], one.title not in closed) for one in there}
            client.open_for(open_, campaign.documents)
    say(
        f"{len(projects) - len(closed)} projects are open, each to its annotator alone: "
        f"{accounts_made} accounts and {tasks_made} tasks are new"
    )
    if closed:
        say(f"{len(closed)} projects are closed: of rounds that are over, or of annotators who left")
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
        path = existing_file(arguments.file, "a CSV file of ratings")
        ratings, rejects = _without_withdrawn(campaign, collection.read_file(path, assignments)), None
        inputs: dict[str, int | str | None] = {path.name: file_digest(path)}
    else:
        with connect(arguments) as client:
            ratings, rejects = collection.accept(_collected(campaign, client), assignments)
            accepted = client.acceptances()
        inputs = {}
    with campaign.alone():
        if accepted is not None:
            consents.keep(campaign, accepted)
        _store_ratings(campaign, ratings, rejects, inputs)
    say_next("python -m annotation quality", *campaign.flags)


def _collected(campaign: Campaign, client: LabelStudio) -> pd.DataFrame:
    """The annotations of the projects in which something is new, with round, annotator and e-mail address."""
    emails = {one.annotator: one.email for one in accounts.read_accounts(campaign.store.root, campaign.name)}
    there = client.projects()
    projects = [one for one in campaign.projects() if one.title in there]
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
    nothing = client.nothing().assign(round=0, annotator="", email="")
    return pd.concat(frames or [nothing], ignore_index=True)


def _without_withdrawn(campaign: Campaign, ratings: pd.DataFrame) -> pd.DataFrame:
    """The ratings of those who did not withdraw."""
    assignments = campaign.assignments
    gone = assignments.loc[assignments["annotator"].isin(sorted(campaign.withdrawn)), "assignment_id"]
    kept = ratings[~ratings["assignment_id"].isin(gone)]
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
    del campaign.ratings
    added = len(campaign.ratings) - before
    where = f"{campaign.store.root}/ratings"
    say(f"{added} new ratings written to {where} (version {version})" if added else f"no new rating in {where}")
    for reason, n in refused.items():
        say(f"{n} annotations refused: {reason}")
