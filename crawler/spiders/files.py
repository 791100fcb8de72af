"""`scrapy crawl files`: decks that a person brought, plain, gzipped or in archives."""

import hashlib
from collections.abc import AsyncIterator
from pathlib import Path
from urllib.parse import quote

from scrapy import Request
from scrapy.http import Response

from crawler.formats.files import ReadOptions
from crawler.ledger.ledger import Ledger, Page, PageReply
from crawler.spiders.base import LedgerSpider


class FilesSpider(LedgerSpider):
    """Reads each file whose content the ledger does not know yet; connects to nothing."""

    name = "files"

    def __init__(self, *, ledger: Ledger, files: dict[Path, str], manner: ReadOptions) -> None:
        """`files` maps each path to the name under which its cards are known."""
        super().__init__(ledger=ledger, n_pages=len(files), n_done=0)
        self.files = files
        self.manner = manner

    async def start(self) -> AsyncIterator[Request]:
        """The files, read through Scrapy's handler of file addresses."""
        for path, name in self.files.items():
            yield Request(path.as_uri(), callback=self.parse_file, cb_kwargs={"name": name}, dont_filter=True)

    def parse_file(self, response: Response, name: str) -> None:
        """Record the file's decks, unless the same content was read before in the same manner."""
        if not self.crawler.crawling:  # ctrl-C: what waits is read by the next run
            return
        sha256 = hashlib.sha256(response.body).hexdigest()
        page = Page(kind="file", key=sha256)
        self.read.append((sha256, name))
        if self.ledger.is_done(page) and self.manner.is_default():
            self.move()
            return
        outcome = self.manner.read(name, response.body)
        self.note(PageReply(page=page, url=f"file:{quote(name)}", outcome=outcome, body_sha256=sha256))
