"""Cards in notes with light markup: a heading with a text below it, in Markdown, reStructuredText or Org.

## Term                    Term                      * Term :tag:
                           ----                        :PROPERTIES:
An explanation.                                        …
                           An explanation.             An explanation.
"""

import itertools
import re
import statistics
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from crawler.formats.sides.headers import BACK_NAMES, FRONT_NAMES, read_name
from crawler.formats.texts.paragraphs import MIN_PAIRS, MOST, Entries, Entry, Line, bare, is_name, without_numbers

MAX_QUESTION = 200
"""Characters of a heading that asks."""
_ENOUGH = 0.8
"""Share of headings that must have a text below them."""
_MAX_BLOCKS = 2
"""Paragraphs below the usual heading: with more, it heads a section of a text."""
_MAX_WORDS = 120
"""Words of the usual first paragraph."""
_MAX_CODE = 0.3
"""Share of headings that may have code below them."""
_RATIO = 2.0
_UNDERLINED = 10
"""What is added to the level of an underlined heading, which its mark is."""
_MAX_SECTIONS = 0.05
"""Share of headings that name versions or the sections of a manual, which a large glossary may have by chance."""
_SECTIONS = frozenset(
    (
        *("about", "abstract", "acceptance", "acknowledgements", "acknowledgments", "api", "api reference", "appendix"),
        *("author", "authors", "background", "bugs", "build", "building", "changelog", "changes", "citation"),
        *("code of conduct", "community", "conclusion", "configuration", "contact", "contents", "context"),
        *("contributing", "contributors", "copyright", "credits", "dependencies", "deployment", "description"),
        *("development", "discussion", "documentation", "download", "environment", "example", "examples", "faq"),
        *("features", "getting help", "getting started", "help", "how to use", "install", "installation", "installing"),
        *("introduction", "issues", "licence", "license", "links", "maintainers", "methods", "motivation", "name"),
        *("notes", "options", "overview", "parameters", "prerequisites", "project structure", "purpose", "quick start"),
        *("quickstart", "references", "related work", "release notes", "requirements", "results", "returns", "roadmap"),
        *("running", "see also", "setup", "status", "summary", "support", "synopsis", "table of contents", "test"),
        *("testing", "tests", "todo", "troubleshooting", "tutorial", "upgrading", "usage", "versioning", "versions"),
    )
)
_VERSION = re.compile(r"(?:version )?v?\d{1,4}[.-]\d", re.IGNORECASE)
_FENCE = ("```", "~~~")
_EMPHASIS = ("**", "__", "*", "_")
_RULES = frozenset("=-~^\"'`*+#_:.")
_ORG_TAGS = re.compile(r"[ \t]:[\w@#%:]{1,200}:$")
_ORG_STATE = re.compile(r"(?:TODO|DONE|NEXT|WAITING)\s|\[#[A-Z]\]\s")
_ORG_DRAWER = re.compile(r"\s*:[A-Z][A-Z_-]{1,40}:\s*$")
_NO_TEXT = re.compile(r"\s*(?:[-*_=]{3,}|<!--.*-->|#\+.*|(?:SCHEDULED|DEADLINE|CLOSED):.*|!\[[^\]]*\]\([^)]*\))\s*")


@dataclass(kw_only=True)
class _Section:
    """A heading, and the text below it up to the next one."""

    level: int
    line: int
    title: str
    blocks: list[list[str]] = field(default_factory=list)
    has_code: bool = False

    def text(self) -> str:
        """The first paragraph that says something; empty where there is none."""
        return "\n".join(self.blocks[0]) if self.blocks else ""


def find_headed(lines: Sequence[Line]) -> Entries | None:
    """The entries of a text with a heading per term; None where most headings are no terms or have no text."""
    for mark in ("#", "*"):
        sections = list(_sections(lines, mark))
        if (entries := _find_sides(sections)) is not None:
            return Entries(entries=tuple(entries), read_as="headings that name the sides", is_markdown=True)
        if (entries := _find_terms(sections)) is not None:
            read_as = "headings with the first paragraph below each"
            return Entries(entries=tuple(entries), read_as=read_as, is_markdown=True)
    return None


