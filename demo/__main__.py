"""All stages over the demo world: from invented papers and flashcards to a labelled data set and its report.

Runs the commands that a campaign lead types, one after the other, and shows each. An interrupted run resumes where it
stopped; after a finished one there is nothing to do. The local site and the Label Studio server end with the run.
"""

import os
import shlex
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from data.console.commands import FINDINGS, run
from data.console.errors import InputError
from data.console.messages import say
from demo.site import DemoSite

WORLD = Path(__file__).resolve().parent
PROFILES = "good:5,careless:2,guessing:1"


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """Run all six stages over the demo world and write the report."""

    out: Path = Path("demo-out")
    """The folder for the store and the report."""
    pairs: int = 200
    """The number of pairs that the simulated annotators label."""
    port: int = 8017
    """The port of the Label Studio server, on 127.0.0.1."""


def main(arguments: Arguments) -> None:
    """Run the stages in order."""
    store = arguments.out / "store"
    here = ["--store", str(store)]
    _collect_definitions(here)
    _show("python", "-m", "clustering", "propose", *here)
    with _label_studio(here, arguments.port):
        _label(here, arguments.pairs)
    _show("python", "-m", "analysis.splits", *here)
    _show("python", "-m", "data", *here)
    _show("python", "-m", "analysis.report", *here, "--out", str(arguments.out / "report"))


def _collect_definitions(here: list[str]) -> None:
    lists = ["--drop", str(WORLD / "terms_to_drop.txt"), "--add", str(WORLD / "terms_to_add.txt")]
    _show("python", "-m", "crawler.terminology", str(WORLD / "papers.jsonl"), *lists, "--above", "20", *here)
    with DemoSite() as site:
        _show("scrapy", "crawl", "quizlet", "-a", f"site={site.url}", *here)
    files = WORLD / "files"
    _show("scrapy", "crawl", "files", "-a", f"path={files}", "-a", f"decks={files / 'decks.csv'}", *here)
    _show("python", "-m", "crawler.definitions", *here)


def _label(here: list[str], pairs: int) -> None:
    simulate = ("simulate", "--profiles", PROFILES)
    _annotation(here, "plan", "--annotators", "8", "--pairs", str(pairs), "--allocate", "fixed")
    first = (("open",), simulate, ("collect",), ("quality",), ("reassign",))
    for verb, *rest in (*first, *first[:4]):
        _annotation(here, verb, *rest)
    for last in ("status", "adjudicate"):
        _annotation(here, last)


def _annotation(here: list[str], verb: str, *rest: str) -> None:
    _show("python", "-m", "annotation", verb, *rest, *here)


@contextmanager
def _label_studio(here: list[str], port: int) -> Iterator[None]:
    _annotation(here, "server", "start", "--port", str(port))
    try:
        yield
    finally:
        _annotation(here, "server", "stop")


def _show(*command: str) -> None:
    """Print and run a command of this environment; findings are expected, errors end the run."""
    say(f"\n$ {shlex.join(command)}")
    programs = Path(sys.executable).parent
    finished = subprocess.run(  # noqa: S603 (our own commands)
        [str(programs / command[0]), *command[1:]],
        env=os.environ | {"PATH": f"{programs}{os.pathsep}{os.environ.get('PATH', '')}"},
        check=False,
    )
    if finished.returncode not in (0, FINDINGS):
        raise InputError(
            shlex.join(command),
            expected="exit code 0 or 1",
            found=str(finished.returncode),
            remedy="see its message above, then run the demo again: it resumes here",
        )


def timed(arguments: Arguments) -> None:
    """Run the demo; report how long it took and where the report is."""
    started = time.monotonic()
    main(arguments)
    minutes = (time.monotonic() - started) / 60
    say(f"\nthe demo took {minutes:.1f} minutes; the report: {arguments.out / 'report' / 'report.html'}")


if __name__ == "__main__":
    run(timed, prog="python -m demo")
