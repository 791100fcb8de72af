"""Records of papers within a text, found by how each kind begins, wherever it begins; then each is read on its own."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from data.files.papers import bibtex, elements, tagged

Record = Mapping[str, str | None]
"""id, title, abstract, year and venue; what a record lacks may be missing."""


LINES: Mapping[str, tuple[str, tagged.Tags]] = {
    "RIS": (r"TY {0,2}-", tagged.RIS),
    "NBIB": (r"PMID-|OWN - ERIC", tagged.NBIB),
    "Web of Science": (r"PT [A-Z][ \t]{0,9}(?=\n|\Z)", tagged.WEB_OF_SCIENCE),
    "Web of Science page": (r"<td><b>Record \d{1,7} of \d", tagged.WEB_OF_SCIENCE_PAGE),
    "EndNote": (r"%0(?=[ \n]|\Z)", tagged.ENDNOTE),
    "Ovid": (r"<\d{1,7}\. ?>|<\d{1,7}>(?=\n)", tagged.OVID),
    "RefWorks": (r"RT (?=[A-Z][a-z])", tagged.REFWORKS),
    "RePEc": (r"Template-[Tt]ype: ?ReDIF", tagged.REPEC),
}
"""Kind of tagged record -> how its first line begins, after a few blanks, and its tags."""
_LINE = re.compile(r"\n[ \t]{0,9}(?:" + "|".join(f"({start})" for start, _ in LINES.values()) + ")")
_ENTRY = re.compile(r"@[ \t]{0,9}[A-Za-z][A-Za-z_-]{0,39}\s{0,9}[{(]")
_ELEMENTS = {name: re.compile(rf"<{name}(?=[\s>])(?!>(?:attachment|note)<)") for name in elements.PATHS}
"""Zotero lists what is attached to papers, too."""


@dataclass(frozen=True, kw_only=True)
class RecordPlace:
    """A record's kind and its place in the text, which ends where the next one starts."""

    kind: str
    start: int
    end: int


def find(text: str) -> list[RecordPlace]:
    """The records of a text in their order; lines end with `\\n`."""
    starts = sorted(_starts(text))
    ends = [*(start for start, _ in starts[1:]), len(text)]
    found = [RecordPlace(kind=name, start=start, end=end) for (start, name), end in zip(starts, ends, strict=False)]
    return [one for one in found if one.kind != "BibTeX" or not bibtex.is_no_entry(text, one.start)]


def _starts(text: str) -> Iterator[tuple[int, str]]:
    names = [*LINES]
    for found in _LINE.finditer(f"\n{text}"):
        yield found.start(found.lastindex or 0) - 1, names[(found.lastindex or 1) - 1]
    if "@" in text:
        yield from ((one.start(), "BibTeX") for one in _ENTRY.finditer(text) if _is_at_line_start(text, one.start()))
    for name, start in _ELEMENTS.items():
        if f"<{name}" in text:
            yield from ((one.start(), name) for one in start.finditer(text))


def _is_at_line_start(text: str, start: int) -> bool:
    """Whether only a few blanks, or the end of another entry, come before an entry on its line."""
    before = text[max(0, start - 20) : start].rstrip(" \t")
    return not before or before[-1] == "\n" or (before[-1] == "}")


def read(text: str, found: list[RecordPlace]) -> Iterator[Record]:
    """The records, one for each that was found; empty where nothing of it can be read."""
    strings = bibtex.read_strings(text) if any(one.kind == "BibTeX" for one in found) else {}
    for one in found:
        part = text[one.start : one.end]
        if one.kind == "BibTeX":
            yield bibtex.read(part, strings)
        elif one.kind in LINES:
            yield tagged.read(part, LINES[one.kind][1])
        else:
            yield elements.read(part, elements.PATHS[one.kind])
