"""Spans of a text highlighted on the page, and the text as HTML in which nothing but the highlights is markup."""

import html
import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from data.contract.questions import ShownParts

SIDES = ("first", "second")

_WORD = re.compile(r"\w+")


class Span(NamedTuple):
    """A part of one of the two texts."""

    name: str
    side: str
    """`first` or `second`."""
    start: int
    """The first character, from 0."""
    end: int
    """The character after the last one."""


def highlight(text: str, side: str, spans: Sequence[Span], other: str | None, shown: ShownParts) -> str:
    """The text as HTML with its parts marked; where several meet, the one that is declared first is seen.

    `spans`: given with the item, of both sides. `other`: the other text of a pair, for parts that are computed.
    """
    marks = [0] * len(text)
    names = [part.name for part in shown.parts]
    for number in range(len(names), 0, -1):
        part = shown.parts[number - 1]
        own = _words_apart(text, other or "") if part.computed else _given(spans, side, part.name)
        for start, end in own:
            marks[start:end] = [number] * (min(end, len(text)) - start)
    pieces = groupby(zip(text, marks, strict=True), key=lambda letter: letter[1])
    return "".join(_piece("".join(letter for letter, _ in run), mark) for mark, run in pieces)


def _piece(text: str, mark: int) -> str:
    escaped = html.escape(text)
    return f'<mark class="parade-part{mark}">{escaped}</mark>' if mark else escaped


def _given(spans: Sequence[Span], side: str, name: str) -> Iterator[tuple[int, int]]:
    return ((span.start, span.end) for span in spans if (span.side, span.name) == (side, name))


def _words_apart(text: str, other: str) -> Iterator[tuple[int, int]]:
    """The words of the text that the other does not have, upper and lower case being the same."""
    known = {word.casefold() for word in _WORD.findall(other)}
    for word in _WORD.finditer(text):
        if word[0].casefold() not in known:
            yield word.span()
