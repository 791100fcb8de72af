"""scrapy crawl SOURCE: Scrapy's own command with --store, a ledger that goes on where it stopped, and exit codes."""

import argparse
import os
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, cast

from scrapy.commands import ScrapyCommand
from scrapy.crawler import AsyncCrawlerProcess, Crawler
from scrapy.exceptions import UsageError
from scrapy.utils.conf import arglist_to_dict

from crawler.formats.layout import parse_choice
from crawler.harvest import harvest
from crawler.ledger import Ledger, Page
from crawler.pages import quizlet
from crawler.politeness import NO_WAITING, check_site, is_loopback, pace
from crawler.spiders.base import LedgerSpider
from crawler.spiders.files import FilesSpider, Manner, check_single, find_files, preview
from crawler.spiders.quizlet import QuizletSpider
from crawler.term_lists import TermList, read_terms
from data.console import run, say, say_next
from data.errors import Findings, InputError
from data.store import Store

EXAMPLES = 3
"""Addresses named for each kind of finding; all of them are rejects."""


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """What every source takes."""

    store: Path = field(default_factory=Store.default_path)
    """Folder of the tables."""
    terms: str = "table"
    """Whose cards are kept: `table` (fronts that are in the table of terms), a FILE with one term a line, or `any`."""


@dataclass(frozen=True, kw_only=True)
class QuizletArguments(Arguments):
    """Search quizlet.com, or a site of its kind, for terms and read the sets found."""

    search: str = ""
    """What to search for: `table` or a FILE with one term a line; by default the terms, for `any` the table."""
    site: str = "https://quizlet.com"
    """Address of the site."""
    contact: str = field(default_factory=lambda: os.environ.get("PARADE_CONTACT", ""))
    """Where the site's people can reach you: a mail address or an https page, told to the site with each request.
    Needed for every site but this machine's own; the default is $PARADE_CONTACT."""


@dataclass(frozen=True, kw_only=True)
class FilesArguments(Arguments):
    """Read decks from files: delimited text, Anki packages, CrowdAnki, YAML, Markdown and SQLite decks, saved pages
    and JSON, archives of them, plain or gzip."""

    path: str
    """A file, a folder with all below it, or a pattern such as 'decks/**/*.apkg'."""
    separator: str = ""
    """What separates the sides in delimited text: tab, pipe, semicolon, comma or a character; found out by default."""
    columns: str = ""
    """Where front and back stand in delimited text, as `1,2`; found out by default."""
    header: str = ""
    """Whether the first row of delimited text names the columns: `yes` or `no`; found out by default."""
    preview: Literal["no", "yes"] = "no"
    """`yes` shows how the files would be read, with a card of each way, and writes nothing."""
    licence: str | None = None
    """What you know of the texts' licence; it travels with each card."""


class Command(ScrapyCommand):
    """The command; each source is a method that takes its arguments, prepares its ledger and crawls."""

    requires_project = True
    sources = ("quizlet", "files")

    def syntax(self) -> str:
        """How the command is called."""
        return "[--store DIR] [-a NAME=VALUE ...] " + "|".join(self.sources)

    def short_desc(self) -> str:
        """What the command does."""
        return "Read flashcards from a source into the table of cards; can be stopped and run again"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Adds ours to Scrapy's options."""
        super().add_options(parser)
        parser.add_argument(
            "-h", "--help", action="store_true", help="show this, and a source's arguments if one is named"
        )
        parser.add_argument(
            "--store", metavar="DIR", help="folder of the tables (default: $PARADE_STORE or data/store)"
        )
        parser.add_argument(
            "-a",
            dest="arguments",
            action="append",
            default=[],
            metavar="NAME=VALUE",
            help="an argument of the source, as --NAME VALUE",
        )
        self._parser = parser

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Runs the source's method under the same rim as every other command."""
        source, *flags = args or [""]
        if opts.help:
            self._parser.print_help()
            flags = ["--help"]
        if source not in self.sources:
            if opts.help:
                return
            raise UsageError(f"expected a source ({', '.join(self.sources)}), found {source!r}", print_help=False)
        try:
            named = arglist_to_dict(opts.arguments)
        except ValueError as fault:
            raise UsageError("expected -a NAME=VALUE", print_help=False) from fault
        flags += [part for name, value in named.items() for part in (f"--{name}", value)]
        flags += ["--store", opts.store] if opts.store else []
        self.exitcode = run(getattr(self, source), prog=f"scrapy crawl {source}", args=flags)

    def quizlet(self, arguments: QuizletArguments) -> None:
        """Searches for the terms and reads the sets found."""
        store, site = Store(arguments.store), check_site(arguments.site)
        settings = pace(site, arguments.contact)
        terms = read_terms(store, arguments.terms)
        queries = _read_queries(store, arguments)
        with store.lock("crawl-quizlet"), _open_ledger(store, "quizlet") as ledger:
            ledger.bind("a site on this machine" if is_loopback(site) else site)
            ledger.ask(Page(kind="search", key=quizlet.search_address(query, 1)) for query in queries)
            _finish(store, ledger, terms, self._crawl(QuizletSpider, settings, ledger=ledger, site=site))

    def files(self, arguments: FilesArguments) -> None:
        """Reads the decks of the files."""
        store, files = Store(arguments.store), find_files(arguments.path)
        manner = _read_manner(arguments)
        check_single(files, manner)
        if arguments.preview == "yes":
            for line in preview(files, manner):
                say(line)
            return
        terms = read_terms(store, arguments.terms)
        with store.lock("crawl-files"), _open_ledger(store, "files") as ledger:
            crawler = self._crawl(FilesSpider, NO_WAITING, ledger=ledger, files=files, manner=manner)
            _finish(store, ledger, terms, crawler)

    def _crawl(self, spider: type[LedgerSpider], settings: Mapping[str, Any], **kwargs: Any) -> Crawler:
        """Crawls to the end; the settings yield to those of the command line (-s)."""
        process = cast("AsyncCrawlerProcess", self.crawler_process)
        process.settings.setdict(dict(settings), priority="spider")
        crawler = process.create_crawler(spider)
        process.crawl(crawler, **kwargs)
        process.start()
        return crawler


