"""The command `pause`: an annotator gets no further pairs for now."""

from dataclasses import dataclass

from annotation.campaign.people.members import OfPerson, change_state
from data.console.messages import say, say_next


@dataclass(frozen=True, kw_only=True)
class Arguments(OfPerson):
    """Give an annotator no further pairs until `resume`; open pairs stay with them."""


def main(arguments: Arguments) -> None:
    """Set the annotator's state to `paused`."""
    campaign = change_state(arguments, "paused")
    say(f"{arguments.name} gets no further pairs and keeps the open ones")
    say_next(f"python -m annotation resume {arguments.name}", *campaign.flags)
