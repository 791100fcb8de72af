"""`scrapy crawl files`: decks that a person brought, plain, gzipped or in archives."""

import hashlib
from collections.abc import AsyncIterator
from pathlib import Path
from urllib.parse import quote

from scrapy import Request
from scrapy.http import Response

from crawler.formats.deck_sheet import Manner
from crawler.ledger.ledger import Ledger, PageReply, SourcePage
from crawler.spiders.base import LedgerSpider


def place_of(path: Path) -> str:
    """What a ledger knows a file's place by."""
    return hashlib.sha256(str(path).encode("utf-8", "surrogateescape")).hexdigest()


def address_of(name: str) -> str:
    """The address of a file's page."""
    return f"file:{quote(name)}"


class FilesSpider(LedgerSpider):
    """Reads each file whose content the ledger does not know yet; connects to nothing."""

    name = "files"

    def __init__(self, *, ledger: Ledger, files: dict[Path, str], manner: Manner) -> None:
        """`files` maps each path to the name under which its cards are known."""
        super().__init__(ledger=ledger, n_pages=len(files), n_done=0)
        self.files = files
        self.manner = manner

    async def start(self) -> AsyncIterator[Request]:
        """The files, read through Scrapy's handler of file addresses."""
        for path, name in self.files.items():
            about = {"name": name, "place": place_of(path)}
            yield Request(path.as_uri(), callback=self.parse_file, cb_kwargs=about, dont_filter=True)

    def parse_file(self, response: Response, name: str, place: str) -> None:
        """Record the file's decks, unless the same content was read before in the same manner."""
        if not self.crawler.crawling:  # ctrl-C: what waits is read by the next run
            return
        sha256 = hashlib.sha256(response.body).hexdigest()
        said = self.manner.describe(name)
        page = SourcePage(kind="file", key=f"{sha256} {hashlib.sha256(said.encode()).hexdigest()}" if said else sha256)
        self.read.append((page.key, name))
        if self.ledger.is_done(page):
            self.move()
            return
        outcome = self.manner.read(name, response.body)
        self.note(PageReply(page=page, url=address_of(name), outcome=outcome, body_sha256=sha256, place=place))
