"""A campaign through the real Label Studio while `watch` runs: `python -m studies.labels.campaign PAIRS FOLDER`.

Simulated people, a sixth of them careless, sign in and answer through the server, each at their own pace, until nothing
more is asked. PAIRS is a file that `clustering read` takes; the store, with a server of its own, is made in FOLDER.

Printed: what `watch` said, with the seconds since it began; how long people had nothing open, and for how much of that
they could have been given something; how long further assignments took (see `trace`); then each person's ratings and
verdict, and how right the labels are.
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
from annotation.campaign.rounds.allocating import pick_next, weigh
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
    idle: list[tuple[str, float, float]] = field(default_factory=list)
    """Who had nothing open, from when to when (Unix seconds)."""
    looks: list[float] = field(default_factory=list)
    """When `watch` had given out what was due at each look."""
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
                    self.idle.append((sitting.account.annotator, since, time.time()))
                    since = None
                seconds = speed * random.lognormal(sigma=TIMES)
                if not self.over.wait(seconds):
                    answers = simulate(self.campaign.question, self._place(task["data"]["assignment"]), task["data"])
                    sitting.submit(project, task["id"], answers, seconds)
            self.idle += [(sitting.account.annotator, since, time.time())] if since else []

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
        _do("annotation", "plan", "--annotators", people, "--allocate", "certain", *here)
        _do("annotation", "open", *here)
        crowd = _answer(arguments, store)
        _do("annotation", "adjudicate", *here, "--method", "dawid-skene-pooled")
        _do("annotation", "status", *here)
    finally:
        _do("annotation", "server", "stop", *here)
    _count_idle(crowd)
    _count_waiting(store, crowd.looks)
    _count(store)


def _answer(arguments: Arguments, store: Store) -> Crowd:
    """Let the people answer while `watch` runs."""
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
            if "get a further rater" in line:
                crowd.looks.append(time.time())
        crowd.over.set()
        for thread in threads:
            thread.join()
    return crowd


def _do(*words: str) -> None:
    """Run a command and say how long it took."""
    began = time.monotonic()
    done = subprocess.run([sys.executable, "-m", *words], capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(words)}: {done.stdout}{done.stderr}")
    say(f"{' '.join(words[:2])}: {time.monotonic() - began:.1f} s")


def trace(asked: pd.DataFrame, opened: "pd.Series[pd.Timestamp]", looks: "pd.Series[pd.Timestamp]") -> pd.DataFrame:
    """What led to each further assignment, and when: `answered`, `caused`, `at` and `opened`, one row for each.

    `asked`: pair_id, annotator, round, at (of the hand-out), answered (null where it never was). `opened`: when the
    server had all that was handed out before. `looks`: when each look had ended. `answered` is the pair's last answer
    before. If at most one look ended between, it is what caused the assignment (a look does not see what is answered
    while it lasts). Else the pair waited, since others were worth more and people had enough, or nothing was worth
    asking: then the cause is the first answer after the last look but one of the person who gets it, who now has room,
    else of anyone.
    """
    ends, openings = (times.sort_values(ignore_index=True) for times in (looks, opened))
    found = []
    for row in asked[asked["round"] > 1].itertuples():
        seen = asked[asked["answered"] < row.at]
        last = seen.loc[seen["pair_id"] == row.pair_id, "answered"].max()
        since = ends[max(int((ends < row.at).sum()) - 2, 0)]
        new = seen[seen["answered"] > since]
        own = new.loc[new["annotator"] == row.annotator, "answered"].min()
        other = new["answered"].min() if pd.isna(own) else own
        waited = last <= since and pd.notna(other)
        there = openings[int((openings < row.at).sum())]
        found.append({"answered": last, "caused": other if waited else last, "at": row.at, "opened": there})
    return pd.DataFrame(found)


def seconds_idle(idle: pd.DataFrame, allowed: pd.DataFrame) -> float:
    """For how many seconds people had nothing open though something was allowed, summed over the people.

    `idle`: annotator, since, until (Unix seconds), no two of one annotator at once. `allowed`, by the time (ascending)
    from which on it holds: whether each annotator could be given something; before the first, none could.
    """
    begin = allowed.index.to_numpy("float64")
    end, total = np.append(begin[1:], np.inf), 0.0
    for name, since, until in idle[["annotator", "since", "until"]].itertuples(index=False):
        shared = np.minimum(end, until) - np.maximum(begin, since)
        total += float(shared[allowed[name].to_numpy(bool)].clip(min=0).sum())
    return total


def _find_allowed(campaign: Campaign, idle: pd.DataFrame) -> pd.DataFrame:
    """Whether each annotator without an open pair could have been given one, as in `seconds_idle`, at each change."""
    asked, rated = campaign.assignments, campaign.ratings
    planned, given = (_unix(times).to_numpy() for times in (asked["at"], rated["submitted_at"]))
    changes = sorted({*planned, *given, *idle["since"], *idle["until"]})
    allowed = pd.DataFrame(data=False, index=changes, columns=sorted(campaign.working()))
    for change in changes:
        without = set(idle.loc[(idle["since"] <= change) & (change < idle["until"]), "annotator"])
        if without:
            campaign.refresh()
            campaign.assignments, campaign.ratings = asked[planned <= change], rated[given <= change]
            allowed.loc[change, sorted(could_get(campaign, without))] = True
    return allowed


def could_get(campaign: Campaign, without: set[str]) -> set[str]:
    """Who of those `without` an open pair has one that cannot be seen yet, or would be given one now, each another.

    It is what a watch would give them that took no time and knew every answer.
    """
    quota = campaign.room(sorted(campaign.working()))
    room = np.minimum(quota, quota.index.isin(sorted(without)))
    new, _ = pick_next(campaign, weigh(campaign), pd.DataFrame({"quota": quota, "room": room}))
    return without & {*new["annotator"], *campaign.waiting["annotator"]}


def _unix(times: "pd.Series[pd.Timestamp]") -> "pd.Series[float]":
    return times.astype("datetime64[us, UTC]").astype("int64") / 1e6


def _count_idle(crowd: Crowd) -> None:
    """Print how long people had nothing open from the first answer to the last, while something was allowed or not."""
    campaign = crowd.campaign
    campaign.refresh()
    given = _unix(campaign.ratings["submitted_at"])
    begin, end = given.min(), given.max()
    idle = pd.DataFrame(crowd.idle, columns=["annotator", "since", "until"])
    idle = idle.assign(since=idle["since"].clip(begin, end), until=idle["until"].clip(begin, end))
    n_people = len(campaign.working())
    allowed = seconds_idle(idle, _find_allowed(campaign, idle))
    barred = (idle["until"] - idle["since"]).sum() - allowed
    at_work = n_people * (end - begin) - barred
    say(f"nothing open while a rating was allowed: {allowed:.0f} s, {allowed / at_work:.2%} of {at_work:.0f} s; "
        f"while none was: {barred:.0f} s more ({n_people} people in {end - begin:.0f} s)")  # fmt: skip


def _count_waiting(store: Store, looks: list[float]) -> None:
    """Print how long answers took to lead to an assignment."""
    asked, rated = store.read(Assignments), store.read(Ratings)
    times = rated.groupby("assignment_id")["submitted_at"].min().astype("datetime64[us, UTC]")
    rows = asked.assign(answered=asked["assignment_id"].map(times), at=asked["at"].astype("datetime64[us, UTC]"))
    opened = store.read(Openings)["at"].astype("datetime64[us, UTC]")
    ends = pd.Series(pd.to_datetime(looks, unit="s", utc=True))
    traced = trace(rows, opened, ends)
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
