"""Shards by every engine: each done once, whichever worker dies."""

import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path

import psutil
import pytest

from data.console.errors import InputError, ParadeError
from data.storage.engine import _finish, check, run_each, run_shards
from tests.campaign import ROOT
from tests.cluster import Cluster


def unwatched(items, **_):
    return items


def make_shards(folder: Path, n: int) -> list[Path]:
    shards = [folder / f"shard-{number}" for number in range(n)]
    for number, shard in enumerate(shards):
        shard.mkdir(parents=True)
        (shard / "number").write_text(str(number))
    return shards


def square(shard: Path, out: Path) -> None:
    with (shard / "log").open("a") as log:
        log.write("done\n")
    (out / "square").write_text(str(int((shard / "number").read_text()) ** 2))


def square_unless_the_first_dies(shard: Path, out: Path) -> None:
    """The first worker that comes here dies over it, as if by the kernel's hand."""
    try:
        (shard.parent / "death").mkdir()
    except FileExistsError:
        square(shard, out)
    else:
        os.kill(os.getpid(), signal.SIGKILL)


def wait_for_ever(shard: Path, out: Path) -> None:
    threading.Event().wait()


def squares(results: list[Path]) -> list[int]:
    return [int((result / "square").read_text()) for result in results]


@pytest.mark.sweep
@pytest.mark.parametrize("engine", ["here", "processes:2"])
def test_results_are_in_the_order_of_the_shards_and_computed_once(tmp_path: Path, engine: str) -> None:
    shards = make_shards(tmp_path, 5)
    assert squares(run_shards(square, shards[:3], engine, unwatched)) == [0, 1, 4]
    assert squares(run_shards(square, shards, engine, unwatched)) == [0, 1, 4, 9, 16]
    assert [(shard / "log").read_text() for shard in shards] == ["done\n"] * 5
    assert not list(tmp_path.glob("*/doing-*"))


def test_shards_are_found_from_other_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    make_shards(Path(), 1)
    assert run_shards(square, [Path("shard-0")], "here", unwatched) == [tmp_path / "shard-0" / "done"]


def test_each_shard_is_shown_when_it_is_done(tmp_path: Path) -> None:
    shards, seen = make_shards(tmp_path, 3), []

    def watch(items, **_):
        for item in items:
            yield item
            seen.append(sum((shard / "done").is_dir() for shard in shards))

    run_shards(square, shards, "here", watch)
    assert seen == [1, 2, 3]


@pytest.mark.sweep
def test_a_killed_process_is_one_line_and_the_next_run_goes_on(tmp_path: Path) -> None:
    shards = make_shards(tmp_path, 4)
    with pytest.raises(ParadeError, match=r"--engine processes:1: expected workers that survive, found .*run the same"):
        run_shards(square_unless_the_first_dies, shards, "processes:1", unwatched)
    assert squares(run_shards(square_unless_the_first_dies, shards, "processes:1", unwatched)) == [0, 1, 4, 9]


def test_what_a_shard_raises_comes_through_and_leaves_nothing_done(tmp_path: Path) -> None:
    (shard,) = make_shards(tmp_path, 1)
    (shard / "number").write_text("x")
    with pytest.raises(ValueError, match="invalid literal"):
        run_shards(square, [shard], "here", unwatched)
    assert not (shard / "done").exists()


def twice(number: int) -> int:
    """Its worker dies over a negative number."""
    return 2 * number if number >= 0 else os._exit(9)


@pytest.mark.sweep
@pytest.mark.parametrize("engine", ["here", "processes:2"])
def test_results_are_in_the_order_of_the_items(engine: str) -> None:
    assert run_each(twice, [3, 1, 2], engine, unwatched, "numbers") == [6, 2, 4]


@pytest.mark.sweep
def test_a_worker_that_dies_over_an_item_is_one_line() -> None:
    with pytest.raises(
        ParadeError, match=r"^--engine processes:1: expected workers that survive, found .*; run the same"
    ):
        run_each(twice, [1, -1, 2], "processes:1", unwatched, "numbers")


@pytest.mark.parametrize("engine", ["", "spark", "processes:", "processes:0", "processes:x", "dask:", "here:2"])
def test_an_unknown_engine_is_one_line(engine: str) -> None:
    with pytest.raises(InputError, match="expected here, processes, processes:N or dask:ADDRESS"):
        check(engine)


@pytest.mark.sweep
def test_no_scheduler_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("data.storage.cluster.SECONDS_TO_CONNECT", 1)
    with pytest.raises(InputError, match=r"dask:tcp://127\.0\.0\.1:9: expected a Dask scheduler"):
        run_shards(square, make_shards(tmp_path, 1), "dask:tcp://127.0.0.1:9", unwatched)


PROGRAM = """
import os
import signal
import sys
import threading
from pathlib import Path

from data.storage.engine import run_shards


def work(shard: Path, out: Path) -> None:
    (shard / "aside").write_text(str(os.getpid()))
    (shard / "aside").rename(shard / "worker")
    threading.Event().wait()


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored where the tests run in a shell's background
    try:
        run_shards(work, [Path(arg) for arg in sys.argv[1:]], "processes:2", lambda items, **_: items)
    except KeyboardInterrupt:
        sys.exit(130)
"""


def has_ended(number: int) -> bool:
    try:
        return psutil.Process(number).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def wait_until(met: Callable[[], bool]) -> None:
    for _ in range(30_000):
        if met():
            return
        threading.Event().wait(0.02)
    pytest.fail("waited for ten minutes")


