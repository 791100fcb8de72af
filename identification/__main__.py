"""The command line of the room: `python -m identification COMMAND`."""

import os
from collections.abc import Callable
from typing import Annotated

from tyro.conf import subcommand

from data.console.commands import run
from identification.commands import align, attack, bench, harden, mlm, models, predict, train

Command = (
    Annotated[train.Train, subcommand("train", prefix_name=False)]
    | Annotated[predict.Predict, subcommand("predict", prefix_name=False)]
    | Annotated[align.Align, subcommand("align", prefix_name=False)]
    | Annotated[bench.Bench, subcommand("bench", prefix_name=False)]
    | Annotated[attack.Attack, subcommand("attack", prefix_name=False)]
    | Annotated[harden.Harden, subcommand("harden", prefix_name=False)]
    | Annotated[mlm.Mlm, subcommand("mlm", prefix_name=False)]
    | Annotated[models.Models, subcommand("models", prefix_name=False)]
)

MAIN: dict[type, Callable[..., None]] = {
    train.Train: train.main,
    predict.Predict: predict.main,
    align.Align: align.main,
    bench.Bench: bench.main,
    attack.Attack: attack.main,
    harden.Harden: harden.main,
    mlm.Mlm: mlm.main,
    models.Models: models.main,
}


def main(arguments: Command) -> None:
    """Labels -> models -> predictions: train models of all papers, and score pairs with them."""
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")  # threads that wait busily slow each other down
    os.environ.setdefault("ONEDNN_PRIMITIVE_CACHE_CAPACITY", "64")  # not 1,024, one per shape of batch
    os.environ.setdefault("LRU_CACHE_CAPACITY", "64")  # the same in PyTorch's own cache of oneDNN's primitives
    MAIN[type(arguments)](arguments)


if __name__ == "__main__":
    run(main, prog="python -m identification")
