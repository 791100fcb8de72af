"""FOLDOC in dictd's format: headwords from column 0, a blank line, an indented body with numbered senses."""

import re
from collections.abc import Iterator

from crawler.cards.outcome import Deck, Finding, Outcome
from crawler.glossaries.entries import Sense, read_senses

DECK = Deck(
    set_id="FOLDOC",
    title="Free On-line Dictionary of Computing",
    cards=(),
    licence_note="FOLDOC (foldoc.org), Denis Howe: GFDL 1.1 or later; attribution and the address are asked",
)
_NUMBER = re.compile(r"^(\d{1,2})\.\s+")
_LABEL = re.compile(r"\s*(?:<[^<>]{0,500}>|\(([^()]{0,500})\))")
_OTHER_NAME = re.compile(r"\b(?:also|or|from|Or|From)\b")
_DATE = re.compile(r"\((?:19|20)\d\d-\d\d-\d\d\)$")
_MARKS = re.compile(r"[{}]")
_ABOUT = "00-database"


def read_foldoc(content: bytes) -> Outcome:
    """The first paragraph of each sense, without labels, braces and dates; every headword of an entry gets all of them.

    Finding: `changed_markup` where there is no entry.
    """
    text = content.decode("utf-8", "replace")
    senses = [] if "\0" in text else list(_read_senses(text))
    if not senses:
        return Outcome(findings=(Finding(kind="changed_markup", detail="no headword with a body: not FOLDOC"),))
    return read_senses(DECK, senses)


def _read_senses(text: str) -> Iterator[Sense]:
    for heads, body in _entries(text):
        for sense in _senses_of(body):
            clean = _MARKS.sub("", _DATE.sub("", without_labels(sense).rstrip()))
            for head in heads:
                yield Sense(term=head, text=clean)


def without_labels(sense: str) -> str:
    """The sense without the fields and the other names that precede it in brackets."""
    at = 0
    while (match := _LABEL.match(sense, at)) and (match[1] is None or _OTHER_NAME.search(match[1])):
        at = match.end()
    return sense[at:]


def _entries(text: str) -> Iterator[tuple[list[str], list[str]]]:
    """The headwords and the body of each entry.

    Headwords follow an empty line. Other lines at the margin were too long to indent, as addresses are.
    """
    heads: list[str] = []
    body: list[str] = []
    for line in [*text.split("\n"), "", "end"]:
        at_margin, between = bool(line[:1].strip()) and "://" not in line, not body or not body[-1]
        if not at_margin or not between:
            if heads:
                body.append(line.strip())
            continue
        if any(body):
            if not heads[0].startswith(_ABOUT):
                yield heads, body
            heads = []
        body = []
        heads.append(" ".join(line.split()))


def _senses_of(body: list[str]) -> list[str]:
    """The paragraphs that begin with a number, without it; else the first paragraph."""
    paragraphs = [" ".join(part.split("\n")) for part in re.split(r"\n{2,}", "\n".join(body).strip()) if part.strip()]
    numbered = [_NUMBER.sub("", paragraph) for paragraph in paragraphs if _NUMBER.match(paragraph)]
    return numbered or paragraphs[:1]
