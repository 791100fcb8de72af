"""Model folders of others: looked at before a library reads them, and opened so that every fault is one line."""

import re
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from data import values
from data.errors import InputError, ParadeError

WHOLE, AGAIN = "a model as its maker saved it", "fetch it again"
"""What a model folder should be, and what to do where it is not."""
MOST_FILES = 10_000
FEWEST_LAYERS = 256
"""A configuration may name so many layers whatever its weights are: some models share theirs."""
FEWEST_ROWS = 2**16
"""A configuration may name numbers up to this whatever its weights are."""
SPARE = 2**26
"""Numbers that a model may have beyond twice those of its weights' files: a fresh head, masks of positions."""
PER_BYTE = 8
"""Numbers that packed weights hold per byte at most."""
_LAYERS = re.compile(r"layers?$|depths?$|blocks?$")
_FREE = re.compile(r"position|len|theta|window|token|ctx|max_|min_|seed|base|scale|factor|_id|version|epoch|step")
"""What is not the size of a weight, or stands in the tokens' numbering."""

Shapes = Mapping[str, tuple[int, ...]]


@contextmanager
def opening(where: object, expected: str, remedy: str) -> Iterator[None]:
    """Raise InputError for whatever a library raises in the block, which opens what others made.

    Libraries raise anything for a spoiled file: errors of their own, of types, of memory, of recursion. So the block
    holds nothing else than the opening of a model.
    """
    try:
        yield
    except ParadeError:
        raise
    except Exception as fault:
        raise InputError(where, expected=expected, found=name_fault(fault), remedy=remedy) from fault


@contextmanager
def saving(folder: Path) -> Iterator[None]:
    """Raise InputError where safetensors cannot write, as on a full disk: an error of its own, not of the system."""
    from safetensors import SafetensorError

    try:
        yield
    except SafetensorError as fault:
        remedy = "check its rights, and that its disk has room"
        raise InputError(folder, expected="to write weights there", found=name_fault(fault), remedy=remedy) from fault


def name_fault(fault: BaseException) -> str:
    """What a library's error says, in one line; with its kind where that alone tells something."""
    text = " ".join(str(fault).split())[:200]
    if not text:
        return type(fault).__name__
    return text if isinstance(fault, OSError | ValueError | RuntimeError) else f"{type(fault).__name__}: {text}"


def check_files(folder: Path) -> Shapes:
    """The shapes of the weights in the folder, by name; raises InputError for what is no folder of a model.

    Everything in it must be a file or a folder (a link may lead to one), its JSON must be whole, and no configuration
    may name sizes that its weights do not have. Nothing is loaded, and nothing of the folder is executed.
    """
    files = list(_list(folder))
    shapes = read_shapes([path for path in files if path.suffix == ".safetensors"])
    packed = sum(path.stat().st_size for path in files if path.suffix == ".gguf") * PER_BYTE
    for path in files:
        if path.suffix == ".json":
            content = read_json(path)
            if path.name == "config.json":
                check_numbers(path, content, shapes, packed)
    return shapes


def _list(folder: Path) -> Iterator[Path]:
    for number, path in enumerate(folder.rglob("*")):
        if number == MOST_FILES:
            raise unusable(folder, f"more than {MOST_FILES:,} files")
        mode = path.stat().st_mode
        if stat.S_ISREG(mode):
            yield path
        elif not stat.S_ISDIR(mode):
            raise unusable(path, "something that is neither a file nor a folder")


def read_json(path: Path) -> Any:
    """The file's content; raises InputError where it is no JSON."""
    return values.read_json(path, WHOLE, AGAIN)


def read_shapes(paths: list[Path]) -> Shapes:
    """The shape of each weight, by name, from the headers of files of safetensors."""
    if not paths:
        return {}
    from safetensors import safe_open

    shapes: dict[str, tuple[int, ...]] = {}
    for path in paths:
        with opening(path, "weights as safetensors", "fetch the model again"), safe_open(path, "numpy") as file:
            shapes |= {name: tuple(file.get_slice(name).get_shape()) for name in file.keys()}  # noqa: SIM118 - no dict
    return shapes


def count_numbers(shapes: Shapes) -> int:
    """How many numbers the weights are."""
    total = 0
    for shape in shapes.values():
        size = 1
        for part in shape:
            size *= part
        total += size
    return total


def demand_room(where: object, n: int, n_stored: int) -> None:
    """Raise InputError where a model of `n` numbers is to be built for weights of `n_stored`."""
    if n > 2 * n_stored + SPARE:
        raise unusable(where, f"a configuration of {n:,} numbers beside weights of {n_stored:,}")


def check_numbers(where: object, content: Any, shapes: Shapes, packed: int = 0) -> None:
    """Raise InputError for a configuration with sizes that weights of these shapes do not have.

    `packed`: how many numbers weights without shapes hold at most.
    """
    widest = max((part for shape in shapes.values() for part in shape), default=0)
    for key, value in _numbers(content):
        if _FREE.search(key):
            continue
        most = max(FEWEST_LAYERS, len(shapes)) if _LAYERS.search(key) else max(FEWEST_ROWS, widest, packed)
        if abs(value) > most:
            raise unusable(where, f"{key} {str(value)[:40]} beside weights of other sizes")


def _numbers(content: Any) -> Iterator[tuple[str, float]]:
    """Each number of a JSON content with the key that it stands below."""
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
