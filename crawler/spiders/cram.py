"""`scrapy crawl cram`: sets found by searching for terms."""

from collections.abc import Iterator

from scrapy import Request
from scrapy.http import Response

from crawler.ledger.ledger import SourcePage
from crawler.pages import cram
from crawler.spiders.base import SearchingSpider


class CramSpider(SearchingSpider):
    """Search pages -> set pages, which hold all of their cards."""

    name = "cram"
    pages = cram
    bring = (
        "what you can bring instead, for `scrapy crawl files -a path=FOLDER`: the sets' pages as saved by your browser "
        "(.html), or a set's cards as text, one line per card"
    )

    def parse_set(self, response: Response, page: SourcePage) -> Iterator[Request]:
        """Record the set on its page."""
        outcome = self.refused(response) or cram.read_set(response.body, str(cram.set_of(page.key)))
        yield from self.record(self.reply(page, response, outcome))
