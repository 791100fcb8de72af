"""The spider of the imaginary site."""

from crawler.spiders.base import SiteSpider
from tests.crawler.imaginary import pages


class ImaginarySpider(SiteSpider):
    name = "imaginary"

    def parse_set(self, response, page):
        outcome = self.refused(response) or pages.read_set(response.body, pages.set_of(page.key))
        yield from self.record(self.reply(page, response, outcome))