@pytest.mark.parametrize(("how", "code"), [(signal.SIGKILL, -9), (signal.SIGINT, 130)])
def test_no_worker_outlives_the_run_that_was_stopped(tmp_path: Path, how: signal.Signals, code: int) -> None:
    """By ctrl-C, which a terminal sends to all of them, or by a kill of the first one alone."""
    shards = make_shards(tmp_path, 3)
    (tmp_path / "program.py").write_text(PROGRAM)
    command = [sys.executable, str(tmp_path / "program.py"), *map(str, shards)]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    with (tmp_path / "stderr").open("wb") as stderr:
        process = subprocess.Popen(command, env=environment, stderr=stderr, start_new_session=True)
    wait_until(lambda: all((shard / "worker").exists() for shard in shards[:2]))
    workers = [int((shard / "worker").read_text()) for shard in shards[:2]]
    try:
        (os.killpg if how == signal.SIGINT else os.kill)(process.pid, how)
        assert process.wait(600) == code
        wait_until(lambda: all(map(has_ended, workers)))
        assert "Traceback" not in (tmp_path / "stderr").read_text()
    finally:
        for one in workers:
            if not has_ended(one):
                os.kill(one, signal.SIGKILL)


WAITING = """
import os, sys, threading
from pathlib import Path

Path(sys.argv[1]).with_suffix(".part").write_text(str(os.getpid()))
Path(sys.argv[1]).with_suffix(".part").rename(sys.argv[1])
sys.exit(7) if sys.argv[2:] else threading.Event().wait()
"""


def start_module(folder: Path, *words: str) -> subprocess.Popen[bytes]:
    """A program that runs the module `waiting`, which writes its process's id to the file `module`."""
    (folder / "waiting.py").write_text(WAITING)
    (folder / "program.py").write_text(
        "import sys\nfrom data.storage.engine import run_module\n"
        "if __name__ == '__main__':\n    sys.exit(run_module('waiting', sys.argv[1:]))\n"
    )
    environment = os.environ | {"PYTHONPATH": f"{ROOT}{os.pathsep}{folder}"}
    command = [sys.executable, str(folder / "program.py"), str(folder / "module"), *words]
    return subprocess.Popen(command, env=environment, start_new_session=True)


def test_a_module_run_in_a_process_of_its_own_gives_its_exit_code(tmp_path: Path) -> None:
    assert start_module(tmp_path, "end").wait(600) == 7
    assert has_ended(int((tmp_path / "module").read_text()))


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_no_module_outlives_the_process_that_ran_it(tmp_path: Path, how: signal.Signals) -> None:
    process = start_module(tmp_path)
    wait_until((tmp_path / "module").exists)
    number = int((tmp_path / "module").read_text())
    process.send_signal(how)
    assert process.wait(600) == -how
    wait_until(lambda: has_ended(number))


@pytest.mark.sweep
def test_a_cluster_without_workers_says_so_again_and_the_work_begins_with_the_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("data.storage.cluster.SECONDS_BETWEEN_NOTES", 0.05)
    with Cluster(tmp_path, n_workers=0) as running:
        said = ""

        def said_twice() -> bool:
            nonlocal said
            said += capsys.readouterr().out
            return said.count(f"note: {running.address} has no workers; work begins with the first one") > 1

        def watch(futures, **_):
            wait_until(said_twice)
            running.start_worker()
            return futures

        [result] = run_shards(square, make_shards(tmp_path, 1), f"dask:{running.address}", watch)
    assert (result / "square").read_text() == "0"


@pytest.mark.sweep
def test_a_worker_with_another_library_is_named(tmp_path: Path) -> None:
    other = tmp_path / "other" / "pandas-1.0.dist-info" / "METADATA"
    other.parent.mkdir(parents=True)
    other.write_text("Metadata-Version: 2.1\nName: pandas\nVersion: 1.0\n")
    with Cluster(tmp_path, n_workers=0) as running:
        running.start_worker(other.parent.parent)
        message = rf"^the worker on \S+, process {running.workers[0].pid}: expected pandas [23]\S+, found 1\.0; install"
        with pytest.raises(InputError, match=message):
            run_each(twice, [1], f"dask:{running.address}", unwatched, "numbers")


@pytest.mark.sweep
def test_a_worker_with_another_checkout_is_named(tmp_path: Path) -> None:
    other = tmp_path / "other"
    shutil.copytree(ROOT / "data", other / "data", ignore=shutil.ignore_patterns("store", "__pycache__"))
    (other / "tests").symlink_to(ROOT / "tests")
    with (other / "data" / "console" / "messages.py").open("a") as module:
        module.write("ADDED = 1\n")
    with Cluster(tmp_path, n_workers=0) as running:
        running.start_worker(other)
        message = rf"process {running.workers[0].pid}: expected the code of {__name__} to be [0-9a-f]+, found [0-9a-f]+"
        with pytest.raises(InputError, match=message):
            run_each(twice, [1], f"dask:{running.address}", unwatched, "numbers")


@pytest.mark.sweep
def test_a_worker_that_does_not_see_the_folder_is_named(tmp_path: Path) -> None:
    hidden = tmp_path / "hidden"
    with Cluster(tmp_path, n_workers=1) as running:

        def watch(futures, **_):
            return futures

        with pytest.raises(
            InputError, match=rf"^the worker on \S+, process \d+: expected the folder {hidden}, found none"
        ):
            run_each(partial(_finish, square), [hidden / "shard-0"], f"dask:{running.address}", unwatched, "shards")


@pytest.mark.sweep
def test_a_scheduler_that_is_lost_is_one_line(tmp_path: Path) -> None:
    with Cluster(tmp_path, n_workers=1) as running:

        def watch(futures, **_):
            running.scheduler.kill()
            return futures

        with pytest.raises(ParadeError, match=rf"^--engine dask:{running.address}: expected a scheduler to the end"):
            run_shards(wait_for_ever, make_shards(tmp_path, 1), f"dask:{running.address}", watch)
