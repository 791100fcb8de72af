"""The crawler beside a bare Scrapy spider that only parses, in the same run: `python -m benchmarks.crawler`.

Both request the same pages from one site on this machine and parse them with the same function, under the same
settings; ours also obeys robots.txt, watches for refusals, and writes each page with its cards to the ledger. The two
run in turns, in separate processes; the figures are medians. With `--decks FOLDER` and `--glossaries FOLDER`, one line
per file gives its cards, its definitions (with any front) and the reasons for the rest.
"""

import gzip
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pandas as pd

from crawler.cards.outcome import GLOSSARIES, Outcome
from crawler.formats.reading import read
from crawler.glossaries import reading as glossaries
from crawler.ledger.ledger import Ledger, SourcePage
from crawler.pages import quizlet
from data.console.commands import run
from data.console.messages import say
from data.texts.languages.en import ENGLISH
from demo.card_site import pages
from demo.card_site.decks import read_decks

FIRST_ID = 700_000_000
SETTINGS = {
    "CONCURRENT_REQUESTS": 8,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 8,
    "CONCURRENT_ITEMS": 1,
    "DOWNLOAD_DELAY": 0,
    "COOKIES_ENABLED": False,
    "HTTPPROXY_ENABLED": False,
    "METAREFRESH_ENABLED": False,
    "TELNETCONSOLE_ENABLED": False,
    "WARN_ON_GENERATOR_RETURN_VALUE": False,
}


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """Measure pages per second, and count the cards in files of decks and glossaries."""

    pages: int = 1500
    """Pages that each run requests; 0 measures nothing."""
    runs: int = 3
    """Runs of each side."""
    decks: Path | None = None
    """A folder of decks to count."""
    glossaries: Path | None = None
    """A folder of glossaries to count; a file's name begins with its kind."""


def main(arguments: Arguments) -> None:
    """Print the figures."""
    if arguments.pages:
        compare(arguments.pages, arguments.runs)
    for name, outcome in (*_decks(arguments.decks), *_glossaries(arguments.glossaries)):
        say(count(name, outcome))


# -- pages per second


def compare(n_pages: int, n_runs: int) -> None:
    """Run both sides in turns against one site."""
    site = subprocess.Popen([sys.executable, "-m", "benchmarks.crawler_site"], stdout=subprocess.PIPE, text=True)
    assert site.stdout is not None
    try:
        address = site.stdout.readline().strip()
        rates: dict[str, list[tuple[float, float]]] = {"bare": [], "ours": []}
        for _ in range(n_runs):
            for side, measured in rates.items():
                measured.append(_measure(side, address, n_pages))
                say(f"{side}: {measured[-1][0]:.0f} pages per second, {measured[-1][1]:.0f} of processor time")
    finally:
        site.terminate()
        site.wait()
    for at, unit in enumerate(("pages per second", "pages per second of processor time")):
        bare, ours = (statistics.median(rate[at] for rate in measured) for measured in rates.values())
        say(f"{n_pages} pages, median of {n_runs}: bare {bare:.0f}, ours {ours:.0f} {unit}, ratio {ours / bare:.2f}")


def _measure(side: str, address: str, n_pages: int) -> tuple[float, float]:
    """Pages per second, and per second of the crawling process's processor time, which other processes disturb less."""
    code = f"from benchmarks.crawler import {side}; {side}({address!r}, {n_pages})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    result = json.loads(done.stdout.splitlines()[-1])
    assert result["pages"] == n_pages, result
    return n_pages / result["seconds"], n_pages / result["cpu"]


def bare(address: str, n_pages: int) -> None:
    """A spider that parses each page and keeps nothing."""
    from scrapy import Request, Spider
    from scrapy.crawler import AsyncCrawlerProcess

    class Bare(Spider):
        name = "bare"
        read = 0

        async def start(self) -> Any:
            for number in range(FIRST_ID, FIRST_ID + n_pages):
                yield Request(f"{address}/{number}/", cb_kwargs={"set_id": str(number)}, dont_filter=True)

        def parse(self, response: Any, set_id: str) -> None:
            Bare.read += bool(quizlet.read_set(response.body, set_id).decks)

    process = AsyncCrawlerProcess(SETTINGS | {"LOG_LEVEL": "WARNING"})
    crawler = process.create_crawler(Bare)
    process.crawl(crawler)
    cpu = time.process_time()
    process.start()
    _report(Bare.read, crawler, time.process_time() - cpu)


