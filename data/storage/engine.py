"""Where work runs: in this process, on this machine's processors, or on a Dask cluster.

Work is divided into shards. A shard is a folder with its input; its result is renamed into place in one step, so that
a shard is either done or not, whichever process is killed when, and a second run does only the rest. On a cluster the
folder must be on storage that all workers see, and every worker needs this project installed.
"""

import multiprocessing
import os
import runpy
import shutil
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path
from typing import Any

from data.console.errors import InputError, ParadeError
from data.storage.cluster import fault_of_cluster, open_cluster, this_worker

HERE, PROCESSES, DASK = "here", "processes", "dask:"
DONE = "done"
AGAIN = "run the same command again, with more memory or fewer processes"
KEPT = f"finished shards are kept: {AGAIN}"

Work = Callable[[Path, Path], None]
"""Read the shard's folder and write results into the second folder, which exists and is empty."""


def check(engine: str) -> str:
    """The engine's name: `here`, `processes`, `processes:N` or `dask:ADDRESS`. Raises InputError for any other."""
    kind, _, rest = engine.partition(":")
    number = kind == PROCESSES and (engine == PROCESSES or (rest.isdecimal() and int(rest) > 0))
    if not (engine == HERE or number or (engine.startswith(DASK) and rest)):
        raise InputError(
            "--engine", expected="here, processes, processes:N or dask:ADDRESS", found=repr(engine), remedy="see --help"
        )
    return engine


def run_shards(work: Work, shards: Sequence[Path], engine: str, watch: Callable[..., Iterator[Any]]) -> list[Path]:
    """The folders of the results, in the order of the shards; finished shards are not computed again.

    `work` must be importable where it runs. Raises ParadeError if workers die, InputError if there is no cluster.
    """
    shards = [shard.absolute() for shard in shards]  # a worker may run in another folder
    waiting = [shard for shard in shards if not (shard / DONE).is_dir()]
    if waiting:
        with _executor(engine, len(waiting)) as submit:
            futures = [submit(partial(_finish, work), shard) for shard in waiting]
            for future in watch(_ready(futures, engine), label="shards", unit="shards", total=len(futures)):
                _result(future, engine, KEPT)
    return [shard / DONE for shard in shards]


def run_each(
    work: Callable[[Any], Any], items: Sequence[Any], engine: str, watch: Callable[..., Iterator[Any]], unit: str
) -> list[Any]:
    """The result for each item, in order; an interrupted run keeps nothing.

    `work` and the items' types must be importable where they run. Raises the errors of `run_shards`.
    """
    if engine == HERE:
        return [work(item) for item in watch(iter(items), label=unit, unit=unit, total=len(items))]
    with _executor(engine, len(items)) as submit:
        futures = [submit(work, item) for item in items]
        for future in watch(_ready(futures, engine), label=unit, unit=unit, total=len(futures)):
            _result(future, engine, AGAIN)
        return [future.result() for future in futures]


def run_module(module: str, words: Sequence[str]) -> int:
    """The exit code of `python -m module words`, run in a process of its own that ends with this one."""
    process = multiprocessing.get_context("spawn").Process(target=_run_module, args=(module, list(words)))
    process.start()
    try:
        process.join()
    except KeyboardInterrupt:
        process.terminate()
        raise
    return process.exitcode or 0


def _run_module(module: str, words: list[str]) -> None:
    _end_with_parent()
    sys.argv = [module, *words]
    runpy.run_module(module, run_name="__main__", alter_sys=True)


def _finish(work: Work, shard: Path) -> None:
    """Do the shard's work in a folder of its own and rename that into place; of two results, keep the first."""
    if not shard.is_dir():
        raise InputError(
            this_worker(),
            expected=f"the folder {shard.parent}",
            found="none",
            remedy="let all workers see it, or use here",
        )
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


class _Later:
    """Work that this process does once its result is asked for, so that progress is seen meanwhile."""

    def __init__(self, work: Callable[..., Any], *args: Any) -> None:
        self.result = cache(partial(work, *args))


def _ready(futures: Sequence[Any], engine: str) -> Iterator[Any]:
    """The futures in the order in which they are done; here, each is done when it is asked for."""
    return iter(futures) if engine == HERE else as_completed(futures)


def _become_worker() -> None:
    """Leave ctrl-C to the process that started this one, and end with it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _end_with_parent()


def _end_with_parent() -> None:
    """Make this process end with the one that started it, however that ends."""
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
        with ProcessPoolExecutor(n_processes, mp_context=spawn, initializer=_become_worker) as pool:
            try:
                yield pool.submit
            except KeyboardInterrupt:
                for worker in multiprocessing.active_children():
                    worker.terminate()
                raise
            finally:
                pool.shutdown(cancel_futures=True)
    elif kind == HERE:
        yield _Later
    else:
        with open_cluster(rest) as submit:
            yield submit


def _result(future: Any, engine: str, kept: str) -> None:
    """Raise what the work raised, or in one line what became of its worker or cluster."""
    where = f"--engine {engine}"
    try:
        future.result()
    except _deaths() as fault:
        found = " ".join(str(fault).split())[:200] or type(fault).__name__
        raise ParadeError(where, expected="workers that survive", found=found, remedy=kept) from fault
    except (CancelledError, ModuleNotFoundError, RuntimeError) as fault:
        if engine.startswith(DASK) and (explained := fault_of_cluster(fault, where)):
            raise explained from fault
        raise


def _deaths() -> tuple[type[BaseException], ...]:
    """The errors of a future whose worker died."""
    if "distributed" not in sys.modules:
        return (BrokenProcessPool,)
    from distributed import KilledWorker

    return BrokenProcessPool, KilledWorker
