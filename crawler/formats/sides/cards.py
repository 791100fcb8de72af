"""A card of two sides, and the title of a deck from its file."""

from pathlib import PurePath

from markdown_it import MarkdownIt

from crawler.cards.markup import looks_like_html, plain_text
from crawler.cards.outcome import Card, Fields
from crawler.cards.texts import is_too_long

_MARKDOWN = MarkdownIt()


def card_of(
    front: str, back: str, *, markdown: bool = False, html: bool = False, fields: Fields | None = None
) -> Card | str:
    """The card (at position 0) of two sides of plain text, Markdown or HTML (also plain text that looks like HTML).

    `fields` is what the source calls them. Or the reason there is none: `too_long`, `empty_front`, `cloze`.
    """
    if is_too_long(front, back):
        return "too_long"
    if not front.strip():
        return "empty_front"
    if "{{c1::" in front + back:
        return "cloze"
    texts, media = [], set()
    for side in (front, back):
        content = _MARKDOWN.render(side) if markdown else side
        text, kinds = plain_text(content) if markdown or html or looks_like_html(side) else (side.strip(), ())
        texts.append(text)
        media |= set(kinds)
    return Card(front=texts[0], back=texts[1], position=0, media=tuple(sorted(media)), fields=fields)


def title_of(name: str) -> str:
    """A deck's title from its file: the last part of the name, without the suffix."""
    path = PurePath(name.rpartition("!")[2] or name)
    return PurePath(path.stem).stem if path.suffix.lower() == ".gz" else path.stem
