"""The command `guide`: what annotators label by, and what a new guide changes."""

from dataclasses import dataclass
from pathlib import Path

from annotation.campaign.campaign import Campaign
from annotation.campaign.people.issuing import issue, move_open_work, outdated, read_document, require_own_version
from annotation.label_studio.collecting import collect
from annotation.label_studio.connection import AtServer, connect
from annotation.label_studio.projects import list_projects
from data.console.errors import ServerError
from data.console.marks import Positional
from data.console.messages import say
from data.guidance.next_steps import say_steps


@dataclass(frozen=True, kw_only=True)
class Arguments(AtServer):
    """Set the campaign's guide. Where people are labelling already, their open pairs become a new round.

    The earlier round is closed and collected first, so that answers by the earlier guide stay apart.
    """

    file: Positional[Path]
    """Plain text like annotation/questions/parade/guide.md: headings with #, lists with -, and a line `Version …`."""


def main(arguments: Arguments) -> None:
    """Append the document and, where there is open work, its new round."""
    campaign = Campaign(arguments)
    document = read_document(arguments.file, "guide")
    holds = f"guide version {document.version} holds"
    if not campaign.is_planned:
        issue(campaign, document)
        say(f"{holds} for campaign {campaign.name}")
        say_steps(campaign.store, campaign.name)
        return
    if document == campaign.guide and outdated(campaign).empty:
        say(f"{holds} already")
        say_steps(campaign.store, campaign.name)
        return
    require_own_version(campaign, document)
    _close_and_collect(campaign, arguments)
    with campaign.alone():
        issue(campaign, document)
        n_open = move_open_work(campaign)
    say(f"{holds} for campaign {campaign.name}")
    say(f"{n_open} open pairs go to a new round under the new guide; answered pairs stay in their round")
    say_steps(campaign.store, campaign.name)


def _close_and_collect(campaign: Campaign, arguments: Arguments) -> None:
    """Close what is open on the server and collect it; where no server answers, earlier collections count."""
    try:
        client = connect(arguments)
    except ServerError as fault:
        if arguments.url is not None:
            raise
        say(f"as last collected ({fault})")
        return
    with client:
        numbers, emails = client.projects(), campaign.emails()
        projects = [project for project in list_projects(campaign) if project.title in numbers]
        closing = {numbers[project.title]: (emails[project.annotator], False) for project in projects}
        say(f"{client.open_for(closing, campaign.documents)} projects closed")
        if projects:
            collect(campaign, client)
