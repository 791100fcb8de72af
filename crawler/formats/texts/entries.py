"""The entries of a text, in the shape or the shapes that look most like a glossary."""

import itertools
import re
import statistics
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from crawler.cards.texts import count_words
from crawler.formats.sides.headers import Named
from crawler.formats.texts.blocks import (
    CODE,
    HEADER,
    HEADING,
    ITEM,
    ROW,
    RULE,
    TEXT,
    Page,
    explains_terms,
    is_called_deck,
    is_called_glossary,
    read_page,
)
from crawler.formats.texts.names import (
    MIN_PAIRS,
    MOST,
    asks,
    find_in_place,
    in_order,
    is_label,
    is_name,
    is_of_manual,
    is_section,
    read_name,
)
from crawler.formats.texts.shapes.entry import Entry, Hints, Shape
from crawler.formats.texts.shapes.known import SHAPES

_ANNOUNCEMENT = re.compile(r"Terms in this set \((\d{1,6})\)")
_STATUS = re.compile(
    r"(?:Still learning|Not studied|Mastered) \(\d{1,6}\)"
    r"|You(?:['’]ve| haven['’]t) [^\n]{0,60}\b(?:these|yet)\b[^\n]{0,60}"
)
_OPEN = re.compile(
    r"\W*+(?:to ?do|tbd|tba|fixme|n/?a|none|coming soon|xxx)?\W*+|[*_\\`]{0,4}+<[^<>]{1,60}>[*_`]{0,3}", re.IGNORECASE
)
"""Placeholders for texts that are still to be written."""
_WORD_OR_NUMBER = re.compile(
    r"(?!(?:note|example|tip|hint|warning|definition|answer|see|also|important|info|todo|general|misc|others?)s?$)"
    r"[^\W\d_]{3,40}|\d{3,6}",
    re.IGNORECASE,
)
"""What looks like a label or a part and may be a name where few others do: a formula; the number of a form, of a rule.
"""
_SIGN = re.compile(r"[^\w\s]{1,8}|[^\w\s]\w{1,3}")
"""A name of marks, as shells and grammars have them."""
_BUTTONS = frozenset({"Original", "Alphabetical", ""})
"""Lines below the announcement of a copied page."""
_RATIO, _TITLED_RATIO = 2.0, 1.0
"""Words of an explanation per word of its name."""
_TOLD = 0.4
"""Share of the names that must have a text."""
_MAX_SPLIT = 12
"""Words before a mark that may be a name; a sentence has marks, too."""
_MIN_VOCABULARY = 10
"""Entries from which texts of one word are translations."""
_FEW_LABELS = 0.1
"""Share of the entries with names that look like labels where these are names."""
_FEW_SAME, _SHARE_SAME = 4, 0.05
"""Entries that may have one text."""
_APART_NAMES = 0.85
"""Share of the names that differ; a glossary may have several texts about some."""
_DISTINCT = 0.7
"""The same of a way to read a text that may be meant."""
_ALIKE = 0.95
"""Share of the names that two ways to read a text have in common if they are the same one."""
_ASKING = 0.8
"""Share of the names that are questions where they are a quiz."""
_CLOSE = 0.6
"""Share of the best score from which another way to read a text is as likely."""
_FEW = 2
"""Entries from which a text that says that it explains terms is one."""
_MIN_WORDS = 3
"""Words per text where there are hardly any entries."""
_MAX_WORDS = 50
"""Words per text where there are hardly more entries; with more, they are sections of a text."""
_OF_TITLED, _OF_OTHERS = 0.4, 0.85
"""Share of the words that entries must have for a text to be a glossary without doubt: where its name, its title, a tag
or the shape says that it is one; elsewhere.
"""
_ON_WEB = frozenset({"colons", "tables", "columns", "sections"})
"""Shapes of which few menus and settings of web pages are."""
_NAMED = frozenset({"labels", "tables", "sections"})
"""Shapes that name the sides, so that a text with another shape may have them, too."""
_DEFINITION = re.compile(r"\W{0,9}definition\W{0,3}:", re.IGNORECASE)
"""A label before the texts of a glossary."""
_APART = frozenset({HEADING, HEADER, CODE, RULE})
"""What is no text."""


