"""The command line of the room: `python -m data COMMAND`."""

from collections.abc import Sequence

from data.console.rooms import Group, run_room

COMMANDS = (
    Group(
        "look",
        "data.guidance.commands",
        {
            "status": "The store's tables, and what to run next (the usual one)",
            "look": "The store in the browser: the campaign, pairs, annotators",
            "lineage": "Follow a pair to its definitions, cards and addresses",
            "history": "List the versions of a table",
            "rejects": "List what a stage dropped, each with its reason",
            "dictionary": "What the tables and their columns mean",
        },
    ),
    Group(
        "carry",
        "data.guidance.commands",
        {
            "export": "Write a table as a plain file",
            "pack": "Write the store as one file for a colleague",
            "unpack": "Make a store from a pack",
        },
    ),
    Group("remove", "data.guidance.commands", {"takedown": "Remove texts for good, with all that was made from them"}),
)
"""Each verb with the line that the list of commands shows; its module has the verb's name."""


def main(args: Sequence[str] | None = None) -> int:
    """A store: its tables, where a pair comes from, plain files, packs and takedowns."""
    return run_room("data", main.__doc__ or "", COMMANDS, args=args, usual="status")


if __name__ == "__main__":
    main()
