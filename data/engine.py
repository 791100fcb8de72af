"""Where work runs: here, on this machine's processors, or on a Dask cluster, by the interface of concurrent.futures.

Work is cut into shards. A shard is a folder with its input; what is done of it is renamed into place in one step, so
that a shard is done or not, whoever was killed when, and a second run does only what is left. On a cluster the folder
must lie on storage that all workers see, and they need this project.
"""

import multiprocessing
import os
import shutil
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError, Executor, Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from data.console import say
from data.errors import InputError, ParadeError

HERE, PROCESSES, DASK = "here", "processes", "dask:"
SECONDS_TO_CONNECT = 20
SURVIVALS = 3
"""Workers that may die over one shard before it is given up."""
DONE = "done"
AGAIN = "run the same command again, with more memory or fewer processes"
KEPT = f"the shards that are done are kept: {AGAIN}"

Work = Callable[[Path, Path], None]
"""Reads the shard's folder and writes its results into the second folder, which exists and is empty."""


def check(engine: str) -> str:
    """The engine's name, if it is one: `here`, `processes`, `processes:N` or `dask:ADDRESS`; else InputError."""
    kind, _, rest = engine.partition(":")
    number = kind == PROCESSES and (engine == PROCESSES or (rest.isdecimal() and int(rest) > 0))
    if not (engine == HERE or number or (engine.startswith(DASK) and rest)):
        raise InputError(
            "--engine", expected="here, processes, processes:N or dask:ADDRESS", found=repr(engine), remedy="see --help"
        )
    return engine


def run_shards(work: Work, shards: Sequence[Path], engine: str, watch: Callable[..., Iterator[Any]]) -> list[Path]:
    """The folders of the results, in the order of the shards; those that were done before are not done again.

    `work` must be importable where it runs. Raises ParadeError where workers die, InputError where there is no cluster.
    """
    waiting = [shard for shard in shards if not (shard / DONE).is_dir()]
    if waiting:
        with _executor(engine, len(waiting)) as submit:
            futures = [submit(partial(_finish, work), shard) for shard in waiting]
            for future in watch(as_completed(futures), label="shards", unit="shards", total=len(futures)):
                _result(future, f"--engine {engine}", KEPT)
    return [shard / DONE for shard in shards]


def run_each(
    work: Callable[[Any], Any], items: Sequence[Any], engine: str, watch: Callable[..., Iterator[Any]], unit: str
) -> list[Any]:
    """What the work makes of each item, in their order; of a run that is stopped nothing is kept.

    `work` and items must be importable where they run. Raises as `run_shards`.
    """
    with _executor(engine, len(items)) as submit:
        futures = [submit(work, one) for one in items]
        for future in watch(as_completed(futures), label=unit, unit=unit, total=len(futures)):
            _result(future, f"{unit} by {engine}", AGAIN)
        return [future.result() for future in futures]


def _finish(work: Work, shard: Path) -> None:
    """Does the shard's work aside and renames the result into place; of two who did, the first one's stays."""
    aside = shard / f"doing-{os.uname().nodename}-{os.getpid()}"
    shutil.rmtree(aside, ignore_errors=True)
    aside.mkdir()
    work(shard, aside)
    try:
        aside.rename(shard / DONE)
    except OSError:
        shutil.rmtree(aside, ignore_errors=True)
        if not (shard / DONE).is_dir():
            raise


class _Now(Executor):
    """Does the work at once, in this process."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
        future: Future[Any] = Future()
        future.set_result(fn(*args, **kwargs))
        return future


def _end_with_parent() -> None:
    """Lets a worker end when the process does that started it, however that ends; ctrl-C is for that one alone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_await_parent, daemon=True).start()


def _await_parent() -> None:
    if parent := multiprocessing.parent_process():
        parent.join()
        os._exit(1)


@contextmanager
def _executor(engine: str, n_shards: int) -> Iterator[Callable[..., Any]]:
    kind, _, rest = check(engine).partition(":")
    if kind == PROCESSES:
        n_processes = min(int(rest) if rest else len(os.sched_getaffinity(0)), n_shards)
        spawn = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(n_processes, mp_context=spawn, initializer=_end_with_parent) as pool:
            try:
                yield pool.submit
            except KeyboardInterrupt:
                for worker in multiprocessing.active_children():
                    worker.terminate()
                raise
            finally:
                pool.shutdown(cancel_futures=True)
    elif kind == HERE:
        yield _Now().submit
    else:
        with _cluster(rest) as client:
            yield client.get_executor(retries=SURVIVALS, pure=False).submit


@contextmanager
def _cluster(address: str) -> Iterator[Any]:
    try:
        from distributed import Client
    except ImportError as fault:
        raise InputError(
            f"--engine {DASK}{address}",
            expected="the package distributed",
            found=str(fault),
            remedy='install the extra: pip install "parade-builder[dask]"',
        ) from fault
    try:
        client = Client(address, timeout=SECONDS_TO_CONNECT)
    except (OSError, ValueError) as fault:
        raise InputError(
            f"--engine {DASK}{address}",
            expected="a Dask scheduler",
            found=" ".join(str(fault).split())[:200] or type(fault).__name__,
            remedy="start one with `dask scheduler`, and workers with `dask worker ADDRESS`",
        ) from fault
    with client:
        if not client.scheduler_info()["workers"]:
            say(f"note: {address} has no worker yet; the work begins with the first (`dask worker {address}`)")
        yield client


def _result(future: Any, where: str, remedy: str) -> None:
    """Raises what the work raised; ParadeError where the worker died over it."""
    try:
        future.result()
    except _deaths() as fault:
        found = " ".join(str(fault).split())[:200] or type(fault).__name__
        raise ParadeError(where, expected="workers that live", found=found, remedy=remedy) from fault


def _deaths() -> tuple[type[BaseException], ...]:
    """What a future raises whose worker died."""
    if "distributed" not in sys.modules:
        return (BrokenProcessPool,)
    from distributed import KilledWorker

    return BrokenProcessPool, CancelledError, KilledWorker
