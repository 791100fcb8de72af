"""`scrapy crawl SOURCE`: Scrapy's command with --store, a ledger that lets a crawl resume, and our exit codes."""

import argparse
from collections.abc import Callable, Mapping
from itertools import chain
from pathlib import Path
from types import MappingProxyType
from typing import Any, cast
from urllib.parse import unquote

from scrapy.commands import ScrapyCommand
from scrapy.crawler import AsyncCrawlerProcess, Crawler
from scrapy.exceptions import UsageError
from scrapy.utils.conf import arglist_to_dict

from crawler.cards.outcome import GLOSSARIES
from crawler.commands.arguments import (
    Arguments,
    FilesArguments,
    GlossaryArguments,
    SiteArguments,
    arguments_of,
    read_cookie,
    read_starts,
)
from crawler.commands.closing import finish
from crawler.formats.deck_sheet import DeckSheet, Manner, is_sheet, read_decks
from crawler.formats.files import find_equal, require_names, require_single
from crawler.formats.preview import preview
from crawler.formats.statements import is_licence_file, read_licence_file
from crawler.glossaries.reading import is_beside
from crawler.ledger import licences
from crawler.ledger.ledger import Ledger
from crawler.pages.sites import SITES, Site
from crawler.spiders.base import LedgerSpider
from crawler.spiders.files import address_of, place_of
from crawler.spiders.politeness import NO_WAITING, check_site, is_loopback, pace
from crawler.terms.lists import read_terms
from data.console.commands import run
from data.console.errors import InputError
from data.console.messages import quantity, say
from data.contract.tables.definitions import Cards, Terms
from data.files.folders import find_files
from data.provenance.tombstones import withheld
from data.recorded.languages import followed
from data.storage.store import Store
from data.texts.languages.base import Language


class Command(ScrapyCommand):
    """The command; a source is a registered site, `files` or `glossary`."""

    requires_project = True

    def syntax(self) -> str:
        """How the command is called."""
        return "[--store DIR] [-a NAME=VALUE ...] " + "|".join(_sources())

    def short_desc(self) -> str:
        """What the command does."""
        return "Read flashcards from a source into the table of cards; can be stopped and run again"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add our options to Scrapy's."""
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
        """Crawl the source under the rim that all commands share."""
        source, *flags = args or [""]
        if opts.help:
            self._parser.print_help()
            flags = ["--help"]
        if source not in _sources():
            if opts.help:
                return
            raise UsageError(f"expected a source ({', '.join(_sources())}), found {source!r}", print_help=False)
        try:
            named = arglist_to_dict(opts.arguments)
        except ValueError as fault:
            raise UsageError("expected -a NAME=VALUE", print_help=False) from fault
        flags += [part for name, value in named.items() for part in (f"--{name.replace('_', '-')}", value)]
        flags += ["--store", opts.store] if opts.store else []
        self.exitcode = run(self.main_of(source), prog=f"scrapy crawl {source}", args=flags)

    def main_of(self, source: str) -> Callable[[Any], None]:
        """What crawls the source, given its arguments; the parameter's annotation is their type."""
        if source not in SITES:
            local: dict[str, Callable[[Any], None]] = {"files": self._files, "glossary": self._glossary}
            return local[source]

        def main(arguments: Any) -> None:
            self._site(SITES[source], arguments)

        main.__annotations__["arguments"] = arguments_of(SITES[source])
        return main

    def _site(self, site: Site, arguments: SiteArguments) -> None:
        """Ask a site for the pages that its ledger lists, the ones to start with among them."""
        store, address, source = Store(arguments.store), check_site(arguments.site), site.name
        sheet = read_decks(arguments.decks)
        sheet.require_licences_only()
        settings = pace(address, arguments.contact)
        terms, cookie = read_terms(store, arguments.terms, arguments.language), read_cookie(source, address)
        starts = read_starts(arguments, site.pages)
        with store.lock(f"crawl-{source}"), _open_ledger(store, source) as ledger:
            ledger.bind("a site on this machine" if is_loopback(address) else address)
            ledger.require_paths()
            ledger.ask(starts)
            crawler = self._crawl(source, settings, ledger=ledger, site=address, cookie=cookie)
            account = licences.record(store, source, licences.of_site(ledger.decks()), sheet)
            finish(store, ledger, terms, crawler, account)

    def _files(self, arguments: FilesArguments) -> None:
        """Read decks from files, or show how they would be read."""
        sheet, store = read_decks(arguments.decks), Store(arguments.store)
        files = _decks_among(_as_known(find_files(arguments.path), store), sheet)
        manner = Manner(sheet, files)
        language = followed(store, Terms, Cards, chosen=arguments.language)
        every, files = files, _leave_out(files, manner, language)
        for first, *others in find_equal(files):
            say(f"{' and '.join(others)}: the same as {first}, byte for byte; its cards count once")
        require_single(files, manner)
        require_names(files, manner)
        if arguments.preview == "yes":
            shown = preview(files, manner, language, is_chosen=arguments.language is not None)
            for line in chain(licences.check(licences.as_decks(files), sheet, every).lines, shown):
                say(line)
        else:
            left_out = {path: every[path] for path in every.keys() - files.keys()}
            self._local(arguments, "files", sheet, left_out, files=files, manner=manner)

    def _glossary(self, arguments: GlossaryArguments) -> None:
        """Read the definitions of a glossary from its files."""
        kind, named = arguments.kind, find_files(arguments.path)
        files = {path: name for path, name in named.items() if not is_beside(kind, path)} or named
        sheet = read_decks(arguments.decks)
        sheet.require_licences_only()
        self._local(arguments, GLOSSARIES[kind], sheet, files=files, kind=kind)

    def _local(
        self,
        arguments: Arguments,
        source: str,
        sheet: DeckSheet,
        left_out: Mapping[Path, str] = MappingProxyType({}),
        *,
        files: dict[Path, str],
        **kwargs: Any,
    ) -> None:
        """Read files into the source's ledger, which forgets those that are `left_out`."""
        store = Store(arguments.store)
        terms = read_terms(store, arguments.terms, arguments.language)
        with store.lock(f"crawl-{source}"), _open_ledger(store, source) as ledger:
            crawler = self._crawl(source.partition(".")[0], NO_WAITING, ledger=ledger, files=files, **kwargs)
            read = cast("LedgerSpider", crawler.spider).read
            if source == "files":
                gone = set(map(address_of, left_out.values()))
                ledger.forget_earlier(((key, address_of(name)) for key, name in read), gone)
            decks = licences.of_files(ledger.decks(), read, files)
            account = licences.record(store, source, decks, sheet, {**files, **left_out})
            finish(store, ledger, terms, crawler, account)

    def _crawl(self, spider: str, settings: Mapping[str, Any], **kwargs: Any) -> Crawler:
        """Crawl to the end with the spider of that name; -s on the command line overrides the settings."""
        process = cast("AsyncCrawlerProcess", self.crawler_process)
        process.settings.setdict(dict(settings), priority="spider")
        crawler = process.create_crawler(spider)
        process.crawl(crawler, **kwargs)
        process.start()
        fault = getattr(crawler.spider, "fault", None)
        if fault is not None:
            raise fault
        return crawler


