"""Cards in text without separators: a term and its explanation on lines of their own.

    term                          term              Q: term
        An indented explanation   An explanation    A: An explanation

        and more about it         next term         Q: next term
    next term                     …                 …
        …

In the middle, a blank line may follow every second line (a set copied from a page) or every line.
"""

import itertools
import re
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from crawler.cards.texts import split_lines
from crawler.formats.sides.headers import BACK_NAMES, FRONT_NAMES
from data.texts import words

MAX_NAME_WORDS = 8
MAX_NAME = 80
"""Characters of a line that may be a term."""
MAX_TERMS = 20
"""Terms above one text: with many, as many texts below them would give their product of cards."""
MOST = 0.9
"""Share of the lines or pairs that a rule must fit."""
_MANY = 0.8
MIN_PAIRS = 3
"""Pairs from which a text of short and long lines is a deck."""
_MIN_TURNS = 5
"""The same where no blank line shows which lines belong together."""
_MIN_WORDS = 3
"""Words of the usual indented explanation: shorter ones are an outline or code."""
_RATIO = 2.0
"""Words of an explanation per word of its term."""

_NO_NAME = re.compile(r"[\W\d_]*|\[.*\]|.*[.,;:{}(\\]|.*(?:://|: |=).*")
_LABELS = re.compile(r"(?:\[[^\[\]]*\]\s*)+$")
_ADDRESSES = re.compile(r"(?:\[\[.*|\*\*/.*|(?:https?|file)://\S*|(?:/[\w.-]+){3,})$")
_ANNOUNCEMENT = re.compile(r"Terms in this set \((\d{1,6})\)")
_NUMBER = re.compile(r"\s{0,20}(?:\(?\d{1,4}[.):]|[-*•–])\s{1,20}(?=\S)")
_COLON = re.compile(r" {0,3}:\s{1,20}(?=\S)")
_LETTER = re.compile(r"\s{0,20}([QA]) ?\d{0,4}[.)] ")
"""A label of a side; where a line begins with B, they label choices."""
_CHOICE = re.compile(r"\s{0,20}B ?[.)] ")
_STATUS = re.compile(
    r"(?:Still learning|Not studied|Mastered) \(\d{1,6}\)"
    r"|You(?:['’]ve| haven['’]t) [^\n]{0,60}\b(?:these|yet)\b[^\n]{0,60}"
)
_BUTTONS = frozenset({"Original", "Alphabetical", ""})
"""Lines below the announcement of a copied page."""
_QUESTION, _ANSWER = FRONT_NAMES | {"q"}, BACK_NAMES | {"a"}


@dataclass(frozen=True, kw_only=True)
class Entry:
    """A term and what is written under it."""

    line: int
    """Where it begins, from 1."""
    term: str
    text: str
    """On one line; may be empty."""


@dataclass(frozen=True, kw_only=True)
class Entries:
    """What a text holds, and how it was read."""

    entries: tuple[Entry, ...]
    read_as: str
    declared: int | None = None
    """How many entries the text announces."""
    is_markdown: bool = False


Line = tuple[int, str]


def find_entries(text: str) -> Entries | None:
    """The entries of a text in one of the forms above; None where it has none of them throughout.

    An entry has the first paragraph under its term that is more than labels in brackets and addresses. Several terms
    above one explanation have one entry each.
    """
    lines = _within_directive(number_lines(text))
    if (entries := _find_colons(lines)) is not None:
        return Entries(entries=tuple(entries), read_as="texts behind a colon below each term")
    if (entries := find_indented(lines)) is not None:
        return Entries(entries=tuple(entries), read_as="an indented text below each term")
    if (entries := _find_labelled(lines)) is not None:
        return Entries(entries=tuple(entries), read_as="sides with their names before them")
    starts = [(at, match[1]) for at, (_, line) in enumerate(lines) if (match := _ANNOUNCEMENT.fullmatch(line.strip()))]
    start, declared = (starts[0][0] + 1, int(starts[0][1])) if starts else (0, None)
    entries = _find_pairs(_blocks(_without_buttons(lines[start:]) if starts else lines))
    if entries is None:
        return None
    return Entries(entries=tuple(entries), read_as="a line with the term, then its text", declared=declared)


