"""The game under load: players at a real server, judges in a process of their own; prints how long a check takes.

python -m benchmarks.game                       20 players for 10 minutes at the released game's pace, judges by rule
python -m benchmarks.game --entailment models/judges/entailment --similarity models/judges/similarity
python -m benchmarks.game --pause 7 --minutes 3 --restarts 5     denser; then server and judges are killed and restarted

Players submit after two checks where they can, else try again, until the time is over.
Released pace: a check per player every 37 s on average (the mean of 4,877 gaps; the median is 20 s).
"""

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from itertools import permutations
from pathlib import Path

import numpy as np

from annotation.__main__ import main as annotation
from annotation.campaign.accounts import Account, read_accounts
from annotation.label_studio.server import server
from annotation.label_studio.simulated.player import Player
from annotation.simulation.habits import SYNONYMS
from data.console.commands import run
from data.console.messages import say
from paraphrase_game.__main__ import main as paraphrase_game

NOUNS = "cache queue stack server client router buffer kernel thread socket packet bridge driver parser linker"
FORMS = (
    "A {0} is a part of the system that hands each {1} over to the next {2} in turn.",
    "The {0} waits until every {1} has been read by the {2} and then it stops.",
    "Whenever a {0} is full, the oldest {1} leaves it and goes to the {2}.",
)
OPENINGS = (
    "In short", "Put plainly", "To be exact", "As it happens", "One may say that", "What is meant is that",
    "It is the case that", "By this account", "Seen closely", "In other terms", "More exactly", "As a rule",
)  # fmt: skip
CAMPAIGN = "load"


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """How the game is played."""

    players: int = 20
    minutes: float = 10.0
    pause: float = 37.0
    """Seconds between two checks of a player, on average."""
    workers: int = 0
    """Processes of gunicorn; 0: Label Studio's own server."""
    entailment: str = "overlap"
    similarity: str = "overlap"
    restarts: int = 0
    """Afterwards kill the server and the judges this often, and time until each answers again."""


def main(arguments: Arguments) -> None:
    """Start a server and the judges in a scratch folder, play, kill and restart, and stop them."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with tempfile.TemporaryDirectory() as scratch, ExitStack() as started:
        store, sentences = Path(scratch) / "store", Path(scratch) / "sentences.txt"
        sentences.write_text(
            "\n".join(form.format(*nouns) for nouns in permutations(NOUNS.split()[:9], 3) for form in FORMS)
        )
        judges = JudgesProcess(arguments, server.free_port(0), store)
        started.callback(judges.kill)
        judges.start()
        folder = store / "server"
        started.callback(server.stop, folder)
        running = server.start(folder, server.Options(port=0, workers=arguments.workers))
        play(arguments, store, sentences, running.url, judges.url)
        restart(arguments, folder, judges)


class JudgesProcess:
    """The judges in a process of their own."""

    def __init__(self, arguments: Arguments, port: int, store: Path) -> None:
        """`port`: where they answer, before and after a restart. `store`: the game server's."""
        self.url = f"http://127.0.0.1:{port}"
        self._command = [sys.executable, "-m", "paraphrase_game", "serve", "--practice", "--port", str(port)]
        self._command += ["--store", str(store)]
        self._command += ["--entailment", arguments.entailment, "--similarity", arguments.similarity]
        self._process: subprocess.Popen[str] | None = None

    def start(self) -> None:
        """Start them, and wait until they answer."""
        self._process = subprocess.Popen(self._command, stdout=subprocess.PIPE, text=True, start_new_session=True)
        if " at " not in self._process.stdout.readline():
            raise SystemExit(self._process.wait())  # they have said why

    def kill(self) -> None:
        """End them with SIGKILL."""
        if self._process:
            self._process.kill()
            self._process.communicate()


def play(arguments: Arguments, store: Path, sentences: Path, url: str, scorer: str) -> None:
    """Open a round, play it until the time is over, and print how long checks took."""
    here = ["--store", store]
    game = ["--campaign", CAMPAIGN, *here]
    call(paraphrase_game, "prompts", sentences, *here)
    people = ["--annotators", arguments.players, "--scorer", scorer, "--per-minute", 10_000]
    call(annotation, "game", "open", "--prompts", sentences.name, *people, *game)
    over = time.monotonic() + 60 * arguments.minutes
    with ThreadPoolExecutor(arguments.players) as pool:
        one = partial(play_one, url, pause=arguments.pause, over=over)
        parts = list(pool.map(one, read_accounts(store, CAMPAIGN)))
    seconds, errors = [time for times, _ in parts for time in times], sum(wrong for _, wrong in parts)
    half, most, last = np.percentile(seconds, [50, 95, 100])
    say(f"{len(seconds)} checks by {len(parts)} players, {len(seconds) / (60 * arguments.minutes):.2f} per second:")
    say(f"half within {half:.2f} s, 95 % within {most:.2f} s, all within {last:.2f} s, {errors} errors")
    call(annotation, "game", "status", *game)


def play_one(url: str, account: Account, *, pause: float, over: float) -> tuple[list[float], int]:
    """The seconds that each check of a player took, and how many were answered with an error."""
    chance, seconds, errors = random.Random(account.annotator), [], 0
    with Player(url, account) as player:
        player.enter()
        sight, tries = player.look(), 0
        while sight.sentence:
            wait = chance.expovariate(1 / pause) if pause else 0
            if time.monotonic() + wait > over:
                break
            time.sleep(wait)
            text = rewrite(sight.sentence, chance)
            started = time.perf_counter()
            sight, tries = player.check(text, sight), tries + 1
            seconds.append(time.perf_counter() - started)
            errors += sight.status >= 500
            if tries > 1 and sight.payable:
                sight, tries = player.hand_in(sight.payable[0], sight), 0
    return seconds, errors


def rewrite(sentence: str, chance: random.Random) -> str:
    """The sentence with an opening, and synonyms by rule for some of its words."""
    words = [SYNONYMS.get(word, word) if chance.random() < 0.7 else word for word in sentence.lower().split()]
    return " ".join([chance.choice(OPENINGS), *words])


def restart(arguments: Arguments, folder: Path, judges: JudgesProcess) -> None:
    """Kill the server and the judges with SIGKILL, and print the seconds until each answers again."""
    seconds: dict[str, list[float]] = {"server": [], "judges": []}
    for _ in range(arguments.restarts):
        running = server.status(folder)
        started = time.perf_counter()
        os.killpg(running.pid, signal.SIGKILL)
        server.wait_until_gone(folder, running.pid)
        server.start(folder, server.Options(port=int(running.url.rpartition(":")[2]), workers=arguments.workers))
        seconds["server"].append(time.perf_counter() - started)
        started = time.perf_counter()
        judges.kill()
        judges.start()
        seconds["judges"].append(time.perf_counter() - started)
    for name, times in seconds.items():
        if times:
            say(f"{name} killed {len(times)} times: back after {min(times):.1f} to {max(times):.1f} s")


def call(command: Callable[[Sequence[str]], int], *words: object) -> None:
    """Run a command of ours here; a failure ends the benchmark."""
    code = command([*map(str, words)])
    if code:
        raise SystemExit(code)


if __name__ == "__main__":
    run(main, prog="python -m benchmarks.game")
