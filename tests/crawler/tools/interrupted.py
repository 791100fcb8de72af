"""Commands of the crawler in which a pattern never ends:
`python -m tests.crawler.tools.interrupted files|papers PATH STORE`.

They say `hanging` when they come to it; a file may take a second of the processor.
"""

import re
import signal
import sys

from scrapy.cmdline import execute

from crawler import terminology
from crawler.formats import reading
from data.console.commands import run
from data.files import deadline
from data.files.papers import bibtex

ENDLESS = re.compile("(?:a+)+b")


def hang(*_):
    """Search for what is not there, for ever."""
    print("hanging", flush=True)
    return ENDLESS.search("a" * 100)


def main(command, path, store):
    """Run the command on a file or folder."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have started the tests without it
    deadline.PROCESSOR_SECONDS = 1.0
    reading.read_note = bibtex._parse = hang
    if command == "papers":
        sys.exit(run(terminology.main, prog="terminology", args=[path, "--store", store], recipes=terminology.RECIPES))
    execute(["scrapy", "crawl", "files", "-a", f"path={path}", "-a", "terms=any", "--store", store])


if __name__ == "__main__":
    main(*sys.argv[1:])
