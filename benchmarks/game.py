"""The game under load: players at a real server, judges in a process of their own; prints how long a check takes.

python -m benchmarks.game                       20 players for 10 minutes at the released game's pace, judges by rule
python -m benchmarks.game --entailment models/judges/entailment --similarity models/judges/similarity
python -m benchmarks.game --pause 0 --minutes 1      without pauses
It ends once each player has played as many sentences as the pace allows, all 45 at most.

Released pace: a check per player every 37 s on average (the mean of 4,877 gaps; the median is 20 s).
"""

import signal
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from annotation.__main__ import main as annotation
from apt.__main__ import main as apt
from data.console import run

NOUNS = "cache queue stack server client router buffer kernel thread socket packet bridge driver parser linker"
FORMS = (
    "A {0} is a part of the system that hands each {1} over to the next {2} in turn.",
    "The {0} waits until every {1} has been read by the {2} and then it stops.",
    "Whenever a {0} is full, the oldest {1} leaves it and goes to the {2}.",
)


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


def main(arguments: Arguments) -> None:
    """Start a server and the judges in a scratch folder, play, and stop them."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    nouns = NOUNS.split()
    with tempfile.TemporaryDirectory() as scratch, ExitStack() as started:
        store, sentences = Path(scratch) / "store", Path(scratch) / "sentences.txt"
        sentences.write_text(
            "\n".join(form.format(*nouns[n:], *nouns[:n]) for form in FORMS for n in range(len(nouns)))
        )
        started.callback(call, annotation, "server", "stop", "--store", store)
        url = serve(arguments, started)
        play(arguments, store, sentences, url)


def serve(arguments: Arguments, started: ExitStack) -> str:
    """The address of the judges, in a process that ends with `started`."""
    command = [sys.executable, "-m", "apt", "serve", "--practice", "--port", "0"]
    command += ["--entailment", arguments.entailment, "--similarity", arguments.similarity]
    judges = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True)
    started.callback(judges.communicate)
    started.callback(judges.kill)
    line = judges.stdout.readline()  # type: ignore[union-attr]
    if " at " not in line:
        raise SystemExit(judges.wait())  # they have said why
    return line.split(" at ")[1].split()[0]


def play(arguments: Arguments, store: Path, sentences: Path, url: str) -> None:
    """Open a round and play it at the pace."""
    here = ["--store", store]
    call(apt, "prompts", sentences, *here)
    call(annotation, "server", "start", "--port", 0, "--workers", arguments.workers, *here)
    game = ["--campaign", "load", *here]
    people = ["--players", arguments.players, "--scorer", url, "--per-minute", 10_000]
    call(annotation, "game", "open", "--prompts", sentences.name, *people, *game)
    per_sentence = 2 * max(arguments.pause, 0.5)
    each = max(1, round(60 * arguments.minutes / per_sentence))
    pace = ["--sentences-each", each, "--pause", arguments.pause, "--at-once", arguments.players]
    call(annotation, "game", "simulate", "--habits", f"synonyms:{arguments.players}", *pace, *game)
    call(annotation, "game", "status", *game)


def call(command: object, *words: object) -> None:
    """Run a command of ours here; a failure ends the benchmark."""
    code = run(command, prog="benchmark", args=[*map(str, words)])  # type: ignore[arg-type]
    if code:
        raise SystemExit(code)


if __name__ == "__main__":
    run(main, prog="python -m benchmarks.game")
