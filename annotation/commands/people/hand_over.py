"""The command `hand-over`: an annotator's open pairs -> assignments of others."""

from dataclasses import dataclass

from annotation.campaign.campaign import Campaign
from annotation.campaign.people.members import (
    OfPerson,
    hand_over,
    open_work,
    require_annotator,
    say_unassigned,
    set_state,
)
from data.console.messages import say
from data.contract.vocabulary import LEFT
from data.guidance.next_steps import say_steps


@dataclass(frozen=True, kw_only=True)
class Arguments(OfPerson):
    """Give the open pairs of an annotator who stops to others who have not seen them, evenly.

    The annotator's answers stay and count.
    """

    seed: int = 1
    """Seed of the order and sides of the new assignments."""


def main(arguments: Arguments) -> None:
    """Append the others' assignments to the rounds of the open ones; run again it finds nothing open."""
    campaign, name = Campaign(arguments), arguments.name
    with campaign.alone():
        require_annotator(campaign, name)
        n_open = len(open_work(campaign, name))
        new, rejects = hand_over(campaign, name, arguments.seed, "release")
        set_state(campaign, name, LEFT)
    say(f"{len(new)} of {n_open} open pairs of {name} go to {new['annotator'].nunique()} others")
    say_unassigned(rejects)
    say_steps(campaign.store, campaign.name)
