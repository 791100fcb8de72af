"""The one way in: recognise a card file by its content and read its cards."""

import codecs
import io
import json
import re
import zlib
from gzip import GzipFile
from typing import Any

from crawler.cards import Finding, Outcome
from crawler.formats.anki import is_package, read_package
from crawler.formats.crowdanki import is_crowdanki, read_crowdanki
from crawler.formats.delimited import read_delimited

MAX_BYTES = 512 * 2**20
"""A larger file, packed or not, is refused: it is no deck, or a bomb."""

_GZIP, _ZIP = b"\x1f\x8b", b"PK"
_PACKAGE_NAME = re.compile(r"\.(apkg|colpkg)(\.gz)?$", re.IGNORECASE)
_PAGE = re.compile(r"\s*<(\?xml|!doctype|html|head|body)\b", re.IGNORECASE)
_BINARY = re.compile(r"[\x00-\x08\x0e-\x1a\x7f]")
_BYTE_ORDER_MARKS = {codecs.BOM_UTF8: "utf-8-sig", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}


def read(name: str, content: bytes) -> Outcome:
    """The cards of a file, or the finding why there are none; bad content never raises.

    `name`, the path as it should stand in the provenance, becomes the deck's `set_id`. What the file is, its
    bytes decide; gzip round any format is unpacked. Findings: `unknown_format`, `empty_file`, `too_large`,
    `corrupt_gzip`, `not_a_package` (by its name a package, by its content none), and those of the formats.
    """
    if content.startswith(_GZIP):
        try:
            content = GzipFile(fileobj=io.BytesIO(content)).read(MAX_BYTES + 1)
        except (OSError, EOFError, zlib.error) as error:
            return _found("corrupt_gzip", f"{name}: {error}")
    if len(content) > MAX_BYTES:
        return _found("too_large", f"{name}: more than {MAX_BYTES >> 20} MiB")
    if content.startswith(_ZIP) and (_PACKAGE_NAME.search(name) or is_package(content)):
        return read_package(name, content)
    if _PACKAGE_NAME.search(name):
        return _found("not_a_package", f"{name}: named like an Anki package, but it is no zip")
    return _read_text(name, content)


def _read_text(name: str, content: bytes) -> Outcome:
    text = _decode(content)
    if text is None or _PAGE.match(text):
        return _found("unknown_format", f"{name}: begins with {content[:16]!r}")
    if not text.strip():
        return _found("empty_file", f"{name}: nothing but white space")
    tree = _json(text)
    if is_crowdanki(tree):
        return read_crowdanki(name, tree)
    if isinstance(tree, dict | list):
        return _found("unknown_format", f"{name}: JSON, but no CrowdAnki deck")
    return read_delimited(name, text)


def _decode(content: bytes) -> str | None:
    """The text of the bytes (UTF-8, UTF-16 with its mark, or Windows-1252), or None where they are no text."""
    mark = next((mark for mark in _BYTE_ORDER_MARKS if content.startswith(mark)), None)
    for encoding in (_BYTE_ORDER_MARKS[mark],) if mark else ("utf-8", "cp1252"):
        try:
            text = content.decode(encoding)
        except UnicodeDecodeError:
            continue
        return None if _BINARY.search(text) else text
    return None


def _json(text: str) -> Any:
    """The JSON value of the text, or None where it is no JSON."""
    if text.lstrip()[:1] not in ("{", "["):
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _found(kind: str, detail: str) -> Outcome:
    return Outcome(findings=(Finding(kind=kind, detail=detail),))