def number_lines(text: str) -> list[Line]:
    """The lines with their numbers, without page breaks before and spaces behind them."""
    return [(number, line.lstrip("\f").rstrip()) for number, line in enumerate(split_lines(text), 1)]


def _within_directive(lines: Sequence[Line]) -> Sequence[Line]:
    """What is indented below Sphinx's `.. glossary::`, moved to the margin; the lines where there is none."""
    starts = [at for at, (_, line) in enumerate(lines) if line.strip() == ".. glossary::"]
    if not starts:
        return lines
    body = [(n, line.expandtabs()) for n, line in lines[starts[0] + 1 :] if not line.strip().startswith((":", ".. "))]
    margin = min((len(line) - len(line.lstrip()) for _, line in body if line[:1].isspace()), default=0)
    is_inside = [not line or line[:1].isspace() for _, line in body]
    return [(n, line[margin:]) for n, line in itertools.compress(body, is_inside)]


def _find_colons(lines: Sequence[Line]) -> list[Entry] | None:
    """The entries of Markdown's lists of definitions, which continue on indented lines; None where the text has few."""
    if sum(_COLON.match(line) is not None for _, line in lines) < MIN_PAIRS:
        return None
    entries: list[Entry] = []
    heads: list[Line] = []
    texts: list[list[str]] = []
    n_others, is_below = 0, False
    for (number, line), (_, below) in itertools.pairwise([*lines, (0, "end"), (0, "")]):
        mark, is_term = _COLON.match(line), _COLON.match(below) is not None
        if mark and heads:
            texts.append([line[mark.end() :].strip()])
        elif line.strip() and texts and (line[:1].isspace() or (is_below and not is_term)):
            texts[-1].append(line.strip())
        elif line.strip():
            if texts:
                entries += [Entry(line=at, term=term, text=" ".join(text)) for at, term in heads for text in texts]
                heads, texts = [], []
            n_others += 0 if is_below else len(heads)
            heads = [*(heads[-MAX_TERMS:] if is_below else []), (number, bare(line.lstrip("; ")))]
        is_below = bool(line.strip())
    pairs = list({entry.term: entry.text for entry in reversed(entries)}.items())
    return entries if n_others < len(entries) / 2 <= len(pairs) and are_explained(pairs) else None


def bare(name: str, marks: Sequence[str] = ("**",)) -> str:
    """The name without Markdown's bold around it, or the first of these marks that is."""
    name = name.strip()
    for mark in marks:
        if len(name) > 2 * len(mark) and name.startswith(mark) and name.endswith(mark):
            return name[len(mark) : -len(mark)].strip()
    return name


def _without_buttons(lines: Sequence[Line]) -> list[Line]:
    """The lines of a copied page without those that are no part of its cards."""
    kept = [(number, line) for number, line in lines if _STATUS.fullmatch(line.strip()) is None]
    return list(itertools.dropwhile(lambda line: line[1].strip() in _BUTTONS, kept))


def without_numbers(texts: Sequence[str]) -> list[str]:
    """The texts without the numbers or bullets before them, if almost all of those that are not blank have one."""
    n_numbered = sum(_NUMBER.match(text) is not None for text in texts)
    if n_numbered < max(MIN_PAIRS, MOST * sum(bool(text.strip()) for text in texts)):
        return list(texts)
    return [_NUMBER.sub("", text, count=1) for text in texts]


def is_name(line: str) -> bool:
    """Whether a line may be a term: a few words that end no sentence and assign nothing."""
    return len(line) <= MAX_NAME and len(line.split()) <= MAX_NAME_WORDS and _NO_NAME.fullmatch(line) is None


