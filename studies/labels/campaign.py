"""A campaign through the real Label Studio while `watch` runs: `python -m studies.labels.campaign PAIRS FOLDER`.

Ten simulated people answer well, two carelessly, a few pairs each at a time, until nothing more is asked. PAIRS is a
file that `clustering read` takes; the store, with a server of its own, is made in FOLDER. Printed: what `watch` said,
with the seconds since it began; then the ratings per pair, each person's ratings and verdict, and how right the labels
are.
"""

import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path

from data.console.commands import run
from data.console.marks import Positional
from data.console.messages import say
from data.contract.tables.campaign import Assignments, Ratings, SimulatedTruth
from data.contract.tables.labels import Labels, Verdicts
from data.storage.store import Store

PEOPLE, PROFILES = 12, "good:10,careless:2"
LOWEST_YES = 2


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """Run the campaign, and say how it went."""

    pairs: Positional[Path]
    """The file of pairs."""
    folder: Positional[Path]
    """Where the store is made."""
    every: str = "5s"
    """How long `watch` waits between two looks."""


def main(arguments: Arguments) -> None:
    """Run the commands that a lead would run, and count what they wrote."""
    store = Store(arguments.folder / "store")
    here, watch = ["--store", str(store.root)], None
    _do("clustering", "read", str(arguments.pairs), *here)
    _do("annotation", "server", "start", *here)
    try:
        _do("annotation", "plan", "--annotators", str(PEOPLE), "--allocate", "certain", "--target", "0.99", *here)
        _do("annotation", "open", *here)
        began = time.monotonic()
        watch = _start("annotation", "watch", "--every", arguments.every, *here)
        threading.Thread(target=_tell, args=(watch, began), daemon=True).start()
        while watch.poll() is None:
            if _is_waiting(store):
                _do("annotation", "simulate", "--profiles", PROFILES, "--pairs-each", "3", *here, may_fail=True)
            else:
                time.sleep(1)
        for verb in ("quality", "verdict", "adjudicate", "status"):
            _do("annotation", verb, *here, *(["--method", "dawid-skene-pooled"] if verb == "adjudicate" else []))
    finally:
        if watch and watch.poll() is None:
            watch.terminate()
        _do("annotation", "server", "stop", *here)
    _count(store)


def _start(*words: str) -> "subprocess.Popen[str]":
    return subprocess.Popen([sys.executable, "-m", *words], stdout=subprocess.PIPE, text=True)


def _do(*words: str, may_fail: bool = False) -> None:
    """Run a command and say how long it took; `may_fail`: where `watch` is at work on the store."""
    began = time.monotonic()
    done = subprocess.run([sys.executable, "-m", *words], capture_output=True, text=True, check=False)
    if done.returncode and not (may_fail and "no other run of" in done.stderr):
        raise RuntimeError(f"{' '.join(words)}: {done.stdout}{done.stderr}")
    if done.returncode:
        time.sleep(1)
    say(f"{' '.join(words[:2])}{', refused' if done.returncode else ''}: {time.monotonic() - began:.1f} s")


def _tell(watch: "subprocess.Popen[str]", began: float) -> None:
    for line in watch.stdout or ():
        say(f"  {time.monotonic() - began:6.1f} s  {line.rstrip()}")


def _is_waiting(store: Store) -> bool:
    return not set(store.read(Assignments)["assignment_id"]) <= set(store.read(Ratings)["assignment_id"])


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
