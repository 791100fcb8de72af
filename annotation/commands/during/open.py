"""The command `open`: assignments -> projects on the server."""

from dataclasses import dataclass

from annotation.campaign import accounts
from annotation.campaign.campaign import Campaign
from annotation.campaign.people import acceptances
from annotation.label_studio.connection import AtServer, connect
from annotation.label_studio.projects import closed, list_projects, list_tasks
from data.console.messages import progress, say, say_next


@dataclass(frozen=True, kw_only=True)
class Open(AtServer):
    """Create accounts, and one project per round and annotator in Label Studio, with pairs in the planned order."""


def main(arguments: Open) -> None:
    """Create what is missing on the server; run again after an interruption it continues where it stopped."""
    from annotation.label_studio.labelling import labelling

    campaign = Campaign(arguments)
    with campaign.alone():
        projects, tasks = list_projects(campaign), list_tasks(campaign)
        answered, over = campaign.answered, closed(campaign)
        working = {project.annotator for project in projects}
        registered = accounts.read_accounts(campaign.store.root, campaign.study)
        people = [person for person in registered if person.annotator in working]
        acceptances.require_consent(campaign, people)
        show_entity, guide = campaign.plan["show_entity"], campaign.guide.text
        pages = {
            look: labelling(campaign.question, show_entity=show_entity, guide=guide, informed=look)
            for look in (False, True)
        }
        with connect(arguments) as client:
            n_accounts, n_tasks = client.ensure_accounts(people), 0
            numbers = client.projects()
            opening = [project for project in projects if project.title not in over]
            for project in progress(opening, label="opening", unit="projects"):
                own = tasks[project.round, project.annotator]
                informed = any("votes" in task for task in own)
                number = client.ensure_project(title=project.title, labelling=pages[informed])
                numbers[project.title] = number
                n_tasks += client.ensure_tasks(number, [task for task in own if task["assignment"] not in answered])
            emails = campaign.emails()
            members = {
                numbers[project.title]: (emails[project.annotator], project.title not in over)
                for project in projects
                if project.title in numbers
            }
            client.open_for(members, campaign.documents)
    say(
        f"{len(opening)} projects are open, each to its annotator alone: "
        f"{n_accounts} accounts and {n_tasks} tasks are new"
    )
    if over:
        say(f"{len(over)} projects are closed: their round is over, or their annotator left")
    say(
        f"annotators sign in at {client.url}; their addresses and passwords: "
        f"{accounts.accounts_path(campaign.store.root, campaign.study)} (readable by you alone)"
    )
    say_next("python -m annotation status", *campaign.flags)
