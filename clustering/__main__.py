"""The command line of the room: `python -m clustering COMMAND`."""

from collections.abc import Sequence

from data.console.rooms import Group, run_room

COMMANDS = (
    Group(
        "",
        "clustering.commands",
        {
            "propose": "Propose pairs of definitions that may mean the same",
            "select": "Select pairs to label next, by the scores of models",
            "read": "Read pairs of your own from a file",
        },
    ),
)
"""Each verb with the line that the list of commands shows; its module has the verb's name."""


def main(args: Sequence[str] | None = None) -> int:
    """Pairs of definitions, for people to judge."""
    return run_room("clustering", main.__doc__ or "", COMMANDS, args=args)


if __name__ == "__main__":
    main()
