"""Shard by shard, on one process, many, or a cluster that loses a worker: the same proposal."""

import shutil
import threading
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clustering.candidates import shards
from clustering.candidates.pairs import PairProposal, propose
from clustering.candidates.shards import deal, propose_in_shards
from clustering.config import Config
from data.console.errors import ParadeError
from data.texts.identity import definition_id
from tests.cluster import Cluster

SUBJECTS = ("a network", "a set of nodes", "many devices", "small machines", "several computers")
DEEDS = ("that share data", "which talk to each other", "linked by radio")
SMALL = Config(vector_size=8, epochs=2, n_init=2, limit=200, min_count=2)


def definitions(n_entities: int) -> pd.DataFrame:
    rows = [
        (f"entity {number:02}", f"{who} {what} in place {(number + at) % 7}")
        for number in range(n_entities)
        for at, (who, what) in enumerate((who, what) for who in SUBJECTS for what in DEEDS)
    ]
    rows.append(("entity 00", "zzz"))
    frame = pd.DataFrame(rows, columns=["entity", "text"])
    return frame.assign(definition_id=[definition_id(*row) for row in rows])


def same(one: PairProposal, other: PairProposal) -> None:
    for name in ("pairs", "rejects"):
        left, right = (
            getattr(proposal, name).pipe(lambda frame: frame.sort_values(frame.columns[0], ignore_index=True))
            for proposal in (one, other)
        )
        pd.testing.assert_frame_equal(left, right, check_dtype=False)
    assert (one.n_clustered, one.n_candidates) == (other.n_clustered, other.n_candidates)


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("vectors", "engine"),
    [("word2vec", "here"), ("word2vec", "processes:2"), ("tfidf", "here"), ("combined", "here")],
)
def test_shards_give_the_proposal_of_one_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, vectors: str, engine: str
) -> None:
    monkeypatch.setattr(shards, "DEFINITIONS_PER_SHARD", 40)
    config = replace(SMALL, vectors=vectors)  # type: ignore[arg-type]
    table = definitions(8)
    same(propose_in_shards(table, config, tmp_path / "work", engine), propose(table, config))
    shards.remove(tmp_path / "work")
    assert not (tmp_path / "work").exists()


@pytest.mark.sweep
def test_a_cluster_that_loses_a_worker_half_way_gives_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shards, "DEFINITIONS_PER_SHARD", 15)
    table, folder, at_death = definitions(20), tmp_path / "work", []
    ended = threading.Event()
    with Cluster(tmp_path) as running:

        def kill() -> None:
            while not ended.wait(0.002):
                if any(folder.glob("shard-*/done")):
                    running.workers[0].kill()
                    at_death.append(len(list(folder.glob("shard-*/done"))))
                    return

        killer = threading.Thread(target=kill)
        killer.start()
        try:
            proposal = propose_in_shards(table, SMALL, folder, f"dask:{running.address}")
        finally:
            ended.set()
            killer.join()
        assert running.workers[0].wait() != 0
    assert at_death
    assert at_death[0] < 20
    same(proposal, propose(table, SMALL))


def test_a_stopped_run_goes_on_from_its_shards(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shards, "DEFINITIONS_PER_SHARD", 40)
    table, folder = definitions(8), tmp_path / "work"
    done: list[str] = []

    def stop_at_the_second(shard: Path, out: Path) -> None:
        done.append(shard.name)
        if len(done) == 2:
            raise ParadeError("here", expected="nothing", found="a stop", remedy="go on")
        pool_shard(shard, out)

    pool_shard = shards.pool_shard
    monkeypatch.setattr(shards, "pool_shard", stop_at_the_second)
    with pytest.raises(ParadeError, match="a stop"):
        propose_in_shards(table, SMALL, folder, "here")
    monkeypatch.setattr(shards, "describe", None)  # vectors are not made again
    same(propose_in_shards(table, SMALL, folder, "here"), propose(table, SMALL))
    assert done == ["shard-00000", "shard-00001", "shard-00001", "shard-00002"]


def test_a_run_interrupted_while_its_shards_are_removed_starts_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shards, "DEFINITIONS_PER_SHARD", 40)
    table, folder = definitions(8), tmp_path / "work"
    remove = shutil.rmtree

    def stop_after_a_shard(path: Path, ignore_errors: bool) -> None:
        remove(path / "shard-00001", ignore_errors)
        raise KeyboardInterrupt

    propose_in_shards(table, SMALL, folder, "here")
    with monkeypatch.context() as patched:
        patched.setattr(shutil, "rmtree", stop_after_a_shard)
        with pytest.raises(KeyboardInterrupt):
            shards.remove(folder)
    same(propose_in_shards(table, SMALL, folder, "here"), propose(table, SMALL))


@given(st.lists(st.sampled_from("abcdefgh"), max_size=60))
def test_shards_hold_every_row_once_and_part_no_entity(entities: list[str]) -> None:
    dealt = deal(pd.Series(entities, dtype=object))
    assert sorted(row for rows in dealt for row in rows) == list(range(len(entities)))
    homes = [{entities[row] for row in rows} for rows in dealt]
    assert sum(map(len, homes)) == len(set(entities))