def find_indented(lines: Sequence[Line]) -> list[Entry] | None:
    """The entries of a glossary whose terms begin at the margin; None where the text is not one.

    A term without a text has an empty one, and so has a line at the margin that is no term.
    """
    groups = list(group_lines(lines))
    explained = [heads for heads, body in groups if body]
    names = [is_name(line) for heads in explained for _, line in heads]
    n_lines = sum(bool(line) for _, line in lines)
    n_indented = sum(line[:1].isspace() for _, line in lines)
    bodies = [_first_paragraph(body) for _, body in groups]
    n_words = [len(body.split()) for body in bodies if body]
    if (
        not n_words
        or sum(names) < _MANY * len(names)
        or 2 * len(explained) < len(groups)
        or n_indented < max(MIN_PAIRS, n_lines / 3)
        or statistics.median(n_words) < _MIN_WORDS
    ):
        return None
    return [
        Entry(line=number, term=head, text=text if is_name(head) else "")
        for (heads, _), text in zip(groups, bodies, strict=True)
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


def _first_paragraph(body: Sequence[str]) -> str:
    """The first paragraph that says something, on one line, without the labels before it."""
    paragraph: list[str] = []
    for line in [*body, ""]:
        if line and (paragraph or not (_LABELS.match(line) or _ADDRESSES.match(line))):
            paragraph.append(line)
        elif paragraph:
            break
    return " ".join(" ".join(paragraph).split())


def _find_labelled(lines: Sequence[Line]) -> list[Entry] | None:
    """The entries of a text that names each side before it."""
    entries: list[Entry] = []
    sides: tuple[list[str], list[str]] = ([], [])
    start, side = 0, -1
    has_choices = any(_CHOICE.match(line) for _, line in lines)
    for number, line in [*lines, (0, "q:")]:
        letter = None if has_choices else _LETTER.match(line)
        label, mark, rest = (letter[1], ".", line[letter.end() :]) if letter else line.partition(":")
        name = words.normalise(label).rstrip("0123456789 ") if mark and len(label) <= MAX_NAME else ""
        if name in _QUESTION:
            if side >= 0:
                entries.append(Entry(line=start, term=" ".join(sides[0]), text=" ".join(sides[1])))
            start, side, sides = number, 0, ([rest.strip()], [])
        elif name in _ANSWER and side >= 0:
            side = 1
            sides[1].append(rest.strip())
        elif line.strip():
            if side < 0:
                return None
            sides[side].append(line.strip())
    complete = sum(bool(entry.term.strip() and entry.text.strip()) for entry in entries)
    return entries if complete >= 2 and complete >= MOST * len(entries) else None


def _blocks(lines: Sequence[Line]) -> list[list[Line]]:
    """The lines between blank lines."""
    blocks: list[list[Line]] = [[]]
    for number, line in lines:
        if line.strip():
            blocks[-1].append((number, line.strip()))
        elif blocks[-1]:
            blocks.append([])
    return [block for block in blocks if block]


def _find_pairs(blocks: list[list[Line]]) -> list[Entry] | None:
    """The entries of blocks of two lines, of blocks of one line by turns, or of lines by turns in one block."""
    if len(blocks) == 1 or all(len(block) == 1 for block in blocks):
        lines = [line for block in blocks for line in block]
        if len(lines) % 2 or len(lines) < 2 * _MIN_TURNS:
            return None
        blocks = [lines[at : at + 2] for at in range(0, len(lines), 2)]
    elif len(blocks) < MIN_PAIRS or sum(len(block) == 2 for block in blocks) < _MANY * len(blocks):
        return None
    names = _without_mark(";", without_numbers([bare(name) for (_, name), *_ in blocks]))
    if sum(name.startswith("#") for name in names) >= len(names) / 2:  # headings, which are no terms
        return None
    texts = _without_mark(":", [" ".join(text for _, text in rest) for _, *rest in blocks])
    entries = [
        Entry(line=line, term=name, text=text) for name, text, ((line, _), *_) in zip(names, texts, blocks, strict=True)
    ]
    pairs = [(entry.term, entry.text) for entry in entries if entry.text]
    return entries if pairs and are_explained(pairs) else None


def _without_mark(mark: str, texts: Sequence[str]) -> list[str]:
    """The texts without a mark of lists of definitions before them, if almost all have it."""
    has_mark = sum(text.startswith(mark) for text in texts) >= MOST * len(texts)
    return [text.removeprefix(mark).lstrip() for text in texts] if has_mark else list(texts)


def are_explained(pairs: Sequence[tuple[str, str]]) -> bool:
    """Whether almost all pairs are a short name and a longer text of several words, and no two names the same."""
    n_words = [[len(side.split()) for side in pair] for pair in pairs]
    return (
        sum(map(is_name, {name for name, _ in pairs})) >= MOST * len(pairs)
        and sum(len(text) > len(name) for name, text in pairs) >= MOST * len(pairs)
        and sum(text > 1 for _, text in n_words) >= MOST * len(pairs)
        and statistics.fmean(text for _, text in n_words) >= _RATIO * statistics.fmean(name for name, _ in n_words)
    )
