"""scrapy crawl files: decks that somebody brought, plain or packed with gzip."""

import glob
import hashlib
import os
from collections.abc import AsyncIterator
from pathlib import Path
from urllib.parse import quote

from scrapy import Request
from scrapy.http import Response

from crawler.formats.reading import read
from crawler.ledger import Ledger, Page, Reply
from crawler.spiders.base import LedgerSpider
from data.errors import InputError


def find_files(path: str) -> dict[Path, str]:
    """The files that a path stands for (a file, a folder with all below, or a pattern), each with its name.

    The name starts at the folder, so that it is the same wherever the folder lies. Hidden files are left out.
    Raises InputError where there is no file.
    """
    root = Path(path)
    roots = [root] if root.exists() else sorted(map(Path, glob.glob(path, recursive=True)))
    found = {file: name for one in roots for file, name in _below(one.resolve())}
    locked = [file for file in found if not os.access(file, os.R_OK)]
    if locked:
        raise InputError(
            locked[0], expected="a readable file", found="no permission to read it", remedy="change its rights"
        )
    if not found:
        raise InputError(
            path, expected="a file, a folder with files, or a pattern", found="no file", remedy="check -a path"
        )
    return found


def check_single(files: dict[Path, str]) -> None:
    """Raises InputError where one file alone was named and no deck can be read from it."""
    if len(files) != 1:
        return
    ((path, name),) = files.items()
    outcome = read(name, path.read_bytes())
    if outcome.findings and not outcome.decks:
        detail = outcome.findings[0].detail.removeprefix(f"{name}: ")
        raise InputError(
            path,
            expected="a deck in a format that is known",
            found=detail,
            remedy="export it again, or name its folder",
        )


def _below(root: Path) -> list[tuple[Path, str]]:
    if root.is_file():
        return [(root, root.name)]
    files = sorted(file for file in root.rglob("*") if file.is_file())
    names = [(file, file.relative_to(root.parent).as_posix()) for file in files]
    return [(file, name) for file, name in names if "/." not in name]


class FilesSpider(LedgerSpider):
    """Reads each file whose content the ledger does not know yet; nothing is asked of anybody."""

    name = "files"

    def __init__(self, *, ledger: Ledger, files: dict[Path, str]) -> None:
        """`files` maps each path to the name under which its cards are known."""
        super().__init__(ledger=ledger, n_pages=len(files), n_done=0)
        self.files = files

    async def start(self) -> AsyncIterator[Request]:
        """The files, through Scrapy's reader of file addresses."""
        for path, name in self.files.items():
            yield Request(path.as_uri(), callback=self.parse_file, cb_kwargs={"name": name}, dont_filter=True)

    def parse_file(self, response: Response, name: str) -> None:
        """Records the file's decks, unless the same content was read before."""
        sha256 = hashlib.sha256(response.body).hexdigest()
        page = Page(kind="file", key=sha256)
        if self.ledger.is_done(page):
            self.move()
            return
        outcome = read(name, response.body)
        self.note(Reply(page=page, url=f"file:{quote(name)}", outcome=outcome, body_sha256=sha256))
