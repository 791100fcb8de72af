"""scrapy crawl SOURCE: Scrapy's own command with --store, a ledger that goes on where it stopped, and exit codes."""

import argparse
from collections.abc import Callable, Mapping
from typing import Any, cast

from scrapy.commands import ScrapyCommand
from scrapy.crawler import AsyncCrawlerProcess, Crawler
from scrapy.exceptions import UsageError
from scrapy.utils.conf import arglist_to_dict

from crawler.commands import arguments as taken
from crawler.commands.closing import finish
from crawler.formats.files import check_single, find_files, preview
from crawler.glossaries.reading import SOURCE
from crawler.ledger.ledger import Ledger, Page
from crawler.middlewares import NO_WAITING, check_site, is_loopback, pace
from crawler.pages import cram, quizlet
from crawler.spiders.base import LedgerSpider, SiteSpider
from crawler.spiders.cram import CramSpider
from crawler.spiders.files import FilesSpider
from crawler.spiders.glossary import GlossarySpider
from crawler.spiders.quizlet import QuizletSpider
from crawler.spiders.studystack import StudystackSpider
from crawler.terms.lists import read_terms
from data.console import run, say
from data.store import Store
from data.takedown import withheld


class Command(ScrapyCommand):
    """The command; each source is a method that takes its arguments, prepares its ledger and crawls."""

    requires_project = True
    sources = ("quizlet", "cram", "studystack", "files", "glossary")

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

    def quizlet(self, arguments: taken.QuizletArguments) -> None:
        """Searches for the terms and reads the sets found, or those of a list."""
        self._crawl_site(arguments, QuizletSpider, lambda: taken.read_searches(arguments, quizlet))

    def cram(self, arguments: taken.CramArguments) -> None:
        """Searches for the terms and reads the sets found, or those of a list."""
        self._crawl_site(arguments, CramSpider, lambda: taken.read_searches(arguments, cram))

    def studystack(self, arguments: taken.StudystackArguments) -> None:
        """Reads the sets of a list or a category."""
        self._crawl_site(arguments, StudystackSpider, lambda: taken.read_stacks(arguments))

    def files(self, arguments: taken.FilesArguments) -> None:
        """Reads the decks of the files."""
        files = find_files(arguments.path)
        manner = taken.read_manner(arguments)
        check_single(files, manner)
        if arguments.preview == "yes":
            for line in preview(files, manner):
                say(line)
            return
        self._crawl_files(arguments, "files", FilesSpider, files=files, manner=manner)

    def glossary(self, arguments: taken.GlossaryArguments) -> None:
        """Reads the definitions of the glossary's files."""
        files = find_files(arguments.path)
        self._crawl_files(arguments, SOURCE + arguments.kind, GlossarySpider, files=files, kind=arguments.kind)

    def _crawl_site(
        self, arguments: taken.SiteArguments, spider: type[SiteSpider], read_starts: Callable[[], list[Page]]
    ) -> None:
        """Asks the site for what its ledger lists, the pages to start with among it."""
        store, site, source = Store(arguments.store), check_site(arguments.site), spider.name
        settings = pace(site, arguments.contact)
        terms, cookie = read_terms(store, arguments.terms), taken.read_cookie(source, site)
        starts = read_starts()
        with store.lock(f"crawl-{source}"), _open_ledger(store, source) as ledger:
            ledger.bind("a site on this machine" if is_loopback(site) else site)
            ledger.ask(starts)
            crawler = self._crawl(spider, settings, ledger=ledger, site=site, cookie=cookie)
            finish(store, ledger, source, terms, crawler)

    def _crawl_files(self, arguments: taken.Arguments, source: str, spider: type[LedgerSpider], **kwargs: Any) -> None:
        """Reads files into the source's ledger."""
        store = Store(arguments.store)
        terms = read_terms(store, arguments.terms)
        with store.lock(f"crawl-{source}"), _open_ledger(store, source) as ledger:
            finish(store, ledger, source, terms, self._crawl(spider, NO_WAITING, ledger=ledger, **kwargs))

    def _crawl(self, spider: type[LedgerSpider], settings: Mapping[str, Any], **kwargs: Any) -> Crawler:
        """Crawls to the end; the settings yield to those of the command line (-s)."""
        process = cast("AsyncCrawlerProcess", self.crawler_process)
        process.settings.setdict(dict(settings), priority="spider")
        crawler = process.create_crawler(spider)
        process.crawl(crawler, **kwargs)
        process.start()
        fault = getattr(crawler.spider, "fault", None)
        if fault is not None:
            raise fault
        return crawler


def _open_ledger(store: Store, source: str) -> Ledger:
    return Ledger(store.root / "ledgers" / f"{source}.sqlite", withheld(store))
