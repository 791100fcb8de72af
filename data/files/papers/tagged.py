"""One record of tagged lines: RIS, NBIB (MEDLINE), Web of Science (text and HTML), EndNote, Ovid, RefWorks, RePEc.

Their differences are tables of tags.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

ENDS = frozenset({"ER", "ER -", "ER  -", "EF"})
"""Lines that end a record."""


@dataclass(frozen=True, kw_only=True)
class Tags:
    """How a kind of tagged record writes its lines, and what it calls the fields."""

    line: re.Pattern[str]
    """A line that begins a value: its tag, and the value's first line; other lines continue the value."""
    fields: Mapping[str, str]
    """Field -> its tags, the best first."""


RIS = Tags(
    line=re.compile(r"[ \t]{0,8}([A-Z][A-Z0-9]) {1,2}-(?: |$)[ \t]{0,9}(.*)"),
    fields={
        "id": "DO AN UT ID C7",
        "title": "TI T1 CT BT TT ST",
        "abstract": "AB N2",
        "year": "PY Y1 YR DA",
        "venue": "JF JO T2 JA J2 BT",
    },
)
NBIB = Tags(
    line=re.compile(r"([A-Z]{2,4}) {0,3}-(?: |$|(?=\d))(.*)"),
    fields={"id": "PMID OID", "title": "TI BTI CTI TT", "abstract": "AB OAB", "year": "DP DEP EDAT", "venue": "JT TA"},
)
WEB_OF_SCIENCE = Tags(
    line=re.compile(r"([A-Z][A-Z0-9])(?: |$)(.*)"),
    fields={"id": "UT AN DI", "title": "TI", "abstract": "AB", "year": "PY PD", "venue": "SO"},
)
WEB_OF_SCIENCE_PAGE = Tags(
    line=re.compile(r"(?:.{0,300}[>; ])?<b>([^<>:]{2,40}):</b>(.*)"),
    fields={
        "id": "Accession_Number",
        "title": "Title",
        "abstract": "Abstract",
        "year": "Published",
        "venue": "ISO_Source_Abbrev.",
    },
)
REFWORKS = Tags(
    line=re.compile(r"([A-Z][A-Z0-9])(?: |$)(.*)"),
    fields={"id": "ID DO AN", "title": "T1 TI", "abstract": "AB", "year": "YR FD", "venue": "JF JO T2"},
)
ENDNOTE = Tags(
    line=re.compile(r"[ \t]{0,8}%(\S)(?: |$)(.*)"),
    fields={"id": "R M F L", "title": "T", "abstract": "X", "year": "D 8", "venue": "J B S"},
)
OVID = Tags(
    line=re.compile(r"([A-Z][A-Z0-9]|[A-Z][a-z][A-Za-z/ ]{1,40}?)(?: {1,2}-(?: |$)(.*)|(?: \[.{1,40}\])?[ \t]{0,9}$)"),
    fields={
        "id": "AN UI Accession_Number Unique_Identifier",
        "title": "TI Title",
        "abstract": "AB Abstract",
        "year": "YR DP PY Year_of_Publication Publication_Date Date_of_Publication SO Source",
        "venue": "JN JT Journal_Name Journal SO Source",
    },
)
REPEC = Tags(
    line=re.compile(r"([A-Za-z][\w-]{1,40}):(?: |$)(.*)"),
    fields={
        "id": "Handle",
        "title": "Title",
        "abstract": "Abstract",
        "year": "Year Creation-Date Publication-Date",
        "venue": "Journal Series",
    },
)


def read(text: str, tags: Tags) -> dict[str, str | None]:
    """The record of the lines."""
    values: dict[str, list[list[str]]] = {}
    lines: list[str] | None = None
    for line in text.split("\n"):
        if found := tags.line.match(line):
            lines = [found[2] or ""]
            values.setdefault(found[1].replace(" ", "_"), []).append(lines)
        elif line.strip() in ENDS:
            lines = None
        elif lines is not None:
            lines.append(line)
    return {field: _first(values, names, whole=field == "abstract") for field, names in tags.fields.items()}


def _first(values: Mapping[str, list[list[str]]], names: str, *, whole: bool) -> str | None:
    """The first value that is not empty, of the first tag that has one; all of that tag's where it is to be whole."""
    for name in names.split():
        texts = [text for lines in values.get(name, ()) if (text := "\n".join(lines).strip())]
        if texts:
            return "\n".join(texts) if whole else texts[0]
    return None
