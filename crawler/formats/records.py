"""Decks as lists of records that name their sides, in YAML or JSON: `notes: [{front: …, back: …}, …]`."""

from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import Any

import yaml
from markdown_it import MarkdownIt

from crawler.cards.markup import looks_like_html, plain_text
from crawler.cards.outcome import Card, Deck, Outcome, gather
from crawler.cards.texts import is_too_long
from crawler.formats.headers import find_sides

LISTS = ("notes", "cards", "flashcards", "deck", "items", "terms")
"""Keys that may hold the records."""
TITLES = ("deck", "title", "name")
MAX_DEPTH = 50
"""Levels of YAML; decks have three."""
_ENOUGH = 0.5
"""Share of records that must name both sides for a list to be a deck."""


class TreeError(ValueError):
    """YAML that cannot be read."""


def read_yaml(text: str) -> Any:
    """The document's tree, every scalar as text; None where it is not a YAML mapping or list.

    No object is constructed and no tag is obeyed. Raises TreeError for aliases, with which a page of text can expand to
    gigabytes, for deep nesting, and for a mapping that breaks off.
    """
    try:
        _check_events(text)
        node = yaml.compose(text, yaml.CSafeLoader)
    except (yaml.YAMLError, RecursionError) as error:
        raise TreeError(" ".join(str(error).split())) from error
    return _plain(node) if isinstance(node, yaml.CollectionNode) else None


def _check_events(text: str) -> None:
    """Raise TreeError for aliases, and for nesting that would overflow the stack of the parser written in C."""
    depth = 0
    for event in yaml.parse(text, yaml.CSafeLoader):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if isinstance(event, yaml.AliasEvent):
            raise TreeError("YAML with aliases, which decks do not need")
        if depth > MAX_DEPTH:
            raise TreeError(f"YAML nested more than {MAX_DEPTH} levels deep")


def _plain(node: Any) -> Any:
    if isinstance(node, yaml.MappingNode):
        return {key.value: _plain(value) for key, value in node.value if isinstance(key, yaml.ScalarNode)}
    if isinstance(node, yaml.SequenceNode):
        return [_plain(value) for value in node.value]
    return node.value


def find_records(tree: Any) -> list[Any] | None:
    """The list of records in a tree; None where there is none, or most of its records do not name two sides."""
    lists = [tree] if isinstance(tree, list) else [tree.get(key) for key in LISTS] if isinstance(tree, Mapping) else []
    for records in lists:
        if isinstance(records, list) and records:
            named = sum(isinstance(row, Mapping) and find_sides(list(map(str, row))) is not None for row in records)
            if named >= _ENOUGH * len(records):
                return records
    return None


def read_records(name: str, tree: Any, records: Sequence[Any]) -> Outcome:
    """The records' cards; the others are skipped (`no_sides`, `no_text`, `empty_front`, `cloze`)."""
    cards, skipped = gather((f"record {number}", _read_record(record)) for number, record in enumerate(records, 1))
    about = tree if isinstance(tree, Mapping) else {}
    title = next((str(about[key]) for key in TITLES if isinstance(about.get(key), str)), title_of(name))
    return Outcome(decks=(Deck(set_id=name, title=title, cards=cards),), skipped=skipped)


def _read_record(record: Any) -> Card | str:
    """The record's card, or the reason it has none."""
    sides = find_sides(list(map(str, record))) if isinstance(record, Mapping) else None
    if sides is None:
        return "no_sides"
    values = list(record.values())
    front, back = values[sides[0]], values[sides[1]]
    if not isinstance(front, str | int | float) or not isinstance(back, str | int | float):
        return "no_text"
    marked = str(record.get("markdown")).lower() == "true"
    return card_of(str(front), str(back), markdown=marked)


def card_of(front: str, back: str, *, markdown: bool = False, html: bool = False) -> Card | str:
    """The card (at position 0) of two sides of plain text, Markdown or HTML (also plain text that looks like HTML).

    Or the reason there is none: `too_long`, `empty_front`, `cloze`.
    """
    if is_too_long(front, back):
        return "too_long"
    if not front.strip():
        return "empty_front"
    if "{{c1::" in front + back:
        return "cloze"
    texts, media = [], set()
    for side in (front, back):
        content = MarkdownIt().render(side) if markdown else side
        text, kinds = plain_text(content) if markdown or html or looks_like_html(side) else (side.strip(), ())
        texts.append(text)
        media |= set(kinds)
    return Card(front=texts[0], back=texts[1], position=0, media=tuple(sorted(media)))


def title_of(name: str) -> str:
    """A deck's title from its file: the last part of the name, without the suffix."""
    path = PurePath(name.rpartition("!")[2] or name)
    return PurePath(path.stem).stem if path.suffix.lower() == ".gz" else path.stem
