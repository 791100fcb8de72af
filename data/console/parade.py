"""`parade`: all commands by one name, in the order of the work, from any folder.

What a command needs is imported only when it runs.
"""

import importlib
import os
import sys
from collections.abc import Mapping, Sequence
from types import ModuleType

from data.console.commands import BAD_INPUT, report_error
from data.console.help import write_list
from data.console.messages import say
from data.console.parsing import HELP
from data.console.rooms import run_program, unknown

ABOUT = "From papers to a paraphrase data set labelled by experts: the commands in the order of the work."
STEPS: Mapping[str, Mapping[str, str]] = {
    "papers and cards to definitions": {
        "terminology": "Find the terms of a speciality in its papers",
        "crawl": "Read flashcards and glossaries from a site or files",
        "definitions": "Keep the cards that are definitions",
    },
    "definitions to pairs": {"clustering": "Pairs of definitions"},
    "pairs to labels": {"annotation": "A campaign of annotators"},
    "labels to a data set": {
        "splits": "Deal labelled pairs to train, validation and test",
        "leakage": "Compare the splits of a data set",
        "consistency": "Find labels that contradict each other",
        "compare": "Show data sets side by side",
        "report": "Show a campaign as an HTML page and as JSON",
        "release": "Write a data set as a folder to publish",
        "verify": "Recompute every figure of a release",
        "restore": "Put the texts back into a release without texts",
    },
    "models": {
        "baselines": "Score baselines and any model's predictions",
        "identification": "Models",
        "models": "Compare trained models",
        "alternative": "Run the alternative annotator test",
        "robustness": "Show how robust models are",
        "phenomena": "Draw wrong predictions, with what makes them hard",
        "reproduce": "Compute a table of the papers again",
    },
    "more pairs": {
        "generation": "Texts of swapped words and back translations",
        "game": "The adversarial paraphrasing task",
    },
    "the store": {"data": "A store"},
}
ROOMS: Mapping[str, str] = {
    "clustering": "clustering",
    "annotation": "annotation",
    "identification": "identification",
    "generation": "generation",
    "game": "paraphrase_game",
    "data": "data",
}
"""The commands that have verbs, and the package of each."""
ELSEWHERE: Mapping[str, str] = {
    "terminology": "crawler.terminology",
    "definitions": "crawler.definitions",
    "reproduce": "studies.papers.reproduce",
}
"""The module of each command without verbs that is not of `analysis`."""


def main(args: Sequence[str] | None = None) -> int:
    """Run the command that the words name, and return its exit code."""
    name, *words = (sys.argv[1:] if args is None else list(args)) or [""]
    known = [command for step in STEPS.values() for command in step]
    if name in ("", *HELP):
        say(write_list("parade COMMAND [flags]", ABOUT, _listed()))
        return 0 if name else BAD_INPUT
    if name not in known:
        return report_error(unknown(name, known), "parade")
    if name == "crawl":
        return _crawl(words)
    return run_program(program_of(name), words)


def module_of(name: str) -> ModuleType:
    """The module of a command, or of the list of a room's commands."""
    program = program_of(name)
    return importlib.import_module(program if "." in program else f"{program}.__main__")


def program_of(name: str) -> str:
    """What `python -m` runs for the command."""
    return ROOMS.get(name) or ELSEWHERE.get(name, f"analysis.{name}")


def _listed() -> dict[str, dict[str, str]]:
    """The commands with their lines; the line of a room ends with its verbs."""
    return {
        heading: {name: line + _verbs(name) if name in ROOMS else line for name, line in step.items()}
        for heading, step in STEPS.items()
    }


def _verbs(name: str) -> str:
    groups = getattr(module_of(name), "COMMANDS", ())
    verbs = ", ".join(verb for group in groups for verb in group.verbs)
    return f": {verbs}" if verbs else ""


def _crawl(words: Sequence[str]) -> int:
    """`scrapy crawl`, which finds its project by this variable where no scrapy.cfg is near."""
    os.environ["SCRAPY_SETTINGS_MODULE"] = "crawler.settings"
    from scrapy.cmdline import execute

    try:
        execute(["scrapy", "crawl", *words])
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else BAD_INPUT
    return 0
