"""The end of a crawl: move the cards into the table and report."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import islice
from typing import Any
from urllib.parse import unquote

from scrapy.crawler import Crawler

from crawler.cards.advice import WHERE_ROWS_GO
from crawler.cards.survey import BEGINNING, survey
from crawler.ledger.harvest import Harvest, front_names, harvest
from crawler.ledger.ledger import Ledger
from crawler.ledger.licences import StatementAccount
from crawler.spiders.base import LedgerSpider
from crawler.terms.front_advice import describe_unmatched
from crawler.terms.fronts import store_terms, widen_limits, with_fronts, without_fronts
from crawler.terms.lists import TermList, read_terms
from crawler.terms.word_store import PaperWords, open_kept, read_kept_terms
from data.console.errors import Findings
from data.console.messages import quantity, say
from data.contract.stages import UNREAD
from data.contract.tables.definitions import Cards, Terms
from data.guidance.next_steps import say_steps
from data.recorded.cards import latest_cards
from data.storage.store import Store

SHOWN = 20
"""Files without a card that are named."""
EXAMPLES = 3
"""Addresses shown per kind of finding; `python -m data rejects` lists all."""


def finish(store: Store, ledger: Ledger, terms: TermList, crawler: Crawler, licences: StatementAccount) -> None:
    """Move the ledger's cards into the table and report pages, cards, rejects, licences and findings.

    Raises KeyboardInterrupt where the crawl was stopped by hand, Findings where something needs a look.
    """
    source, stopped = ledger.path.stem, crawler.stats.get_value("finish_reason") == "shutdown"
    words = _open_words(store) if terms.name == "table" and not stopped else None
    if source == "files" and words:
        terms = _follow_decks(store, ledger, terms, words)
    yielded = harvest(store, ledger, source, terms)
    counts = Counter(ledger.counts())
    done = quantity(counts["done"], "page")
    say(f"{done} done, {counts['failed']} to be asked again, {counts['asked']} not asked yet")
    say(f"{quantity(yielded.n_cards, 'card')} in {ledger.path}, {yielded.n_new:,} new in {store.address}/cards")
    others = survey([text[:BEGINNING] for text in yielded.texts], terms.language).describe("cards")
    for line in others:
        say(f"  {line}")
    for line in (*_list_rejects(yielded, "file" if source == "files" else "page"), *_list_unread(ledger.unread())):
        say(f"  {line}")
    spider = crawler.spider
    if isinstance(spider, LedgerSpider) and spider.n_dropped:
        say(f"  {quantity(spider.n_dropped, 'control character')} dropped, in {spider.n_cleaned:,} of {done}")
    for line in licences.lines:
        say(line)
    if stopped:
        raise KeyboardInterrupt
    if terms.terms is not None:
        _advise(store, yielded, terms, words)
    listing = f"python -m data rejects {UNREAD}.{source} --store {store.address}"
    faults = [*_list_findings(ledger, listing), *_list_faults(crawler, ledger), *licences.faults]
    if yielded.n_cards and not yielded.n_named:
        faults.append(f"no card was kept of {yielded.n_cards}" + "".join(f": {line}" for line in others))
    else:
        faults += _doubt_language(yielded, terms)
        say_steps(store)
    if faults:
        raise Findings("; ".join(faults))


def _list_rejects(yielded: Harvest, what: str) -> Iterator[str]:
    """Cards and entries by the reason why they were dropped, then the pages and files that gave no card."""
    for reason, n in yielded.rejects.items():
        yield f"{quantity(n, 'reject')}: {reason}"
    files = [unquote(address.removeprefix("file:")) for address in yielded.unread if address.startswith("file:")]
    if yielded.unread:
        more = f" and {len(files) - SHOWN:,} more" if len(files) > SHOWN else ""
        named = f": {', '.join(files[:SHOWN])}{more}" if files else ""
        yield f"{quantity(len(yielded.unread), what)} not read{named}"


def _list_unread(unread: Mapping[str, str]) -> Iterator[str]:
    """The columns that no reader took, by file."""
    yield from (f"{name}: {columns}" for name, columns in islice(unread.items(), SHOWN))
    if len(unread) > SHOWN:
        yield f"{len(unread) - SHOWN:,} more files have columns that were not read: see them with -a preview=yes"


def _doubt_language(yielded: Harvest, terms: TermList) -> list[str]:
    """A line where no language was chosen and most kept cards are in another."""
    kept = survey([text[:BEGINNING] for text in yielded.kept_texts], terms.language)
    doubt = kept.doubt("kept cards", "read them into another --store")
    return [doubt] if doubt and not terms.language_is_chosen else []


def _open_words(store: Store) -> PaperWords | None:
    """The words of the papers that the table's terms were found in; None for terms of a list.

    Where they are missing, a line says so.
    """
    record = store.manifest(Terms)
    if record is None or not _are_from_papers(record):
        return None
    words = open_kept(store.root, without_fronts(record).fingerprint())
    if words is None:
        say(
            "the words of the papers are missing, damaged or of another version of this program: run `python -m "
            "crawler.terminology` with the papers again, so that terms follow decks, and fronts are looked up in papers"
        )
    return words


def _are_from_papers(record: Mapping[str, Any]) -> bool:
    return any(name.startswith("papers ") for name in record["inputs"])


def _follow_decks(store: Store, ledger: Ledger, terms: TermList, words: PaperWords) -> TermList:
    """The terms, with the fronts of all decks that are terms by their lengths; the table has them afterwards."""
    names = front_names(ledger, terms.language)
    with store.lock("terminology"):
        manifest = without_fronts(store.history(Terms)[0])
        if not store.is_current(Terms, with_fronts(manifest, words.config, names)):
            say(f"terms now have {widen_limits(words.limits, names, words.config)}")
            say(store_terms(store, read_kept_terms(store.root), words, names, manifest))
    return replace(read_terms(store, terms.name), language_is_chosen=terms.language_is_chosen)


def _advise(store: Store, yielded: Harvest, terms: TermList, words: PaperWords | None) -> None:
    """Say what the cards without a term are, and what would keep them."""
    if words is None and terms.name == "table" and _are_from_papers(store.history(Terms)[0]):
        return
    for line in describe_unmatched(latest_cards(store.read(Cards)), yielded.unnamed, terms.language, words):
        say(line)


def _list_findings(ledger: Ledger, listing: str) -> list[str]:
    """Show a few addresses per kind of finding and the command that lists all; return the kinds with their numbers."""
    findings = ledger.findings()
    for kind, rows in findings.groupby("kind"):
        for url, detail in rows.head(EXAMPLES)[["url", "detail"]].itertuples(index=False):
            say(f"  {kind}: {url} ({detail})")
        if len(rows) > EXAMPLES:
            say(f"  {kind}: {len(rows) - EXAMPLES:,} more; all: {listing} --reason {kind}")
    if findings["has_row"].any():
        say(f"  {WHERE_ROWS_GO}")
    return [f"{n} {kind}" for kind, n in findings["kind"].value_counts().sort_index().items()]


def _list_faults(crawler: Crawler, ledger: Ledger) -> list[str]:
    """What went wrong with the crawl itself."""
    stats, spider, pages = crawler.stats, crawler.spider, ledger.pages()
    searches = pages[(pages["kind"] == "search") & (pages["state"] == "done")]
    faults = []
    if isinstance(spider, LedgerSpider) and spider.stopped:
        say(f"  {spider.bring}")
        faults.append(spider.stopped)
    if len(searches) and not searches["n_links"].any():
        asked = quantity(len(searches), "search", "searches")
        faults.append(f"none of {asked} found a set: the site's page of results may have changed")
    if n := stats.get_value("searches/cut", 0):
        cut = quantity(n, "search was", "searches were")
        faults.append(f"{cut} cut at the page of results that -s SEARCH_PAGES_MAX=N sets")
    if n := stats.get_value("spider_exceptions/count", 0):
        faults.append(f"{quantity(n, 'page')} ended with an error in this program, shown above")
    return faults
