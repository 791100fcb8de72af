"""Entries below headings."""

import itertools
import re
import statistics
from collections import Counter
from collections.abc import Iterator, Sequence

from crawler.cards.texts import count_words
from crawler.formats.sides import headers
from crawler.formats.sides.headers import BACK_NAMES, FRONT_NAMES
from crawler.formats.texts.blocks import CODE, HEADER, HEADING, INDENTED, ITEM, ROW, TEXT, Block, Page, explains_terms
from crawler.formats.texts.names import (
    MIN_PAIRS,
    asks,
    find_in_place,
    in_order,
    is_label,
    is_name,
    is_of_manual,
    is_section,
    read_name,
    without_numbers,
    without_parts,
)
from crawler.formats.texts.shapes.entry import (
    ADDRESS,
    BRACKETS,
    CONTENTS,
    ENOUGH,
    HALF,
    MANY,
    SOME,
    Entry,
    Hints,
    without_hints,
)
from data.texts import words

_MAX_BLOCKS, _MAX_TITLED_BLOCKS, _MAX_WORDS = 2, 3, 150
"""Paragraphs below the usual heading, and words of the usual first one: with more, it heads a section of a text."""
_MAX_ITEMS, _MAX_MANUAL, _MAX_TITLED_MANUAL = 12, 0.05, 0.3
_FEWEST_LEAVES = 3
"""Headings with none below them from which others of their level are names, too."""
_MANY = 10
"""Headings among which some of a manual's are words that a glossary explains."""
_MAX_NAME_WORDS = 4
"""Words of an item that says no more than a name."""
_FIRST_WORD = re.compile(r"\W*+(?:(?:an?|the)\s++)?+(\w[^\s,.:;]*+)")
"""The first word of a text without an article."""
_SHORTEST = 3
"""Letters of a word of a name."""
_LABELLED = re.compile(r"(\*\*|__|)([^*_:\n]{1,40})(?::\1|\1:)\s")
_ASIDE = re.compile(r"([*_])(?![*_])[^*_\n.]{1,60}\1")
"""A short slanted line, such as the name in another language."""


def first_text(blocks: Sequence[Block], known: frozenset[str] = frozenset()) -> str:
    """What the blocks say first: a paragraph, or a list; with what comes next if it ends in a colon.

    Labels, addresses, links within the page, a slanted line above a text and what is `known` to be above many texts say
    nothing. Below an item with a label, such as `Definition:`, one with another says something else.
    """
    said: list[str] = []
    is_defined = False
    rest = [block for block in blocks if block.kind in (TEXT, ITEM, INDENTED)]
    for at, block in enumerate(rest):
        text = "\n".join(line.strip().rstrip("\\").strip() for line in block.text.split("\n")).strip()
        bare = read_name(text)
        is_said = not (ADDRESS.match(text) or BRACKETS.match(text) or CONTENTS.fullmatch(text) or text in known)
        is_aside = _ASIDE.fullmatch(text) and not said and any(below.kind == TEXT for below in rest[at + 1 :])
        if not bare or not is_said or is_aside or (is_label(bare) and not said):
            continue
        label = _LABELLED.match(text) if block.kind == ITEM else None
        if said and label and is_defined:
            break
        is_defined = is_defined or (label is not None and not said and is_label(label[2]))
        said.append(text)
        is_next_item = at + 1 < len(rest) and rest[at + 1].kind == ITEM
        if not (is_next_item if block.kind == ITEM else text.endswith((":", "："))):
            break
    return "\n".join(said)


def find_headed(page: Page, hints: Hints) -> Iterator[list[Entry]]:
    """A heading, and the text below it."""
    heads = [block for block in page.blocks if block.kind == HEADING]
    counts = Counter(read_name(head.text).lower() for head in heads)
    sections: list[tuple[Block, str, list[Block]]] = []
    title = heads[0] if heads and explains_terms(heads[0].text) else None
    for block in page.blocks:
        name = read_name(block.text) if block.kind == HEADING else ""
        is_below = bool(sections) and block.level > sections[-1][0].level
        is_usual = counts[name.lower()] >= (2 if is_label(name.partition(" (")[0]) else MIN_PAIRS)
        is_part = is_usual or (is_label(name) and is_below)
        if block.kind == HEADING and not (sections and is_part):
            sections.append((block, name, []))
        elif sections and block.kind != HEADING:
            sections[-1][2].append(block)
    firsts = Counter(section[2][0].text for section in sections if section[2])
    known = frozenset(text for text, n in firsts.items() if n >= max(MIN_PAIRS, SOME * len(sections)))
    levels = sorted({head.level for head, _, _ in sections})
    leaves = _find_leaves(sections, known, is_titled=hints.is_titled)
    for chosen in [[one for one in sections if one[0].level == level] for level in levels] + [leaves]:
        told = [one for one in chosen if one[0] is not title]
        bare = without_numbers([name for _, name, _ in told])
        bare = without_parts(bare) if hints.is_titled else bare
        told = [(head, name, blocks) for (head, _, blocks), name in zip(told, bare, strict=True)]
        placed = find_in_place([name for _, name, _ in told])
        some = [one for one in told if not is_section(one[1]) and (one[1] in placed or not is_label(one[1]))]
        if some and (hints.is_chosen or _are_headed(some, hints, known)):
            lasts = [blocks[-1].last if blocks else head.last for head, _, blocks in told]
            yield [
                Entry(line=head.line, last=last, term=name, text=_answer(name, blocks, known))
                for (head, name, blocks), last in zip(told, lasts, strict=True)
            ]


