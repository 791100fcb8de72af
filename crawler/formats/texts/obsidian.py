"""Cards in notes for Obsidian's spaced repetition: `front::back` on a line, or a line `?` between front and back.

`:::` and `??` ask in both directions, and are one card here. Source: the plugin's guide, "Flashcards".
"""

import re
from collections.abc import Sequence

from crawler.formats.texts.paragraphs import MIN_PAIRS, Entries, Entry, Line

_SCHEDULE = re.compile(r"<!--SR:[^<>\n]{0,1000}-->")
_TAG = re.compile(r"(?<!\S)#(?:flashcards?|cards?|anki)(?:/[\w/-]{1,80})?(?!\S)")
_CODE = re.compile(r"`[^`\n]{1,500}`")
_ITEM = re.compile(r"\s{0,20}(?:[-*+]|\d{1,4}[.)])\s{1,20}(?:\[[ x]\]\s)?")
_BETWEEN = frozenset({"?", "??"})
_ENOUGH = 0.8
"""Share of the lines that must be cards where no tag or schedule shows what the note is for."""
_CODE_ENDS = (";", "{", "}", ")", ",")


def find_obsidian(lines: Sequence[Line], *, is_marked: bool) -> Entries | None:
    """The cards of a note; None where it has none.

    `is_marked` asks for notes with the tag `#flashcards` or the plugin's schedules only; others need several cards and
    little else.
    """
    front_matter, body = _divide(lines)
    has_mark = any("flashcard" in line for _, line in front_matter)
    has_mark = has_mark or any(_TAG.search(line) or _SCHEDULE.search(line) for _, line in body)
    if is_marked != has_mark:
        return None
    blocks = _blocks(body)
    n_between = sum(line in _BETWEEN for block in blocks for _, line in block)
    entries: list[Entry] = []
    n_others = 0
    for block in blocks:
        inline = list(map(_read_inline, block))
        if (entry := _read_lines(block)) is not None:
            entries.append(entry)
        else:
            entries += filter(None, inline)
            n_others += sum(entry is None for entry in inline)
    n_code = sum(entry.text.endswith(_CODE_ENDS) for entry in entries)
    is_deck = n_between > 1 or (len(entries) >= MIN_PAIRS and len(entries) >= _ENOUGH * (len(entries) + n_others))
    if not entries or not (has_mark or (is_deck and n_code < (1 - _ENOUGH) * len(entries))):
        return None
    return Entries(entries=tuple(entries), read_as="a note with front::back or ? between the sides", is_markdown=True)


def _divide(lines: Sequence[Line]) -> tuple[Sequence[Line], Sequence[Line]]:
    """The front matter between two lines `---` at the head, and all below it."""
    if lines and lines[0][1].strip() == "---":
        end = next((at for at, (_, line) in enumerate(lines) if at and line.strip() == "---"), 0)
        return lines[:end], lines[end + 1 :]
    return (), lines


def _blocks(lines: Sequence[Line]) -> list[list[Line]]:
    """The lines between blank lines, headings and code, without tags and schedules."""
    blocks: list[list[Line]] = [[]]
    is_code = False
    for number, line in lines:
        text = _TAG.sub("", _SCHEDULE.sub("", line)).strip()
        is_fence = text.startswith(("```", "~~~"))
        is_code ^= is_fence
        is_heading = text.startswith("#") and text.lstrip("#")[:1].isspace()
        if text and not is_code and not is_fence and not is_heading:
            blocks[-1].append((number, text))
        elif not line.strip() or is_heading or not _SCHEDULE.search(line):
            blocks.append([])
    return [block for block in blocks if block]


def _read_lines(block: Sequence[Line]) -> Entry | None:
    """The card of lines with `?` between them."""
    at = next((at for at, (_, line) in enumerate(block) if line in _BETWEEN), 0)
    if not at:
        return None
    front, back = ([line for _, line in part] for part in (block[:at], block[at + 1 :]))
    return Entry(line=block[0][0], term=" ".join(front), text="\n".join(back))


def _read_inline(line: Line) -> Entry | None:
    """The card of a line with `::` outside code."""
    number, text = line
    masked = _CODE.sub(lambda code: "x" * len(code[0]), text)
    at = masked.find("::")
    if at < 0:
        return None
    mark = ":::" if masked.startswith(":::", at) else "::"
    front, back = _ITEM.sub("", text[:at], count=1).strip(), text[at + len(mark) :].strip()
    return Entry(line=number, term=front, text=back) if front and back else None