@dataclass(frozen=True, kw_only=True)
class Entries:
    """What a text holds, and how it was read."""

    entries: tuple[Entry, ...]
    read_as: str
    n_others: int
    """Lines that belong to no entry."""
    labels: tuple[Entry, ...] = ()
    """What looks like an entry but has a label or a part of the glossary for a name."""
    unread: tuple[int, ...] = ()
    """Where paragraphs between entries begin that have no mark as these have."""
    declared: int | None = None
    """How many entries the text announces."""
    doubt: str = ""
    """Why this may not be what the text means; empty where it is clear."""


@dataclass(frozen=True, kw_only=True, eq=False)
class ShapeEntries:
    """The entries that one shape finds in a text."""

    shape: Shape
    entries: tuple[Entry, ...]
    labels: tuple[Entry, ...]
    """Those left out since their name is a label or a part of the glossary."""
    score: float

    def names(self) -> list[str]:
        """The names that are explained."""
        return [read_name(entry.term).lower() for entry in self.entries if entry.text]


def find_entries(
    name: str, text: str, named: Named = (), shape: str | None = None, *, is_web: bool = False
) -> Entries | None:
    """The entries of a text in the shape that explains most terms, with further shapes beside it; None for a text
    that is no glossary. `named` are the columns of its tables; `shape` is the cell by which the operator names a way.

    Several terms above one explanation have one entry each.
    """
    declared, text = _within_announcement(text)
    page = read_page(text)
    is_called = not is_web and is_called_glossary(name) and not name.lower().endswith((".csv", ".tsv"))
    is_titled = shape is not None or page.is_titled or is_called or explains_terms(name.rpartition("/")[2])
    hints = Hints(named=named, is_titled=is_titled, is_chosen=shape is not None, is_web=is_web)
    own, _, number = (shape or "").partition(" ")
    candidates = find_candidates(page, hints, own)
    candidates = _distinct(candidates)[int(number) - 1 :][:1] if number else candidates
    if not candidates:
        return None
    chosen: list[Entry] = []
    used: list[Shape] = []
    for one in candidates:
        free = _beside(chosen, one.entries)
        is_named = one.shape.name in _NAMED and len(free) >= MIN_PAIRS and not is_web
        if not chosen or (
            (is_named or _are_rest(free, chosen, page, hints)) and _score(free, page, one.shape, hints, chosen)
        ):
            chosen += free
            used += [one.shape] if one.shape not in used else []
    read = _lines_of(chosen)
    left = [e for one in candidates if one.shape in used for e in one.labels if e.text and e.line not in read]
    taken = read | {block.line for block in page.blocks if block.kind == HEADER}
    repeated = _repeated(chosen)
    told = (replace(e, text="") if e.text in repeated or _OPEN.fullmatch(e.text) else e for e in chosen)
    return Entries(
        entries=tuple(sorted(told, key=lambda entry: entry.line)),
        read_as=" and ".join(shape.read_as for shape in used),
        labels=tuple({entry.line: entry for entry in left}.values()),
        unread=tuple(_find_unread(page, chosen)) if used[0].splits else (),
        n_others=sum(any(map(str.isalnum, line)) and number not in taken for number, line in page.lines),
        declared=declared,
        doubt="" if shape else _doubt(name, page, hints, candidates, chosen),
    )


def _doubt(name: str, page: Page, hints: Hints, candidates: Sequence[ShapeEntries], chosen: Sequence[Entry]) -> str:
    """Why the chosen entries may not be what a text means; empty where they are."""
    if _has_rival(page, candidates, is_titled=hints.is_titled):
        return "two shapes find other names in the same lines"
    if not _is_clear(name, page, hints, candidates[0], chosen):
        return "much of the text is no entry"
    told = {(read_name(entry.term).lower(), entry.text) for entry in candidates[0].entries if entry.text}
    if not candidates[0].shape.is_sure and len({name for name, _ in told}) < _APART_NAMES * len(told):
        return "its names come again and again, as labels do"
    is_headed = hints.is_titled and candidates[0].shape.name == "headings"
    if not is_headed and _is_mixed(page, candidates[0].entries):
        return "its entries are of two kinds, of which one may be part of the other"
    if len(told) < MIN_PAIRS and not candidates[0].shape.is_sure and _count_words(told) > _MAX_WORDS * len(told):
        return "it has few entries, and they are long"
    return ""


