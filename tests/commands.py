"""Runs command lines as a person does, one after another, in processes forked from one that has done the imports.

    python -m tests.commands [AT_ONCE] < FILE         FILE: a JSON list of command lines, each a list of words

Stops at the first that fails, with its exit code. With AT_ONCE, so many run side by side, and all of them. Only
`scrapy ...` and `python -m ...` are known.
"""

import importlib
import json
import os
import runpy
import subprocess
import sys

import scrapy.cmdline

from tests.crawler.crawling import ROOT, environment

IMPORTED = (
    "aiohttp", "analysis.publishing.writer", "crawler.commands.closing", "crawler.commands.crawl",
    "crawler.spiders.base", "data.store", "deltalake", "lingua", "mlcroissant", "pandera.pandas", "pyarrow.dataset",
    "scrapy.core.downloader.handlers.http11", "scrapy.core.downloader.handlers.s3", "sklearn.feature_extraction.text",
)  # fmt: skip
"""What the commands import, beside themselves."""


def run_all(lines: list[list[str]], at_once: int = 1) -> "subprocess.CompletedProcess[str]":
    """The finished process that ran the command lines in the project's folder, with their output as text."""
    return subprocess.run(
        [sys.executable, "-m", "tests.commands", str(at_once)],
        input=json.dumps(lines),
        cwd=ROOT,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )


def _run(words: list[str]) -> None:
    if words[0] == "scrapy":
        scrapy.cmdline.execute(words)
    elif words[:2] == ["python", "-m"]:
        sys.argv = words[2:]
        runpy.run_module(words[2], run_name="__main__", alter_sys=True)
    else:
        sys.exit(f"an unknown command: {words}")


def main() -> None:
    at_once = int(sys.argv[1]) if sys.argv[1:] else 1
    for module in IMPORTED:
        importlib.import_module(module)
    running: dict[int, list[str]] = {}
    failed = 0
    for words in json.load(sys.stdin):
        child = os.fork()
        if not child:
            _run(words)
            return
        running[child] = words
        if len(running) == at_once:
            failed = _await_any(running) or failed
        if failed and at_once == 1:
            break
    while running:
        failed = _await_any(running) or failed
    sys.exit(failed)


def _await_any(running: dict[int, list[str]]) -> int:
    """Wait until a process ends, and remove it; return its exit code, negative where a signal ended it."""
    child, status = os.wait()
    words, code = running.pop(child), os.waitstatus_to_exitcode(status)
    if code:
        print(f"{words}: exit code {code}", file=sys.stderr)
    return code


if __name__ == "__main__":
    main()
