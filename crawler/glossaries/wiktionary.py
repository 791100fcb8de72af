"""Wiktionary as extracted by wiktextract: one JSON object per line, for a word and part of speech."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from crawler.cards.outcome import Deck, Finding, Outcome
from crawler.glossaries.entries import Sense, read_senses

DECK = Deck(
    set_id="Wiktionary",
    title="Wiktionary",
    cards=(),
    licence_note="Wiktionary (en.wiktionary.org): CC BY-SA 4.0, attribution asked",
)
FORMS = frozenset({"form-of", "alt-of", "no-gloss"})
"""Tags of senses that only name the word that this is a form of."""


def read_wiktionary(content: bytes) -> Outcome:
    """The innermost gloss of each English sense; senses that refer to another word are skipped (`form_of`).

    Findings: `corrupt_lines` with their number (the other lines are used), `changed_markup` where no line is an entry.
    """
    entries, n_torn = [], 0
    for line in content.split(b"\n"):
        entry = _parse(line) if line.strip() else {}
        n_torn += entry is None
        entries.append(entry or {})
    words = [entry for entry in entries if isinstance(entry.get("word"), str)]
    if not words:
        return Outcome(findings=(Finding(kind="changed_markup", detail="no line is an entry of wiktextract"),))
    senses = [sense for entry in words for sense in _read_senses(entry)]
    outcome = read_senses(DECK, senses) if senses else Outcome()
    torn = (Finding(kind="corrupt_lines", detail=f"{n_torn} lines are not JSON objects"),) if n_torn else ()
    return Outcome(decks=outcome.decks, skipped=outcome.skipped, findings=torn)


def _parse(line: bytes) -> Mapping[str, Any] | None:
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return entry if isinstance(entry, Mapping) else None


def _read_senses(entry: Mapping[str, Any]) -> Iterator[Sense]:
    foreign = None if entry.get("lang_code") == "en" else "other_language"
    senses = entry.get("senses")
    for sense in senses if isinstance(senses, list) else ():
        if isinstance(sense, Mapping):
            glosses, tags = _texts(sense.get("glosses")), _texts(sense.get("tags"))
            form = "form_of" if FORMS.intersection(tags) else None
            yield Sense(term=entry["word"], text=glosses[-1] if glosses else "", skip=foreign or form)


def _texts(value: Any) -> list[str]:
    return [text for text in value if isinstance(text, str)] if isinstance(value, list) else []
