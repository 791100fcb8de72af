"""The command line of the room: `python -m paraphrase_game COMMAND`."""

from collections.abc import Sequence

from data.console.rooms import Group, run_room

COMMANDS = (
    Group(
        "",
        "paraphrase_game.commands",
        {
            "prompts": "Choose the sentences that players rewrite",
            "judge": "Train small judges from the released files",
            "serve": "Let the judges answer the game's server",
            "collect": "Turn attempts into pairs",
            "status": "What was played, what it cost, how far people agree",
            "train": "Train a language model to play",
            "generate": "Let a language model play",
        },
    ),
)
"""Each verb with the line that the list of commands shows; its module has the verb's name."""


def main(args: Sequence[str] | None = None) -> int:
    """The adversarial paraphrasing task: sentences become attempts of people and a machine, and pairs."""
    return run_room("paraphrase_game", main.__doc__ or "", COMMANDS, args=args)


if __name__ == "__main__":
    main()
