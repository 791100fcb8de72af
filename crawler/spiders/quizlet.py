"""`scrapy crawl quizlet`: sets found by searching for terms."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from scrapy import Request
from scrapy.http import Response

from crawler.ledger.ledger import PageReply, SourcePage
from crawler.pages import quizlet
from crawler.pages.quizlet_items import Walk, read_items, reconcile
from crawler.spiders.base import SearchingSpider


@dataclass(frozen=True, kw_only=True)
class Visit:
    """A set whose JSON is being walked because its page was not enough."""

    reply: PageReply
    """The reply for the page."""
    walk: Walk
    parts: tuple[PageReply, ...] = ()
    """The replies for the JSON so far."""


class QuizletSpider(SearchingSpider):
    """Search pages -> set pages -> where those fall short, the sets' JSON."""

    name = "quizlet"
    pages = quizlet
    bring = (
        "what you can bring instead, for `scrapy crawl files -a path=FOLDER`: the sets' pages as saved by your browser "
        "(complete, .html), the JSON of /webapi/3.4/studiable-item-documents (.json), the text of an export, or "
        "Anki packages"
    )

    def parse_set(self, response: Response, page: SourcePage) -> Iterator[Request]:
        """Record the set if its page is enough; else request its JSON from page 1 on."""
        set_id = str(quizlet.set_of(page.key))
        outcome = self.refused(response) or quizlet.read_set(response.body, set_id)
        reply = self.reply(page, response, outcome)
        if quizlet.is_short(outcome):
            yield from self._go_on(Visit(reply=reply, walk=Walk(deck=quizlet.announced(outcome, set_id))))
        else:
            yield from self.record(reply)

    def parse_items(self, response: Response, page: SourcePage, visit: Visit) -> Iterator[Request]:
        """Request the next page of a set's JSON, or record the set."""
        outcome, walk = read_items(response.body, response.status, visit.walk)
        reply = self.reply(page, response, outcome)
        yield from self._go_on(replace(visit, walk=walk, parts=(*visit.parts, reply)))

    def unanswered(self, reply: PageReply, visit: Visit | None = None) -> Iterator[Request]:
        """Without a response, end the walk through the JSON with what has been read."""
        if visit is None:
            yield from self.record(reply)
        else:
            yield from self._go_on(replace(visit, walk=replace(visit.walk, page=None), parts=(*visit.parts, reply)))

    def _go_on(self, visit: Visit) -> Iterator[Request]:
        if visit.walk.page is not None:
            yield self.request(SourcePage(kind="items", key=visit.walk.address), visit=visit)
            return
        outcome, outcomes, again = reconcile(visit.reply.outcome, [part.outcome for part in visit.parts])
        parts = [replace(part, outcome=settled) for part, settled in zip(visit.parts, outcomes, strict=True)]
        yield from self.record(replace(visit.reply, outcome=outcome), parts, again=again)
