"""The command line of the room: `python -m paraphrase_game COMMAND`."""

from collections.abc import Callable
from typing import Annotated

from tyro.conf import subcommand

from data.console.commands import run
from paraphrase_game.commands import collect, generate, judge, prompts, serve, status, train

Command = (
    Annotated[prompts.MakePrompts, subcommand("prompts", prefix_name=False)]
    | Annotated[judge.Judge, subcommand("judge", prefix_name=False)]
    | Annotated[serve.Serve, subcommand("serve", prefix_name=False)]
    | Annotated[collect.Collect, subcommand("collect", prefix_name=False)]
    | Annotated[status.Status, subcommand("status", prefix_name=False)]
    | Annotated[train.Train, subcommand("train", prefix_name=False)]
    | Annotated[generate.Generate, subcommand("generate", prefix_name=False)]
)

MAIN: dict[type, Callable[..., None]] = {
    prompts.MakePrompts: prompts.main,
    judge.Judge: judge.main,
    serve.Serve: serve.main,
    collect.Collect: collect.main,
    status.Status: status.main,
    train.Train: train.main,
    generate.Generate: generate.main,
}


def main(arguments: Command) -> None:
    """The adversarial paraphrasing task: sentences -> attempts of people and a machine -> pairs."""
    MAIN[type(arguments)](arguments)


if __name__ == "__main__":
    run(main, prog="python -m paraphrase_game")
