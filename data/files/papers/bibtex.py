"""One entry of BibTeX."""

import logging
import re
from collections.abc import Mapping
from functools import cache
from typing import Any

Strings = Mapping[str, str]
"""The names that `@string` gives to texts, in lower case."""

_NO_ENTRY = re.compile(r"@\s*(?:comment|preamble|string)\b", re.IGNORECASE)
_STRING = re.compile(r"@[ \t]{0,9}string\s{0,9}[{(]\s{0,99}([^\s={}()]{1,99})\s{0,99}=", re.IGNORECASE)
_NEXT = re.compile(r"^[ \t]{0,99}@", re.MULTILINE)
_FIELD = re.compile(r"(?:^|[,{])[ \t]{0,99}([A-Za-z][\w-]{0,40})[ \t]{0,99}=", re.MULTILINE)
_FIELDS = {
    "title": ("title",),
    "abstract": ("abstract",),
    "year": ("year", "date"),
    "venue": ("booktitle", "journal", "journaltitle"),
}


def is_no_entry(text: str, start: int) -> bool:
    """Whether what begins there is a comment, a preamble or a string."""
    return _NO_ENTRY.match(text, start) is not None


def read_strings(text: str) -> Strings:
    """The strings that a file declares."""
    strings: dict[str, str] = {}
    for found in _STRING.finditer(text):
        following = _NEXT.search(text, found.end())
        value = text[found.end() : following.start() if following else len(text)].strip()
        strings[found[1].lower()] = _value(value[:-1] if value[-1:] in ("}", ")") else value, strings)
    return strings


def read(text: str, strings: Strings) -> dict[str, str | None]:
    """The record of an entry; where the entry is damaged, what can be made out of it."""
    whole = _parse(text) if "=" in text else None
    key, fields = whole or _salvage(text)
    if whole and not any(name.lower() == "title" for name, _ in fields):  # a comma before it may be missing
        fields = [*fields, *_salvage(text)[1]]
    texts = {name.lower(): _value(value, strings) for name, value in fields}
    record = {field: next((texts[name] for name in names if texts.get(name)), None) for field, names in _FIELDS.items()}
    return {"id": key or None, **record} if any(record.values()) or key else {}


@cache
def _splitter() -> Any:
    from bibtexparser.splitter import Splitter

    logging.getLogger("bibtexparser").setLevel(logging.CRITICAL)
    return Splitter


def _parse(text: str) -> tuple[str, list[tuple[str, str]]] | None:
    """The key and the fields of an entry, the first of its name first; None where it is damaged.

    An entry with a field twice is no failure.
    """
    for block in _splitter()(text).split().blocks:
        entry = getattr(block, "ignore_error_block", None) or block
        if fields := getattr(entry, "fields", None):
            return entry.key, [(field.key, field.value) for field in reversed(fields)]
    return None


def _salvage(text: str) -> tuple[str, list[tuple[str, str]]]:
    """The key and the fields of a damaged entry: a field's value ends where the next one begins."""
    found = list(_FIELD.finditer(text))
    key = re.match(r"@[^{(]{0,60}[{(]\s{0,99}([^\s,={}]{1,200})\s{0,99},", text)
    ends = [*(one.start() for one in found[1:]), len(text)]
    fields = [(one[1], text[one.end() : end].strip().strip(",").strip()) for one, end in zip(found, ends, strict=False)]
    return key[1] if key else "", fields[::-1]


def _value(value: str, strings: Strings) -> str:
    """The text of a value: parts joined by `#`, in braces, in quotation marks, or the name of a string."""
    if not value or value[0] not in '{"' or "#" in value:
        parts = _parts(value)
        return "".join(_value(part, strings) for part in parts) if len(parts) > 1 else strings.get(value.lower(), value)
    return value.strip('"' if value[0] == '"' else "").removeprefix("{").removesuffix("}") if value else value


def _parts(value: str) -> list[str]:
    """The parts of a value between marks `#` outside braces and quotation marks."""
    depth, quoted, start, parts = 0, False, 0, []
    for at, character in enumerate(value):
        if character in "{}":
            depth += 1 if character == "{" else -1
        elif character == '"' and not depth:
            quoted = not quoted
        elif character == "#" and not depth and not quoted:
            parts.append(value[start:at].strip())
            start = at + 1
    return [*parts, value[start:].strip()]
