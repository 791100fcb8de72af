"""A store on object storage, at a real S3 server."""

import ctypes
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any
from uuid import uuid4

import pandas as pd
import pyarrow as pa
import pytest

from data.console.errors import StoreBusy, TableError
from data.contract import register
from data.contract.tables.definitions import Cards
from data.contract.tables.pairs import Pairs
from data.contract.tables.removals import Tombstones
from data.contract.validation import checked
from data.guidance.look.copying import copy_store, is_current
from data.guidance.status import tables
from data.storage import locks
from data.storage.manifest import Manifest
from data.storage.object_storage import download, explain, list_files, upload
from data.storage.snapshot import Snapshot
from data.storage.store import Store, all_locks
from tests.campaign import ROOT
from tests.commands import run_all
from tests.data.storage.test_store import pairs, tombstones
from tests.object_storage import Proxy, environment, s3_server

pytestmark = [pytest.mark.xdist_group("object_storage"), pytest.mark.sweep]

MANIFEST = Manifest(stage="crawler.terminology")
APPENDER = """
import sys, time
from data.contract.tables.removals import Tombstones
from data.storage.manifest import Manifest
from data.storage.store import Store
from tests.data.storage.test_store import tombstones
place, name, n = sys.argv[1], sys.argv[2], int(sys.argv[3])
print("ready", flush=True)
sys.stdin.readline()
for number in range(n):
    rows = tombstones(*(f"{name}-{number}-{part}" for part in range(10)), f"shared-{number}")
    Store(place).append(Tombstones, rows, Manifest(stage="data.takedown"))
    print(number, flush=True)
"""


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with s3_server() as url:
        yield url


@pytest.fixture(scope="module")
def proxy(server: str) -> Iterator[Proxy]:
    between = Proxy(server)
    yield between
    between.close()


