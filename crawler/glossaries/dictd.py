"""Any dictionary in dictd's format: entries in one file (`.dict`, `.dict.dz`), their places in another (`.index`).

Without the index, an entry is what is indented below its headwords. Source: dictfmt(1); RFC 2229.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

from crawler.cards.outcome import Deck, Finding, Outcome
from crawler.formats.texts.names import is_name
from crawler.formats.texts.shapes.lines import group_lines
from crawler.glossaries.entries import Sense, read_senses
from crawler.glossaries.foldoc import without_labels

_DIGITS = {mark: at for at, mark in enumerate("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")}
_ABOUT = ("00database", "00-database")
"""How the headwords of entries about the dictionary begin."""
_MIN_LISTED_SHARE = 0.8
_MAX_PRELUDE = 300
_MAX_OVERLAP = 4
"""Bytes that an index leads to, per byte of the file; entries rarely share any."""
_CLASS = r"(?:n|v|vt|vi|adj|adv|prep|pron|conj|interj|pl)"
_PRELUDE = re.compile(
    rf"(?://|/[^/]{{1,200}}/)(?:[\s,]{{0,9}}(?:/[^/]{{1,200}}/|[a-z]{{1,6}}\.)){{0,6}}|{_CLASS}\.?(?:[\s,/]{{1,9}}{_CLASS}\.?){{0,3}}"
)
"""A line with a pronunciation or a part of speech only."""
_NUMBER = re.compile(rf"(?:{_CLASS}\s{{1,9}})?(?P<at>\d{{1,2}})(?P<mark>[.:])\s")
_BEFORE = re.compile(rf"(?:\[[^\[\]]{{0,200}}\]\s{{0,9}}|(?:{_CLASS}[.:]\s{{0,9}})+|{_CLASS}\s{{1,9}}:\s{{0,9}})")
_LISTS = re.compile(r"\[(?:syn|ant|also): [^\[\]]{0,5000}\]")
_EXAMPLES = '; "'
_DATE = re.compile(r"\((?:19|20)\d\d-\d\d-\d\d\)$")
_MARKS = re.compile(r"[{}]")

Entry = tuple[list[str], list[str]]
"""Headwords, and the lines below them."""


def read_dictd(name: str, content: bytes, index: bytes | None) -> Outcome:
    """The senses of each entry, for every headword: numbered paragraphs, or the first one.

    Labels, synonyms, examples, dates and marks of references are left out. Findings: `changed_markup` where there is no
    entry, `corrupt_index` where its places overlap.
    """
    text = content.decode("utf-8", "replace")
    places = {} if index is None else _places(index)
    n_bytes = sum(min(length, max(len(content) - start, 0)) for start, length in places)
    if n_bytes > _MAX_OVERLAP * len(content):
        detail = f"{name}: its .index leads to {n_bytes:,} bytes of {len(content):,}; fetch both files again"
        return Outcome(findings=(Finding(kind="corrupt_index", detail=detail),))
    entries = [] if "\0" in text else _by_margin(text) if index is None else list(_by_index(content, places))
    about = {head: lines for heads, lines in entries for head in heads if head.startswith(_ABOUT)}
    deck = Deck(set_id=_title(about) or name, title=_title(about) or name, cards=(), licence_note=_note(name, about))
    senses = [sense for heads, lines in entries if heads[0] not in about for sense in _read(heads, lines)]
    if not senses:
        missing = "; its .index is not beside it" if index is None else ""
        detail = f"{name}: no headwords at the margin with a text below them{missing}"
        return Outcome(findings=(Finding(kind="changed_markup", detail=detail),))
    return read_senses(deck, senses)


def _title(about: dict[str, list[str]]) -> str:
    lines = next((lines for head, lines in about.items() if head.endswith("short")), [])
    return " ".join(" ".join(lines).split())


def _note(name: str, about: dict[str, list[str]]) -> str:
    """Where the dictionary comes from and states its terms, which are too various to be read."""
    lines = (line.strip() for head, lines in about.items() if head.endswith("url") for line in lines)
    address = next((line for line in lines if "://" in line), "")
    return "; ".join(filter(None, (_title(about) or name, address, "terms: see the dictionary's 00-database-info")))


def _by_margin(text: str) -> list[Entry]:
    """The entries of a text in which almost all lines at the margin are headwords; none of any other."""
    groups = [(heads, body) for heads, body in group_lines(list(enumerate(text.split("\n"), 1))) if body]
    names = [[head for _, line in heads if is_name(head := line.strip()) or " " not in head] for heads, _ in groups]
    if sum(map(len, names)) < _MIN_LISTED_SHARE * sum(len(heads) for heads, _ in groups):
        return []
    return [(heads, body) for heads, (_, body) in zip(names, groups, strict=True) if heads]


def _places(index: bytes) -> dict[tuple[int, int], list[str]]:
    """The start and length of each entry in its file, in order, with the headwords that lead to it."""
    places: dict[tuple[int, int], list[str]] = {}
    for line in index.decode("utf-8", "replace").split("\n"):
        head, *numbers = line.rstrip("\r").split("\t")
        if head and len(numbers) > 1 and all(0 < len(number) <= 9 for number in numbers[:2]):
            places.setdefault((_number(numbers[0]), _number(numbers[1])), []).append(head)
    return dict(sorted(places.items()))


def _by_index(content: bytes, places: dict[tuple[int, int], list[str]]) -> Iterator[Entry]:
    """The entries in the order of the file, with the headwords as written there."""
    for (start, length), heads in places.items():
        lines = content[start : start + length].decode("utf-8", "replace").split("\n")
        if any(map(str.strip, lines)):
            yield _headed(heads, lines)


def _number(digits: str) -> int:
    number = 0
    for digit in digits:
        number = number * 64 + _DIGITS.get(digit, 0)
    return number


def _headed(heads: list[str], lines: list[str]) -> Entry:
    """The entry with its headwords as its first lines spell them; one that the text begins with is taken off it."""
    keys, at = set(map(_key, heads)), 0
    while at < len(lines) and lines[at].strip() and _key(lines[at]) in keys:
        at += 1
    if at or heads[0].startswith(_ABOUT):
        return ([line.strip() for line in lines[:at]] or heads), lines[at:]
    first = lines[0].strip()
    head = next((head for head in sorted(heads, key=len, reverse=True) if first.casefold().startswith(head)), "")
    return heads, [first[len(head) :].lstrip(" ,.:"), *lines[1:]]


def _key(head: str) -> str:
    """What of a headword the index keeps."""
    return "".join(filter(str.isalnum, head.casefold())) or head.strip()


def _read(heads: Iterable[str], lines: Sequence[str]) -> Iterator[Sense]:
    for paragraph in _senses_of(lines):
        text = _clean(paragraph)
        for head in heads:
            yield Sense(term=head, text=text)


def _senses_of(lines: Sequence[str]) -> list[str]:
    """The paragraphs that begin with a number, which with a colon or after the one before it may be in any line;
    else the first paragraph.
    """
    paragraphs: list[list[str]] = [[]]
    has_begun, last = False, 0
    for line in map(str.strip, lines):
        number = _NUMBER.match(line)
        if number and (number["mark"] == ":" or not paragraphs[-1] or int(number["at"]) == last + 1 > 1):
            paragraphs.append([])
            last = int(number["at"])
        elif not line:
            paragraphs.append([])
        is_prelude = len(line) <= _MAX_PRELUDE and _PRELUDE.fullmatch(line) is not None
        if line and (has_begun or not is_prelude):
            paragraphs[-1].append(line)
            has_begun = True
    texts = [" ".join(paragraph) for paragraph in paragraphs if paragraph]
    numbered = [text[match.end() :] for text in texts if (match := _NUMBER.match(text))]
    return numbered or texts[:1]


def _clean(text: str) -> str:
    text = without_labels(text)
    while match := _BEFORE.match(text):
        text = text[match.end() :]
    text = _LISTS.sub("", text).partition(_EXAMPLES)[0]
    return _MARKS.sub("", _DATE.sub("", text.rstrip())).strip()
