"""Entries of plain lines: labelled, in turns, indented, between marks."""

import itertools
import re
import statistics
from collections import Counter
from collections.abc import Iterator, Sequence

from crawler.cards.texts import count_words, is_reference
from crawler.formats.sides.headers import BACK_NAMES, FAINT_BACK_NAMES, FRONT_NAMES
from crawler.formats.texts.blocks import CODE, HEADING, ITEM, ROW, RULE, Line, Page
from crawler.formats.texts.names import MIN_PAIRS, asks, is_name, without_numbers, without_tags
from crawler.formats.texts.shapes.entry import (
    ADDRESS,
    BRACKETS,
    HALF,
    MANY,
    MAX_TERMS,
    SOME,
    Entry,
    Hints,
    without_hints,
)
from crawler.formats.texts.shapes.marks import OPAQUE, split_at_mark
from data.texts import words

_MIN_WORDS = 3
"""Words of the usual indented explanation: shorter ones are an outline or code."""
_MIN_TURNS = 5
"""Pairs of lines by turns where no blank line shows which belong together."""
_MAX_LINES = 20
"""Lines of the usual entry of this kind: longer ones are lists of words."""
_COLON = re.compile(r" {0,3}:\s{1,20}(?=\S)")
_LETTER = re.compile(r"\s{0,20}(?:([QA]) ?\d{0,4}[.)]|\[([QA])\]:?) ")
"""A label of a side; where a line begins with B, they label choices."""
_SLANT = re.compile(r"[\s#]*+([*_]{1,3})")
_CHOICE = re.compile(r"\s{0,20}B ?[.)] ")
_QUESTION, _ANSWER = FRONT_NAMES | {"q"}, BACK_NAMES | {"a"}
_FAINT_ANSWER = FAINT_BACK_NAMES | _ANSWER
_ITEM_MARK = re.compile(r"\A\s{0,20}(?:[-*+•>]|\d{1,4}[.)])\s{1,20}(?:\[[ x]\]\s)?")
_BEFORE_TEXT = re.compile(r"^(?::|[-*+•](?=\s))\s*")
_ACROSS = re.compile(r"[-=*_]{3,}")
_BETWEEN = frozenset({"?", "??"})
_MACRO = re.compile(r"\w{1,20}::(?:\S{0,300})\[.*\]")
"""A directive of AsciiDoc; in reStructuredText, two dots are before one."""
_CODE_ENDS = (";", "{", "}", ")", ",")


@without_hints
def find_labelled(page: Page) -> Iterator[list[Entry]]:
    """Sides with their names before them: `Q: …`, `A: …`; what has another label on most cards belongs to none."""
    entries: list[Entry] = []
    has_choices = any(_CHOICE.match(line) for _, line in page.lines)
    ends = {block.line for block in page.blocks if block.kind in (HEADING, RULE)}
    sides: list[list[str]] = []
    start, last, is_open, has_text = 0, 0, False, False
    labels = [_read_label(line, has_choices=has_choices) for _, line in page.lines]
    counts = Counter(name for name, _ in labels)
    n_cards = sum(n for name, n in counts.items() if name in _QUESTION)
    are_faint = not has_choices and n_cards >= MIN_PAIRS and not any(counts[name] for name in _ANSWER)
    answers = _FAINT_ANSWER if are_faint else _ANSWER
    asides = {name for name, n in counts.items() if name and n_cards > 1 and MANY * n_cards <= n <= n_cards} - answers
    for (number, line), (name, rest) in zip(
        [*page.lines, (len(page.lines) + 1, "")], [*labels, ("q", "")], strict=True
    ):
        if name in _QUESTION:
            if len(sides) == 2:
                entries.append(_labelled(start, last, sides))
            start, last, sides, is_open, has_text = number, number, [[rest]], True, bool(rest)
        elif name in answers and sides:
            if len(sides) == 1:
                sides, has_text = [*sides, []], False
            sides[1].append(rest)
            last = number
            is_open, has_text = True, has_text or bool(rest)
        elif number in ends or name in asides:
            is_open = False
        elif sides and is_open and (line.strip() or not has_text or sides[-1][-1].endswith(":")):
            sides[-1].append(line.strip())
            last = number
            has_text = has_text or bool(line.strip())
        elif sides and not line.strip():
            is_open = len(sides) == 1
    yield entries


def _read_label(line: str, *, has_choices: bool) -> tuple[str, str]:
    """The name of a side before a text, and the text; an empty name where there is none."""
    bare = _ITEM_MARK.sub("", line, count=1)
    letter = None if has_choices else _LETTER.match(bare)
    if letter:
        return (letter[1] or letter[2]).lower(), bare[letter.end() :].strip()
    label, mark, rest = bare.replace("：", ":", 1).partition(":")
    if not mark or len(label) > 40:
        return "", ""
    slant = _SLANT.match(bare)
    rest = rest.removesuffix(slant[1]) if slant and rest.count(slant[1]) == 1 else rest  # around both
    return words.normalise(label.strip("*_# ")).rstrip("0123456789 ").strip(), rest.lstrip("*_").strip()


