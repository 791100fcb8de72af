"""How large a model of others may be that is to be built: no larger than its weights' files say."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from data.console.errors import InputError

WHOLE, AGAIN = "a model as its maker saved it", "fetch it again"
"""What a model folder should be, and what to do where it is not."""
FREE_LAYERS = 256
"""The number of layers that a configuration may name whatever its weights are: some models share theirs."""
FREE_ROWS = 2**16
"""A configuration may name numbers up to this whatever its weights are."""
SPARE_NUMBERS = 2**26
"""Numbers that a model may have beyond twice the numbers in its weights' files: a fresh head, masks of positions."""
NUMBERS_PER_BYTE = 8
"""Numbers that packed weights hold per byte at most."""
_LAYERS = re.compile(r"layers?$|depths?$|blocks?$|block_count$")
_FREE = re.compile(r"position|len|theta|window|token|ctx|max_|min_|seed|base|scale|factor|_id|version|epoch|step")
"""Settings that are no size of a weight, and numbers of tokens."""

Shapes = Mapping[str, tuple[int, ...]]


def count_numbers(shapes: Shapes) -> int:
    """How many numbers the weights are."""
    total = 0
    for shape in shapes.values():
        size = 1
        for part in shape:
            size *= part
        total += size
    return total


def require_room(where: object, n: int, n_stored: int) -> None:
    """Raise InputError where a model of `n` numbers is to be built for weights of `n_stored`."""
    if n > 2 * n_stored + SPARE_NUMBERS:
        raise unusable(where, f"a configuration of {n:,} numbers beside weights of {n_stored:,}")


def check_numbers(where: object, content: Any, shapes: Shapes, packed: int = 0) -> None:
    """Raise InputError for a configuration with sizes that weights of these shapes do not have.

    `packed`: how many numbers weights without shapes hold at most.
    """
    widest = max((part for shape in shapes.values() for part in shape), default=0)
    for key, value in _numbers(content):
        if _FREE.search(key):
            continue
        most = max(FREE_LAYERS, len(shapes)) if _LAYERS.search(key) else max(FREE_ROWS, widest, packed)
        if abs(value) > most:
            raise unusable(where, f"{key} {str(value)[:40]} beside weights of other sizes")


def _numbers(content: Any) -> Iterator[tuple[str, float]]:
    """Each number of a JSON content with its key."""
    waiting = [("", content)]
    while waiting:
        key, value = waiting.pop()
        if isinstance(value, dict):
            waiting += [(str(name).lower(), one) for name, one in value.items()]
        elif isinstance(value, list):
            waiting += [(key, one) for one in value]
        elif isinstance(value, int | float) and not isinstance(value, bool):
            yield key, value


def unusable(where: object, found: str) -> InputError:
    """The error for a model folder that no library should see."""
    return InputError(where, expected=WHOLE, found=found, remedy=AGAIN)
