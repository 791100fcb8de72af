"""The shapes in which people write names and their explanations: each is a function that finds entries on a page, and a
row of SHAPES.

A function yields candidates, since a shape may be read in several ways (every line, or every paragraph; one kind of
mark or another); `entries` scores them.
"""

import itertools
import re
import statistics
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial

from crawler.formats.sides import headers
from crawler.formats.sides.headers import BACK_NAMES, FRONT_NAMES, Named, find_named, find_sides, find_strong_sides
from crawler.formats.texts.blocks import (
    CODE,
    HEADER,
    HEADING,
    INDENTED,
    ITEM,
    ROW,
    RULE,
    TEXT,
    Block,
    Line,
    Page,
    explains_terms,
)
from crawler.formats.texts.names import (
    MIN_PAIRS,
    MOST,
    asks,
    is_label,
    is_name,
    is_of_manual,
    is_section,
    read_name,
    without_numbers,
)
from data.texts import words

MAX_TERMS = 20
"""Terms above one text: with many, as many texts below them would give their product of cards."""


@dataclass(frozen=True, kw_only=True)
class Entry:
    """A name and what is written about it."""

    line: int
    """Where it begins, from 1."""
    last: int
    """Where it ends."""
    term: str
    text: str
    """May be empty."""


@dataclass(frozen=True, kw_only=True)
class Shape:
    """A way to write entries."""

    name: str
    """What the operator may call it."""
    find: Callable[[Page, Named], Iterable[list[Entry]]]
    read_as: str
    is_sure: bool = False
    """Whether one entry shows it, whatever its name is."""
    is_loose: bool = False
    """Whether it is so common in texts of other kinds that a title does not count."""
    may_translate: bool = False
    """Whether words and their translations are written so."""
    splits: bool = False
    """Whether a mark that sentences have, too, ends the name."""
    weight: float = 1.0
    """How much its entries count against other shapes' entries."""
    share: float = 0.0
    """Share of the page's words that its entries need where nothing else says that they are explained terms."""


_MANY, _ENOUGH, _HALF, _SOME, _FEW = 0.8, 0.6, 0.5, 0.3, 0.2
_MAX_BLOCKS, _MAX_TITLED_BLOCKS, _MAX_WORDS = 2, 3, 150
"""Paragraphs below the usual heading, and words of the usual first one: with more, it heads a section of a text."""
_MAX_ITEMS, _MAX_CODE, _MAX_MANUAL = 12, 0.3, 0.05
_MIN_WORDS = 3
"""Words of the usual indented explanation: shorter ones are an outline or code."""
_MIN_TURNS = 5
"""Pairs of lines by turns where no blank line shows which belong together."""
_BRACKETS = re.compile(r"(?:\[[^\[\]]*\]\s*)+$")
_ADDRESS = re.compile(r"\W{0,9}(?:\[\[.*|\*\*/.*|(?:https?|file)://\S*|(?:/[\w.-]+){3,})$")
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
_RARE = {"=": re.compile(r"(?<![=<>!])=(?![=>])"), **{mark: re.compile(re.escape(mark)) for mark in "}~^¦§"}}
"""Marks that few texts have between name and text; the search for the character is fast."""
_ANY_MARK = re.compile("|".join(f"(?P<m{at}>{mark})" for at, mark in enumerate(_MARKS.values())))
_OPAQUE = re.compile(
    r"`[^`\n]{1,500}`|\$[^$\n]{1,300}\$|\]\([^()\n]{0,1000}\)|<[^<>\n]{1,500}>|https?://\S+|\[\[[^\[\]\n]+\]\]"
)
_SENTENCE = re.compile(r"[^.!?]{2,80}?\.\s+(?=\S)")
_COLON = re.compile(r" {0,3}:\s{1,20}(?=\S)")
_LETTER = re.compile(r"\s{0,20}([QA]) ?\d{0,4}[.)] ")
"""A label of a side; where a line begins with B, they label choices."""
_CHOICE = re.compile(r"\s{0,20}B ?[.)] ")
_QUESTION, _ANSWER = FRONT_NAMES | {"q"}, BACK_NAMES | {"a"}
_ITEM_MARK = re.compile(r"\A\s{0,20}(?:[-*+•>]|\d{1,4}[.)])\s{1,20}(?:\[[ x]\]\s)?")
_BETWEEN = frozenset({"?", "??"})
_CARD = re.compile(r"(?<!\S)#(?:flash)?cards?\b")
_CODE_ENDS = (";", "{", "}", ")", ",")