def _labelled(start: int, last: int, sides: Sequence[Sequence[str]]) -> Entry:
    texts = ["\n".join(line.rstrip("\\").strip() for line in side if line).strip() for side in sides]
    return Entry(line=start, last=last, term=" ".join(texts[0].split()), text=texts[1])


@without_hints
def find_between(page: Page) -> Iterator[list[Entry]]:
    """Obsidian's cards: a line `?` between the sides, or `front::back`. Source: the plugin's guide, "Flashcards"."""
    between, inline, blocks = [], [], _note_blocks(page)
    for block in blocks:
        at = next((at for at, (_, line) in enumerate(block) if line in _BETWEEN), 0)
        if at:
            front, back = ([line for _, line in part] for part in (block[:at], block[at + 1 :]))
            term, text = " ".join(front), "\n".join(re.sub(r"^[-*+] ", "", line) for line in back)
            between.append(Entry(line=block[0][0], last=block[-1][0], term=term, text=text))
        else:
            inline += [entry for line in block if (entry := _read_inline(line))]
    n_code = sum(entry.text.endswith(_CODE_ENDS) for entry in inline)
    if page.is_tagged:
        yield between + inline
    elif len(between) > 1:
        yield between
    n_lines = sum(map(len, blocks))
    if len(inline) >= max(MIN_PAIRS, SOME * n_lines) and n_code < (1 - MANY) * len(inline):
        yield between + inline


def _note_blocks(page: Page) -> list[list[Line]]:
    """The lines between blank lines, headings and code, without tags."""
    apart = {n for b in page.blocks if b.kind in (HEADING, CODE, RULE, ROW) for n in range(b.line, b.last + 1)}
    blocks: list[list[Line]] = [[]]
    for number, line in page.lines:
        text = without_tags(line).strip()
        if text and number not in apart:
            blocks[-1].append((number, text))
        elif number in apart or not line.strip():
            blocks.append([])
    return [block for block in blocks if block]


def _read_inline(line: Line) -> Entry | None:
    number, text = line
    masked = OPAQUE.sub(lambda part: "x" * len(part[0]), text)
    at = masked.find("::")
    if at < 0:
        return None
    mark = ":::" if masked.startswith(":::", at) else "::"
    front, back = _ITEM_MARK.sub("", text[:at], count=1).strip(), text[at + len(mark) :].strip()
    is_directive = front.startswith("..") or _MACRO.fullmatch(text) is not None
    return Entry(line=number, last=number, term=front, text=back) if front and back and not is_directive else None


@without_hints
def find_colons(page: Page) -> Iterator[list[Entry]]:
    """Markdown's lists of definitions: a text behind a colon below each term, which continues on indented lines."""
    entries: list[Entry] = []
    heads: list[Line] = []
    texts: list[list[str]] = []
    last, is_below = 0, False
    for (number, line), (_, below) in itertools.pairwise([*page.lines, (len(page.lines) + 1, ""), (0, "end"), (0, "")]):
        mark, is_term = _COLON.match(line), _COLON.match(below) is not None
        if mark and heads:
            texts.append([line[mark.end() :].strip()])
            last = number
        elif line.strip() and texts and (line[:1].isspace() or (is_below and not is_term)):
            texts[-1].append(line.strip())
            last = number
        elif line.strip():
            if texts:
                entries += _spread(heads, texts, last)
                heads, texts = [], []
            heads = [*(heads[-MAX_TERMS:] if is_below else []), (number, line.lstrip("; "))]
        is_below = bool(line.strip())
    yield entries


def _spread(heads: Sequence[Line], texts: Sequence[Sequence[str]], last: int) -> list[Entry]:
    return [Entry(line=at, last=last, term=term, text=" ".join(text)) for at, term in heads for text in texts]


def find_indented(page: Page, hints: Hints) -> Iterator[list[Entry]]:
    """A glossary whose terms begin at the margin, with texts indented below them.

    A term without a text has an empty one, and so has a line at the margin that is no term. Where a directive
    says that all lines at the margin are terms, one may end in a full stop, a colon or a ` : ` with a classifier,
    and all paragraphs belong to its text; elsewhere the first one does.
    """
    groups = list(group_lines(page.lines))
    if page.is_declared:
        groups = [
            ([(at, head.partition(" : ")[0]) for at, head in heads] if body else heads, body) for heads, body in groups
        ]
    explained = [heads for heads, body in groups if body]
    end = ".:" if page.is_declared else ""
    names = [is_name(line.rstrip(end)) and _ITEM_MARK.match(line) is None for heads in explained for _, line in heads]
    n_lines = sum(bool(line) for _, line in page.lines)
    n_indented = sum(line[:1].isspace() for _, line in page.lines)
    paragraphs = [_paragraphs(body) for _, body in groups]
    bodies = ["\n".join(some if page.is_declared else some[:1]) for some in paragraphs]
    n_words = [count_words(body) for body in bodies if body]
    if (
        n_words
        and sum(names) >= MANY * len(names)
        and 2 * len(explained) >= len(groups)
        and (page.is_declared or n_indented >= max(1 if hints.is_titled else MIN_PAIRS, n_lines / 3))
        and (page.is_declared or statistics.median(n_words) >= _MIN_WORDS)
        and sum(split_at_mark(line.rstrip(end)) is not None for heads in explained for _, line in heads)
        < HALF * len(names)
    ):
        ends = [heads[0][0] - 1 for heads, _ in groups[1:]] + [len(page.lines)]
        yield [
            Entry(line=number, last=last, term=head.rstrip(":"), text=text if is_name(head.rstrip(end)) else "")
            for (heads, _), text, last in zip(groups, bodies, ends, strict=True)
            for number, head in heads
        ]


