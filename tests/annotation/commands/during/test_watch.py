"""`watch` at a real server: it collects, gives out what is worth most, and goes on after any interruption."""

import os
import signal
import subprocess
import sys
import time

import pytest

from annotation.__main__ import main
from annotation.commands.during import watch
from annotation.label_studio import opening
from data.console.errors import ServerError
from data.contract.tables.campaign import Assignments, Ratings
from data.contract.tables.labels import Quality, Verdicts
from data.contract.tables.pairs import Pairs
from data.contract.tables.plans import Campaigns
from data.storage.manifest import Manifest
from data.storage.store import Store
from tests.annotation.support.frames import pairs

N_PAIRS, BUDGET = 10, 16
PROFILES = ("--profiles", "good:4,guessing:1")


class World:
    """A campaign of five simulated people at the shared server."""

    def __init__(self, store, running):
        self.store, self.key = store, {"LABEL_STUDIO_API_KEY": running.api_key}
        self.flags = ["--store", str(store.root), "--campaign", store.root.parent.name.replace("_", "-")]
        self.there = ["--url", running.url]

    def run(self, *words):
        assert main([*words, *self.flags]) == 0

    def start(self, *words):
        command = [sys.executable, "-m", "annotation", *words, *self.flags, *self.there]
        return subprocess.Popen(
            command, env=os.environ | self.key, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )

    def label(self):
        self.run("simulate", *PROFILES, *self.there)

    @property
    def rows(self):
        return self.store.read(Assignments, campaign=self.flags[-1])

    @property
    def is_waiting(self):
        return not set(self.rows["assignment_id"]) <= set(self.store.read(Ratings)["assignment_id"])


@pytest.fixture
def world(tmp_path, label_studio, monkeypatch):
    store = Store(tmp_path / "store")
    store.replace(Pairs, pairs(N_PAIRS), Manifest(stage="clustering"), generator="recommended")
    monkeypatch.setenv("LABEL_STUDIO_API_KEY", label_studio.running.api_key)
    made = World(store, label_studio.running)
    plan = f"plan --annotators 5 --allocate certain --random-share 0.2 --target 0.99 --budget {BUDGET}"
    made.run(*plan.split())
    return made


class WaitingClock:
    """A clock that waiting alone moves, and a server that has its first answer after three seconds."""

    def __init__(self):
        self.now = 0.0

    def monotonic(self):
        return self.now

    def sleep(self, seconds):
        self.now += seconds

    def latest(self):
        return {7: (1, "then")} if self.now >= 3 else {}


@pytest.mark.parametrize(("is_short", "waited"), [(True, 3), (False, 60)])
def test_a_new_answer_ends_the_wait_only_where_someone_has_nothing_to_do(is_short, waited, monkeypatch):
    clock = WaitingClock()
    monkeypatch.setattr(watch, "time", clock)
    watch._wait(clock, 60, watch.Kept(threads=None, is_short=is_short))
    assert clock.now == waited


def until(condition, process=None):
    end = time.monotonic() + 120
    while not condition():
        assert process is None or process.poll() is None, process.communicate()
        assert time.monotonic() < end
        time.sleep(0.1)


@pytest.mark.sweep
def test_a_watch_gives_out_ratings_up_to_the_budget_through_kills_and_no_second_one_runs(world, capsys):
    assert world.rows.groupby("pair_id").size().value_counts().to_dict() == {1: 8, 3: 2}
    watch = world.start("watch", "--every", "1s")
    until(lambda: any(world.store.root.rglob("*-watch.lock")), watch)
    second = world.start("watch", "--every", "1s")
    assert second.wait(60) == 2
    assert "-watch here" in second.communicate()[1]
    os.kill(watch.pid, signal.SIGKILL)
    watch.communicate()
    for wait in (1.5, 2.5, 3.5):  # killed in the middle of a look, wherever that is
        watch = world.start("watch", "--every", "1s")
        try:
            watch.communicate(timeout=wait)
        except subprocess.TimeoutExpired:
            os.kill(watch.pid, signal.SIGKILL)
            watch.communicate()
    watch = world.start("watch", "--every", "1s")
    while watch.poll() is None:
        until(lambda: world.is_waiting or watch.poll() is not None)
        if watch.poll() is None:
            main(["simulate", *PROFILES, *world.flags, *world.there])
    out, err = watch.communicate()
    assert watch.returncode == 0, err
    assert f"annotators are measured by {BUDGET} ratings: " in out.split("all is answered")[0]
    assert {world.store.manifest(table)["counts"]["rows_in"] for table in (Quality, Verdicts)} == {BUDGET}
    rows, plan = world.rows, world.store.read(Campaigns, campaign=world.flags[-1]).iloc[0]
    assert (plan["allocate"], plan["budget"]) == ("certain", BUDGET)
    assert len(rows) == BUDGET
    assert not rows.duplicated(["pair_id", "annotator"]).any()
    assert set(rows["round"]) == {1, 2}
    assert rows[rows["random"]].groupby("pair_id").size().tolist() == [3, 3]
    assert sorted(world.store.read(Ratings)["assignment_id"]) == sorted(rows["assignment_id"])
    world.run("adjudicate")


@pytest.mark.sweep
def test_what_a_look_could_not_open_the_next_one_opens(world, monkeypatch):
    """Otherwise people would wait for pairs that the store holds as theirs, and no one else could get them."""
    there = opening.open_projects
    faults = iter([None, ServerError("here", expected="a server", found="none", remedy="start it")])

    def open_projects(*args):
        if fault := next(faults, None):
            raise fault
        return there(*args)

    def answer(_):
        next(looks)
        main(["simulate", *PROFILES, *world.flags, *world.there])

    looks = iter(range(20))  # where it fails, watch would never end
    monkeypatch.setattr(opening, "open_projects", open_projects)
    monkeypatch.setattr(watch.time, "sleep", answer)
    world.run("watch", "--every", "1s", *world.there)
    assert next(faults, "raised") == "raised"
    assert len(world.rows) == BUDGET
    assert not world.is_waiting