@pytest.fixture
def place(server: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> str:
    """An address at which there is nothing yet."""
    for name, value in environment(server).items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return f"s3://bucket/{uuid4().hex}"


@pytest.fixture
def slow(proxy: Proxy, place: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Proxy]:
    """The server behind the proxy."""
    monkeypatch.setenv("AWS_ENDPOINT_URL", proxy.url)
    proxy.set()
    proxy.requests()
    yield proxy
    proxy.set()


def run(*words: object, **variables: str) -> "subprocess.CompletedProcess[str]":
    start = [] if words[0] == "scrapy" else ["python", "-m"]
    return run_all([[*start, *map(str, words)]], variables=os.environ | variables)


class Process:
    """A Python program that runs beside the test."""

    def __init__(self, program: str, *words: object, **variables: str) -> None:
        command = [sys.executable, "-c", program, *map(str, words)]
        env = os.environ | {"PYTHONPATH": str(ROOT)} | variables
        self.popen = subprocess.Popen(command, cwd=ROOT, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def await_line(self) -> None:
        assert self.popen.stdout is not None
        assert self.popen.stdout.readline()

    def begin(self) -> None:
        assert self.popen.stdin is not None
        self.popen.stdin.write(b"\n")
        self.popen.stdin.flush()

    def end(self, *, kill: bool = False) -> int:
        if kill:
            self.popen.kill()
        self.popen.communicate()
        return self.popen.returncode


def test_it_reads_writes_and_erases_like_a_store_on_disk(place: str, store: Store) -> None:
    there = Store(place)
    assert there.version(Pairs) is None
    assert there.read(Pairs).empty
    assert there.erase(Pairs, lambda rows: rows, "data.takedown") == 0
    for one in (store, there):
        one.replace(Pairs, pairs("paper", "1", "2"), MANIFEST, generator="paper")
        one.replace(Pairs, pairs("it's", "3"), MANIFEST, generator="it's")
        one.replace(Pairs, pairs("paper", "4"), MANIFEST, generator="paper")
        one.append(Tombstones, tombstones("a", "b"), MANIFEST)
        assert one.append(Tombstones, tombstones("b"), MANIFEST) is None
        assert one.append(Tombstones, tombstones("b", "c"), MANIFEST) == 1
    for table in (Pairs, Tombstones):
        assert there.read(table).equals(store.read(table))
        assert there.version(table) == store.version(table)
        mine, theirs = ([{**row, "at": 0} for row in one.history(table)] for one in (there, store))
        assert mine == theirs
    assert there.read(Pairs, ["first"], version=1, generator="it's").equals(
        store.read(Pairs, ["first"], version=1, generator="it's")
    )
    assert Snapshot(place).read(Pairs).equals(store.read(Pairs))
    assert there.is_current(Pairs, MANIFEST, generator="paper")
    assert there.erase(Pairs, lambda rows: rows[rows["pair_id"] != "4"], "data.takedown") == 1
    assert there.read(Pairs)["pair_id"].tolist() == ["3"]
    with pytest.raises(TableError, match="something has been taken down since"):
        there.read(Pairs, version=1)
    assert not [*Path.cwd().glob("s3:*")]


def test_writers_at_once_lose_no_row_and_write_none_twice_while_others_read(
    proxy: Proxy, place: str, tmp_path: Path
) -> None:
    proxy.set(seconds=0.03)
    assert any(_write_at_once(proxy, f"{place}-{number}", tmp_path) for number in range(3)), "two writers met"


def _write_at_once(proxy: Proxy, place: str, folder: Path) -> bool:
    """Let three processes write while this one reads; whether two of them tried the same commit."""
    proxy.requests()
    names = ("one", "two", "three")
    writers = [
        Process(APPENDER, place, name, 4, XDG_STATE_HOME=str(folder / name), AWS_ENDPOINT_URL=proxy.url)
        for name in names
    ]
    for writer in writers:
        writer.await_line()
    for writer in writers:
        writer.begin()
    seen = []
    while any(writer.popen.poll() is None for writer in writers):
        seen.append(len(Store(place).read(Tombstones)))
    assert [writer.end() for writer in writers] == [0, 0, 0]
    commits = [request for request in proxy.requests() if re.match(r"PUT .*_delta_log/\d+\.json", request)]
    rows = Store(place).read(Tombstones)
    assert sorted(rows["id"]) == sorted(
        [f"{name}-{number}-{part}" for name in ("one", "two", "three") for number in range(4) for part in range(10)]
        + [f"shared-{number}" for number in range(4)]
    )
    assert seen == sorted(seen)
    assert all(n % 10 <= 4 for n in seen), "a reader sees whole commits"
    return len(commits) > len(set(commits))


def test_a_commit_that_another_run_was_faster_with_is_made_on_the_new_version(place: str) -> None:
    one, other = Store(place), Store(place)
    one.replace(Pairs, pairs("paper", "1"), MANIFEST, generator="paper")
    other.read(Pairs)

    def leave(rows: pd.DataFrame) -> pd.DataFrame:
        if "ours" not in set(one.read(Pairs)["generator"]):
            delta = one.delta(Pairs)
            delta.write(delta.latest(), checked(Pairs, pairs("ours", "2")), MANIFEST.to_json({}), mode="append")
        return rows[rows["generator"] != "paper"]

    assert other.erase(Pairs, leave, "data.takedown") == 1
    assert other.read(Pairs)["generator"].tolist() == ["ours"]


def test_an_erasure_leaves_no_file_of_an_interrupted_write(place: str, tmp_path: Path) -> None:
    there = Store(place)
    there.replace(Pairs, pairs("paper", "1"), MANIFEST, generator="paper")
    (tmp_path / "part-00000-left.parquet").write_bytes(b"a text")
    upload(tmp_path, f"{place}/pairs")
    before = list_files(f"{place}/pairs")
    there.erase(Pairs, lambda rows: rows[:0], "data.takedown")
    left = list_files(f"{place}/pairs")
    assert "part-00000-left.parquet" in before
    assert [name for name in left if not name.startswith("_delta_log")] == []


def test_a_writer_that_is_killed_leaves_a_whole_table(chance: Random, slow: Proxy, place: str) -> None:
    slow.set(seconds=0.03)
    for number in range(6):
        writer = Process(APPENDER, place, number, 50)
        writer.await_line()
        writer.begin()
        writer.await_line()
        time.sleep(chance.uniform(0, 0.8))
        writer.end(kill=True)
        rows = Store(place).read(Tombstones)
        assert not rows.duplicated(["kind", "study", "id"]).any()
        own = rows[rows["id"].str.startswith(f"{number}-")]
        assert len(own) >= 10
        assert len(own) % 10 == 0


@pytest.mark.parametrize("is_new", [True, False], ids=["new", "old"])
def test_a_commit_whose_answer_is_lost_counts_as_made(is_new: bool, slow: Proxy, place: str) -> None:
    there = Store(place)
    if not is_new:
        there.append(Tombstones, tombstones("a"), MANIFEST)
        there.replace(Pairs, pairs("paper", "1"), MANIFEST, generator="paper")
    version = int(not is_new)

    def lost(work: Callable[[], Any]) -> Any:
        slow.requests()
        slow.set(cut=r"PUT .*_delta_log/\d+\.json", times=1)
        found = work()
        commits = [request for request in slow.requests() if re.match(r"PUT .*_delta_log/\d+\.json", request)]
        assert commits[0] == commits[1], "it came twice"
        return found

    assert lost(lambda: there.append(Tombstones, tombstones("b"), MANIFEST)) == version
    assert lost(lambda: there.replace(Pairs, pairs("paper", "2"), MANIFEST, generator="paper")) == version
    assert there.version(Tombstones) == there.version(Pairs) == version
    assert lost(lambda: there.erase(Tombstones, lambda rows: rows[rows["id"] != "b"], "data.takedown")) == 1
    assert there.read(Tombstones)["id"].tolist() == ([] if is_new else ["a"])


def test_a_line_that_is_cut_in_mid_write_is_one_line_and_nothing_is_half_written(slow: Proxy, place: str) -> None:
    there = Store(place)
    there.append(Tombstones, tombstones("a"), MANIFEST)
    slow.set(drop=r"PUT .*parquet")
    with pytest.raises(TableError, match=r"expected object storage that answers, found .*; check the network"):
        there.append(Tombstones, tombstones("b"), MANIFEST)
    slow.set()
    assert there.read(Tombstones)["id"].tolist() == ["a"]
    there.append(Tombstones, tombstones("b"), MANIFEST)
    assert there.read(Tombstones)["id"].tolist() == ["a", "b"]


@pytest.mark.parametrize(
    ("refuse", "expected"),
    [
        (
            "501 Not Implemented",
            r"expected object storage that writes a file only where there is none \(If-None-Match\)",
        ),
        ("403 Forbidden", "expected credentials that may read and write there"),
        ("400 Bad Request", "expected object storage that takes the table, found .*; run the same command again"),
    ],
)
def test_a_refusal_is_one_line(refuse: str, expected: str, slow: Proxy, place: str) -> None:
    slow.set(refuse=refuse)
    with pytest.raises(TableError, match=expected):
        Store(place).append(Tombstones, tombstones("a"), MANIFEST)


def test_what_is_said_of_credentials_is_told_from_a_size_and_an_address() -> None:
    assert explain("s3://bucket/401", OSError("s3://bucket/401: 403 bytes are damaged")) is None
    missing = explain("s3://bucket/store", OSError("Generic S3 error: Missing AccessKeyId"))
    assert "expected credentials that may read and write there, found " in str(missing)


def test_large_files_are_copied_both_ways(place: str, tmp_path: Path) -> None:
    content = os.urandom(12 * 2**20)
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "b" / "one").write_bytes(content)
    upload(tmp_path / "a", place)
    download(place, tmp_path / "back")
    assert (tmp_path / "back" / "b" / "one").read_bytes() == content


def test_no_bucket_no_server_and_plain_http_are_one_line(place: str) -> None:
    for store, variables, expected in (
        ("s3://nothing/store", {}, "expected a bucket of that name, found NoSuchBucket"),
        (place, {"AWS_ALLOW_HTTP": "false"}, "expected an address with https"),
        (place, {"AWS_ENDPOINT_URL": "http://127.0.0.1:9"}, "expected object storage that answers, found"),
    ):
        done = run("data", "status", "--store", store, **variables)
        assert done.returncode == 2, done.stderr
        assert expected in done.stderr
        assert done.stderr.count("\n") == 1


def test_wrong_credentials_are_one_line(tmp_path: Path) -> None:
    with s3_server(INITIAL_NO_AUTH_ACTION_COUNT="1") as url:
        for words in (("status",), ("export", "pairs", "--out", tmp_path / "pairs.csv")):
            done = run("data", *words, "--store", "s3://bucket/store", **environment(url))
            assert done.returncode == 2, done.stderr
            assert "expected credentials that may read and write there, found " in done.stderr
            assert done.stderr.count("\n") == 1
            assert "testing" not in done.stderr


def test_a_lock_is_held_among_machines(place: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    here = Store(place)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "another machine"))
    elsewhere = Store(place)
    with here.lock("clustering"):
        with pytest.raises(StoreBusy, match="here, found a run in progress"), here.lock("clustering"):
            pass
        with pytest.raises(StoreBusy, match=r"found process \d+ on .*its lock ends"), elsewhere.lock("clustering"):
            pass
        with elsewhere.lock("swap"):
            pass
        with pytest.raises(StoreBusy), all_locks(elsewhere):
            pass
    with elsewhere.lock("clustering"), elsewhere.lock("swap"):
        pass
    with all_locks(here):
        pass