def first_text(blocks: Sequence[Block], known: frozenset[str] = frozenset()) -> str:
    """What the blocks say first: a paragraph, or a list; with what comes next if it ends in a colon.

    Labels, addresses and what is `known` to be above many texts say nothing.
    """
    said: list[str] = []
    rest = [block for block in blocks if block.kind in (TEXT, ITEM, INDENTED)]
    for at, block in enumerate(rest):
        text = "\n".join(line.strip().rstrip("\\").strip() for line in block.text.split("\n")).strip()
        bare = read_name(text)
        if not bare or _ADDRESS.match(text) or _BRACKETS.match(text) or text in known or (is_label(bare) and not said):
            continue
        said.append(text)
        is_next_item = at + 1 < len(rest) and rest[at + 1].kind == ITEM
        if not (is_next_item if block.kind == ITEM else text.endswith((":", "："))):
            break
    return "\n".join(said)


def find_headed(page: Page, _: Named) -> Iterator[list[Entry]]:
    """A heading, and the text below it."""
    heads = [block for block in page.blocks if block.kind == HEADING]
    counts = Counter(read_name(head.text).lower() for head in heads)
    sections: list[tuple[Block, str, list[Block]]] = []
    title = heads[0] if heads and explains_terms(heads[0].text) else None
    for block in page.blocks:
        name = read_name(block.text) if block.kind == HEADING else ""
        if block.kind == HEADING and not (sections and (is_label(name) or counts[name.lower()] >= MIN_PAIRS)):
            sections.append((block, name, []))
        elif sections and block.kind != HEADING:
            sections[-1][2].append(block)
    firsts = Counter(section[2][0].text for section in sections if section[2])
    known = frozenset(text for text, n in firsts.items() if n >= max(MIN_PAIRS, _SOME * len(sections)))
    levels = sorted({head.level for head, _, _ in sections})
    leaves = [
        one
        for one, after in zip(sections, [*sections[1:], None], strict=False)
        if after is None or after[0].level <= one[0].level
    ]
    for chosen in [[one for one in sections if one[0].level == level] for level in levels] + [leaves]:
        some = [one for one in chosen if not is_section(one[1]) and one[0] is not title]
        if some and (page.is_chosen or _are_headed(some, page, known)):
            names = without_numbers([name for _, name, _ in some])
            lasts = [blocks[-1].last if blocks else head.last for head, _, blocks in some]
            yield [
                Entry(line=head.line, last=last, term=name, text=first_text(blocks, known))
                for (head, _, blocks), name, last in zip(some, names, lasts, strict=True)
            ]


def _are_headed(sections: Sequence[tuple[Block, str, list[Block]]], page: Page, known: frozenset[str]) -> bool:
    """Whether headings are no parts of a longer text or of a manual."""
    told = [(name, blocks, said) for _, name, blocks in sections if (said := first_text(blocks, known))]
    if not told or sum(is_of_manual(name) for _, name, _ in sections) > _MAX_MANUAL * len(sections):
        return False
    are_questions = sum(asks(name) for name, _, _ in told) >= _MANY * len(told)
    n_blocks = statistics.median(len([b for b in blocks if b.kind in (TEXT, INDENTED)]) for _, blocks, _ in told)
    most = _MAX_TITLED_BLOCKS if page.is_titled else _MAX_BLOCKS
    n_items = statistics.median(sum(block.kind == ITEM for block in blocks) for _, blocks, _ in told)
    n_code = sum(any(block.kind == CODE for block in blocks) for _, blocks, _ in told)
    n_words = sum(len(b.text.split()) for _, blocks, _ in told for b in blocks if b.kind != CODE)
    n_open = sum(said.partition("\n")[0].endswith(":") for _, _, said in told)
    n_said = sum(len(said.split()) for _, _, said in told)
    return (
        (are_questions or page.is_titled or (n_said >= _HALF * n_words and n_open <= _SOME * len(told)))
        and (are_questions or (n_blocks <= most and n_items <= (_MAX_ITEMS if n_blocks < 1 else most)))
        and n_said <= _MAX_WORDS * len(told)
        and (page.is_titled or n_code <= _MAX_CODE * len(told))
    )


