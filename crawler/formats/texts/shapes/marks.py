"""Names in bold, as links or before a mark, with their texts behind."""

import itertools
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial

from crawler.cards.texts import count_words
from crawler.formats.texts.blocks import INDENTED, ITEM, TEXT, Block, Page
from crawler.formats.texts.names import MIN_PAIRS, MOST, is_label, is_name, without_numbers
from crawler.formats.texts.shapes.entry import ENOUGH, FEW, SOME, Entry, Hints
from crawler.formats.texts.shapes.headings import first_text

_LED = re.compile(
    r"(?P<before>\s*+(?:[>•▪‣*-]\s++|\(?\d{1,4}[.)]\s++)?(?:[^\w\s]{1,3}\s++)?)(?P<em>\*\*\*|\*\*|__|\*|_)(?=\S)"
    r"(?P<name>(?:(?!(?P=em)).){1,400}?)(?P=em)(?P<mark>\s*+(?:[:：=]|[-–—]+(?=\s)|[–—→]|\\?$)|(?=\s)|)(?P<rest>.*)",
    re.DOTALL,
)
_LINKED = re.compile(
    r"(?P<before>\s*+(?:[>•▪‣*-]\s++|\(?\d{1,4}[.)]\s++)?)\[(?P<name>[^\[\]\n]{1,200})\]"
    r"\((?:[^()\n]{1,500}|[^()\n]{0,300}\([^()\n]{0,200}\)[^()\n]{0,300})\)"
    r"(?P<mark>\s*+(?:[:：=]|[-–—]+(?=\s)|[–—→]|\\?$)|(?=\s)|)(?P<rest>.*)",
    re.DOTALL,
)
"""The same with a link."""
_MARKS = {
    "::": r"\s?:{2,3}\s?",
    ":": r":(?=\s|$)|：",
    " - ": r"\s[-–—]{1,3}\s|\s?—\s?|\s–(?=\w)",
    " = ": r"\s=\s",
    "->": r"\s?(?:=>|->|→|⇒)\s?",
}
_RARE = {
    "=": re.compile(r"(?<![=<>!])=(?![=>])"),
    "*": re.compile(r"(?<![\s*])\*(?![\s*:=–—-])"),  # no emphasis
    "  ": re.compile(r" {2,}(?=\S)"),
    "//": re.compile(r"\s//\s"),
    **{mark: re.compile(re.escape(mark)) for mark in "}~^¦§@$&%+"},
}
"""Marks that few texts have between name and text; the search for the character is fast."""
_PLAIN = frozenset({"  ", "//"})
"""Those that lists of files and the like have, too."""
_ANY_MARK = re.compile("|".join(f"(?P<m{at}>{mark})" for at, mark in enumerate(_MARKS.values())))
OPAQUE = re.compile(
    r"`[^`\n]{1,500}`|\$[^$\n]{1,300}\$|\]\([^()\n]{0,1000}\)|<[^<>\n]{1,500}>|https?://\S+|\[\[[^\[\]\n]+\]\]"
)
_CITED = re.compile(r"\A\s{0,9}\[[^\[\]\n]{1,20}\](?!\()")
"""Where the name is told, such as `[Ch. 5]`."""
_NUMBERED = re.compile(
    r"Def(?:inition|\.)? \d{1,3}(?:\.\d{1,3}){0,3}\s?[(:.–-]\s?([^()]{1,200}?)\)?[.:]?", re.IGNORECASE
)
"""A name as theorems have it: `Definition 2 (heap).`"""
_SENTENCE = re.compile(r"[^.!?]{2,80}?\.\s+(?=\S)")


@dataclass(frozen=True, kw_only=True)
class _Head:
    """A line that may begin an entry, and what continues it."""

    line: int
    last: int
    text: str
    more: tuple[str, ...]
    """Lines below it in its block."""
    below: tuple[Block, ...]
    """Blocks that belong to it if it says nothing itself."""
    end: int
    """Where the last block in lists below it ends."""


def _heads(page: Page, level: int, kind: str, *, every_line: bool) -> list[_Head]:
    """The beginnings of blocks of a kind, or all their lines that are not indented."""
    heads: list[_Head] = []
    for at, block in enumerate(page.blocks):
        if block.kind != kind or block.level != level:
            continue
        children = tuple(page.children(at))
        following = page.blocks[at + 1 : at + 2] if kind == TEXT else ()
        below = children or tuple(one for one in following if one.kind in (TEXT, ITEM, INDENTED))
        lines = _dedented(page, block)
        starts = [i for i, line in enumerate(lines) if not i or (every_line and not line[:1].isspace())]
        for i, end in itertools.pairwise([*starts, len(lines)]):
            is_last = end == len(lines)
            heads.append(
                _Head(
                    line=block.line + i,
                    last=block.line + end - 1 if not is_last else block.last,
                    text=lines[i].strip(),
                    more=tuple(lines[i + 1 : end]),
                    below=below if is_last else (),
                    end=max([block.line + end - 1, *(child.last for child in children)])
                    if is_last
                    else block.line + end - 1,
                )
            )
    return heads


