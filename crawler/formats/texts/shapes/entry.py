"""What a shape finds, and what shapes share."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache

from crawler.formats.sides.cards import UNNAMED, NamedColumns
from crawler.formats.sides.headers import Named
from crawler.formats.texts.blocks import Page

MAX_TERMS = 20
"""Terms above one text: with many, as many texts below them would give their product of cards."""


@dataclass(frozen=True, kw_only=True)
class Entry:
    """A name and what is written about it."""

    line: int
    """Where it begins, from 1."""
    last: int
    """Where it ends."""
    term: str
    text: str
    """May be empty."""
    columns: NamedColumns = UNNAMED
    """Of the table in which it is a row."""
    cells: tuple[str, ...] = ()
    """Of that row; empty where it is none."""

    def row(self) -> list[str]:
        """The values in its columns, with its sides as they are read."""
        sides = dict(zip(self.columns.sides, (self.term, self.text), strict=True))
        return [sides.get(at, cell) for at, cell in enumerate(self.cells or sides.values())]


@dataclass(frozen=True, kw_only=True)
class Hints:
    """What is known about a page beside what is on it."""

    named: Named = ()
    """The columns of its tables by the operator's word."""
    is_titled: bool
    """Whether its name or a title says that it explains terms."""
    is_chosen: bool = False
    """Whether the operator says in which shape its entries are."""
    is_web: bool = False
    """Whether it was a web page, on which lists and tables have other purposes, too."""


@dataclass(frozen=True, kw_only=True)
class Shape:
    """A way to write entries."""

    name: str
    """What the operator may call it."""
    find: Callable[[Page, Hints], Iterable[list[Entry]]]
    read_as: str
    is_sure: bool = False
    """Whether one entry shows it, whatever its name is."""
    is_loose: bool = False
    """Whether it is so common in texts of other kinds that a title does not count."""
    may_translate: bool = False
    """Whether words and their translations are written so."""
    splits: bool = False
    """Whether a mark that sentences have, too, ends the name."""
    weight: float = 1.0
    """How much its entries count against other shapes' entries."""
    share: float = 0.0
    """Share of the page's words that its entries need where nothing else says that they are explained terms."""


def without_hints(find: Callable[[Page], Iterable[list[Entry]]]) -> Callable[[Page, Hints], Iterable[list[Entry]]]:
    """A way to find entries that needs no hints, so that it searches a page once."""
    search = lru_cache(maxsize=1)(lambda page: tuple(find(page)))
    return lambda page, _: search(page)


MANY, ENOUGH, HALF, SOME, FEW = 0.8, 0.6, 0.5, 0.3, 0.2
"""Shares of what a shape finds."""
CONTENTS = re.compile(r"(?:[^\w\[\]()]*+\[[^\[\]]{1,200}\]\(#[^()\n]{0,200}\))+\W*")
"""Links to other parts of the page."""
BRACKETS = re.compile(r"(?:\[[^\[\]]*\]\s*)+$")
ADDRESS = re.compile(r"\W{0,9}(?:\[\[.*|\*\*/.*|(?:https?|file)://\S*|(?:/[\w.-]+){3,})$")