def _finish(store: Store, ledger: Ledger, terms: TermList, crawler: Crawler) -> None:
    """Brings the ledger's cards into the table and says how things stand.

    Raises KeyboardInterrupt where the crawl was stopped by hand, Findings where something should be looked at.
    """
    source = crawler.spidercls.name
    found = harvest(store, ledger, source, terms)
    counts = Counter(ledger.counts())
    say(f"{counts['done']} pages done, {counts['failed']} to be asked again, {counts['asked']} not asked yet")
    say(f"{found.n_cards} cards in {store.root}/ledgers/{source}.sqlite, {found.n_new} new in {store.root}/cards")
    for reason, n in found.rejects.items():
        say(f"  {n} rejects: {reason}")
    if crawler.stats.get_value("finish_reason") == "shutdown":
        raise KeyboardInterrupt
    faults = [*_list_findings(ledger), *_list_faults(crawler, ledger)]
    say_next("python -m crawler.definitions --store", store.root)
    if faults:
        raise Findings("; ".join(faults))


def _list_findings(ledger: Ledger) -> list[str]:
    """Says each kind of finding with a few addresses; returns the kinds with their numbers."""
    findings = ledger.findings()
    for kind, those in findings.groupby("kind"):
        for url, detail in those.head(EXAMPLES)[["url", "detail"]].itertuples(index=False):
            say(f"  {kind}: {url} ({detail})")
    return [f"{n} {kind}" for kind, n in findings["kind"].value_counts().sort_index().items()]


def _list_faults(crawler: Crawler, ledger: Ledger) -> list[str]:
    """What is wrong with the crawl itself."""
    stats, spider, pages = crawler.stats, crawler.spider, ledger.pages()
    searches = pages[(pages["kind"] == "search") & (pages["state"] == "done")]
    faults = []
    if isinstance(spider, LedgerSpider) and spider.stopped:
        faults.append(f"{spider.stopped}; decks that you bring yourself are read by `scrapy crawl files`")
    if len(searches) and not searches["n_links"].any():
        faults.append(f"none of {len(searches)} searches found a set: the site's page of results may have changed")
    if n := stats.get_value("searches/cut", 0):
        faults.append(f"{n} searches were cut at the page of results that -s SEARCH_PAGES_MAX=N sets")
    if n := stats.get_value("spider_exceptions/count", 0):
        faults.append(f"{n} pages ended with a fault of this program, told above")
    return faults


def _open_ledger(store: Store, source: str) -> Ledger:
    return Ledger(store.root / "ledgers" / f"{source}.sqlite")


def _read_manner(arguments: FilesArguments) -> Manner:
    try:
        layout = parse_choice(arguments.separator, arguments.columns, arguments.header)
    except ValueError as fault:
        raise InputError(
            "arguments", expected="a layout of delimited text", found=str(fault), remedy="see --help"
        ) from fault
    return Manner(layout=layout, licence=arguments.licence)


def _read_queries(store: Store, arguments: QuizletArguments) -> list[str]:
    """The terms to search for."""
    name = arguments.search or ("table" if arguments.terms == "any" else arguments.terms)
    found = read_terms(store, name).terms
    if found is None:
        raise InputError(
            "search", expected="`table` or a file with one term a line", found="'any'", remedy="name what to search for"
        )
    return list(found["term"])
