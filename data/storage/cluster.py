"""A Dask cluster as an engine: what its workers must have, and the messages if there are none or it is lost."""

import logging
import os
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import CancelledError
from contextlib import contextmanager
from typing import Any

from data.console.errors import InputError, ParadeError
from data.console.messages import say
from data.storage.code_version import module_version
from data.storage.manifest import libraries

SECONDS_TO_CONNECT = 20
SECONDS_BETWEEN_NOTES = 30.0
SAME = "install there what this machine has (the same checkout, and constraints.txt), or end that worker"


@contextmanager
def open_cluster(address: str) -> Iterator[Callable[..., Any]]:
    """A function that submits work and returns its future; while there is no worker, a note says so every 30 seconds.

    Work raises InputError on a worker that has other libraries, or other code of ours, than this machine. Raises
    InputError if there is no scheduler.
    """
    where = f"--engine dask:{address}"
    try:
        from distributed import Client
    except ImportError as fault:
        raise InputError(
            where,
            expected="the package distributed",
            found=str(fault),
            remedy='install the extra: pip install "parade-builder[dask]"',
        ) from fault
    for logger in ("distributed", "distributed.client"):
        logging.getLogger(logger).setLevel(logging.CRITICAL)  # what matters is one line of ours
    try:
        client = Client(address, timeout=SECONDS_TO_CONNECT)
    except (OSError, ValueError) as fault:
        raise InputError(
            where,
            expected="a Dask scheduler",
            found=" ".join(str(fault).split())[:200] or type(fault).__name__,
            remedy="start one with `dask scheduler`, and workers with `dask worker ADDRESS`",
        ) from fault
    with client, _notes(client, address):
        submit = client.get_executor(pure=False).submit
        yield lambda work, *given: submit(_do, _needs(work), work, *given)


def fault_of_cluster(fault: BaseException, where: str) -> ParadeError | None:
    """The fault of a future in one line, or None if it is the work's own."""
    if isinstance(fault, CancelledError):
        again = "start it and its workers, and run the same command again"
        return ParadeError(where, expected="a scheduler to the end", found="that it is gone", remedy=again)
    if isinstance(fault, ModuleNotFoundError) or "deserializ" in str(fault):
        found = " ".join(str(fault.__cause__ or fault).split())
        return InputError(where, expected="this project on every worker", found=found, remedy=SAME)
    return None


@contextmanager
def _notes(client: Any, address: str) -> Iterator[None]:
    """Say at once and every 30 seconds that there is no worker, while there is none."""
    ended = threading.Event()

    def look() -> None:
        if not client.scheduler_info()["workers"]:
            say(f"note: {address} has no workers; work begins with the first one (`dask worker {address}`)")

    def look_again() -> None:
        while not ended.wait(SECONDS_BETWEEN_NOTES):
            look()

    look()
    looking = threading.Thread(target=look_again, daemon=True)
    looking.start()
    try:
        yield
    finally:
        ended.set()
        looking.join()


def _needs(work: Callable[..., Any]) -> Mapping[str, str]:
    """What work needs: library -> version, and the code of its module -> the version of that code."""
    module = getattr(work, "func", work).__module__
    return libraries() | {f"the code of {module} to be": module_version(module)}


def _do(needs: Mapping[str, str], work: Callable[..., Any], *given: Any) -> Any:
    """Do the work on a worker that has what it needs. Raises InputError on any other."""
    for name, found in _needs(work).items():
        if found != needs[name]:
            raise InputError(this_worker(), expected=f"{name} {needs[name]}", found=found, remedy=SAME)
    return work(*given)


def this_worker() -> str:
    """The name of this process where work is shared out."""
    return f"the worker on {os.uname().nodename}, process {os.getpid()}"