def _find_unread(page: Page, chosen: Sequence[Entry]) -> Iterator[int]:
    """The lines of paragraphs of several words between entries that are paragraphs, too, without slanted examples."""
    starts, read = {entry.line for entry in chosen}, _lines_of(chosen)
    texts = [block for block in page.blocks if block.kind == TEXT and not block.level]
    if any(block.line in starts for block in texts):
        between = (block for block in texts if min(starts) < block.line < max(starts) and block.line not in read)
        yield from (b.line for b in between if count_words(b.text) > _FEW and b.text[0] not in "*_")


def _count_words(told: Iterable[tuple[str, str]]) -> int:
    return sum(count_words(text) for _, text in told)


def _is_clear(name: str, page: Page, hints: Hints, best: ShapeEntries, chosen: Sequence[Entry]) -> bool:
    """Whether the text is a glossary without doubt: it says so, or its entries are most of it."""
    is_telling = best.shape.name in _ON_WEB if hints.is_web else best.shape.is_sure
    if hints.is_web and not (is_telling or hints.is_titled) and len(best.names()) < MIN_PAIRS:
        return False
    n_labels = sum(_DEFINITION.match(line) is not None for _, line in page.lines)
    says = hints.is_titled or page.is_tagged or is_called_deck(name) or n_labels >= MIN_PAIRS
    if is_telling and not hints.is_web and (says or best.shape.name != "indented"):
        return True
    apart = {line for block in page.blocks if block.kind in _APART for line in range(block.line, block.last + 1)}
    n_words = sum(count_words(line) for number, line in page.lines if number not in apart)
    rows = {block.line: " ".join(block.cells) for block in page.blocks if block.kind == ROW}
    n_read = sum(count_words(rows.get(entry.line, f"{entry.term} {entry.text}")) for entry in chosen if entry.text)
    return n_read >= (_OF_TITLED if says or is_telling else _OF_OTHERS) * n_words


def _is_mixed(page: Page, entries: Sequence[Entry]) -> bool:
    """Whether several entries of a shape begin with blocks of another kind or level than most."""
    kinds = {block.line: (block.kind, block.level) for block in reversed(page.blocks)}
    counts = Counter(kinds[entry.line] for entry in entries if entry.line in kinds)
    return sum(n >= MIN_PAIRS for n in counts.values()) > 1


def _beside(chosen: Sequence[Entry], entries: Sequence[Entry]) -> list[Entry]:
    """The entries on lines that none of the chosen ones has."""
    taken = _lines_of(chosen)
    return [e for e in entries if taken.isdisjoint(range(e.line, e.last + 1))]


def _are_rest(entries: Sequence[Entry], chosen: Sequence[Entry], page: Page, hints: Hints) -> bool:
    """Whether entries are at least half of the blocks that the chosen ones leave unread; two, almost all of them."""
    taken, read = _lines_of(chosen), _lines_of(entries)
    spans = (range(one.line, one.last + 1) for one in page.blocks if one.kind not in _APART and one.line not in taken)
    left = [not read.isdisjoint(span if hints.is_titled else span[:1]) for span in spans]
    least, share = (_FEW, MOST) if hints.is_titled and len(entries) < MIN_PAIRS else (MIN_PAIRS, 0.5)
    are_apart = len({read_name(entry.term).lower() for entry in entries}) >= _APART_NAMES * len(entries)
    return are_apart and len(entries) >= least and sum(left) >= share * len(left)


def _lines_of(entries: Iterable[Entry]) -> set[int]:
    return {line for entry in entries for line in range(entry.line, entry.last + 1)}


def find_candidates(page: Page, hints: Hints, shape: str = "") -> list[ShapeEntries]:
    """What each shape finds, the best first; of the named `shape` whatever has entries with a text."""
    found = [
        ShapeEntries(shape=one, entries=tuple(some), labels=tuple(labels), score=_score(some, page, one, hints))
        for one in SHAPES
        if shape in ("", one.name)
        for some, labels in (_part_labels(each, one) for each in one.find(page, hints))
    ]
    usable = [one for one in found if one.score or (shape and one.names())]
    return sorted(usable, key=lambda one: (-one.score, -len(set(one.names()))))


def _distinct(found: Iterable[ShapeEntries]) -> list[ShapeEntries]:
    """Those ways to read a text that give other names than the ones before."""
    kept: dict[ShapeEntries, set[str]] = {}
    for one in found:
        names = set(one.names())
        if all(len(names & other) < _ALIKE * max(len(names), len(other)) for other in kept.values()):
            kept[one] = names
    return list(kept)


def _ask(names: Collection[str]) -> bool:
    """Whether most names are questions."""
    return sum(map(asks, names)) >= _ASKING * len(names)


