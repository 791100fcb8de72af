"""The command line of the room: `python -m generation COMMAND`."""

from collections.abc import Callable
from typing import Annotated

from tyro.conf import subcommand

from data.console.commands import run
from generation.commands import calibrate, export, lm, recombine, sentences, silver, swap, translate

Command = (
    Annotated[sentences.Sentences, subcommand("sentences", prefix_name=False)]
    | Annotated[lm.Lm, subcommand("lm", prefix_name=False)]
    | Annotated[swap.Swap, subcommand("swap", prefix_name=False)]
    | Annotated[calibrate.Calibrate, subcommand("calibrate", prefix_name=False)]
    | Annotated[translate.Translate, subcommand("translate", prefix_name=False)]
    | Annotated[recombine.Recombine, subcommand("recombine", prefix_name=False)]
    | Annotated[silver.Silver, subcommand("silver", prefix_name=False)]
    | Annotated[export.Export, subcommand("export", prefix_name=False)]
)

MAIN: dict[type, Callable[..., None]] = {
    sentences.Sentences: sentences.main,
    lm.Lm: lm.main,
    swap.Swap: swap.main,
    calibrate.Calibrate: calibrate.main,
    translate.Translate: translate.main,
    recombine.Recombine: recombine.main,
    silver.Silver: silver.main,
    export.Export: export.main,
}


def main(arguments: Command) -> None:
    """Texts -> new texts and pairs of them: word swapping, and what follows it."""
    MAIN[type(arguments)](arguments)


if __name__ == "__main__":
    run(main, prog="python -m generation")
