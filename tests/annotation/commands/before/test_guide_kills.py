"""`guide` killed with SIGKILL at random moments and run again ends like one that was not stopped."""

import fcntl
import os
import signal
import subprocess
import sys
import time

import pandas as pd
import pytest

from annotation.__main__ import main
from annotation.campaign import accounts
from annotation.campaign.campaign import Campaign, OfCampaign
from annotation.label_studio.simulated.sitting import Sitting
from data.contract.tables.campaign import Assignments, Documents, Ratings
from data.contract.tables.pairs import Pairs
from data.storage.locks import lock_file
from data.storage.manifest import Manifest
from data.storage.store import Store
from tests.annotation.support.frames import pairs

N_PAIRS = 8
KILLS = 3
"""In one run; every seed has other moments."""
COMPARED = {
    Assignments: ["round", "pair_id", "annotator", "position", "flipped", "kind"],
    Documents: ["kind", "version", "text"],
    Ratings: ["score", "skipped", "guide_version"],
}
"""What every run writes alike: ids are keyed by campaign, times differ."""


class GuideRun:
    """An open campaign in a store of its own, half of it labelled; and `guide` on it."""

    def __init__(self, folder, label_studio):
        self.store, self.lent, self.folder = Store(folder / "store"), label_studio, folder
        self.flags = ["--store", str(self.store.root), "--campaign", folder.name.replace("_", "-")[-28:].strip("-")]
        self.at_server = ["--url", label_studio.running.url]
        self.store.replace(Pairs, pairs(N_PAIRS), Manifest(stage="clustering"), generator="recommended")
        self.end("plan", "--annotators", "4", "--seed", "3")
        self.end("open", *self.at_server)
        for account in accounts.read_accounts(self.store.root, self.flags[-1])[:2]:
            self.label(account)

    def label(self, account):
        with Sitting(self.lent.running.url, account) as sitting:
            sitting.sign_in()
            for number, n_open in sitting.projects().values():
                for _ in range(n_open):
                    sitting.submit(number, sitting.next_task(number)["id"], {"score": ["2"]}, 3.0)

    def end(self, *words):
        assert main([*words, *self.flags]) == 0, words

    def guide(self, version):
        path = self.folder / f"{version}.md"
        path.write_text(f"# Guide\n\nVersion {version}\n\nScore as you see it.\n")
        return ["guide", str(path), *self.at_server]

    def start(self, words):
        command = [sys.executable, "-m", "annotation", *words, *self.flags]
        return subprocess.Popen(
            command, env=os.environ, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
        )

    def kill_after(self, words, seconds):
        """Start the command and kill it after this many seconds, unless it has ended."""
        process = self.start(words)
        try:
            process.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    def kill_between_writes(self, version):
        """Kill the guide when its document is in force, but its round is not planned yet."""
        with lock_file(self.store.root, "assignments.table") as file:
            fcntl.flock(file, fcntl.LOCK_EX)  # for which it has to wait
            process = self.start(self.guide(version))
            while version not in set(self.store.read(Documents)["version"]):
                assert process.poll() is None
                time.sleep(0.02)
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    def tables(self):
        """The tables as far as they are comparable, and the open tasks that each annotator is shown."""
        rows = {}
        for table, columns in COMPARED.items():
            frame = self.store.read(table)
            rows[table] = frame[columns].sort_values(columns).astype(str).to_numpy().tolist()
        self.end("open", *self.at_server)
        shown = []
        for account in accounts.read_accounts(self.store.root, self.flags[-1]):
            with Sitting(self.lent.running.url, account) as sitting:
                sitting.sign_in()
                shown.append(sorted(n_open for _, n_open in sitting.projects().values()))
        return rows | {"shown": shown}


@pytest.mark.sweep
def test_a_killed_guide_ends_like_any_other(tmp_path_factory, label_studio, monkeypatch, chance):
    monkeypatch.setenv("LABEL_STUDIO_API_KEY", label_studio.running.api_key)
    whole, killed = (GuideRun(tmp_path_factory.mktemp(name), label_studio) for name in ("whole", "killed"))
    start = time.monotonic()
    whole.end(*whole.guide("2"))
    seconds = time.monotonic() - start
    for number in range(KILLS):
        killed.kill_after(killed.guide("2"), chance.uniform(number, number + 1) / KILLS * 2 * seconds)
        if number == 0:
            killed.kill_between_writes("2")
    killed.end(*killed.guide("2"))
    assert killed.tables() == whole.tables()
    for campaign in (whole, killed):
        assert Campaign(OfCampaign(store=campaign.store.root, campaign=campaign.flags[-1])).guide.version == "2"
        campaign.end(*campaign.guide("2"))  # holds already: adds nothing
        rows = campaign.store.read(Assignments)
        assert pd.notna(rows.loc[rows["round"] == 2, "supersedes"]).all()
        assert rows["round"].value_counts().to_dict() == {1: 3 * N_PAIRS, 2: len(rows) - 3 * N_PAIRS}
