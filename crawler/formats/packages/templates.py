"""Which fields of a note a template of its cards shows, in the language of Anki's templates (a kind of Mustache)."""

import re
from collections.abc import Sequence
from enum import IntEnum

from crawler.cards.texts import MAX_SIDE_CHARS
from data.texts.markup import plain_text

_TAG = re.compile(r"\{\{([^{}]*)\}\}")
_MARK = re.compile("\ue000([0-9]{1,6})\ue001")


class Showing(IntEnum):
    """How plainly a template shows a field, most plainly first."""

    ALWAYS = 0
    SOMETIMES = 1
    """Within a section, which depends on whether some field is blank, or behind a hint that must be clicked."""
    TYPED = 2
    """As a box to type in on the question's side."""


def shown_fields(template: str, fields: Sequence[str]) -> dict[int, Showing]:
    """The fields that a reader of the template sees, in order; tags, comments and scripts are unseen.

    `{{filter:Name}}` shows Name, unless the filter speaks it; `{{#Name}}…{{/Name}}` and `{{^Name}}…{{/Name}}` are
    sections. Only the beginning of a template, of MAX_SIDE_CHARS characters, is looked at.
    """
    places = {name: place for place, name in enumerate(fields)}
    references: list[tuple[int, Showing]] = []
    depth = 0

    def mark(match: re.Match[str]) -> str:
        nonlocal depth
        tag = match[1].strip()
        if tag[:1] in ("#", "^", "/"):
            depth = max(0, depth + (-1 if tag[0] == "/" else 1))
            return ""
        *filters, name = (part.strip() for part in tag.split(":"))
        if name not in places or any(part.startswith("tts") for part in filters):
            return ""
        is_plain = depth == 0 and "hint" not in filters
        showing = Showing.TYPED if "type" in filters else Showing.ALWAYS if is_plain else Showing.SOMETIMES
        references.append((places[name], showing))
        return f"\ue000{len(references) - 1}\ue001"

    text, _ = plain_text(_TAG.sub(mark, template[:MAX_SIDE_CHARS].replace("\ue000", "")))
    seen: dict[int, Showing] = {}
    for number in map(int, _MARK.findall(text)):
        place, showing = references[number]
        seen[place] = min(showing, seen.get(place, showing))
    return seen


def is_cloze(template: str) -> bool:
    """True where the template hides parts of a text, whatever its note type declares."""
    return any("cloze" in map(str.strip, tag.split(":")[:-1]) for tag in _TAG.findall(template))
