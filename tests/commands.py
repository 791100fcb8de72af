"""Runs command lines as a person does, one after another, in processes forked from one that has done the imports.

That process lives as long as the tests' own. Only `scrapy ...` and `python -m ...` are known.
"""

import atexit
import functools
import gc
import importlib
import json
import os
import runpy
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import IO, NoReturn, cast

import scrapy.cmdline

from crawler.cards import survey
from data.storage.manifest import Manifest
from data.texts.languages import detection
from data.texts.languages.en import ENGLISH

ROOT = Path(__file__).resolve().parents[1]
IMPORTED = (
    "aiohttp", "analysis.publishing.contents", "crawler.commands.closing", "crawler.commands.crawl",
    "crawler.spiders.base", "crawler.spiders.cram", "crawler.spiders.files", "crawler.spiders.glossary",
    "crawler.spiders.quizlet", "crawler.spiders.studystack", "data.storage.store", "deltalake", "deltalake.fs",
    "mlcroissant", "pyarrow.dataset", "scrapy.commands.bench", "scrapy.commands.check", "scrapy.commands.parse",
    "scrapy.commands.shell",
    "scrapy.core.downloader.handlers.http11", "scrapy.core.downloader.handlers.s3",
    "scrapy.downloadermiddlewares.cookies", "scrapy.downloadermiddlewares.httpcompression",
    "scrapy.extensions.remote_control", "scrapy.squeues", "sklearn.feature_extraction.text", "tldextract",
)  # fmt: skip
"""What the commands import."""


def environment() -> dict[str, str]:
    """This process's variables, without those that change what a command does."""
    return {name: value for name, value in os.environ.items() if not name.startswith(("PARADE_", "SCRAPY_"))}


def run_all(
    lines: list[list[str]], variables: dict[str, str] | None = None, folder: Path = ROOT
) -> "subprocess.CompletedProcess[str]":
    """Run the command lines, each a list of words, in the folder; their output together, as text.

    Stops at the first that fails, with its exit code. `variables` are the environment's, by default `environment()`.
    """
    with _output() as out, _output() as err:
        request = {"lines": lines, "folder": str(folder), "out": out.name, "err": err.name}
        told, answers = _forker()
        told.write(json.dumps(request | {"variables": variables or environment()}) + "\n")
        told.flush()
        code = int(answers.readline())
        return subprocess.CompletedProcess([" ".join(words) for words in lines], code, out.read(), err.read())


def _output() -> "tempfile._TemporaryFileWrapper[str]":
    return tempfile.NamedTemporaryFile("r", encoding="utf-8")


@functools.cache
def _forker() -> tuple[IO[str], IO[str]]:
    """Input and output of the process that has done the imports; it ends when its input does."""
    command = [sys.executable, "-m", "tests.commands"]
    process = subprocess.Popen(
        command, cwd=ROOT, env=environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    atexit.register(process.communicate)
    return cast(IO[str], process.stdin), cast(IO[str], process.stdout)


def main() -> None:
    """Answer each request for command lines with the exit code."""
    for module in IMPORTED:
        importlib.import_module(module)
    _load_languages()
    ENGLISH.canonical("queues of jobs")  # reads the headwords
    Manifest(stage="crawler").to_json({})  # reads all code that crawls run
    gc.freeze()  # a search for garbage in a forked process would copy all that it shares
    for line in sys.stdin:
        request = json.loads(line)
        print(_run_all(**request), flush=True)


def _load_languages() -> None:
    """Load the models that tell English and German, one text at a time: threads would be lost in a forked process."""
    for text in ("a queue of jobs", "a queue of jobs waits until one of the workers is free, and then goes on " * 3):
        survey._any_language().detect_language_of(text)
        for detector in detection.detectors(ENGLISH.code):
            detector.compute_language_confidence_values(text)


def _run_all(lines: list[list[str]], variables: dict[str, str], **place: str) -> int:
    """The exit code of the first command line that fails, of a signal negative; else 0."""
    for words in lines:
        if not os.fork():
            _become(words, variables, **place)
        if code := os.waitstatus_to_exitcode(os.wait()[1]):
            return code
    return 0


def _become(words: list[str], variables: dict[str, str], folder: str, out: str, err: str) -> None:
    """Run the command line in this process, and end it."""
    os.environ.clear()
    os.environ.update(variables)
    os.chdir(folder)
    for place, name, flags in ((0, os.devnull, os.O_RDONLY), (1, out, os.O_WRONLY), (2, err, os.O_WRONLY)):
        os.dup2(os.open(name, flags | os.O_APPEND), place)
    try:
        if words[0] == "scrapy":
            scrapy.cmdline.execute(words)
        elif words[:2] == ["python", "-m"]:
            sys.argv = words[2:]
            runpy.run_module(words[2], run_name="__main__", alter_sys=True)
        else:
            sys.exit(f"an unknown command: {words}")
    except SystemExit as end:
        if isinstance(end.code, str):
            raise
        _end(end.code or 0)
    _end(0)


def _end(code: int) -> NoReturn:
    """End this process without freeing its memory piece by piece, which copies what it shares: half a second."""
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    main()
