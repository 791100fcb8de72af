"""Entries of nested lists."""

import re
from collections.abc import Iterator
from dataclasses import replace

from crawler.formats.texts.blocks import ITEM, Page
from crawler.formats.texts.names import asks, read_name
from crawler.formats.texts.shapes.entry import ENOUGH, MANY, Entry, Hints
from crawler.formats.texts.shapes.marks import list_levels

_CARD = re.compile(r"(?<!\S)#(?:flash)?cards?\b")


def find_nested(page: Page, hints: Hints) -> Iterator[list[Entry]]:
    """A line, and a list below it: an item with the items below, or a question with its answers."""
    for level, kind in list_levels(page):
        entries, tagged, n = [], [], 0
        for at, block in enumerate(page.blocks):
            if (block.level, block.kind) != (level, kind):
                continue
            n += 1
            if not (children := page.children(at)):
                continue
            name, *more = block.text.split("\n")
            text = "\n".join([*more, *(child.text for child in children if child.text)])
            entry = Entry(line=block.line, last=children[-1].last, term=name, text=text)
            entries.append(entry)
            if _CARD.search(name):
                tagged.append(entry)
        n_asking = sum(asks(read_name(entry.term)) for entry in entries)
        if (kind == ITEM and len(entries) >= MANY * n) or hints.is_titled or n_asking >= ENOUGH * n:
            yield (
                entries
                if kind == ITEM and n_asking < ENOUGH * n
                else [entry for entry in entries if asks(read_name(entry.term))]
            )
        if kind == ITEM:
            yield tagged


def find_tagged(page: Page, hints: Hints) -> Iterator[list[Entry]]:
    """Items that a tag makes cards (Logseq), with what is below them."""
    tagged = [entry for entries in find_nested(page, hints) for entry in entries if _CARD.search(entry.term)]
    yield list({entry.line: replace(entry, term=read_name(entry.term)) for entry in tagged}.values())
