"""A campaign through the real Label Studio while `watch` runs: `python -m studies.labels.campaign PAIRS FOLDER`.

Simulated people, a sixth of them careless, sign in and answer through the server, each at their own pace, until nothing
more is asked. PAIRS is a file that `clustering read` takes; the store, with a server of its own, is made in FOLDER.

Printed: what `watch` said, with the seconds since it began; how long people had nothing open while ratings were still
given out; how long further assignments took (see `trace`); then each person's ratings and verdict, and how right the
labels are.
"""

import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd

from annotation.campaign.campaign import Campaign, OfCampaign
from annotation.campaign.people.simulated import script, simulated_accounts, write_truth
from annotation.label_studio.connection import AtServer, endpoint
from annotation.label_studio.simulated.sitting import Sitting
from annotation.simulation import behaviour
from annotation.simulation.answering import latent_classes, simulate
from annotation.simulation.behaviour import Profile
from data.console.commands import run
from data.console.marks import Positional
from data.console.messages import say
from data.contract.tables.campaign import Assignments, Openings, Ratings, SimulatedTruth
from data.contract.tables.labels import Labels, Verdicts
from data.storage.store import Store

LOWEST_YES = 2
SPEEDS, TIMES = 0.4, 0.6
"""How far people's typical seconds differ, and one person's (standard deviations of the logarithm)."""
POLL = 2.0
"""How often people without an open pair look for one, in seconds."""


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """Run the campaign, and say how it went."""

    pairs: Positional[Path]
    """The file of pairs."""
    folder: Positional[Path]
    """Where the store is made."""
    every: str = "5s"
    """How long `watch` waits between two looks."""
    people: int = 12
    """How many people answer."""
    seconds: float = 10.0
    """The typical time of an answer."""
    seed: int = 1
    """Seed of the answers and times."""


@dataclass(kw_only=True)
class Crowd:
    """People at work."""

    campaign: Campaign
    profiles: dict[str, Profile]
    truth: "pd.Series[int]"
    arguments: Arguments
    over: threading.Event = field(default_factory=threading.Event)
    """Set when nothing more is asked."""
    known: dict[str, tuple[int, float]] = field(default_factory=dict)
    """Assignment -> the place of its answer, and seconds that are not used."""
    idle: list[tuple[float, float]] = field(default_factory=list)
    """From when to when a person had nothing open (Unix seconds)."""
    reading: threading.Lock = field(default_factory=threading.Lock)

    def work(self, sitting: Sitting, number: int) -> None:
        """Answer what is open, and look for more, until nothing more is asked."""
        random = np.random.default_rng([self.arguments.seed, number])
        speed = self.arguments.seconds * random.lognormal(sigma=SPEEDS)
        with sitting:
            sitting.sign_in()
            projects, since = list[int](), None
            while not self.over.is_set():
                tasks = ((project, sitting.next_task(project)) for project in projects)
                project, task = next(((one, task) for one, task in tasks if task), (0, None))
                if task is None:
                    since = since or time.time()
                    self.over.wait(POLL)
                    projects = [one for one, n_open in sitting.projects().values() if n_open]
                    continue
                if since:
                    self.idle.append((since, time.time()))
                    since = None
                seconds = speed * random.lognormal(sigma=TIMES)
                if not self.over.wait(seconds):
                    answers = simulate(self.campaign.question, self._place(task["data"]["assignment"]), task["data"])
                    sitting.submit(project, task["id"], answers, seconds)
            self.idle += [(since, time.time())] if since else []

    def _place(self, assignment: str) -> int:
        with self.reading:
            if assignment not in self.known:
                self.campaign.refresh()
                self.known = script(self.campaign, self.profiles, self.truth, self.arguments.seed)
            return self.known[assignment][0]


def main(arguments: Arguments) -> None:
    """Run the commands that a lead would run, and count what they wrote."""
    store = Store(arguments.folder / "store")
    here = ["--store", str(store.root)]
    _do("clustering", "read", str(arguments.pairs), *here)
    _do("annotation", "server", "start", *here)
    try:
        people = str(arguments.people)
        _do("annotation", "plan", "--annotators", people, "--allocate", "certain", "--target", "0.99", *here)
        _do("annotation", "open", *here)
        idle = _answer(arguments, store)
        _do("annotation", "adjudicate", *here, "--method", "dawid-skene-pooled")
        _do("annotation", "status", *here)
    finally:
        _do("annotation", "server", "stop", *here)
    _count_waiting(store, arguments.people, idle)
    _count(store)