def _find_leaves(
    sections: list[tuple[Block, str, list[Block]]], known: frozenset[str], *, is_titled: bool
) -> list[tuple[Block, str, list[Block]]]:
    """The headings below which is no other; and those with a text of their own at a level of which most are so, or
    whose text begins with the name on a page that explains terms.
    """
    are_last = [
        after is None or after[0].level <= one[0].level
        for one, after in zip(sections, [*sections[1:], None], strict=False)
    ]
    n_last = Counter(one[0].level for one, is_last in zip(sections, are_last, strict=True) if is_last)
    n_all = Counter(one[0].level for one in sections)
    usual = {level for level, n in n_last.items() if n >= max(_FEWEST_LEAVES, ENOUGH * n_all[level])}
    return [
        one
        for one, is_last in zip(sections, are_last, strict=True)
        if is_last
        or ((text := first_text(one[2], known)) and one[0].level in usual)
        or (is_titled and one is not sections[0] and _begins_with(text, one[1]))
    ]


def _begins_with(text: str, name: str) -> bool:
    """Whether the first word of a text, without an article, is one of a name's; in the singular or the plural."""
    match = _FIRST_WORD.match(words.normalise(text))
    first = match[1] if match else ""
    parts = [part for part in re.split(r"[\s-]", words.normalise(name)) if len(part) >= _SHORTEST]
    return len(first) >= _SHORTEST and any(first.startswith(part) or part.startswith(first) for part in parts)


def _answer(name: str, blocks: Sequence[Block], known: frozenset[str]) -> str:
    """What the blocks below a name say first; below a question with the table above that."""
    text = first_text(blocks, known)
    table = itertools.takewhile(lambda block: block.kind in (HEADER, ROW), blocks if text and asks(name) else ())
    return "\n".join([*(" | ".join(row.cells) for row in table), text])


def _are_headed(sections: Sequence[tuple[Block, str, list[Block]]], hints: Hints, known: frozenset[str]) -> bool:
    """Whether headings are no parts of a longer text or of a manual."""
    told = [(name, blocks, said) for _, name, blocks in sections if (said := first_text(blocks, known))]
    names = [name for _, name, _ in sections]
    n_manual = sum(map(is_of_manual, names[hints.is_titled :]))  # the first one may introduce a glossary
    most_manual = _MAX_TITLED_MANUAL if hints.is_titled and len(names) >= _MANY else _MAX_MANUAL
    if not told or (n_manual > most_manual * len(names) and not in_order(names)):
        return False
    are_questions = sum(asks(name) for name, _, _ in told) >= MANY * len(told)
    n_blocks = statistics.median(len([b for b in blocks if b.kind in (TEXT, INDENTED)]) for _, blocks, _ in told)
    most = _MAX_TITLED_BLOCKS if hints.is_titled else _MAX_BLOCKS
    items = [[block for block in blocks if block.kind == ITEM] for _, blocks, _ in told]
    n_items = statistics.median(map(len, items))
    if n_blocks < 1 < n_items and _are_names([item.text for some in items for item in some]):
        return False
    n_words = sum(count_words(b.text) for _, blocks, _ in told for b in blocks if b.kind != CODE)
    n_open = sum(said.partition("\n")[0].endswith(":") for _, _, said in told)
    n_said = sum(count_words(said) for _, _, said in told)
    return (
        (are_questions or hints.is_titled or (n_said >= HALF * n_words and n_open <= SOME * len(told)))
        and (are_questions or (n_blocks <= most and n_items <= (_MAX_ITEMS if n_blocks < 1 else most)))
        and n_said <= _MAX_WORDS * len(told)
    )


def _are_names(texts: Sequence[str]) -> bool:
    """Whether most items of lists are bare names, of which an outline is made."""
    return sum(is_name(text) and count_words(text) <= _MAX_NAME_WORDS for text in texts) > ENOUGH * len(texts)


@without_hints
def find_named_headings(page: Page) -> Iterator[list[Entry]]:
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
