"""Takedown and unpacking, killed at any moment: the next run ends what was begun, and nothing half done shows."""

import shutil
import subprocess
import sys
import time

import pytest

from data.contract import register
from data.files.whole import scratch_beside
from data.storage import pack
from data.storage.store import Store
from tests.campaign import ROOT
from tests.data.provenance.test_takedown import SECRET, campaign, places, secret_card  # noqa: F401 - a fixture

pytestmark = pytest.mark.sweep

KILLS = 3
"""In one run; every seed has other moments."""


def run(*words):
    command = [sys.executable, "-m", "data", *map(str, words)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def seconds_of(*words):
    """How long the command takes when it is let be; it must end well."""
    started = time.monotonic()
    done = run(*words)
    assert done.returncode == 0, done.stderr
    return time.monotonic() - started


def kill_at(seconds, *words):
    """Start the command and kill it after this many seconds, unless it has ended."""
    command = [sys.executable, "-m", "data", *map(str, words)]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def test_a_killed_takedown_is_ended_by_the_next_run(chance, campaign, tmp_path):  # noqa: F811
    card = secret_card(campaign)
    shutil.copytree(campaign.root, tmp_path / "whole")
    whole = Store(tmp_path / "whole")
    seconds = seconds_of("takedown", card, "--store", whole.root)
    for number in range(KILLS):
        copy = Store(tmp_path / str(number))
        shutil.copytree(campaign.root, copy.root)
        kill_at(chance.uniform(seconds / 4, seconds), "takedown", card, "--store", copy.root)
        done = run("takedown", card, "--store", copy.root)
        assert done.returncode == 0, done.stderr
        assert places(copy.root, SECRET) == []
        for table in register.TABLES:
            assert len(copy.read(table)) == len(whole.read(table)), table.table_name()


def test_a_killed_unpacking_leaves_a_whole_store_or_none(chance, campaign, tmp_path):  # noqa: F811
    pack.pack(campaign, tmp_path / "pack", ratings=True)
    seconds = seconds_of("unpack", tmp_path / "pack", "--store", tmp_path / "whole")
    (tmp_path / "there").mkdir()
    for number in range(KILLS):
        root = tmp_path / "there" / str(number)
        kill_at(chance.uniform(seconds / 4, seconds), "unpack", tmp_path / "pack", "--store", root)
        if not root.exists():
            done = run("unpack", tmp_path / "pack", "--store", root)
            assert done.returncode == 0, done.stderr
        for table in register.TABLES:
            assert Store(root).read(table).equals(campaign.read(table)), table.table_name()
    left = sorted(path.name for path in (tmp_path / "there").iterdir())
    assert left == sorted(map(str, range(KILLS))), "what a killed run had unpacked is gone after the next one"


def test_two_who_unpack_to_one_place_do_not_mix(campaign, tmp_path):  # noqa: F811
    pack.pack(campaign, tmp_path / "pack", ratings=True)
    with scratch_beside(tmp_path / "there"):
        done = run("unpack", tmp_path / "pack", "--store", tmp_path / "there")
    assert (done.returncode, "expected no other run to write it" in done.stderr) == (2, True)
    assert run("unpack", tmp_path / "pack", "--store", tmp_path / "there").returncode == 0
