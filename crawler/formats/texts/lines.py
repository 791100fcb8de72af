"""The lines of a delimited text in the ways in which each may be a row: joined where a row goes on, and without what
is around them.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from crawler.cards.texts import split_lines
from crawler.formats.sides.headers import find_strong_sides
from crawler.formats.texts.paragraphs import MIN_PAIRS, without_numbers

RARE_SEPARATORS = ("}", "~", "^", "¦", "§", ":::", "::", "=>", "->", "→", " = ", " - ", " – ", " — ", "=", ": ")
"""What people put between term and definition where no tab, `|`, `;` or comma is; also common in prose and code."""

_CONTINUED = ("::", " - ", " – ", " — ", ": ")
"""The marks behind which a text may continue on further lines."""

MIN_AGREEMENT = 0.9
"""Share of rows that a mark which is common in prose must split into the same number of fields."""

_BOLD = re.compile(r"^\*\*([^*\n]{1,80})\*\*")
_ITEM = re.compile(r"(?:[-*+•]|\d{1,4}[.)])\s")
_TITLE = re.compile(r"#{1,6}\s")
_DASH = re.compile(" [-–—] ")
_MIN_LISTED = 0.6
"""Share of lines from which a text is a list with a title and a few words around it."""
_SINGLE_MARKS = ("\t", " - ", ",")
"""What Quizlet puts between the sides where the cards are on one line, apart from what people type there."""
_FEW = 3
"""Cards from which such a line is told from a table with one row."""


def split_rows(text: str) -> list[str]:
    """The lines of the text; of Quizlet's export with `;` between the cards, the cards; with blank lines between them,
    the cards at the places of their first lines.
    """
    cards = [] if "\n" in text.strip() else text.strip().strip(";").split(";")
    marks = (mark for mark in _SINGLE_MARKS if all(card.count(mark) == 1 for card in cards))
    if len(cards) > 1 and (mark := next(marks, None)) and (mark == "\t" or len(cards) >= _FEW):
        return cards
    lines = split_lines(text)
    return lines if '"' in text else _join_blocks(lines)


def _join_blocks(lines: list[str]) -> list[str]:
    """The lines, those between blank lines joined if the first of each such block has a tab and no other one has."""
    blocks: list[list[str]] = [[] for _ in lines]
    start = 0
    for at, line in enumerate(lines):
        is_first = not at or not lines[at - 1].strip()
        start = at if is_first else start
        if line.strip() and ("\t" in line) != is_first:
            return lines
        blocks[start].append(line)
    return ["\n".join(block) for block in blocks]


def without_frames(lines: list[str]) -> list[str] | None:
    """The lines, without the frames of Markdown's tables; None where no table names both sides clearly.

    Without the rules below the headers, later headers that are the same, and the `|` of everything else.
    """
    rows = [line.strip().strip("|") for line in lines]
    ruled = {at for at, line in enumerate(lines) if "|" in line and "-" in line and set(line) <= set("|:- \t")}
    header = next((rows[at - 1] for at in sorted(ruled) if at and None not in _read_header(rows[at - 1])), None)
    if header is None:
        return None
    kept, is_inside, has_header = [], False, False
    for at, line in enumerate(lines):
        is_header = at + 1 in ruled
        is_inside = rows[at] == header if is_header else is_inside and "|" in line
        is_frame = at in ruled or (is_header and has_header)
        kept.append("" if is_frame and is_inside else rows[at] if is_inside else line.replace("|", " "))
        has_header |= is_header and is_inside
    return kept


def _read_header(row: str) -> tuple[int | None, int | None]:
    return find_strong_sides(row.split("|"))


def prepare(lines: list[str]) -> Iterator[tuple[list[str], Sequence[str]]]:
    """The lines in which a mark may separate terms and texts, and the marks to look for; the likeliest way first.

    As they are; joined where texts continue; without titles; the items of lists alone; all that with one kind of dash.
    Always without numbers and bold around the terms.
    """
    one_dash = [line if line[:1].isspace() else _DASH.sub(" - ", line, count=1) for line in lines]
    for some in (lines, *([one_dash] if one_dash != lines else [])):
        for heads, marks in _vary(some):
            yield _without_bold(without_numbers(heads)), marks


def _vary(lines: list[str]) -> Iterator[tuple[list[str], Sequence[str]]]:
    """The lines as they are, joined, without titles, and the items of lists alone; each with the marks to look for."""
    yield lines, RARE_SEPARATORS
    yield from ((joined, _CONTINUED) for joined in _join_continued(lines))
    for part in ([line if _TITLE.match(line) is None else "" for line in lines], _listed(lines)):
        if any(part) and part != lines:
            yield from ((some, _CONTINUED) for some in (part, *_join_continued(part)))


def _listed(lines: list[str]) -> list[str]:
    """The items of the text's lists with what is indented below them, if most lines are; else nothing."""
    marks = Counter(match[0] if match[0][0] in "-*+•" else "1." for line in lines if (match := _ITEM.match(line)))
    mark = max(marks, key=lambda mark: marks[mark], default="")
    items, is_inside = [], False
    for line in lines:
        match = _ITEM.match(line)
        is_item = match is not None and (match[0] == mark or (mark == "1." and match[0][0].isdecimal()))
        is_inside = is_item or (is_inside and (not line.strip() or line[:1].isspace()))
        items.append(line if is_inside else "")
    n_items, n_lines = (sum(bool(line.strip()) for line in some) for some in (items, lines))
    return items if _MIN_LISTED * n_lines <= n_items < n_lines else []


def _join_continued(lines: list[str]) -> Iterator[list[str]]:
    """The lines, each joined with those below it that are indented further than the first one, and each with those up
    to the next blank line; neither where nothing continues or a first line has no mark.
    """
    wide = [line.expandtabs() for line in lines]
    margin = min((len(line) - len(line.lstrip()) for line in wide if line.strip()), default=0)
    is_indented = [line[margin : margin + 1].isspace() for line in wide]
    is_below = [bool(above.strip()) for above in ["", *lines[:-1]]]
    for continues in (is_indented, is_below):
        heads = [line for line, is_continued in zip(lines, continues, strict=True) if line.strip() and not is_continued]
        n_more = sum(bool(line.strip()) for line in lines) - len(heads)
        if n_more and len(heads) >= MIN_PAIRS and any(frequent(_CONTINUED, heads, MIN_AGREEMENT)):
            yield _join(lines, continues)


def _join(lines: list[str], continues: Sequence[bool]) -> list[str]:
    """The lines, those that continue another one joined to it with spaces between; blank ones stay where they are."""
    joined: list[list[str]] = []
    last: list[str] = []
    for line, is_continued in zip(lines, continues, strict=True):
        joined.append([])
        if is_continued and last:
            last.append(line.strip())
        elif line.strip():
            last = joined[-1]
            last.append(line.strip())
    return [" ".join(parts).rstrip() for parts in joined]


def _without_bold(texts: list[str]) -> list[str]:
    """The texts without Markdown's bold around their beginnings, if almost all begin so."""
    n_bold = sum(_BOLD.match(text) is not None for text in texts)
    has_bold = n_bold >= max(MIN_PAIRS, MIN_AGREEMENT * sum(bool(text.strip()) for text in texts))
    return [_BOLD.sub(r"\1", text) for text in texts] if has_bold else texts


def frequent(marks: Iterable[str], lines: list[str], share: float) -> Iterator[str]:
    """The marks in one line that are also in this share of the lines that are not blank: others separate nothing."""
    enough = max(1, share * sum(bool(line.strip()) for line in lines))
    return (mark for mark in marks if sum(mark in line for line in lines) >= enough)