def _has_rival(page: Page, candidates: Sequence[ShapeEntries], *, is_titled: bool) -> bool:
    """Whether a way that gives other names to the lines of the best one is as likely; but not one that finds labels,
    marks in lines of bold names' texts, or marks in paragraphs below the headings of a page that explains terms.
    """
    best, names = candidates[0], set(candidates[0].names())
    kinds = {ITEM} if best.shape.name == "headings" and is_titled else {TEXT, ITEM}
    starts = {block.line for block in page.blocks if block.kind in kinds}
    is_led = best.shape.name == "bold" or kinds == {ITEM}
    for other in candidates[1:]:
        if is_led and other.shape.splits and starts.isdisjoint(entry.line for entry in other.entries):
            continue
        if len(set(other.names())) < _DISTINCT * len(other.names()):
            continue
        if _ask(names) and not _ask(other.names()):
            continue
        read = _lines_of(other.entries)
        if sum(not read.isdisjoint(range(one.line, one.last + 1)) for one in best.entries) == 1:
            continue  # a part of one entry, as a table of abbreviations is
        if other.score >= _CLOSE * best.score and not other.shape.is_loose and not best.shape.is_sure:
            n_same = sum(name in names for name in other.names())
            sides = ((best.entries, other.entries), (other.entries, best.entries))
            share = min(len(_beside(one, two)) / len(two) for one, two in sides)
            if n_same < 0.5 * len(other.names()) and share < 0.5:
                return True
    return False


def find_ways(text: str, named: Named = (), *, is_web: bool = False) -> list[tuple[str, Shape, int]]:
    """The ways to read a text that the operator may choose, each by its cell of the sheet of decks, its shape, and how
    many characters it tells about different names: those first that tell most.
    """
    page = read_page(_within_announcement(text)[1])
    hints = Hints(named=named, is_titled=True, is_chosen=True, is_web=is_web)
    ways = {
        one: shape.name if at == 1 else f"{shape.name} {at}"
        for shape in SHAPES
        for at, one in enumerate(_distinct(find_candidates(page, hints, shape.name)), 1)
        if len(one.names()) >= (_FEW if page.is_titled else MIN_PAIRS) and _count_told(one)
    }
    return [(ways[one], one.shape, _count_told(one)) for one in _distinct(sorted(ways, key=_count_told, reverse=True))]


def _count_told(found: ShapeEntries) -> int:
    """The characters of the texts of different names; a label that comes again has one of them."""
    names = ((read_name(entry.term), len(entry.text)) for entry in found.entries)
    told = {name: n for name, n in names if is_name(name) or asks(name)}
    is_list = found.shape.is_loose and not _ask(told) and sum(told.values()) < _RATIO * sum(map(len, told))
    return 0 if is_list else sum(told.values())


def _within_announcement(text: str) -> tuple[int | None, str]:
    """How many cards a page announces that was copied, and its lines below that without the buttons."""
    lines = text.split("\n")
    start = next((at for at, line in enumerate(lines) if _ANNOUNCEMENT.fullmatch(line.strip())), None)
    if start is None:
        return None, text
    match = _ANNOUNCEMENT.fullmatch(lines[start].strip())
    kept = ["" if _STATUS.fullmatch(line.strip()) else line for line in lines[start + 1 :]]
    n_buttons = len(list(itertools.takewhile(lambda line: line.strip() in _BUTTONS, kept)))
    return int(match[1]) if match else None, "\n".join([""] * (start + 1 + n_buttons) + kept[n_buttons:])


def _part_labels(entries: Sequence[Entry], shape: Shape) -> tuple[list[Entry], list[Entry]]:
    """The entries whose name is one, and those whose name is a label or a part of the glossary."""
    if shape.is_sure:
        return [entry for entry in entries if entry.term.strip()], []
    named = [replace(entry, term=read_name(entry.term)) for entry in entries]
    kept = [one for one in named if one.term and (not shape.splits or _is_short(one.term))]
    counts = Counter(one.term for one in named if is_label(one.term) or is_section(one.term))
    known = {name for name, n in counts.items() if n == 1 and _WORD_OR_NUMBER.fullmatch(name)}
    are_heads = shape.name == "headings"
    if len(known) > _FEW_LABELS * len(named):
        known = set()
    known = {name for name in known if not are_heads or not name.endswith("s")}
    known |= find_in_place([one.term for one in named]) & counts.keys()
    known -= (about := {one.term for one in named[:1] if are_heads and is_of_manual(one.term)})
    labels = [one for one in kept if (one.term in counts or one.term in about) and one.term not in known]
    lines = {one.line for one in labels}
    return [one for one in kept if one.line not in lines], labels