def _answer(arguments: Arguments, store: Store) -> list[tuple[float, float]]:
    """Let the people answer while `watch` runs; when they had nothing open."""
    campaign = Campaign(OfCampaign(store=store.root))
    accounts, n_careless = simulated_accounts(campaign), arguments.people // 6
    kinds = f"good:{arguments.people - n_careless},careless:{n_careless}"
    read = behaviour.read_profiles(kinds, "clear", latent_classes(campaign.question))
    profiles = behaviour.match_profiles(read, [account.annotator for account in accounts])
    truth = write_truth(campaign, profiles, None, arguments.seed)
    crowd = Crowd(campaign=campaign, profiles=profiles, truth=truth, arguments=arguments)
    url, key = endpoint(AtServer(store=store.root))
    sittings = [Sitting(url, account, simulation_key=key) for account in accounts]
    threads = [threading.Thread(target=crowd.work, args=(one, n), daemon=True) for n, one in enumerate(sittings)]
    began, words = time.monotonic(), ["annotation", "watch", "--every", arguments.every, "--store", str(store.root)]
    with subprocess.Popen([sys.executable, "-m", *words], stdout=subprocess.PIPE, text=True) as watch:
        for thread in threads:
            thread.start()
        for line in watch.stdout or ():
            say(f"  {time.monotonic() - began:6.1f} s  {line.rstrip()}")
        crowd.over.set()
        for thread in threads:
            thread.join()
    return crowd.idle


def _do(*words: str) -> None:
    """Run a command and say how long it took."""
    began = time.monotonic()
    done = subprocess.run([sys.executable, "-m", *words], capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(words)}: {done.stdout}{done.stderr}")
    say(f"{' '.join(words[:2])}: {time.monotonic() - began:.1f} s")


def trace(asked: pd.DataFrame, opened: "pd.Series[pd.Timestamp]") -> pd.DataFrame:
    """What led to each further assignment, and when: `answered`, `caused`, `at` and `opened`, one row for each.

    `asked`: pair_id, annotator, round, at (of the hand-out), answered (null where it never was). `opened`: when the
    server had all that was handed out before. `answered` is the pair's last answer before. If at most one hand-out came
    between, it is what caused the assignment (a look does not see what is answered while it lasts). Else the pair
    waited, since others were worth more and people had enough: then the cause is the first answer after the last
    hand-out but one of the person who gets it, who now has room, else of anyone.
    """
    looks, openings = asked["at"].drop_duplicates().sort_values(ignore_index=True), opened.sort_values().to_numpy()
    found = []
    for row in asked[asked["round"] > 1].itertuples():
        seen = asked[asked["answered"] < row.at]
        last = seen.loc[seen["pair_id"] == row.pair_id, "answered"].max()
        since = looks[max(int((looks < row.at).sum()) - 2, 0)]
        new = seen[seen["answered"] > since]
        own = new.loc[new["annotator"] == row.annotator, "answered"].min()
        other = new["answered"].min() if pd.isna(own) else own
        waited = last <= since and pd.notna(other)
        there = pd.Timestamp(openings[np.searchsorted(openings, row.at)])
        found.append({"answered": last, "caused": other if waited else last, "at": row.at, "opened": there})
    return pd.DataFrame(found)


def _count_waiting(store: Store, n_people: int, idle: list[tuple[float, float]]) -> None:
    """Print how long people waited, and how long answers took to lead to an assignment."""
    asked, rated = store.read(Assignments), store.read(Ratings)
    times = rated.groupby("assignment_id")["submitted_at"].min().astype("datetime64[us, UTC]")
    rows = asked.assign(answered=asked["assignment_id"].map(times), at=asked["at"].astype("datetime64[us, UTC]"))
    begin, end = rows["answered"].min().timestamp(), rows["at"].max().timestamp()
    waited = sum(max(min(until, end) - max(since, begin), 0.0) for since, until in idle)
    say(f"idle: {waited / (n_people * (end - begin)):.2%} of {n_people} x {end - begin:.0f} s, to the last hand-out")
    traced = trace(rows, store.read(Openings)["at"].astype("datetime64[us, UTC]"))
    is_direct = traced["caused"] == traced["answered"]
    for what, start, stop, part in (
        ("from the causing answer until the assignment is open", "caused", "opened", is_direct | True),
        ("  where the pair's own last answer caused it", "caused", "opened", is_direct),
        ("  where the pair had waited", "caused", "opened", ~is_direct),
        ("  of it, from the hand-out until it is open", "at", "opened", is_direct | True),
        ("how long such a pair had waited before", "answered", "caused", ~is_direct),
    ):
        seconds = (traced[stop] - traced[start])[part].dt.total_seconds()
        if len(seconds):
            say(f"{what}: {len(seconds)} of {len(traced)}, median {seconds.median():.0f} s, "
                f"95 % within {seconds.quantile(0.95):.0f} s, at most {seconds.max():.0f} s")  # fmt: skip


def _count(store: Store) -> None:
    asked, truth, labels = store.read(Assignments), store.read(SimulatedTruth), store.read(Labels)
    n_pairs = asked["pair_id"].nunique()
    say(f"{len(asked)} ratings of {n_pairs} pairs, {len(asked) / n_pairs:.2f} each")
    verdicts = store.read(Verdicts).set_index("annotator")["verdict"]
    for name, n in asked["annotator"].value_counts().items():
        say(f"  {name}: {n} ratings, {verdicts.get(name)}")
    both = labels.merge(truth, on="pair_id").dropna(subset="binary")
    right = (both["binary"] == 1) == (both["score"] >= LOWEST_YES)
    say(f"{right.mean():.3f} of {len(right)} labels are right")


if __name__ == "__main__":
    run(main, prog="python -m studies.labels.campaign")
