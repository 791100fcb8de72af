"""`scrapy crawl glossary`: glossaries with several definitions per term, from files; connects to nothing."""

import asyncio
import gzip
import hashlib
import zlib
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import BinaryIO, cast
from urllib.parse import quote

from scrapy import Request
from scrapy.exceptions import CloseSpider

from crawler.cards.outcome import Finding, Glossary, Outcome
from crawler.glossaries import reading
from crawler.ledger.ledger import Ledger, PageReply, SourcePage
from crawler.spiders.base import LedgerSpider


class GlossarySpider(LedgerSpider):
    """Reads each part of each file whose content the ledger does not know yet."""

    name = "glossary"

    def __init__(self, *, ledger: Ledger, kind: Glossary, files: dict[Path, str]) -> None:
        """`files` maps each path to the name under which its cards are known."""
        super().__init__(ledger=ledger, n_pages=len(files), n_done=0)
        self.kind = kind
        self.files = files

    async def start(self) -> AsyncIterator[Request]:
        """Read the files; there is nothing to request."""
        for path, name in self.files.items():
            for content in self._parts(path, name):
                try:
                    self._record(path, name, content)
                except CloseSpider:
                    return
                await asyncio.sleep(0)  # lets Ctrl-C through
        nothing: tuple[Request, ...] = ()
        for request in nothing:
            yield request

    def _parts(self, path: Path, name: str) -> Iterator[bytes]:
        with path.open("rb") as packed:
            is_gzip = packed.read(2) == b"\x1f\x8b"
            packed.seek(0)
            try:
                yield from reading.parts(
                    self.kind, cast(BinaryIO, gzip.GzipFile(fileobj=packed)) if is_gzip else packed
                )
            except (OSError, EOFError, zlib.error) as error:
                page = SourcePage(kind="file", key=f"torn {name}")
                finding = Finding(kind="corrupt_gzip", detail=f"{name}: {error}")
                self.note(PageReply(page=page, url=_address(name), outcome=Outcome(findings=(finding,))))

    def _record(self, path: Path, name: str, content: bytes) -> None:
        """Record what a part holds, unless the same part was read before."""
        sha256 = hashlib.sha256(content).hexdigest()
        page = SourcePage(kind="file", key=sha256)
        self.read.append((sha256, name))
        if self.ledger.is_done(page):
            self.move()
            return
        outcome = reading.read(self.kind, name, content, reading.find_beside(self.kind, path))
        self.note(PageReply(page=page, url=_address(name), outcome=outcome, body_sha256=sha256))


def _address(name: str) -> str:
    return f"file:{quote(name)}"
