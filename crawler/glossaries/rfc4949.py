"""RFC 4949, Internet Security Glossary: terms after `$`, senses marked (I), (N), (O) or (D)."""

import re
from collections.abc import Iterator

from crawler.cards.outcome import Deck, Finding, Outcome
from crawler.glossaries.entries import Sense, read_senses

DECK = Deck(
    set_id="RFC 4949",
    title="RFC 4949",
    cards=(),
    licence_note="RFC 4949: (c) The IETF Trust (2007), BCP 78; copies are free, derived works need its leave",
)
_FOOT = re.compile(r"^\S.{0,99}\[Page \d{1,4}\]$")
_HEAD = re.compile(r"^RFC \d{1,5} {2}.{0,99}\d{4}$")
_TERM = re.compile(r"^ {3}\$ (.*)$")
_NEXT_SECTION = re.compile(r"^\d+\.\s+\S")
_SENSE = re.compile(r"^(?:(\d+[a-z]?)\. ?)?\(([INOD])\) *(.*)$", re.DOTALL)
_CONTEXT = re.compile(r"^(?:/[^/]+/,? *(?:and )?)+")
_REMARK = re.compile(r" ?\((?:See|Compare|Also see|See also|C\))[^()]{0,999}(?:\([^()]{0,99}\)[^()]{0,999}){0,9}\)")
_CITATION = re.compile(r" ?\[[A-Z][A-Za-z0-9/-]*(?:, [A-Z][A-Za-z0-9/-]*)*\]")
_FULL_LINE = 58
"""A shorter line (of 72 characters) that ends a sentence ends its paragraph."""


def read_rfc4949(content: bytes) -> Outcome:
    """The recommended and the noted senses; deprecated ones and references to other terms are skipped.

    The text is the first paragraph of a sense, without context labels, citations and cross-references; tutorials and
    notes on usage follow it. Finding: `changed_markup` where there is no entry.
    """
    senses = list(_read_senses(_lines(content.decode("utf-8", "replace"))))
    if not senses:
        return Outcome(findings=(Finding(kind="changed_markup", detail="no term after a `$`: not RFC 4949"),))
    return read_senses(DECK, senses)


def _lines(text: str) -> list[str]:
    """The lines without page breaks; a paragraph that continues after one stays whole."""
    lines: list[str] = []
    broken = False
    for line in text.replace("\f", "").splitlines():
        if _FOOT.match(line.rstrip()) or _HEAD.match(line.rstrip()):
            broken = True
            while lines and not lines[-1].strip():
                lines.pop()
        elif line.strip() or not broken:
            if broken and line.strip() and not _goes_on(lines[-1] if lines else "", line):
                lines.append("")
            broken = False
            lines.append(line.rstrip())
    return lines


def _goes_on(last: str, line: str) -> bool:
    """Whether a paragraph continues with the first line of a page."""
    if _TERM.match(line) or _SENSE.match(line.strip()):
        return False
    return not last.endswith((".", ".)", ":", '."', "]")) or (len(last) >= _FULL_LINE and line.strip()[0].islower())


def _read_senses(lines: list[str]) -> Iterator[Sense]:
    for term, paragraphs in _entries(lines):
        marked = [match for match in map(_SENSE.match, paragraphs) if match]
        yield from (_read_sense(term, match) for match in marked)
        if not marked:
            yield Sense(term=term, text=" ".join(paragraphs), skip="cross_reference")


def _entries(lines: list[str]) -> Iterator[tuple[str, list[str]]]:
    """Term and paragraphs of each entry; a term may span lines, indented less than the text."""
    head: list[str] = []
    body: list[list[str]] = []
    for line in lines:
        match = _TERM.match(line)
        if head and (match or _NEXT_SECTION.match(line)):
            yield " ".join(" ".join(head).split()), [_join(part) for part in body if part]
            head, body = [], []
        if match:
            head = [match[1]]
        elif head and line.startswith("      "):
            body = [*body[:-1], [*body[-1], line.strip()]] if body else [[line.strip()]]
        elif head and line.strip() and not body:
            head.append(line)
        elif body and not line.strip():
            body.append([])


def _read_sense(term: str, match: re.Match[str]) -> Sense:
    text = _REMARK.sub("", _CITATION.sub("", _CONTEXT.sub("", " ".join(match[3].split()))))
    body = text.rstrip(" .")
    text = (body + text[len(body) :].partition(".")[0] + ".").strip() if text.rstrip().endswith(".") else text.strip()
    quoted = re.fullmatch(r'"([^"]+)"\.?', text)
    return Sense(term=term, text=quoted[1] if quoted else text, skip="deprecated" if match[2] == "D" else None)


def _join(lines: list[str]) -> str:
    """The lines as one, with words that were broken at a hyphen joined again."""
    return re.sub(r"(?<=\w)- (?=\w)", "-", re.sub(r"-\n", "- ", "\n".join(lines)).replace("\n", " "))