def group_lines(lines: Sequence[Line]) -> Iterator[tuple[list[Line], list[str]]]:
    """Neighbouring lines at the margin, each group with the lines below it up to the next."""
    heads: list[Line] = []
    body: list[str] = []
    for number, line in lines:
        if not line or line[:1].isspace():
            if heads:
                body.append(line.strip())
            continue
        if body and heads:
            yield heads, body if any(body) else []
            heads, body = [], []
        heads.append((number, line))
    if heads:
        yield heads, body if any(body) else []


def _paragraphs(body: Sequence[str]) -> list[str]:
    """The paragraphs, each on one line, a list with one per item; without labels before and references behind them."""
    paragraphs: list[list[str]] = []
    is_new = True
    for line in body:
        if line and (paragraphs or not (BRACKETS.match(line) or ADDRESS.match(line))):
            text = " ".join(line.split())
            if is_new:
                paragraphs.append([text])
            else:
                is_item = _ITEM_MARK.match(paragraphs[-1][0]) and _ITEM_MARK.match(text)
                paragraphs[-1].append(f"\n{text}" if is_item else f" {text}")
        is_new = not line or not paragraphs
    texts = map("".join, paragraphs)
    return [text for at, text in enumerate(texts) if not at or not is_reference(text) or ". " in text]


def _split_at_blanks(page: Page) -> list[list[Line]]:
    blocks: list[list[Line]] = [[]]
    for number, line in page.lines:
        if line.strip() and not _ACROSS.fullmatch(line):
            blocks[-1].append((number, line.strip()))
        elif blocks[-1]:
            blocks.append([])
    return [block for block in blocks if block]


@without_hints
def find_turns(page: Page) -> Iterator[list[Entry]]:
    """A line with the term, then its text: in blocks between blank lines, or by turns. A directive has it indented."""
    is_indented = page.is_declared and any(line[:1].isspace() for _, line in page.lines)
    blocks = [] if is_indented else _split_at_blanks(page)
    if len(blocks) == 1 or all(len(block) == 1 for block in blocks):
        lines = [line for block in blocks for line in block]
        n_items = sum(_ITEM_MARK.match(line) is not None for _, line in lines)
        if len(lines) % 2 or len(lines) < 2 * _MIN_TURNS or n_items > HALF * len(lines):
            return
        blocks = [lines[at : at + 2] for at in range(0, len(lines), 2)]
    elif any(_CHOICE.match(line) for _, line in page.lines) or sum(len(block) > 1 for block in blocks) < max(
        MIN_PAIRS, MANY * len(blocks)
    ):
        return
    if statistics.median(len(block) for block in blocks) > _MAX_LINES:
        return
    names = [re.sub(r"^;\s*", "", name) for name in without_numbers([name for (_, name), *_ in blocks])]
    if sum(_ITEM_MARK.match(name) is not None for name in names) > HALF * len(names):
        names = [_ITEM_MARK.sub("", name, count=1) for name in names]
    texts = [" ".join(_BEFORE_TEXT.sub("", text, count=1) for _, text in rest) for _, *rest in blocks]
    if sum(name.startswith("#") for name in names) < len(names) / 2:
        yield [
            Entry(line=block[0][0], last=block[-1][0], term=name, text=text)
            for block, name, text in zip(blocks, names, texts, strict=True)
        ]


def find_asked(page: Page, hints: Hints) -> Iterator[list[Entry]]:
    """A line that asks, with the paragraph below it; what is below that, such as tags, belongs to none."""
    lines = [(number, line.strip()) for number, line in page.lines]
    starts = [at for at, (_, line) in enumerate(lines) if asks(line)]
    are_apart = any(asks(block.text) for block in page.blocks if block.kind in (HEADING, ITEM))
    if not hints.is_titled or are_apart or any(_CHOICE.match(line) for _, line in lines):
        return
    names = without_numbers([lines[at][1] for at in starts])
    entries = []
    for name, (start, end) in zip(names, itertools.pairwise([*starts, len(lines)]), strict=True):
        below = itertools.dropwhile(lambda line: not line[1], lines[start + 1 : end])
        if said := [*itertools.takewhile(lambda line: line[1], below)]:
            text = " ".join(line for _, line in said)
            entries.append(Entry(line=lines[start][0], last=said[-1][0], term=name, text=text))
    if len(entries) >= MIN_PAIRS:
        yield entries