def find_named_headings(page: Page, _: Named) -> Iterator[list[Entry]]:
    """Headings that name the sides: `## Question`, `## Answer`; or only the second one below a text."""
    entries: list[Entry] = []
    heads = [(at, block) for at, block in enumerate(page.blocks) if block.kind == HEADING]
    starts = [*(at for at, _ in heads), len(page.blocks)]
    sections = [(head, page.blocks[at + 1 : starts[i + 1]]) for i, (at, head) in enumerate(heads)]
    for (above, front), (head, back) in itertools.pairwise(sections):
        if headers.read_name(read_name(head.text)).rstrip("0123456789 ") in BACK_NAMES and front and back:
            name = headers.read_name(read_name(above.text)).rstrip("0123456789 ")
            if name in FRONT_NAMES or (above.level < head.level and (is_section(name) or name in ("item", "note"))):
                sides = ["\n\n".join(b.text for b in part if b.text) for part in (front, back)]
                entries.append(Entry(line=above.line, last=back[-1].last, term=sides[0], text=sides[1]))
    yield entries


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


def _ways(page: Page) -> Iterator[tuple[list[_Head], str]]:
    """The beginnings of entries in each way to see them, and the kind of their blocks: paragraphs or items at one
    level, or their lines, or all lines.
    """
    lines: list[_Head] = []
    for level, kind in _levels(page):
        yield (heads := _heads(page, level, kind, every_line=False)), kind
        every = _heads(page, level, kind, every_line=True) if any(head.more for head in heads) else heads
        lines += every
        if every is not heads:
            yield every, kind
    if len(_levels(page)) > 1:
        yield sorted(lines, key=lambda head: head.line), TEXT


def _levels(page: Page) -> list[tuple[int, str]]:
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


def find_led(page: Page, _: Named) -> Iterator[list[Entry]]:
    """A name in bold, or slanted before a mark, that begins a line; then its text, or alone above it."""
    for heads, kind in _ways(page):
        for only_bold, is_linked in ((True, False), (False, False), *([(True, True)] if kind == ITEM else [])):
            read = partial(_read_led, only_bold=only_bold, is_linked=is_linked)
            found = _joined([(head, read(head.text)) for head in heads])
            entries = [_entry(_apart(head), led.name, led.rest) for head, led in found if led]
            n_marked = sum(led.is_marked for _, led in found if led)
            more = [line for head, led in found if led for line in head.more if not line[:1].isspace()]
            is_whole = sum(read(line) is not None for line in more) <= _FEW * len(entries)
            if entries and is_whole and n_marked >= _ENOUGH * len(entries):
                leds = [led for _, led in found if led]
                yield [one for one, led in zip(entries, leds, strict=True) if one.text or led.has_mark]


def _apart(head: _Head) -> _Head:
    """The head without what is below it if that leads an entry, too."""
    return head if not head.below or _read_led(head.below[0].text, only_bold=True) is None else replace(head, below=())


@dataclass(frozen=True, kw_only=True)
class _Led:
    """A line that a name leads."""

    name: str
    rest: str
    is_marked: bool
    """Whether a mark is behind the name, or nothing."""
    has_mark: bool


def _read_led(line: str, *, only_bold: bool, is_linked: bool = False) -> _Led | None:
    match = _LINKED.match(line) if is_linked else _LED.match(line)
    if match is None or (only_bold and not is_linked and len(match["em"]) == 1):
        return None
    name, rest = re.sub(r"<[^<>]*>", "", match["name"]), match["rest"]
    is_marked = bool(match["mark"].strip(" \\")) or name.rstrip().endswith((":", "：", "-", "–", "—", "="))
    if not is_linked and len(match["em"]) == 1 and not is_marked:
        return None
    more = None if is_marked else re.match(r"\s*(\([^()]{1,100}\))\s*(?:(?:[:：=]|[-–—]+)(?:\s+|$)|\\?$)", rest)
    if more:  # `**Name** (NM): text`
        return _Led(name=f"{name} {more[1]}", rest=rest[more.end() :], is_marked=True, has_mark=True)
    if not match["mark"] and rest[:1].isalnum():  # a part of a word
        return None
    rest = rest.lstrip(" \t:=–—-→") if is_marked else rest
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
        if led is None and kept and kept[-1][1] is not None and kept[-1][0].last == head.line - 1:
            above, read = kept[-1]
            more = (*above.more, head.text, *head.more)
            kept[-1] = replace(above, more=more, last=head.last, below=head.below, end=head.end), read
        else:
            kept.append((head, led))
    return kept