def ours(address: str, n_pages: int) -> None:
    """`scrapy crawl quizlet` over a ledger that lists the pages."""
    from scrapy.crawler import AsyncCrawlerProcess
    from scrapy.utils.project import get_project_settings

    from crawler.spiders.politeness import NO_WAITING
    from crawler.spiders.quizlet import QuizletSpider

    with tempfile.TemporaryDirectory(dir=".") as folder, Ledger(Path(folder) / "quizlet.sqlite") as ledger:
        ledger.ask(
            SourcePage(kind="set", key=quizlet.set_address(str(number)))
            for number in range(FIRST_ID, FIRST_ID + n_pages)
        )
        settings = get_project_settings()
        settings.setdict(NO_WAITING | SETTINGS, priority="cmdline")
        process = AsyncCrawlerProcess(settings)
        crawler = process.create_crawler(QuizletSpider)
        process.crawl(crawler, ledger=ledger, site=address)
        cpu = time.process_time()
        process.start()
        cpu = time.process_time() - cpu
        done = ledger.counts().get("done", 0)
    _report(done, crawler, cpu)


def _report(n_pages: int, crawler: Any, cpu: float) -> None:
    seconds = crawler.stats.get_value("elapsed_time_seconds")
    print(json.dumps({"pages": n_pages, "seconds": seconds, "cpu": cpu}))


def page(number: int) -> bytes:
    """A set's page in the current form, of a demo deck."""
    decks = [deck for deck in read_decks().values() if not deck.behaviour and deck.shown and deck.announced is None]
    deck = replace(decks[number % len(decks)], id=number)
    shape = next(reversed(pages.GENERATIONS.values()))[0]
    return shape(deck, []).encode()


# -- cards of files


def count(name: str, outcome: Outcome) -> str:
    """One line: cards, definitions, and the rest by reason."""
    from crawler.cards.acceptance import judge_language
    from crawler.cards.selection import read_cards
    from crawler.config import DefinitionConfig

    cards = [card for deck in outcome.decks for card in deck.cards]
    reasons = Counter(reason for _, reason in outcome.skipped)
    reasons.update(f"finding: {finding.kind}" for finding in outcome.findings)
    n_definitions = 0
    if cards:
        sides = {"front": [card.front for card in cards], "back": [card.back for card in cards]}
        media = [",".join(card.media) or None for card in cards]
        frame = pd.DataFrame(sides | {"media": media, "card_id": range(len(cards))})
        frame = frame.assign(copied_from=None, **dict.fromkeys(("term", "source", "set_id"), ""))
        config = DefinitionConfig.recommended()
        judged = read_cards(frame.astype("string[pyarrow]"), config, ENGLISH)
        verdicts = judge_language(judged, config, ENGLISH)["reason"]
        reasons.update(verdicts.dropna())
        n_definitions = int(verdicts.isna().sum())
    rest = ", ".join(f"{n} {reason}" for reason, n in sorted(reasons.items()))
    return f"{name}\t{len(cards)} cards\t{n_definitions} definitions\t{rest}"


def _decks(folder: Path | None) -> Iterator[tuple[str, Outcome]]:
    for path in sorted(file for file in folder.rglob("*") if file.is_file()) if folder else ():
        name = path.relative_to(folder).as_posix() if folder else ""
        yield name, read(name, path.read_bytes())


def _glossaries(folder: Path | None) -> Iterator[tuple[str, Outcome]]:
    for path in sorted(folder.iterdir()) if folder else ():
        kind = next((kind for kind in GLOSSARIES if path.name.startswith(kind)), None)
        if kind is not None:
            content = path.read_bytes()
            yield (
                path.name,
                glossaries.read(kind, path.name, gzip.decompress(content) if path.suffix == ".gz" else content),
            )


if __name__ == "__main__":
    run(main, prog="python -m benchmarks.crawler")
