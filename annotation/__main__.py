"""The command line of the room: `python -m annotation COMMAND`."""

from collections.abc import Sequence

from data.console.rooms import Group, run_room

COMMANDS = (
    Group(
        "before",
        "annotation.commands.before",
        {
            "forecast": "What a plan costs, and how good its labels would be",
            "curve": "What a model learns from the labels, and from more of them",
            "mix": "How many positive labels the other pairs would bring",
            "consent": "Set the text that people agree to",
            "guide": "Set the guide that people label by",
            "pilot": "Everyone labels the same pairs, then discusses them",
            "plan": "Assign pairs to annotators",
            "control": "Let people outside the field label labelled pairs",
            "server": "Start and stop the store's own Label Studio",
        },
    ),
    Group(
        "during",
        "annotation.commands.during",
        {
            "open": "Create accounts and projects on the server",
            "status": "Progress, agreement, speed, and when it will end",
            "collect": "Copy the answers into the table of ratings",
            "watch": "Collect every few minutes, hand out what is due, and measure annotators",
            "simulate": "Let simulated annotators label",
            "game": "Play the paraphrase game with people",
        },
    ),
    Group(
        "after",
        "annotation.commands.after",
        {
            "quality": "Measure each annotator's agreement with the others",
            "verdict": "Find out who is careless, and why",
            "reassign": "Give the pairs of low annotators to the best",
            "review": "Let seniors decide what annotators dispute",
            "adjudicate": "Turn ratings into labels",
        },
    ),
    Group(
        "people",
        "annotation.commands.people",
        {
            "letters": "Write what people are sent",
            "pause": "Give an annotator no further pairs for now",
            "resume": "Let a paused annotator go on",
            "hand-over": "Give the open pairs of an annotator to others",
            "withdraw": "Delete all answers of a person for good",
            "pay": "Write what each annotator has earned",
        },
    ),
)
"""Each verb with the line that the list of commands shows; its module has the verb's name."""


def main(args: Sequence[str] | None = None) -> int:
    """A campaign of annotators: pairs become assignments, ratings and labels."""
    return run_room("annotation", main.__doc__ or "", COMMANDS, args=args)


if __name__ == "__main__":
    main()
