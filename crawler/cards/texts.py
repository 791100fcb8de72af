"""From what stands on a card to the text that a person reads."""

import html
import re
from collections.abc import Callable
from typing import Any

import pandas as pd

from crawler.cards.markup import has_tags, plain_text

_INVISIBLE = re.compile("[\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]")


def visible(text: str) -> str:
    """The text without characters that nobody sees (soft hyphens, zero-width spaces, marks of direction)."""
    return _INVISIBLE.sub("", text)


def read_text(side: str) -> str:
    """A card's side as one line: tags and entities that were typed into it resolved, white space folded.

    The released definitions hold `&gt;` and `&lt;` in 51 places where people wrote `>` and `<`.
    """
    text = plain_text(side)[0] if has_tags(side) else html.unescape(side)
    return fold(text)


def fold(side: str) -> str:
    """A card's side as one line, its markup left as it is."""
    return " ".join(visible(side).split())


def typed_media(side: str) -> str | None:
    """The comma-joined kinds of media that tags typed into a card's side stand for, null where there are none."""
    return ",".join(plain_text(side)[1]) or None if has_tags(side) else None


def per_distinct(values: pd.Series, function: Callable[[Any], Any]) -> pd.Series:
    """The function of each value, called once for each distinct one; no value may be null."""
    codes, distinct = pd.factorize(values.astype(object))
    results = pd.Series([function(value) for value in distinct], dtype=object)
    return results.take(codes).set_axis(values.index)