def test_a_lock_is_renewed_while_its_run_computes(place: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(locks, "LEASE_SECONDS", 12.0)
    here = Store(place)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "another machine"))
    with here.lock("clustering"):
        ctypes.PyDLL(None).sleep(14)  # no other thread runs meanwhile
        with pytest.raises(StoreBusy), Store(place).lock("clustering"):
            pass


def test_a_lock_whose_holder_died_ends(place: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    holder = (
        "import time, sys; from data.storage import locks; from data.storage.store import Store\n"
        f"locks.LEASE_SECONDS = 8.0\n"
        f"with Store({place!r}).lock('clustering'): print(1, flush=True); time.sleep(100)"
    )
    for folder in ("state", "another machine"):
        process = Process(holder, XDG_STATE_HOME=str(tmp_path / folder))
        process.await_line()
        process.end(kill=True)
        if folder == "state":
            with Store(place).lock("clustering"):
                pass  # a file lock shows at once that no process of this machine holds it
    with pytest.raises(StoreBusy), Store(place).lock("clustering"):
        pass
    time.sleep(9)
    with Store(place).lock("clustering"):
        pass


def test_a_lock_that_was_lost_is_said(place: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(locks, "LEASE_SECONDS", 3.0)
    monkeypatch.setattr(locks, "RENEWALS", 1e-3)
    here = Store(place)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "another machine"))
    lost = pytest.raises(StoreBusy, match="until the end, found that it was lost")
    with lost, here.lock("clustering"):
        time.sleep(3.5)
        with Store(place).lock("clustering"):
            pass