def find_marked(page: Page, _: Named) -> Iterator[list[Entry]]:
    """A name, a mark such as `:` or `-`, and a text."""
    for heads, kind in _ways(page):
        texts = without_numbers([head.text for head in heads])
        splits = [_split(text) for text in texts]
        needed = 0.0 if page.is_chosen else _SOME if page.is_titled else _ENOUGH if kind == ITEM else 0.75
        for mark in _MARKS:
            some = [(head, split) for head, split in zip(heads, splits, strict=True) if split and split[0] == mark]
            is_rare = mark == "->" or (mark == " = " and not page.is_titled)
            least = MOST if is_rare and not page.is_chosen else needed
            more = [line for head, _ in some for line in head.more if not line[:1].isspace()]
            n_more = sum((split := _split(line)) is not None and split[0] == mark for line in more)
            if some and len(some) >= least * len(heads) and n_more <= _FEW * len(some):
                yield [_entry(head, term, rest) for head, (_, term, rest) in some]
        enough = max(MIN_PAIRS, MOST * len(heads))
        for mark, pattern in _RARE.items():
            if sum(mark in text for text in texts) < enough:
                continue
            halves = [(head, pattern.split(text, maxsplit=1)) for head, text in zip(heads, texts, strict=True)]
            some_halves = [(head, half) for head, half in halves if len(half) == 2]
            if len(some_halves) >= enough:
                yield [_entry(head, term, rest) for head, (term, rest) in some_halves]
        if kind == ITEM and page.is_titled:
            stops = [(head, _SENTENCE.match(head.text)) for head in heads]
            yield [_entry(head, head.text[: m.end()].rstrip(". "), head.text[m.end() :]) for head, m in stops if m]


@lru_cache(maxsize=2**16)  # each way to see a page asks for the same ones
def _split(text: str) -> tuple[str, str, str] | None:
    """The first mark in a line, and what is before and behind it."""
    masked = _OPAQUE.sub(lambda part: "x" * len(part[0]), text)
    for match in _ANY_MARK.finditer(masked):
        term = text[: match.start()].strip()
        if term:
            at = next(i for i in range(len(_MARKS)) if match[f"m{i}"] is not None)
            return list(_MARKS)[at], term, text[match.end() :].strip()
    return None


def find_nested(page: Page, _: Named) -> Iterator[list[Entry]]:
    """A line, and a list below it: an item with the items below, or a question with its answers."""
    for level, kind in _levels(page):
        entries, tagged, n = [], [], 0
        for at, block in enumerate(page.blocks):
            if (block.level, block.kind) != (level, kind):
                continue
            n += 1
            if not (children := page.children(at)):
                continue
            name, *more = block.text.split("\n")
            text = "\n".join([*more, *(child.text for child in children if child.text)])
            entry = Entry(line=block.line, last=children[-1].last, term=name, text=text)
            entries.append(entry)
            if _CARD.search(name):
                tagged.append(entry)
        n_asking = sum(asks(read_name(entry.term)) for entry in entries)
        if (kind == ITEM and len(entries) >= _MANY * n) or page.is_titled or n_asking >= _ENOUGH * n:
            yield (
                entries
                if kind == ITEM and n_asking < _ENOUGH * n
                else [entry for entry in entries if asks(read_name(entry.term))]
            )
        if kind == ITEM:
            yield tagged


def find_tagged(page: Page, named: Named) -> Iterator[list[Entry]]:
    """Items that a tag makes cards (Logseq), with what is below them."""
    tagged = [entry for entries in find_nested(page, named) for entry in entries if _CARD.search(entry.term)]
    yield list({entry.line: replace(entry, term=read_name(entry.term)) for entry in tagged}.values())


def find_tables(page: Page, named: Named) -> Iterator[list[Entry]]:
    """Tables whose header names both sides."""
    yield [entry for table in group_tables(page) for entry in _read_table(table, named, strong=True)]


def find_plain_tables(page: Page, named: Named) -> Iterator[list[Entry]]:
    """Tables with two columns, or with a header that may name the sides."""
    yield [entry for table in group_tables(page) for entry in _read_table(table, named, strong=False)]


def group_tables(page: Page) -> Iterator[list[Block]]:
    """The header and the rows of each table."""
    table: list[Block] = []
    for block in page.blocks:
        if block.kind == HEADER and table:
            yield table
            table = []
        if block.kind in (HEADER, ROW):
            table.append(block)
    if table:
        yield table