def _dedented(page: Page, block: Block) -> list[str]:
    """The lines of a block; of a paragraph as they are on the page, moved to the margin."""
    lines = block.text.split("\n")
    raw = [line.expandtabs() for _, line in page.lines[block.line - 1 : block.last]]
    if block.level or len(raw) != len(lines) or raw[0].lstrip().startswith(">"):
        return lines
    margin = min(len(line) - len(line.lstrip()) for line in raw)
    return [line[margin:] for line in raw]


@lru_cache(maxsize=1)  # two shapes ask for the same ones, also for the row of a finding
def _ways(page: Page) -> Sequence[tuple[list[_Head], str]]:
    """The beginnings of entries in each way to see them, and the kind of their blocks: paragraphs or items at one
    level, or their lines, or all lines.
    """
    lines: list[_Head] = []
    ways: list[tuple[list[_Head], str]] = []
    for level, kind in list_levels(page):
        ways.append((heads := _heads(page, level, kind, every_line=False), kind))
        every = _heads(page, level, kind, every_line=True) if any(head.more for head in heads) else heads
        lines += every
        if every is not heads:
            ways.append((every, kind))
    if len(list_levels(page)) > 1:
        ways.append((sorted(lines, key=lambda head: head.line), TEXT))
    return ways


def list_levels(page: Page) -> list[tuple[int, str]]:
    """The levels and kinds of the texts and items of a page, sorted."""
    return sorted({(block.level, block.kind) for block in page.blocks if block.kind in (TEXT, ITEM)})


def _entry(head: _Head, term: str, rest: str) -> Entry:
    """The entry of a head: with the rest of its line and its block, or else what is below it."""
    lines = [line.strip().rstrip("\\").strip() for line in (rest, *head.more)]
    text = " ".join(line for line in lines if line)
    if text and not (text.endswith(":") and head.below):
        return Entry(line=head.line, last=head.end, term=term, text=text)
    more = first_text(head.below)
    last = max(head.end, *(block.last for block in head.below)) if more else head.end
    return Entry(line=head.line, last=last, term=term, text="\n".join(filter(None, (text, more))))


def find_led(page: Page, hints: Hints) -> Iterator[list[Entry]]:
    """A name in bold, or slanted before a mark, that begins a line; then its text, or alone above it. Unless the
    operator chooses this shape, most names have a mark behind them.
    """
    return (entries for entries, is_shown in _find_led(page, is_titled=hints.is_titled) if is_shown or hints.is_chosen)


@lru_cache(maxsize=1)  # with hints and without
def _find_led(page: Page, *, is_titled: bool) -> list[tuple[list[Entry], bool]]:
    found_in: list[tuple[list[Entry], bool]] = []
    for heads, kind in _ways(page):
        for only_bold, is_linked in ((True, False), (False, False), *([(True, True)] if kind == ITEM else [])):
            read = partial(_read_led, only_bold=only_bold, is_linked=is_linked)
            leads = partial(_read_led, only_bold=only_bold)
            found = _joined([(head, read(head.text)) for head in heads])
            entries = [_entry(_apart(head, leads), led.name, led.rest) for head, led in found if led]
            n_marked = sum(led.is_marked for _, led in found if led)
            more = [line for head, led in found if led for line in head.more if not line[:1].isspace()]
            is_whole = sum(read(line) is not None for line in more) <= FEW * len(entries)
            if entries and is_whole:
                leds = [led for _, led in found if led]
                told = [one for one, led in zip(entries, leds, strict=True) if one.text or led.has_mark]
                is_all = (
                    is_titled and only_bold and not is_linked and kind == ITEM and len(entries) >= MOST * len(heads)
                )
                found_in.append((told, is_all or n_marked >= ENOUGH * len(entries)))
    return found_in


def _apart(head: _Head, leads: Callable[[str], object]) -> _Head:
    """The head without what is below it if that leads an entry, too."""
    return replace(head, below=()) if head.below and leads(head.below[0].text) else head


@dataclass(frozen=True, kw_only=True)
class _Led:
    """A line that a name leads."""

    name: str
    rest: str
    is_marked: bool
    """Whether a mark is behind the name, or nothing."""
    has_mark: bool


