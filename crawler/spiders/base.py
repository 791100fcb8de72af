"""What spiders share: pages from the ledger, outcomes into it, a progress bar, an end after many refusals."""

import hashlib
import sys
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import replace
from typing import Any

from scrapy import Request, Spider
from scrapy.exceptions import (
    CannotResolveHostError,
    CloseSpider,
    DownloadCancelledError,
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
    IgnoreRequest,
    ResponseDataLossError,
)
from scrapy.http import Response
from tqdm import tqdm
from twisted.internet.error import ConnectError, ConnectionClosed
from twisted.python.failure import Failure

from crawler.cards.outcome import Finding, Outcome
from crawler.ledger.ledger import Ledger, LedgerError, PageReply, SourcePage
from crawler.middlewares import DisallowedError, RobotsRefusedError
from crawler.pages.refusals import refusal
from crawler.pages.sites import SearchPages
from crawler.spiders.politeness import Patience
from data.files.deadline import PROCESSOR_SECONDS, DeadlineError, deadline

FAILURES: dict[type[Exception], str] = {
    DisallowedError: "disallowed",
    IgnoreRequest: "not_followed",
    DownloadCancelledError: "too_large",
    ResponseDataLossError: "unreachable",
    CannotResolveHostError: "unreachable",
    DownloadConnectionRefusedError: "unreachable",
    DownloadFailedError: "unreachable",
    DownloadTimeoutError: "unreachable",
    ConnectError: "unreachable",
    ConnectionClosed: "unreachable",
}
"""The kind of finding for a request without a response, by its exception (the first that fits); others are our bugs."""


class LedgerSpider(Spider):
    """A spider that records what it reads in a ledger."""

    bring = "decks that you bring yourself can be read by `scrapy crawl files -a path=FOLDER`"
    """What the operator can do if the source refuses."""

    def __init__(self, *, ledger: Ledger, n_pages: int, n_done: int) -> None:
        """Of the `n_pages` pages known so far, `n_done` need no request."""
        super().__init__()
        self.ledger = ledger
        self.n_dropped = 0
        """Control characters dropped from texts."""
        self.n_cleaned = 0
        """Pages with such characters."""
        self.stopped = ""
        """Why the spider ended early; empty where it did not."""
        self.read: list[tuple[str, str]] = []
        """For files: the key of each page that was read, now or before, with the name of its file."""
        self.fault: LedgerError | None = None
        """The error that ended the spider, since nothing could be written any more."""
        interval = 0.2 if sys.stderr.isatty() else 10.0
        self._bar = tqdm(
            desc=self.name, unit=" pages", total=n_pages, initial=n_done, mininterval=interval, delay=interval
        )

    def note(self, reply: PageReply, parts: Sequence[PageReply] = (), **more: Any) -> list[SourcePage]:
        """Record a reply as `Ledger.record` does, move the bar, and return the new pages to request."""
        reply, *parts = (replace(part, outcome=part.outcome.cleaned()) for part in (reply, *parts))
        n_dropped = sum(part.outcome.n_dropped for part in (reply, *parts))
        self.n_dropped += n_dropped
        self.n_cleaned += n_dropped > 0
        try:
            asks = self.ledger.record(reply, parts, **more)
        except LedgerError as fault:
            self.fault = fault
            raise CloseSpider("unwritable") from fault
        self._bar.total = (self._bar.total or 0) + len(asks)
        self.move()
        return asks

    def move(self) -> None:
        """Move the bar by one page."""
        self._bar.update()

    def closed(self, _reason: str) -> None:
        """Called by Scrapy at the end."""
        self._bar.close()


