"""Shards by every engine: each done once, whoever dies."""

import os
import signal
from pathlib import Path

import pytest

from data.engine import check, run_each, run_shards
from data.errors import InputError, ParadeError


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


def squares(results: list[Path]) -> list[int]:
    return [int((result / "square").read_text()) for result in results]


@pytest.mark.parametrize("engine", ["here", "processes:2"])
def test_results_come_in_the_order_of_the_shards_and_are_not_made_twice(tmp_path: Path, engine: str) -> None:
    shards = make_shards(tmp_path, 5)
    assert squares(run_shards(square, shards[:3], engine, unwatched)) == [0, 1, 4]
    assert squares(run_shards(square, shards, engine, unwatched)) == [0, 1, 4, 9, 16]
    assert [(shard / "log").read_text() for shard in shards] == ["done\n"] * 5
    assert not list(tmp_path.glob("*/doing-*"))


def test_a_killed_process_is_one_line_and_the_next_run_goes_on(tmp_path: Path) -> None:
    shards = make_shards(tmp_path, 4)
    with pytest.raises(ParadeError, match=r"--engine processes:1: expected workers that live, found .*run the same"):
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


@pytest.mark.parametrize("engine", ["here", "processes:2"])
def test_each_item_s_result_stands_in_its_place(engine: str) -> None:
    assert run_each(twice, [3, 1, 2], engine, unwatched, "numbers") == [6, 2, 4]


def test_a_worker_that_dies_over_an_item_is_one_line() -> None:
    with pytest.raises(
        ParadeError, match=r"^numbers by processes:1: expected workers that live, found .*; run the same"
    ):
        run_each(twice, [1, -1, 2], "processes:1", unwatched, "numbers")


@pytest.mark.parametrize("engine", ["", "spark", "processes:", "processes:0", "processes:x", "dask:", "here:2"])
def test_an_unknown_engine_is_one_line(engine: str) -> None:
    with pytest.raises(InputError, match="expected here, processes, processes:N or dask:ADDRESS"):
        check(engine)


def test_no_scheduler_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("data.engine.SECONDS_TO_CONNECT", 1)
    with pytest.raises(InputError, match=r"dask:tcp://127\.0\.0\.1:9: expected a Dask scheduler"):
        run_shards(square, make_shards(tmp_path, 1), "dask:tcp://127.0.0.1:9", unwatched)
