"""Entries of nested lists."""

import re
from collections.abc import Iterator
from dataclasses import replace

from crawler.formats.texts.blocks import ITEM, Page
from crawler.formats.texts.names import asks, read_name
from crawler.formats.texts.shapes.entry import ENOUGH, MANY, Entry, Hints, without_hints
from crawler.formats.texts.shapes.marks import list_levels

_CARD = re.compile(r"(?<!\S)#(?:flash)?cards?\b")


def find_nested(page: Page, hints: Hints) -> Iterator[list[Entry]]:
    """A line, and a list below it: an item with the items below, or a question with its answers."""
    for level, kind in list_levels(page):
        entries, n = _below(page, level, kind)
        asking = [entry for entry in entries if asks(read_name(entry.term))]
        if (kind == ITEM and len(entries) >= MANY * n) or hints.is_titled or len(asking) >= ENOUGH * n:
            yield entries if kind == ITEM and len(asking) < ENOUGH * n else asking


@without_hints
def find_tagged(page: Page) -> Iterator[list[Entry]]:
    """Items that a tag makes cards (Logseq), with what is below them."""
    found = [entry for level, kind in list_levels(page) if kind == ITEM for entry in _below(page, level, kind)[0]]
    yield [replace(entry, term=read_name(entry.term)) for entry in found if _CARD.search(entry.term)]


def _below(page: Page, level: int, kind: str) -> tuple[list[Entry], int]:
    """The blocks of a kind with what is in lists below each, and how many blocks there are."""
    entries, n = [], 0
    for at, block in enumerate(page.blocks):
        if (block.level, block.kind) == (level, kind):
            n += 1
            if children := page.children(at):
                name, *more = block.text.split("\n")
                text = "\n".join([*more, *(child.text for child in children if child.text)])
                entries.append(Entry(line=block.line, last=children[-1].last, term=name, text=text))
    return entries, n