def _read_table(table: Sequence[Block], named: Named, *, strong: bool) -> list[Entry]:
    names = list(map(read_name, table[0].cells))
    front, back = find_strong_sides(names)
    sides = find_named(names, named) or (None if front is None or back is None else (front, back))
    if sides is None and not strong:
        sides = find_sides(names) or ((0, 1) if len(names) == 2 else None)
    if sides is None:
        return []
    return [
        Entry(line=row.line, last=row.last, term=row.cells[sides[0]], text=row.cells[sides[1]])
        for row in table[1:]
        if len(row.cells) > max(sides) and row.cells[sides[0]]
    ]


def find_labelled(page: Page, _: Named) -> Iterator[list[Entry]]:
    """Sides with their names before them: `Q: …`, `A: …`."""
    entries: list[Entry] = []
    has_choices = any(_CHOICE.match(line) for _, line in page.lines)
    ends = {block.line for block in page.blocks if block.kind in (HEADING, RULE)}
    sides: list[list[str]] = []
    start, is_open = 0, False
    for number, line in [*page.lines, (len(page.lines) + 1, "q:")]:
        name, rest = _read_label(line, has_choices=has_choices)
        if name in _QUESTION:
            if len(sides) == 2:
                entries.append(_labelled(start, number - 1, sides))
            start, sides, is_open = number, [[rest]], True
        elif name in _ANSWER and sides:
            sides, is_open = [sides[0], [*(sides[1] if len(sides) == 2 else []), rest]], True
        elif number in ends:
            is_open = False
        elif sides and is_open and (line.strip() or not any(sides[-1]) or sides[-1][-1].endswith(":")):
            sides[-1].append(line.strip())
        elif sides and not line.strip():
            is_open = len(sides) == 1
    yield entries


def _read_label(line: str, *, has_choices: bool) -> tuple[str, str]:
    """The name of a side before a text, and the text; an empty name where there is none."""
    bare = _ITEM_MARK.sub("", line, count=1)
    letter = None if has_choices else _LETTER.match(bare)
    if letter:
        return letter[1].lower(), bare[letter.end() :].strip()
    label, mark, rest = bare.replace("：", ":", 1).partition(":")
    if not mark or len(label) > 40:
        return "", ""
    return words.normalise(label.strip("*_# ")).rstrip("0123456789 ").strip(), rest.lstrip("*_").strip()


def _labelled(start: int, last: int, sides: Sequence[Sequence[str]]) -> Entry:
    texts = ["\n".join(line.rstrip("\\").strip() for line in side if line).strip() for side in sides]
    return Entry(line=start, last=last, term=" ".join(texts[0].split()), text=texts[1])


def find_between(page: Page, _: Named) -> Iterator[list[Entry]]:
    """Obsidian's cards: a line `?` between the sides, or `front::back`. Source: the plugin's guide, "Flashcards"."""
    between, inline = [], []
    for block in _note_blocks(page):
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
    n_lines = sum(map(len, _note_blocks(page)))
    if len(inline) >= max(MIN_PAIRS, _SOME * n_lines) and n_code < (1 - _MANY) * len(inline):
        yield between + inline


def _note_blocks(page: Page) -> list[list[Line]]:
    """The lines between blank lines, headings and code, without tags."""
    apart = {n for b in page.blocks if b.kind in (HEADING, CODE, RULE, ROW) for n in range(b.line, b.last + 1)}
    blocks: list[list[Line]] = [[]]
    for number, line in page.lines:
        text = re.sub(r"(?<!\S)#(?:flashcards?|cards?|anki)(?:/[\w/-]{1,80})?(?!\S)", "", line).strip()
        if text and number not in apart:
            blocks[-1].append((number, text))
        elif number in apart or not line.strip():
            blocks.append([])
    return [block for block in blocks if block]


def _read_inline(line: Line) -> Entry | None:
    number, text = line
    masked = _OPAQUE.sub(lambda part: "x" * len(part[0]), text)
    at = masked.find("::")
    if at < 0:
        return None
    mark = ":::" if masked.startswith(":::", at) else "::"
    front, back = _ITEM_MARK.sub("", text[:at], count=1).strip(), text[at + len(mark) :].strip()
    return Entry(line=number, last=number, term=front, text=back) if front and back else None


def find_colons(page: Page, _named: Named) -> Iterator[list[Entry]]:
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


