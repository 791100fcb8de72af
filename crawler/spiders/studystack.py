"""`scrapy crawl studystack`: sets of a list or a category."""

from collections.abc import Iterator

from scrapy import Request
from scrapy.http import Response

from crawler.ledger.ledger import PageReply, SourcePage
from crawler.pages import studystack
from crawler.spiders.base import SiteSpider


class StudystackSpider(SiteSpider):
    """Lists of a category -> set pages -> where a page is not understood, the set's delimited export."""

    name = "studystack"
    bring = (
        "what you can bring instead, for `scrapy crawl files -a path=FOLDER`: the sets' pages as saved by your browser "
        "(.html), or their export as text (.txt)"
    )

    def parse_listing(self, response: Response, page: SourcePage) -> Iterator[Request]:
        """Request the sets on a page of the list, and the next page after a full one with new sets."""
        refused = self.refused(response, forbidden="blocked", missing="changed_markup")
        ids, outcome = ([], refused) if refused else studystack.read_listing(response.body)
        asks = [SourcePage(kind="set", key=studystack.set_address(set_id)) for set_id in ids]
        category, number = studystack.listing_of(page.key)
        earlier = self.ledger.linked(_listing(category, n) for n in range(1, number))
        if len(ids) >= studystack.LISTED and not earlier.issuperset(ids):
            asks.append(_listing(category, number + 1))
        yield from self.record(self.reply(page, response, outcome), links=ids, asks=asks)

    def parse_set(self, response: Response, page: SourcePage) -> Iterator[Request]:
        """Record the set if its page is understood; else request its export."""
        set_id = str(studystack.set_of(page.key))
        outcome = self.refused(response) or studystack.read_set(response.body, set_id)
        reply = self.reply(page, response, outcome)
        if any(finding.kind == "changed_markup" for finding in outcome.findings):
            yield self.request(SourcePage(kind="export", key=studystack.export_address(set_id)), shown=reply)
        else:
            yield from self.record(reply)

    def parse_export(self, response: Response, page: SourcePage, shown: PageReply) -> Iterator[Request]:
        """Record the set in its export, with the finding of its page."""
        set_id = str(studystack.set_of(shown.page.key))
        outcome = self.refused(response) or studystack.read_export(response.body, set_id)
        yield from self.record(shown, [self.reply(page, response, outcome)], again=not outcome.decks)

    def unanswered(self, reply: PageReply, shown: PageReply | None = None) -> Iterator[Request]:
        """Without a response for the export, record the page as it was."""
        yield from self.record(shown or reply, [reply] if shown else [])


def _listing(category: int, number: int) -> SourcePage:
    return SourcePage(kind="listing", key=studystack.listing_address(category, number))
