"""The command line of the room: `python -m identification COMMAND`."""

import os
from collections.abc import Sequence

from data.console.rooms import Group, run_room

os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")  # threads that wait busily slow each other down
os.environ.setdefault("ONEDNN_PRIMITIVE_CACHE_CAPACITY", "64")  # not 1,024, one per shape of batch
os.environ.setdefault("LRU_CACHE_CAPACITY", "64")  # the same in PyTorch's own cache of oneDNN's primitives

COMMANDS = (
    Group(
        "train",
        "identification.commands",
        {
            "models": "List the models that can be trained",
            "train": "Train a model on labels",
            "bench": "Train every model on every data set with every seed",
        },
    ),
    Group(
        "use",
        "identification.commands",
        {
            "predict": "Score pairs with a trained model",
            "ask": "Score pairs by the answers of a language model",
            "align": "Write how a model reads chosen pairs",
        },
    ),
    Group(
        "attack",
        "identification.commands",
        {
            "mlm": "Train a masked language model, which proposes words",
            "attack": "Modify pairs until a model is wrong about them",
            "attack-endpoint": "Modify pairs until a language model is wrong",
            "harden": "Train a model on pairs modified to mislead it",
        },
    ),
)
"""Each verb with the line that the list of commands shows; its module has the verb's name."""


def main(args: Sequence[str] | None = None) -> int:
    """Labels become models, and models score pairs."""
    return run_room("identification", main.__doc__ or "", COMMANDS, args=args)


if __name__ == "__main__":
    main()