def find_indented(page: Page, _named: Named) -> Iterator[list[Entry]]:
    """A glossary whose terms begin at the margin, with texts indented below them.

    A term without a text has an empty one, and so has a line at the margin that is no term.
    """
    groups = list(group_lines(page.lines))
    explained = [heads for heads, body in groups if body]
    names = [is_name(line) and _ITEM_MARK.match(line) is None for heads in explained for _, line in heads]
    n_lines = sum(bool(line) for _, line in page.lines)
    n_indented = sum(line[:1].isspace() for _, line in page.lines)
    bodies = [_first_paragraph(body) for _, body in groups]
    n_words = [len(body.split()) for body in bodies if body]
    if (
        n_words
        and sum(names) >= _MANY * len(names)
        and 2 * len(explained) >= len(groups)
        and n_indented >= max(MIN_PAIRS, n_lines / 3)
        and statistics.median(n_words) >= _MIN_WORDS
        and sum(_split(line) is not None for heads in explained for _, line in heads) < _HALF * len(names)
    ):
        ends = [heads[0][0] - 1 for heads, _ in groups[1:]] + [len(page.lines)]
        yield [
            Entry(line=number, last=last, term=head, text=text if is_name(head) else "")
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


def _first_paragraph(body: Sequence[str]) -> str:
    """The first paragraph that says something, on one line, without the labels before it."""
    paragraph: list[str] = []
    for line in [*body, ""]:
        if line and (paragraph or not (_BRACKETS.match(line) or _ADDRESS.match(line))):
            paragraph.append(line)
        elif paragraph:
            break
    return " ".join(" ".join(paragraph).split())


def find_turns(page: Page, _named: Named) -> Iterator[list[Entry]]:
    """A line with the term, then its text: in blocks between blank lines, or by turns."""
    blocks: list[list[Line]] = [[]]
    for number, line in page.lines:
        if line.strip():
            blocks[-1].append((number, line.strip()))
        elif blocks[-1]:
            blocks.append([])
    blocks = [block for block in blocks if block]
    if len(blocks) == 1 or all(len(block) == 1 for block in blocks):
        lines = [line for block in blocks for line in block]
        if len(lines) % 2 or len(lines) < 2 * _MIN_TURNS:
            return
        blocks = [lines[at : at + 2] for at in range(0, len(lines), 2)]
    elif any(_CHOICE.match(line) for _, line in page.lines) or sum(len(block) > 1 for block in blocks) < max(
        MIN_PAIRS, _MANY * len(blocks)
    ):
        return
    names = [re.sub(r"^;\s*", "", name) for name in without_numbers([name for (_, name), *_ in blocks])]
    texts = [" ".join(re.sub(r"^:\s*", "", text) for _, text in rest) for _, *rest in blocks]
    if sum(name.startswith("#") for name in names) < len(names) / 2:
        yield [
            Entry(line=block[0][0], last=block[-1][0], term=name, text=text)
            for block, name, text in zip(blocks, names, texts, strict=True)
        ]


SHAPES = (
    Shape(name="sections", find=find_named_headings, read_as="headings that name the sides", is_sure=True, weight=2.0),
    Shape(name="labels", find=find_labelled, read_as="sides with their names before them", is_sure=True, weight=2.0),
    Shape(
        name="obsidian",
        find=find_between,
        read_as="a note with front::back or ? between the sides",
        is_sure=True,
        weight=2.0,
    ),
    Shape(
        name="tagged",
        find=find_tagged,
        read_as="items with a tag for cards, and what is below them",
        is_sure=True,
        weight=2.0,
    ),
    Shape(
        name="tables", find=find_tables, read_as="a table with a header that names the sides", is_sure=True, weight=2.0
    ),
    Shape(name="colons", find=find_colons, read_as="texts behind a colon below each term", is_sure=True, weight=2.0),
    Shape(
        name="headings", find=find_headed, read_as="headings with the first paragraph below each", share=0.5, weight=1.2
    ),
    Shape(name="bold", find=find_led, read_as="names in bold with their texts", share=0.1, weight=1.3),
    Shape(name="columns", find=find_plain_tables, read_as="a table of terms", share=0.4, may_translate=True),
    Shape(
        name="marks",
        find=find_marked,
        read_as="names and texts with a mark between them",
        share=0.4,
        may_translate=True,
        splits=True,
    ),
    Shape(
        name="lists", find=find_nested, read_as="items with the list below each", share=0.6, is_loose=True, weight=0.5
    ),
    Shape(name="indented", find=find_indented, read_as="an indented text below each term", is_sure=True, weight=2.0),
    Shape(
        name="turns",
        find=find_turns,
        read_as="a line with the term, then its text",
        share=0.5,
        is_loose=True,
        weight=0.5,
    ),
)
