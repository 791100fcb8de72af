"""The command `dictionary`: what the tables and their columns mean."""

from dataclasses import dataclass

from data.console.messages import say
from data.contract.dictionary import write_dictionary


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """Print what the tables and their columns mean, as Markdown: the content of data/README.md."""


def main(arguments: Arguments) -> None:  # noqa: ARG001 (a command takes its arguments)
    """Print the dictionary."""
    say(write_dictionary().rstrip("\n"))