def _is_short(name: str) -> bool:
    return len(name.split()) <= _MAX_SPLIT or asks(name)


def _repeated(entries: Sequence[Entry]) -> frozenset[str]:
    """Texts that too many entries share to explain any, as `No definition provided.`; names above one text share it."""
    counts = Counter(text for text, _ in {(entry.text, entry.last) for entry in entries})
    return frozenset(text for text, n in counts.items() if n > max(_FEW_SAME, _SHARE_SAME * len(entries)))


def _score(entries: Sequence[Entry], page: Page, shape: Shape, hints: Hints, chosen: Sequence[Entry] = ()) -> float:
    """How much the entries look like a glossary; 0 where they are none: how many there are, how like names their names
    are and how distinct, and how much of the text they cover. Words and translations beside `chosen` ones need no
    further ground.
    """
    repeated = _repeated(entries)
    told = [e for e in entries if e.text.strip() and e.text not in repeated and not _OPEN.fullmatch(e.text)]
    n_apart = sum(not entry.text or entry.text not in repeated for entry in entries)
    is_titled = hints.is_titled and not shape.is_loose
    is_sure = shape.is_sure and not hints.is_web
    sure = is_titled or is_sure
    if not told or (len(told) < MIN_PAIRS and not sure) or len(told) < _TOLD * n_apart:
        return 0.0
    heads = [block for block in page.blocks if block.kind == HEADING]
    if len(told) == 1 and any(told[0].line == one.line for one in heads if one.level == 1 or explains_terms(one.text)):
        return 0.0  # the title of a page, above its text
    names = [read_name(entry.term) for entry in told]
    counts = Counter(map(str.lower, names))
    may_be_sign = hints.is_titled and not hints.is_web
    fit = sum(is_name(n) or asks(n) or (may_be_sign and _SIGN.fullmatch(n) is not None) for n in names) / len(names)
    distinct = len(counts) / len(names)
    sides = [(count_words(name), count_words(entry.text)) for name, entry in zip(names, told, strict=True)]
    covered = sum(map(sum, sides)) / max(1, page.n_words)
    if is_sure:
        return shape.weight * len(told) * (1 + covered) * distinct
    is_ordered, are_questions = in_order(names), _ask(names)
    is_beside = bool(chosen) and hints.is_titled
    is_covering = covered >= shape.share or is_ordered or are_questions or is_beside
    is_long = len(told) >= MIN_PAIRS or is_beside or covered >= 0.5 or (len(told) >= _FEW and covered >= 0.3)
    is_vocabulary = (
        shape.may_translate
        and len(told) >= _MIN_VOCABULARY
        and (covered >= 0.6 or _are_words(chosen))
        and len({entry.text for entry in told}) >= MOST * len(told)
    )
    are_few = len(told) < MIN_PAIRS and sum(text for _, text in sides) < _MIN_WORDS * len(told)
    if (
        are_few
        or fit < (0.8 if (sure or is_ordered) and not hints.is_web else MOST)
        or distinct < 0.5
        or not (is_covering or is_vocabulary or (is_titled and covered >= shape.share / 4))
        or not is_long
        or not (is_vocabulary or _are_texts(names, sides, told, is_titled=is_titled))
    ):
        return 0.0
    return shape.weight * len(told) * fit * distinct * (0.5 + covered)


def _are_words(entries: Sequence[Entry]) -> bool:
    """Whether texts are as short as translations are."""
    return bool(entries) and statistics.fmean(count_words(entry.text) for entry in entries) < 2 * _RATIO


def _are_texts(
    names: Sequence[str], sides: Sequence[tuple[int, int]], told: Sequence[Entry], *, is_titled: bool
) -> bool:
    """Whether what is written about the names explains them."""
    ask = _ask(names)
    n_long = sum(text > 1 and (ask or len(e.text) > len(n)) for (_, text), e, n in zip(sides, told, names, strict=True))
    ratio = statistics.fmean(text for _, text in sides) / max(1.0, statistics.fmean(name for name, _ in sides))
    return ask or (
        n_long >= (0.6 if is_titled else 0.8) * len(told) and ratio >= (_TITLED_RATIO if is_titled else _RATIO)
    )
