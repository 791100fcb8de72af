"""The NIST CSRC glossary's export: JSON in a zip, with the digest of the JSON in a separate file."""

import hashlib
import io
import json
import re
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from crawler.cards.outcome import Card, Deck, Finding, Outcome
from crawler.formats.packed import UNREADABLE
from data.texts.markup import plain_text

LICENCE_NOTE = "NIST CSRC glossary: work of the US Government, cite the publication; entries of CNSSI or ISO may differ"
MAX_BYTES = 64 * 2**20
_DIGEST = re.compile(r"sha256 ?[:=] ?([0-9a-f]{64})", re.IGNORECASE)


def read_nist(content: bytes, meta: bytes | None = None) -> Outcome:
    """One deck per publication that defines terms; records without definitions are skipped.

    `meta` is the content of the export's `.meta` file. Findings: `wrong_checksum`, `corrupt_export`, `too_large`.
    """
    try:
        text = _unzip(content) if content.startswith(b"PK") else content
        if len(text) > MAX_BYTES:
            return _refuse("too_large", f"more than {MAX_BYTES >> 20} MiB when unpacked")
        if meta is not None and (fault := _check(text, meta)):
            return _refuse("wrong_checksum", fault)
        records = json.loads(text.decode("utf-8-sig"), strict=False)["parentTerms"]
    except (*UNREADABLE, KeyError, TypeError, RecursionError) as error:
        return _refuse("corrupt_export", f"not an export of the glossary ({type(error).__name__}: {error})")
    if not isinstance(records, list):
        return _refuse("corrupt_export", "no list of terms")
    return _read_records([record for record in records if isinstance(record, Mapping)])


def _unzip(content: bytes) -> bytes:
    """The first JSON file of the zip."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        name = next((name for name in archive.namelist() if name.endswith(".json")), None)
        if name is None:
            raise ValueError("the zip holds no JSON")
        with archive.open(name) as file:
            return file.read(MAX_BYTES + 1)


def _check(text: bytes, meta: bytes) -> str | None:
    """What is wrong with the digest; None where it fits the text."""
    lines = (" ".join(line.split()) for line in meta.decode("utf-8", "replace").splitlines())
    declared = next(filter(None, map(_DIGEST.fullmatch, lines)), None)
    if declared is None:
        return "the .meta file has no sha256"
    found = hashlib.sha256(text).hexdigest()
    return None if declared[1].lower() == found else f"the JSON has sha256 {found}, the .meta file says {declared[1]}"


def _read_records(records: list[Mapping[str, Any]]) -> Outcome:
    cards: dict[str, list[Card]] = {}
    skipped: list[tuple[str, str]] = []
    for number, record in enumerate(records):
        term, senses = _clean(record.get("term")), list(_senses(record))
        if not term or not senses:
            skipped.append((f"record {number} {term}", "no_definition" if term else "empty_front"))
        for publication, text in senses if term else ():
            deck = cards.setdefault(publication, [])
            deck.append(Card(front=term, back=text, position=len(deck), language="en"))
    decks = [
        Deck(set_id=publication, title=publication, cards=tuple(deck), licence_note=LICENCE_NOTE)
        for publication, deck in sorted(cards.items())
    ]
    outcome = Outcome(decks=tuple(decks), skipped=tuple(skipped))
    return outcome if decks else replace(outcome, findings=_refuse("corrupt_export", "no definition in it").findings)


def _senses(record: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Publication and text of each definition; one in several publications belongs to each of them."""
    for sense in _objects(record.get("definitions")):
        text = _clean(sense.get("text"))
        sources = [_clean(source.get("text")) for source in _objects(sense.get("sources"))]
        for source in dict.fromkeys(filter(None, sources)) or [""]:
            if text:
                yield source or "NIST CSRC glossary", text


def _clean(value: Any) -> str:
    """The text of a field in HTML, on one line."""
    return " ".join(plain_text(value)[0].split()) if isinstance(value, str) else ""


def _objects(value: Any) -> list[Mapping[str, Any]]:
    return [entry for entry in value if isinstance(entry, Mapping)] if isinstance(value, list) else []


def _refuse(kind: str, detail: str) -> Outcome:
    return Outcome(findings=(Finding(kind=kind, detail=detail),))