class SiteSpider(LedgerSpider):
    """Requests the pages that the ledger lists; a page of kind K is read by `parse_K(response, page)`."""

    def __init__(self, *, ledger: Ledger, site: str, cookie: str = "") -> None:
        """`site` is the address without a final slash, `cookie` the operator's session there."""
        counts = ledger.counts()
        super().__init__(ledger=ledger, n_pages=sum(counts.values()), n_done=counts.get("done", 0))
        self.site = site
        self._headers = {"Cookie": cookie} if cookie else {}

    async def start(self) -> AsyncIterator[Request]:
        """The remaining pages."""
        self._patience = Patience(self.settings.getint("REFUSALS_MAX"))
        for page in self.ledger.left():
            yield self.request(page)

    def request(self, page: SourcePage, **more: Any) -> Request:
        """The request for a page; `more` is passed to the callback."""
        return Request(
            self.site + page.key,
            headers=self._headers,
            callback=self.parse_page,
            errback=self.fail,
            cb_kwargs={"page": page, **more},
            dont_filter=True,
        )

    def parse_page(self, response: Response, page: SourcePage, **more: Any) -> Iterator[Request]:
        """Read a page as its kind is read, and request what follows from it; one that takes too long is a finding."""
        try:
            with deadline():
                requests = list(getattr(self, f"parse_{page.kind}")(response, page, **more))
        except DeadlineError:
            finding = Finding(kind="too_slow", detail=f"not read in {PROCESSOR_SECONDS:.0f} seconds")
            requests = list(self.unanswered(self.reply(page, response, Outcome(findings=(finding,))), **more))
        yield from requests

    def refused(self, response: Response, **kinds: str) -> Outcome | None:
        """How the site refused the page; None where it returned it. `kinds` as in `refusal`."""
        location = (response.headers.get("Location") or b"").decode("utf-8", "replace")
        finding = refusal(response.status, response.body, location, **kinds)
        return Outcome(findings=(finding,)) if finding else None

    def reply(self, page: SourcePage, response: Response, outcome: Outcome) -> PageReply:
        """The reply to a page."""
        return PageReply(
            page=page,
            url=self.site + page.key,
            outcome=outcome,
            status=response.status,
            body_sha256=hashlib.sha256(response.body).hexdigest(),
        )

    def record(self, reply: PageReply, parts: Sequence[PageReply] = (), **more: Any) -> Iterator[Request]:
        """Record a reply and request what follows from it; end the crawl where the site has refused too often."""
        yield from map(self.request, self.note(reply, parts, **more))
        for part in (reply, *parts):
            if self._patience.is_over(part.outcome):
                self.stop(
                    f"{self.site} refused {self._patience.limit} requests in a row and is left alone (silence counts)"
                )

    def stop(self, why: str) -> None:
        """End the crawl."""
        self.stopped = why
        raise CloseSpider("refused")

    def fail(self, failure: Failure) -> Iterator[Request]:
        """Record a request without a response."""
        fault, more = failure.value, dict(failure.request.cb_kwargs)  # type: ignore[attr-defined]  # Scrapy sets it
        if isinstance(fault, RobotsRefusedError):
            self.stop(str(fault))
        kind = next((kind for cause, kind in FAILURES.items() if isinstance(fault, cause)), None)
        if "exceeded DOWNLOAD_MAXSIZE" in str(fault):  # a page that grew too large while being unpacked
            kind = "too_large"
        if kind is None:
            failure.raiseException()
        page = more.pop("page")
        finding = Finding(kind=str(kind), detail=f"{type(fault).__name__}: {fault}")
        reply = PageReply(page=page, url=self.site + page.key, outcome=Outcome(findings=(finding,)))
        yield from self.unanswered(reply, **more)

    def unanswered(self, reply: PageReply) -> Iterator[Request]:
        """Record the reply in place of a missing response; it gets the arguments of the callback."""
        yield from self.record(reply)


class SearchingSpider(SiteSpider):
    """Search pages -> set pages."""

    pages: SearchPages
    """The site's page module."""

    def parse_search(self, response: Response, page: SourcePage) -> Iterator[Request]:
        """Record the sets found; request them, and the next page of results if this one adds any set."""
        refused = self.refused(response, forbidden="blocked", missing="changed_markup")
        keys, outcome = ([], refused) if refused else self.pages.read_search(response.body, response.url)
        asks = [SourcePage(kind="set", key=self.pages.set_address(key)) for key in keys]
        term, number = self.pages.search_of(page.key)
        if not self._known(term, number).issuperset(keys):
            asks.extend(self._further(term, number + 1))
        yield from self.record(self.reply(page, response, outcome), links=keys, asks=asks)

    def _further(self, term: str, number: int) -> list[SourcePage]:
        if number > self.settings.getint("SEARCH_PAGES_MAX"):
            self.crawler.stats.inc_value("searches/cut")
            return []
        return [SourcePage(kind="search", key=self.pages.search_address(term, number))]

    def _known(self, term: str, number: int) -> set[str]:
        """The sets on the pages of results before this one."""
        earlier = (self.pages.search_address(term, n) for n in range(1, number))
        return self.ledger.linked(SourcePage(kind="search", key=address) for address in earlier)