def _sections(lines: Sequence[Line], mark: str) -> Iterator[_Section]:
    section: _Section | None = None
    fence, is_drawer, is_blank, is_underline = "", False, True, False
    for (number, line), (_, below) in zip(lines, [*lines[1:], (0, "")], strict=True):
        text = line.strip()
        heading = None if fence or is_underline else _read_heading(line, below, mark, is_blank=is_blank)
        if text[:3] in _FENCE and not is_underline:
            fence = "" if text[:3] == fence else fence or text[:3]
        if heading is not None:
            if section is not None:
                yield section
            section = _Section(level=heading[0], line=number, title=heading[1])
            is_blank, is_underline = True, heading[0] > _UNDERLINED
            continue
        if is_underline:
            is_underline = False
            continue
        if _ORG_DRAWER.match(line) and mark == "*":
            is_drawer = text != ":END:"
            continue
        is_said = bool(text) and not is_drawer and not _is_rule(text) and _NO_TEXT.fullmatch(text) is None
        if section is not None and is_said:
            section.blocks += [[]] if is_blank else []
            section.blocks[-1].append(text if not fence else line)
            section.has_code |= bool(fence)
        is_blank = not is_said
    if section is not None:
        yield section


def _read_heading(line: str, below: str, mark: str, *, is_blank: bool) -> tuple[int, str] | None:
    """The level and title of a heading; None for any other line. `below` is the next line."""
    text = line.strip()
    title = text.lstrip(mark)
    level = len(text) - len(title)
    if 0 < level <= 6 and title[:1].isspace() and (mark == "#" or line[0] == "*"):
        title = title.strip()
        if mark == "*":
            return level, _ORG_TAGS.sub("", _ORG_STATE.sub("", title)).strip()
        rest, _, end = title.rpartition(" ")
        return level, rest.strip() if end and set(end) == {"#"} else title
    is_underlined = mark == "#" and is_blank and text and not line[:1].isspace() and _is_rule(below.strip())
    if is_underlined and not _is_rule(text) and len(below.strip()) >= min(len(text), 3) and "|" not in line:
        return _UNDERLINED + ord(below.strip()[0]), text
    return None


def _is_rule(text: str) -> bool:
    return len(text) >= 3 and len(set(text)) == 1 and text[0] in _RULES


def _find_sides(sections: Sequence[_Section]) -> list[Entry] | None:
    """The entries of headings that name the sides: `## Question`, `## Answer`; or only the second one below a text."""
    entries: list[Entry] = []
    for above, section in itertools.pairwise(sections):
        if read_name(section.title).rstrip("0123456789 ") in BACK_NAMES and above.blocks:
            front = read_name(above.title).rstrip("0123456789 ")
            if front in FRONT_NAMES or above.level < section.level:
                sides = ["\n\n".join("\n".join(block) for block in part.blocks) for part in (above, section)]
                entries.append(Entry(line=above.line, term=sides[0], text=sides[1]))
    return entries if len(entries) > 1 else None


def _find_terms(sections: Sequence[_Section]) -> list[Entry] | None:
    """The entries of the headings of the commonest level, if these are terms or questions."""
    counts = Counter(section.level for section in sections if section.blocks)
    if not counts:
        return None
    level = max(counts, key=lambda level: (counts[level], level))
    heads = [section for section in sections if section.level == level]
    titles = without_numbers([bare(section.title.rstrip(": "), _EMPHASIS).rstrip(":") for section in heads])
    n_sections = sum(title.lower() in _SECTIONS or _VERSION.match(title) is not None for title in titles)
    if n_sections > _MAX_SECTIONS * len(titles):
        return None
    explained = [(title, section) for title, section in zip(titles, heads, strict=True) if section.blocks]
    if len(explained) < max(MIN_PAIRS, _ENOUGH * len(heads)) or not _are_terms(explained):
        return None
    return [
        Entry(line=section.line, term=title, text=section.text()) for title, section in zip(titles, heads, strict=True)
    ]


def _are_terms(explained: Sequence[tuple[str, _Section]]) -> bool:
    titles = [title for title, _ in explained]
    enough = MOST * len(titles)
    are_questions = sum(title.endswith("?") for title in titles) >= enough
    n_words = [len(section.text().split()) for _, section in explained]
    n_names = sum(is_name(title) or (title.endswith("?") and len(title) <= MAX_QUESTION) for title in set(titles))
    ratio = 0.0 if are_questions else _RATIO * statistics.fmean(len(title.split()) for title in titles)
    return (
        n_names >= enough
        and sum(n > 1 for n in n_words) >= enough
        and ratio <= statistics.fmean(n_words) <= _MAX_WORDS
        and (are_questions or statistics.median(len(section.blocks) for _, section in explained) <= _MAX_BLOCKS)
        and sum(section.has_code for _, section in explained) <= _MAX_CODE * len(titles)
    )
