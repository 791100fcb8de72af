"""The text that a person reads on a card."""

import re
from collections.abc import Callable, Collection
from typing import Any

import pandas as pd

from data.texts.markup import has_tags, plain_text
from data.texts.words import normalise

MAX_SIDE_CHARS = 100_000
"""Characters of a side with its markup, of which real decks have more than ten thousand."""
MIN_CONTENT_WORDS = 3
"""A text with this many words behind a reference says something itself."""
MAX_TITLE_CHARS = 1_000
"""Characters of a title; what is longer is cut before anything looks at it."""

_REFERENCE = re.compile(
    r"^\W*(?:see(?: also)?|synonym (?:for|of)|compare|same as|alternative (?:form|spelling) of)\b", re.I
)
_PLACEHOLDER = re.compile(
    r"\W*(?:to ?do|tbd|tba|fixme|coming soon|xxx|(?:definition|description|meaning) not (?:found|available)"
    r"|no (?:definition|description)(?: (?:found|available))?)\W*",
    re.IGNORECASE,
)
_SHORT = re.compile(r"\W*\w+ (?!(?:and|or)\b)\S+(?: \S+){0,3}")
"""A text that begins like a reference and is one if it is no longer than this: `See spam and velveeta.`; but `compare
and exchange` is the name of an act."""
_LAST = re.compile(r"(?<=[.!?”]) (?:See|Compare|Contrast|Oppose)\b")
"""How a sentence begins that only refers to other entries."""
_ADDRESSES = re.compile(r"(?:(?:https?|ftp)://\S+\s+)+")
_TARGET = re.compile(r"\s{0,9}(?P<colon>:)?[\s:]{0,9}(?P<quote>[\"'“‘„«\[{])?(?P<term>[^.,;:(]{0,200})")
_UNSPACED = "\u3040-\u30ff\u3400-\u9fff"
"""Kana and Han."""
_COUNTED = re.compile(rf"[{_UNSPACED}]{{1,2}}|[^\W{_UNSPACED}][^\s{_UNSPACED}]*")


def split_lines(text: str) -> list[str]:
    """The lines of a text, which no other character ends than a line feed or a carriage return."""
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def count_words(text: str) -> int:
    """The words of a text; two characters for each where nothing is between them, as in Chinese and Japanese."""
    return len(_COUNTED.findall(text))


def is_reference(text: str, terms: Collection[str] | None = None) -> bool:
    """Whether a text only refers to another entry of its glossary.

    It begins like a reference; where the glossary's `terms` are known (normalised), with a colon, one of them or
    something in quotes: `See: cilia`, `See "flagella"` and `see flagella` refer, `see and edit a file` does not.
    """
    match = _REFERENCE.match(text)
    if match is None or terms is None:
        return match is not None
    target = _TARGET.match(text, match.end())
    if target is None:
        return False
    return bool(target["colon"] or target["quote"]) or normalise(target["term"]) in terms


def is_placeholder(text: str) -> bool:
    """Whether a text only says that it is still to be written."""
    return _PLACEHOLDER.fullmatch(text) is not None


def only_refers(text: str) -> bool:
    """Whether a text is nothing but a reference, whatever entries there are: `See "flagella".`, `see flagella`.

    A text that goes on after its reference (`See "x". A pattern of …`) is more.
    """
    _, _, more = without_references(text).partition(". ")
    refers = is_reference(text, ()) or (is_reference(text) and _SHORT.fullmatch(text) is not None)
    return refers and len(more.split()) < MIN_CONTENT_WORDS


def without_references(text: str) -> str:
    """A text on one line without addresses before it and the sentences at its end that only refer to other entries."""
    start = match.end() if (match := _ADDRESSES.match(text)) else 0
    end = len(text)
    while end and text[end - 1] == ".":
        last = _LAST.search(text, max(text.rfind(".", 0, end - 1), 0), end)
        if last is None:
            break
        end = last.start()
    return text[start:end]


def is_too_long(*sides: str) -> bool:
    """Whether one of a card's sides is longer than MAX_SIDE_CHARS; such a card is skipped before it is looked at."""
    return any(len(side) > MAX_SIDE_CHARS for side in sides)


def read_title(title: str) -> str:
    """The beginning of a title, of at most MAX_TITLE_CHARS characters, on one line."""
    return " ".join(title[:MAX_TITLE_CHARS].split())


def typed_media(side: str) -> str | None:
    """The kinds of media, joined by commas, of the tags typed into a card's side; None where there are none."""
    return ",".join(plain_text(side)[1]) or None if has_tags(side) else None


def per_distinct(values: pd.Series, function: Callable[[Any], Any]) -> pd.Series:
    """The function of each value, called once per distinct value; no value may be null."""
    codes, distinct = pd.factorize(values)
    results = pd.Series([function(value) for value in distinct], dtype=object)
    return results.take(codes).set_axis(values.index)
