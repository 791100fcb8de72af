"""The command `resume`: a paused annotator gets pairs again."""

from dataclasses import dataclass

from annotation.campaign.people.members import OfPerson, change_state
from data.console.messages import say
from data.guidance.next_steps import say_steps


@dataclass(frozen=True, kw_only=True)
class Arguments(OfPerson):
    """Let a paused annotator take further pairs again."""


def main(arguments: Arguments) -> None:
    """Set the annotator's state to `active`."""
    campaign = change_state(arguments, "active")
    say(f"{arguments.name} may get further pairs")
    say_steps(campaign.store, campaign.name)
