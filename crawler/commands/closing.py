"""The end of a crawl: cards into the table, and how things stand."""

from collections import Counter

from scrapy.crawler import Crawler

from crawler.ledger.harvest import harvest
from crawler.ledger.ledger import Ledger
from crawler.spiders.base import LedgerSpider
from crawler.terms.lists import TermList
from data.console import say, say_next
from data.errors import Findings
from data.store import Store

EXAMPLES = 3
"""Addresses named for each kind of finding; all of them are rejects."""


def finish(store: Store, ledger: Ledger, source: str, terms: TermList, crawler: Crawler) -> None:
    """Brings the ledger's cards into the table and says how things stand.

    Raises KeyboardInterrupt where the crawl was stopped by hand, Findings where something should be looked at.
    """
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
        say(f"  {spider.bring}")
        faults.append(spider.stopped)
    if len(searches) and not searches["n_links"].any():
        faults.append(f"none of {len(searches)} searches found a set: the site's page of results may have changed")
    if n := stats.get_value("searches/cut", 0):
        faults.append(f"{n} searches were cut at the page of results that -s SEARCH_PAGES_MAX=N sets")
    if n := stats.get_value("spider_exceptions/count", 0):
        faults.append(f"{n} pages ended with a fault of this program, told above")
    return faults