def _sources() -> tuple[str, ...]:
    return (*SITES, "files", "glossary")


def _as_known(files: dict[Path, str], store: Store) -> dict[Path, str]:
    """The files, each by the name under which it was read before, if it was: read again, it replaces what it gave."""
    if not (path := _ledger_path(store, "files")).exists():
        return files
    with Ledger(path) as ledger:
        known = ledger.urls_of(map(place_of, files))
    names = {place: unquote(url.removeprefix("file:")) for place, url in known.items()}
    return {path: names.get(place_of(path), name) for path, name in files.items()}


def _decks_among(files: dict[Path, str], sheet: DeckSheet) -> dict[Path, str]:
    """The files without licences and sheets of decks; those that the command does not name are shown."""
    given = sheet.file.resolve() if sheet.file else None
    sheets = [path for path in files if is_sheet(path)]
    for path in sheets:
        if path != given:
            say(f"{files[path]} is no deck, and nothing that it says of decks is used: give -a decks={path}")
    texts = [path for path, name in files.items() if is_licence_file(name)] if len(files) > 1 else []
    for path in texts:
        title = read_licence_file(path.read_bytes())
        if title and given is None:
            row = licences.row_for(files[path].rpartition("/")[0], title)
            say(f"{files[path]} is no deck, but a licence: if it holds for its folder, -a decks=FILE wants: {row}")
    return {path: name for path, name in files.items() if path not in {*sheets, *texts, given}}


def _leave_out(files: dict[Path, str], manner: Manner, language: Language) -> dict[Path, str]:
    """The files without those that the sheet leaves out, and those in another language, which are named.

    Raises InputError where none is left.
    """
    ways = {name: manner.options(name) for name in files.values()}
    others = [name for name, way in ways.items() if way.language not in ("", language.code) and not way.layout.skip]
    skipped = [name for name, way in ways.items() if way.layout.skip]
    for names, why in ((skipped, "by the sheet of decks"), (others, f"as in another language than {language.name}")):
        if names:
            say(f"{quantity(len(names), 'file')} left out {why}: {', '.join(names)}")
    left = {path: name for path, name in files.items() if name not in {*skipped, *others}}
    if not left:
        raise InputError(
            str(manner.sheet.file), expected="a file to read", found="none left", remedy="see the lines above"
        )
    return left


def _open_ledger(store: Store, source: str) -> Ledger:
    return Ledger(_ledger_path(store, source), withheld(store))


def _ledger_path(store: Store, source: str) -> Path:
    return store.root / "ledgers" / f"{source}.sqlite"
