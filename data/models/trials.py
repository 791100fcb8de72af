"""Files of others that native code reads: used first in a process of its own, which may end however it likes."""

import importlib
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

from data.console.errors import InputError, ParadeError, restore
from data.models.runs import ModelName

SECONDS, BYTES_PER_SECOND = 30, 2**20
"""How long the processor may work on a file of any size, and how many bytes give it a further second."""
CLOCK_FACTOR = 10
"""How many times as long it may take by the clock, on a busy machine."""
MEMORY_BYTES = 3 * 2**30
"""Bytes that opening may take beside ten times the file's size."""
TEXTS = (
    "the process of converting plaintext into ciphertext",
    "Jack's 3 quizzes vexed my 1024 owls by 567",
    "8.9: \N{LATIN SMALL LETTER E WITH ACUTE}\N{LATIN SMALL LIGATURE FI}?",
    "",
)
"""What a model is tried with: every letter and figure, and letters that few models know."""
ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS", "MALLOC_ARENA_MAX")
"""Libraries set memory aside for each of their threads."""
REFUSED, FAILED = 2, 3


def try_first(use: Callable[[str], None], place: Path, *, expected: str, remedy: str) -> None:
    """Let `use`, a function of ours, open and use the file or folder in another process; once while it is unchanged.

    Raises InputError where the process crashes, or takes too long or too much memory, and for whatever `use` raises.
    """
    paths = sorted(place.rglob("*")) if place.is_dir() else [place]
    state = [(str(path), *_identify(path.stat())) for path in (place, *paths)]
    code, said = _run(f"{use.__module__}:{use.__name__}", str(place), tuple(state))
    if code == REFUSED:
        raise restore(InputError, said)
    if code:
        raise InputError(place, expected=expected, found=said if code == FAILED else _name_end(code), remedy=remedy)


def _identify(found: os.stat_result) -> tuple[int, int, int]:
    return found.st_ino, found.st_size, found.st_mtime_ns


@lru_cache(maxsize=64)
def _run(use: str, place: str, state: tuple[tuple[str, int, int, int], ...]) -> tuple[int, str]:
    """The exit code of the other process, and the last line that it wrote."""
    size = sum(n_bytes for _, _, n_bytes, _ in state)
    seconds = SECONDS + size // BYTES_PER_SECOND

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES + 10 * size,) * 2)
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    try:
        done = subprocess.run(  # noqa: S603 - ours
            [sys.executable, "-c", "from data.models.trials import answer; answer()", use, place],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", check=False,
            timeout=CLOCK_FACTOR * seconds, preexec_fn=limit, env=os.environ | dict.fromkeys(ONE_THREAD, "1"),
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return -signal.SIGXCPU, ""
    return done.returncode, (done.stdout.strip().splitlines() or [""])[-1]


def _name_end(code: int) -> str:
    if code == -signal.SIGXCPU:
        return "one that is never open"
    return f"one that ends the process which opens it ({signal.Signals(-code).name if code < 0 else code})"


def answer() -> None:
    """Use the file or folder of the command line as its function says, and leave with what came of it."""
    name, place = sys.argv[1:]
    module, function = ModelName.parse(name).parts
    try:
        getattr(importlib.import_module(module), function)(place)
    except ParadeError as fault:
        print("", " ".join(str(fault).split()), sep="\n")
        sys.exit(REFUSED)
    except BaseException as fault:  # noqa: BLE001 - a panic of Rust is no Exception
        print("", f"{type(fault).__name__}: {' '.join(str(fault).split())[:200]}", sep="\n")
        sys.exit(FAILED)
