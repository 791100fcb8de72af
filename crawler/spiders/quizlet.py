"""scrapy crawl quizlet: sets found by searching for terms."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from scrapy import Request
from scrapy.http import Response

from crawler.ledger.ledger import Page, Reply
from crawler.pages import quizlet
from crawler.pages.quizlet_items import Walk, read_items, settle
from crawler.spiders.base import SearchingSpider


@dataclass(frozen=True, kw_only=True)
class Visit:
    """A set whose JSON is being walked because its page was not enough."""

    reply: Reply
    """What came for the page."""
    walk: Walk
    parts: tuple[Reply, ...] = ()
    """What came of the JSON so far."""


class QuizletSpider(SearchingSpider):
    """search pages -> set pages -> where those fall short, the sets' JSON."""

    name = "quizlet"
    pages = quizlet
    bring = (
        "what you may bring instead, for `scrapy crawl files -a path=FOLDER`: the sets' pages as your browser saves "
        "them (complete, .html), the JSON of /webapi/3.4/studiable-item-documents (.json), the text of an export, or "
        "Anki packages"
    )

    def parse_set(self, response: Response, page: Page) -> Iterator[Request]:
        """The set, if its page is enough, else its JSON from page 1."""
        set_id = str(quizlet.set_of(page.key))
        outcome = self.refused(response) or quizlet.read_set(response.body, set_id)
        reply = self.reply(page, response, outcome)
        if quizlet.is_short(outcome):
            yield from self._go_on(Visit(reply=reply, walk=Walk(deck=quizlet.announced(outcome, set_id))))
        else:
            yield from self.record(reply)

    def parse_items(self, response: Response, page: Page, visit: Visit) -> Iterator[Request]:
        """The next page of a set's JSON, or the whole set."""
        outcome, walk = read_items(response.body, response.status, visit.walk)
        reply = self.reply(page, response, outcome)
        yield from self._go_on(replace(visit, walk=walk, parts=(*visit.parts, reply)))

    def unanswered(self, reply: Reply, visit: Visit | None = None) -> Iterator[Request]:
        """A page of JSON that does not come ends the walk with what was read before."""
        if visit is None:
            yield from self.record(reply)
        else:
            yield from self._go_on(replace(visit, walk=replace(visit.walk, page=None), parts=(*visit.parts, reply)))

    def _go_on(self, visit: Visit) -> Iterator[Request]:
        if visit.walk.page is not None:
            yield self.request(Page(kind="items", key=visit.walk.address), visit=visit)
            return
        outcome, outcomes, again = settle(visit.reply.outcome, [part.outcome for part in visit.parts])
        parts = [replace(part, outcome=one) for part, one in zip(visit.parts, outcomes, strict=True)]
        yield from self.record(replace(visit.reply, outcome=outcome), parts, again=again)
