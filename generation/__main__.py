"""The command line of the room: `python -m generation COMMAND`."""

from collections.abc import Sequence

from data.console.rooms import Group, run_room

COMMANDS = (
    Group(
        "",
        "generation.commands",
        {
            "sentences": "Collect the sentences that others are made from",
            "lm": "Train, describe and ask a language model",
            "swap": "Swap the words of sentences",
            "calibrate": "Find the margin from which swaps are worth rating",
            "translate": "Translate judged sentences there and back",
            "recombine": "Balance judged pairs with pairs that follow from them",
            "silver": "Label generated pairs without raters",
            "export": "Write a set in the files of PAWS",
        },
    ),
)
"""Each verb with the line that the list of commands shows; its module has the verb's name."""


def main(args: Sequence[str] | None = None) -> int:
    """Texts become new texts and pairs of them: word swapping, and what follows it."""
    return run_room("generation", main.__doc__ or "", COMMANDS, args=args)


if __name__ == "__main__":
    main()
