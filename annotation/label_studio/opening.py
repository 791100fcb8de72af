"""Bring a campaign's assignments to the server."""

from collections.abc import Collection
from dataclasses import dataclass

import pandas as pd

from annotation.campaign import accounts
from annotation.campaign.campaign import Campaign
from annotation.campaign.people import acceptances
from annotation.label_studio.client import LabelStudio
from annotation.label_studio.labelling import labelling
from annotation.label_studio.projects import closed, list_projects, list_tasks
from data.console.messages import progress
from data.contract.tables.campaign import Assignments, Openings
from data.storage.manifest import Manifest


@dataclass(frozen=True, kw_only=True)
class Opened:
    """How many projects were opened or looked at and how many are closed, and what is new."""

    open: int
    closed: int
    accounts: int
    tasks: int


def open_projects(campaign: Campaign, client: LabelStudio, new: Collection[str] | None = None) -> Opened:
    """Create what is missing on the server, and set who may work in which project; run again it goes on.

    `new`: the assignments that may be missing there; by default any. Only projects that hold one are looked at.
    """
    projects, tasks = list_projects(campaign), list_tasks(campaign, new)
    answered, over = campaign.answered, closed(campaign)
    working = {project.annotator for project in projects}
    registered = accounts.read_accounts(campaign.store.root, campaign.study)
    people = [person for person in registered if person.annotator in working]
    acceptances.require_consent(campaign, people)
    n_accounts, numbers = client.ensure_accounts(people), client.projects()
    holders = [project for project in projects if (project.round, project.annotator) in tasks]
    opening = [project for project in holders if project.title not in over]
    missing = [project for project in opening if project.title not in numbers]
    for project in progress(missing, label="projects", unit="projects"):
        informed = any("votes" in task for task in tasks[project.round, project.annotator])
        show_entity, guide = campaign.plan["show_entity"], campaign.guide.text
        page = labelling(campaign.question, show_entity=show_entity, guide=guide, informed=informed)
        numbers[project.title] = client.ensure_project(title=project.title, labelling=page)
    waiting = {
        numbers[project.title]: [
            task for task in tasks[project.round, project.annotator] if task["assignment"] not in answered
        ]
        for project in opening
    }
    n_tasks = client.ensure_tasks(waiting)
    emails = campaign.emails()
    members = {
        numbers[project.title]: (emails[project.annotator], project.title not in over)
        for project in projects
        if project.title in numbers
    }
    client.open_for(members, campaign.documents)
    record_opening(campaign)
    return Opened(open=len(opening), closed=len(over), accounts=n_accounts, tasks=n_tasks)


def record_opening(campaign: Campaign) -> None:
    """Remember that the server has all assignments, unless it had them before; the caller is alone in the campaign."""
    before = campaign.store.read(Openings, ["at"], campaign=campaign.name)["at"]
    if before.empty or campaign.assignments["at"].max() > before.max():
        rows = pd.DataFrame([{"campaign": campaign.name, "at": campaign.now()}])
        inputs = campaign.store.inputs(Assignments)
        campaign.store.append(Openings, rows, Manifest(stage="annotation.open", part=campaign.name, inputs=inputs))
