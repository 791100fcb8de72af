"""Verbs killed with SIGKILL at random moments while annotators label, and run again: nothing twice, nothing lost."""

import os
import signal
import subprocess
import sys
import time

import pytest

from annotation.__main__ import main
from annotation.campaign.campaign import Campaign, OfCampaign
from annotation.label_studio.projects import list_projects
from data.contract.tables.campaign import Annotators, Assignments, Ratings, SimulatedTruth
from data.contract.tables.labels import Labels, Quality
from data.contract.tables.pairs import Pairs
from data.storage.manifest import Manifest
from data.storage.store import Store
from tests.annotation.support.frames import pairs

N_PAIRS = 16
SECONDS = 3.5
"""About what a verb takes: kills are spread over it."""

VERBS = ("open", "collect", "reassign", "plan", "quality", "adjudicate")
"""The kills are shared out among them in this order."""

PROFILES = ("--profiles", "good:6,guessing:2")


def flags(store):
    """The store, and a campaign of its own: unnamed annotators of two of one name would share their addresses."""
    return ["--store", str(store.root), "--campaign", store.root.parent.name.replace("_", "-")]


def annotate(store, key, *words):
    command = [sys.executable, "-m", "annotation", *words, *flags(store)]
    return subprocess.Popen(
        command, env=os.environ | key, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    )


def run_to_the_end(store, *words):
    assert main([*words, *flags(store)]) in (0, 1)


def kill_and_run(store, key, seconds, *words):
    """Starts the verb, kills it after this time, and then lets it end."""
    process = annotate(store, key, *words)
    try:
        process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
    run_to_the_end(store, *words)


@pytest.mark.sweep
def test_a_campaign_of_killed_verbs_ends_like_any_other(tmp_path, label_studio, monkeypatch, capsys, chance):
    store, client = Store(tmp_path / "store"), label_studio.client
    monkeypatch.setenv("LABEL_STUDIO_API_KEY", label_studio.running.api_key)
    end = {verb: chance.uniform(0.3, SECONDS) for verb in VERBS}
    store.replace(Pairs, pairs(N_PAIRS), Manifest(stage="clustering"), generator="recommended")
    key = {"LABEL_STUDIO_API_KEY": label_studio.running.api_key}
    there = ("--url", label_studio.running.url)

    kill_and_run(store, key, end["plan"], "plan", "--annotators", "8")
    assignments = store.read(Assignments)
    assert len(assignments) == 3 * N_PAIRS
    assert len(store.read(Annotators)) == 8

    kill_and_run(store, key, end["open"], "open", *there)
    capsys.readouterr()
    run_to_the_end(store, "open", *there)
    assert "0 tasks are new" in capsys.readouterr().out

    work = annotate(store, key, "simulate", *PROFILES, *there)
    while not store.exists(SimulatedTruth):  # until then no other process may write into the campaign
        assert work.poll() is None
        time.sleep(0.1)
    kill_and_run(store, key, end["collect"], "collect", *there)
    os.killpg(work.pid, signal.SIGKILL)
    work.communicate()
    run_to_the_end(store, "simulate", *PROFILES, *there)
    run_to_the_end(store, "collect", *there)
    ratings = store.read(Ratings)
    assert sorted(ratings["assignment_id"]) == sorted(assignments["assignment_id"])
    opened = [number for title, number in client.projects().items() if title in titles(store)]
    annotations = [one for number in opened for one in client.collect({number: None})["assignment"]]
    assert sorted(annotations) == sorted(assignments["assignment_id"])

    for verb in ("quality", "reassign", "adjudicate"):
        kill_and_run(store, key, end[verb], verb)
    run_to_the_end(store, "quality")  # of the new round too
    run_to_the_end(store, "adjudicate")
    again = store.read(Assignments)
    assert not again.duplicated(["pair_id", "annotator"]).any()
    assert not again["supersedes"].dropna().duplicated().any()
    tables = {table: store.read(table) for table in (Quality, Labels, Assignments)}
    for verb in ("quality", "reassign", "adjudicate"):
        run_to_the_end(store, verb)
    assert all(store.read(table).equals(frame) for table, frame in tables.items())


def titles(store):
    return {one.title for one in list_projects(Campaign(OfCampaign(store=store.root, campaign=flags(store)[-1])))}