def _read_led(line: str, *, only_bold: bool, is_linked: bool = False) -> _Led | None:
    if ("[" if is_linked else "*") not in line and (is_linked or "_" not in line):
        return None
    match = _LINKED.match(line) if is_linked else _LED.match(line)
    if match is None or (only_bold and not is_linked and len(match["em"]) == 1):
        return None
    name, rest = re.sub(r"<[^<>]*>", "", match["name"]), _CITED.sub("", match["rest"])
    numbered = _NUMBERED.fullmatch(name.strip())
    name = numbered[1] if numbered else name
    is_marked = (
        numbered is not None
        or bool(match["mark"].strip(" \\"))
        or name.rstrip().endswith((":", "：", "-", "–", "—", "="))
    )
    if not is_linked and len(match["em"]) == 1 and not is_marked:
        return None
    is_marked = is_marked or (not is_linked and re.match(r"\.\s", rest) is not None)
    more = None if is_marked else re.match(r"\s*(\([^()]{1,100}\))\s*(?:(?:[:：=]|[-–—]+)(?:\s+|$)|\\?$)", rest)
    if more:  # `**Name** (NM): text`
        return _Led(name=f"{name} {more[1]}", rest=rest[more.end() :], is_marked=True, has_mark=True)
    if not match["mark"] and rest[:1].isalnum():  # a part of a word
        return None
    rest = rest.lstrip(" \t:=–—-→.") if is_marked else re.sub(r"^[.,;]\s", "", rest)
    return _Led(
        name=name.rstrip(" :：=–—-"),
        rest=rest.strip(),
        is_marked=is_marked or not rest.strip(),
        has_mark=is_marked,
    )


def _joined(found: Sequence[tuple[_Head, _Led | None]]) -> list[tuple[_Head, _Led | None]]:
    """The heads, each line that leads no entry joined to the one before it in its block."""
    kept: list[tuple[_Head, _Led | None]] = []
    for head, led in found:
        if led is None and is_label(head.text.partition(":")[0]):  # an example, say
            continue
        if led is None and kept and kept[-1][1] is not None and kept[-1][0].last == head.line - 1:
            above, read = kept[-1]
            more = (*above.more, head.text, *head.more)
            kept[-1] = replace(above, more=more, last=head.last, below=head.below, end=head.end), read
        else:
            kept.append((head, led))
    return kept


def find_marked(page: Page, hints: Hints) -> Iterator[list[Entry]]:
    """A name, a mark such as `:` or `-`, and a text."""
    for heads, kind in _ways(page):
        texts = without_numbers([head.text for head in heads])
        splits = [split_at_mark(text) for text in texts]
        needed = 0.0 if hints.is_chosen else SOME if hints.is_titled else ENOUGH if kind == ITEM else 0.75
        for mark in _MARKS:
            some = [(head, split) for head, split in zip(heads, splits, strict=True) if split and split[0] == mark]
            is_rare = mark == "->" or (mark == " = " and not hints.is_titled)
            least = MOST if is_rare and not hints.is_chosen else needed
            more = [line for head, _ in some for line in head.more if not line[:1].isspace()]
            n_more = sum((split := split_at_mark(line)) is not None and split[0] == mark for line in more)
            if some and len(some) >= least * len(heads) and n_more <= FEW * len(some):
                entries = [_entry(_apart(head, split_at_mark), term, rest) for head, (_, term, rest) in some]
                bare = [head for head, split in zip(heads, splits, strict=True) if not split and _is_bare(head)]
                yield entries
                if bare and kind == ITEM and hints.is_titled:
                    yield entries + [_entry(head, head.text, "") for head in bare]
        marks = Counter(split[0] for split in splits if split)
        if hints.is_titled and MOST * len(heads) <= marks.total() > max(marks.values(), default=0):
            told = [(head, split) for head, split in zip(heads, splits, strict=True) if split]
            yield [_entry(_apart(head, split_at_mark), term, rest) for head, (_, term, rest) in told]
        enough = max(MIN_PAIRS, MOST * len(heads))
        for mark, pattern in _RARE.items():
            is_open = hints.is_titled or mark not in _PLAIN
            if not is_open or sum(mark in text for text in texts) < enough:
                continue
            halves = [(head, pattern.split(text, maxsplit=1)) for head, text in zip(heads, texts, strict=True)]
            some_halves = [(head, half) for head, half in halves if len(half) == 2]
            if len(some_halves) >= enough:
                yield [_entry(head, term, rest) for head, (term, rest) in some_halves]
        if kind == ITEM and hints.is_titled:
            stops = [(head, _SENTENCE.match(head.text)) for head in heads]
            yield [_entry(head, head.text[: m.end()].rstrip(". "), head.text[m.end() :]) for head, m in stops if m]


def _is_bare(head: _Head) -> bool:
    """Whether a head is a name with a text of several words below it."""
    return is_name(head.text) and count_words(first_text(head.below)) > 2 * count_words(head.text)


@lru_cache(maxsize=2**16)  # each way to see a page asks for the same ones
def split_at_mark(text: str) -> tuple[str, str, str] | None:
    """The first mark in a line, and what is before and behind it."""
    masked = OPAQUE.sub(lambda part: "x" * len(part[0]), text)
    for match in _ANY_MARK.finditer(masked):
        term = text[: match.start()].strip()
        if term:
            at = next(i for i in range(len(_MARKS)) if match[f"m{i}"] is not None)
            return list(_MARKS)[at], term, text[match.end() :].strip()
    return None