def test_a_lost_answer_to_a_run_s_own_commits_loses_no_lock(
    slow: Proxy, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(locks, "LEASE_SECONDS", 6.0)
    there = Store(place)
    with there.lock("clustering"):
        pass
    assert any(_lose_answers(slow, there) for _ in range(3)), "each commit came twice"
    slow.set()
    with there.lock("clustering"):
        pass


def _lose_answers(slow: Proxy, there: Store) -> bool:
    """Take, renew and give back a lock whose answers are lost; whether each of the three came twice."""
    lost = r"PUT .*locks/clustering/_delta_log/\d+\.json"
    slow.requests()
    slow.set(cut=lost, times=1)
    with there.lock("clustering"):
        taken = [request for request in slow.requests() if re.search(lost, request)]
        slow.set(cut=lost, times=1)
        renewed: list[str] = []
        while len(renewed) < 2:
            time.sleep(0.1)
            renewed += [request for request in slow.requests() if re.search(lost, request)]
        time.sleep(0.5)  # the answer to the second one is not to be lost; the next renewal is two seconds away
        slow.set(cut=lost, times=1)
    given_back = [request for request in slow.requests() if re.search(lost, request)]
    return all(len(requests) > len(set(requests)) for requests in (taken, renewed, given_back))


def test_a_lease_s_log_stays_short(place: str) -> None:
    there = Store(place)
    for _ in range(30):
        with there.lock("clustering"):
            pass
    assert len(list_files(f"{place}/locks")) < 30


def test_requests_are_few_and_a_slow_network_is_waited_for(slow: Proxy, place: str) -> None:
    there = Store(place)
    counts = {}
    there.replace(Pairs, pairs("paper", "1"), MANIFEST, generator="paper")
    counts["make"] = len(slow.requests())
    there.replace(Pairs, pairs("paper", "2"), MANIFEST, generator="paper")
    counts["replace"] = len(slow.requests())
    there.read(Pairs)
    counts["read"] = len(slow.requests())
    with there.lock("clustering"):
        counts["lock"] = len(slow.requests())
    counts["release"] = len(slow.requests())
    most = {"make": 15, "replace": 16, "read": 8, "lock": 24, "release": 8}
    assert {name: n for name, n in counts.items() if n > most[name]} == {}, counts
    slow.set(seconds=0.03)
    done = run("data", "history", "pairs", "--store", place)
    assert done.returncode == 0, done.stderr
    assert len(slow.requests()) <= 20
    done = run("data", "status", "--store", place)
    assert done.returncode == 0, done.stderr
    assert len(slow.requests()) <= 20


def test_requests_hardly_grow_with_the_commits(slow: Proxy, place: str) -> None:
    there, counts = Store(place), {}
    for number in range(30):
        there.append(Tombstones, tombstones(str(number)), MANIFEST)
    slow.requests()
    for name, work in {
        "read": lambda: Store(place).read(Tombstones),
        "append": lambda: Store(place).append(Tombstones, tombstones("new"), MANIFEST),
        "status": lambda: tables(Snapshot(place)),
    }.items():
        work()
        counts[name] = len(slow.requests())
    most = {"read": 90, "append": 100, "status": 130}
    assert {name: n for name, n in counts.items() if n > most[name]} == {}, counts


def test_a_look_at_what_is_shown_asks_once_for_the_tables_and_once_per_written_one(
    slow: Proxy, place: str, tmp_path: Path
) -> None:
    there, counts = Store(place), {}
    assert set(there.versions().values()) == {None}
    there.replace(Pairs, pairs("paper", "1"), MANIFEST, generator="paper")
    for number in range(12):
        there.append(Tombstones, tombstones(str(number)), MANIFEST)
    assert there.versions() == {table.table_name(): there.version(table) for table in register.TABLES}
    watching, copies = Store(place), [tmp_path / "first.db", tmp_path / "later.db"]
    copy_store(place, copies[0])
    slow.requests()
    assert is_current(watching, copies[0])
    counts["look"] = len(slow.requests())
    there.append(Tombstones, tombstones("new"), MANIFEST)
    assert not is_current(watching, copies[0])
    slow.requests()
    copy_store(place, copies[1], copies[0])
    counts["copy"] = len(slow.requests())
    assert is_current(watching, copies[1])
    most = {"look": 3, "copy": 150}
    assert {name: n for name, n in counts.items() if n > most[name]} == {}, counts


def test_a_pipeline_writes_the_same_tables_as_on_disk(place: str, tmp_path: Path) -> None:
    world = ROOT / "demo"
    (tmp_path / "decks").mkdir()
    for deck in (world / "decks").glob("612001*.json"):
        (tmp_path / "decks" / deck.name).symlink_to(deck)
    steps = (
        ("crawler.terminology", world / "papers.jsonl", "--above", "20", "--add", world / "terms_to_add.txt"),
        ("scrapy", "crawl", "files", "-a", f"path={tmp_path / 'decks'}"),
        ("crawler.definitions",),
        ("clustering", "propose"),
    )
    disk = Store(tmp_path / "store")
    for store in (disk.address, place):
        for step in steps:
            done = run(*step, "--store", store)
            assert done.returncode in (0, 1), done.stderr
            assert not done.stderr.count("Traceback")
    there = Store(place)
    written = [table for table in register.TABLES if disk.exists(table)]
    assert len(written) > 5
    assert [table for table in register.TABLES if there.exists(table)] == written
    for table in written:
        columns = [field.name for field in table.arrow_schema() if not pa.types.is_timestamp(field.type)]
        mine, theirs = (one.read(table)[columns] for one in (there, disk))
        assert len(mine) == len(theirs), table.table_name()
        assert mine.equals(theirs), table.table_name()
        stages = [
            [(row["stage"], row["version"], row["counts"]) for row in one.history(table)] for one in (there, disk)
        ]
        assert stages[0] == stages[1], table.table_name()
    export = ("export", "pairs", "--out", tmp_path / "pairs.csv")
    for words in (export, ("rejects", "crawler.definitions")):
        done = run("data", *words, "--store", place)
        assert done.returncode == 0, done.stderr
    done = run("data", "pack", tmp_path / "pack.tar.gz", "--store", place)
    assert done.returncode == 0, done.stderr
    for target in (f"{place}-2", tmp_path / "unpacked"):
        done = run("data", "unpack", tmp_path / "pack.tar.gz", "--store", target)
        assert done.returncode == 0, done.stderr
        for table in written:
            assert Store(target).read(table).equals(there.read(table))
        assert [*(Store(target).root / "ledgers").glob("*.sqlite")]
    card = there.read(Cards, ["card_id"])["card_id"][0]
    done = run("data", "takedown", card, "--store", place)
    assert done.returncode == 0, done.stderr
    assert card not in set(there.read(Cards)["card_id"])
    assert not [*ROOT.glob("s3:*")]
