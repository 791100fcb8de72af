"""Model folders of others: looked at before a library reads them, and opened so that every fault is one line."""

import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from data.console.errors import InputError, ParadeError
from data.files.values import read_json
from data.models import native
from data.models.sizes import AGAIN, NUMBERS_PER_BYTE, WHOLE, Shapes, check_numbers, unusable
from data.models.trials import try_first

MAX_FILES = 10_000


@contextmanager
def opening(where: object, expected: str, remedy: str) -> Iterator[None]:
    """Raise InputError for whatever a library raises in the block, which opens what others made.

    Libraries raise anything for a spoiled file: errors of their own, of types, of memory, of recursion. So the block
    holds nothing else than the opening of a model.
    """
    try:
        yield
    except (ParadeError, KeyboardInterrupt, SystemExit):
        raise
    except BaseException as fault:  # a panic of Rust is no Exception
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
    may name sizes that its weights do not have. What native code reads must do no harm to another process (see
    `data.models.trials`); beside that, nothing is loaded, and nothing of the folder is executed.
    """
    files = list(_list(folder))
    shapes = read_shapes([path for path in files if path.suffix == ".safetensors"])
    packed = sum(path.stat().st_size for path in files if path.suffix == ".gguf") * NUMBERS_PER_BYTE
    for path in files:
        if path.suffix == ".json":
            content = read_json(path, WHOLE, AGAIN)
            if path.name == "config.json":
                check_numbers(path, content, shapes, packed)
    for path in files:
        if use := native.find_use(path):
            try_first(use, path, expected=WHOLE, remedy=AGAIN)
    return shapes


def _list(folder: Path) -> Iterator[Path]:
    for number, path in enumerate(folder.rglob("*")):
        if number == MAX_FILES:
            raise unusable(folder, f"more than {MAX_FILES:,} files")
        mode = path.stat().st_mode
        if stat.S_ISREG(mode):
            yield path
        elif not stat.S_ISDIR(mode):
            raise unusable(path, "something that is neither a file nor a folder")


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
