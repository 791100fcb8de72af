"""`annotation open`: from assignments to projects on the server."""

from dataclasses import dataclass

from annotation.campaign import acceptances, accounts
from annotation.campaign.campaign import Campaign
from annotation.commands.connection import AtServer, connect
from annotation.label_studio.projects import closed, list_projects, list_tasks
from data.console import progress, say, say_next


@dataclass(frozen=True, kw_only=True)
class Open(AtServer):
    """Make accounts and one project a round and annotator in Label Studio, with their pairs in the planned order."""


def open_projects(arguments: Open) -> None:
    """Makes what is missing on the server; run again after any interruption it goes on where it stopped."""
    from annotation.label_studio.labelling import labelling

    campaign = Campaign(arguments)
    with campaign.alone():
        projects, tasks, answered = list_projects(campaign), list_tasks(campaign), campaign.answered
        working = {project.annotator for project in projects}
        people = [one for one in accounts.read_accounts(campaign.store.root, campaign.name) if one.annotator in working]
        acceptances.demand(campaign, people)
        show_entity, guide = campaign.plan["show_entity"], campaign.guide.text
        pages = {look: labelling(show_entity=show_entity, guide=guide, informed=look) for look in (False, True)}
        with connect(arguments) as client:
            accounts_made, tasks_made = client.ensure_accounts(people), 0
            numbers, over = client.projects(), closed(campaign)
            for one in progress([p for p in projects if p.title not in over], label="opening", unit="projects"):
                informed = any("votes" in task for task in tasks[one.round, one.annotator])
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
