"""The imaginary site's row of the registry, and Scrapy with it: `python -m tests.crawler.imaginary.row crawl …`."""

import sys

from scrapy.cmdline import execute

from crawler.pages.sites import SITES, Site
from tests.crawler.imaginary import pages

ROW = Site(name="imaginary", address="https://imaginary.example", pages=pages)

if __name__ == "__main__":
    SITES[ROW.name] = ROW
    execute(["scrapy", *sys.argv[1:], "-s", "SPIDER_MODULES=crawler.spiders,tests.crawler.imaginary.spider"])
