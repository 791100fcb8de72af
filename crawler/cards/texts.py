"""The text that a person reads on a card."""

import html
import re
from collections.abc import Callable
from typing import Any

import pandas as pd

from crawler.cards.markup import has_tags, plain_text

_INVISIBLE = re.compile("[\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]")


def visible(text: str) -> str:
    """The text without invisible characters (soft hyphens, zero-width spaces, direction marks)."""
    return _INVISIBLE.sub("", text)


def read_text(side: str) -> str:
    """A card's side as one line: tags and entities typed into it are resolved, white space is folded.

    The released definitions hold `&gt;` and `&lt;` in 51 places where people wrote `>` and `<`.
    """
    text = plain_text(side)[0] if has_tags(side) else html.unescape(side)
    return fold(text)


def fold(side: str) -> str:
    """A card's side as one line, with its markup."""
    return " ".join(visible(side).split())


def typed_media(side: str) -> str | None:
    """The kinds of media, joined by commas, of the tags typed into a card's side; None where there are none."""
    return ",".join(plain_text(side)[1]) or None if has_tags(side) else None


def per_distinct(values: pd.Series, function: Callable[[Any], Any]) -> pd.Series:
    """The function of each value, called once per distinct value; no value may be null."""
    codes, distinct = pd.factorize(values.astype(object))
    results = pd.Series([function(value) for value in distinct], dtype=object)
    return results.take(codes).set_axis(values.index)
