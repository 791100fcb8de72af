"""The text that a person reads, whatever markup it was typed with; one place for the texts of all rooms."""

import html
import re

from data.texts.marks import without_marks
from data.texts.markup import has_tags, looks_like_html, plain_text

_INVISIBLE = re.compile("[\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]")

_TYPED_BREAK = re.compile(r"\\n(?![a-z])")
"""A line break as programmers write it, but no `\\nu` of a formula."""


def visible(text: str) -> str:
    """The text without invisible characters (soft hyphens, zero-width spaces, direction marks)."""
    return _INVISIBLE.sub("", text)


def fold(text: str) -> str:
    """The text on one line, with its markup."""
    return " ".join(visible(text).split())


def read_text(side: str) -> str:
    """A card's side as one line: tags, entities and breaks typed into it are resolved, white space is folded.

    The released definitions hold `&gt;` and `&lt;` in 51 places where people wrote `>` and `<`.
    """
    text = plain_text(side)[0] if has_tags(side) else html.unescape(side)
    return fold(_TYPED_BREAK.sub(" ", text))


def without_markup(text: str) -> str:
    """The text as people read it, on one line; as it is where it has no markup.

    Tags, entities, Markdown, roles, and LaTeX's commands for fonts give what they enclose; formulas stay.
    """
    plain = plain_text(text)[0] if looks_like_html(text) else text
    plain = without_marks(plain)[0]
    return text if plain == text else fold(plain)
