"""Runs command lines as a person does, one after another, in processes forked from one that has done the imports.

    python -m tests.commands < FILE         FILE: a JSON list of command lines, each a list of words

Stops at the first that fails, with its exit code. Only `scrapy ...` and `python -m ...` are known.
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


def run_all(lines: list[list[str]]) -> "subprocess.CompletedProcess[str]":
    """The finished process that ran the command lines in the project's folder, with their output as text."""
    return subprocess.run(
        [sys.executable, "-m", "tests.commands"],
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
    for module in IMPORTED:
        importlib.import_module(module)
    for words in json.load(sys.stdin):
        child = os.fork()
        if not child:
            _run(words)
            return
        if code := os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]):
            print(f"{words}: exit code {code}", file=sys.stderr)
            sys.exit(code)


if __name__ == "__main__":
    main()
