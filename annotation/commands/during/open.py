"""The command `open`: assignments -> projects on the server."""

from dataclasses import dataclass

from annotation.campaign import accounts
from annotation.campaign.campaign import Campaign
from annotation.label_studio.connection import AtServer, connect, people_sign_in_at
from data.console.messages import quantity, say
from data.guidance.next_steps import say_steps


@dataclass(frozen=True, kw_only=True)
class Arguments(AtServer):
    """Create accounts, and one project per round and annotator in Label Studio, with pairs in the planned order."""


def main(arguments: Arguments) -> None:
    """Create what is missing on the server; run again after an interruption it continues where it stopped."""
    from annotation.label_studio.opening import open_projects

    campaign = Campaign(arguments)
    with campaign.alone(), connect(arguments) as client:
        opened = open_projects(campaign, client)
    say(
        f"{quantity(opened.open, 'project is', 'projects are')} open, each to its annotator alone: "
        f"{opened.accounts} accounts and {opened.tasks} tasks are new"
    )
    if opened.closed:
        say(f"{quantity(opened.closed, 'project is', 'projects are')} closed: the round is over, or the annotator left")
    say(
        f"annotators sign in at {people_sign_in_at(arguments)}; their addresses and passwords: "
        f"{accounts.accounts_path(campaign.store.root, campaign.study)} (readable by you alone)"
    )
    say_steps(campaign.store, campaign.name)
