"""The layout of a delimited text: its separator, its quoting, its header, and which columns are the two sides."""

import csv
import itertools
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from crawler.cards.outcome import Fields
from crawler.cards.texts import split_lines
from crawler.formats.sides.columns import find_evident, find_fitting, seems_headed
from crawler.formats.sides.headers import (
    Named,
    find_named,
    find_parts,
    find_sides,
    find_strong_sides,
    names_side,
    read_name,
)
from crawler.formats.texts.names import MIN_PAIRS, are_explained

SEPARATORS = ("\t", "|", ";", ",")
"""In order of preference: the rarer a character is in prose, the better it separates."""

MAX_SEPARATOR_CHARS = 5

MIN_SHARE = 0.6
"""Share of rows that must contain the tab or `|` (the rule of tolerant importers of Quizlet's export)."""

MIN_AGREEMENT = 0.9
"""Share of rows that a mark which is common in prose must split into the same number of fields."""
_SINGLE_MARKS = ("\t", " - ", ",")
"""What Quizlet puts between the sides where the cards are on one line, apart from what people type there."""
_FEW = 3
"""Cards from which such a line is told from a table with one row."""

_NAMED_SEPARATORS = {"tab": "\t", "pipe": "|", "semicolon": ";", "comma": ",", "colon": ":", "space": " "}
_DIRECTIVE = re.compile(
    r"#((?:separator|html|columns|notetype|deck|tags|guid|if matches)(?: column)?):(.*)", re.IGNORECASE
)

_GLUED = re.compile(r"#separator:(?:tab|pipe|semicolon|comma|colon|space)(?=\S)", re.IGNORECASE)
"""A file's own separator with the first row behind it on the line."""
_HEAD = 200
"""Rows among which a header is looked for."""
_WIDTHS = {"\t": 3, ";": 5, ",": 5}
"""Columns from which rows of equal length are no prose, whatever the columns hold."""
_MAX_ABOVE = 0.2
"""Rows above a header that may be cards by their width, for each row below it."""
_HINT = re.compile("sep=(.)", re.IGNORECASE)
"""The first line of a CSV for Excel."""
Row = tuple[int, list[str]]
"""The number of the line where a row begins (from 1), and its fields."""

csv.field_size_limit(64 * 2**20)  # with the default, 128 kB, one long field would fail the whole file


@dataclass(frozen=True, kw_only=True)
class LayoutFlags:
    """What the operator says about a file; None is detected."""

    separator: str | None = None
    """At most MAX_SEPARATOR_CHARS characters."""
    columns: tuple[int, int] | None = None
    """The columns of front and back, from 0."""
    header: bool | None = None
    """Whether the first row names the columns."""
    fields: Named = ()
    """The names of front and back: fields of notes, columns of tables, keys of records."""
    shape: str | None = None
    """The name of the shape of a text's entries."""
    skip: bool = False
    """Whether the file is left out."""

    def names_sides(self) -> bool:
        """Whether the sides are as the operator says, and no guess."""
        return bool(self.fields or self.columns or self.shape)


DETECT_ALL = LayoutFlags()
"""Everything is detected."""


@dataclass(frozen=True, kw_only=True)
class Layout:
    """The rows of a text, and the columns of the sides."""

    separator: str
    width: int
    """Fields per row."""
    front: int
    back: int
    header: bool
    """True where the first row names the columns."""
    guessed: tuple[str, ...]
    """The cells of the header where only their form or the rows above say that they name the columns."""
    is_evident: bool
    """True where only what the columns hold says which are the sides."""
    fields: Fields | None
    """What the header or the file calls the two columns; None where nothing names them."""
    rivals: tuple[int, ...]
    """Three columns or more that may be sides, from 0, where nothing says which are; empty elsewhere."""
    names: tuple[str, ...]
    """What the header or the file calls the columns; empty where nothing does."""
    html: bool
    """True where the file says that its fields are HTML."""
    rows: tuple[Row, ...]
    """The rows that are neither blank nor the header."""
    above: tuple[int, ...]
    """The numbers of the rows above the header."""


@dataclass(frozen=True, kw_only=True)
class _Table:
    """The text, split by one separator and one rule of quoting."""

    separator: str
    rows: tuple[Row, ...]
    width: int
    """The most frequent number of fields, at least two; 1 where no row has two."""
    agreement: float
    """Share of rows with exactly that many fields."""
    whole: float
    """Share of rows of which no field has half of a pair of double quotes."""
    fronts: float
    """Share of rows whose first field is not blank and that have a second one."""
    backs: float
    """Share of rows whose second field is not blank."""
    sides: tuple[int, int] | None
    """The columns that the first row names front and back; None where it is not a header."""
    above: tuple[int, ...]
    """The numbers of the rows above the header."""
    is_doubtful: bool
    """True where rows above the header may be cards."""

    def is_consistent(self) -> bool:
        """True where the separator splits enough rows into sides that are mostly not blank."""
        if 2 * sum(names_side(row[0]) for _, row in self.rows[:_HEAD]) >= len(self.rows[:_HEAD]) > 1:
            return False  # labels, as `Q:`
        if self.agreement >= MIN_AGREEMENT and self.width >= _WIDTHS.get(self.separator, self.width + 1):
            return True
        if self.fronts < MIN_SHARE or self.separator in "\t|" or self.sides:
            return self.fronts >= MIN_SHARE
        return self.backs >= MIN_SHARE and len(self.rows) > 1 and self.agreement >= MIN_AGREEMENT

    def is_prose(self) -> bool:
        """True where nothing but a comma with a space behind it separates: a sentence may have one."""
        return (
            self.separator == "," and not self.sides and all(row[1][:1] == " " for _, row in self.rows if len(row) > 1)
        )


def find_layout(text: str, choice: LayoutFlags = DETECT_ALL) -> Layout | None:
    """The layout of the text; None where no separator is consistent across its rows."""
    lines, single = split_rows(text)
    if (glued := _GLUED.match(lines[0])) is not None:
        lines[:1] = [glued[0], lines[0][glued.end() :]]
    directives = _directives(lines)
    lines[: len(directives)] = [""] * len(directives)  # blank, so that rows keep their numbers
    hint = _HINT.fullmatch(lines[0])
    lines[:1] = [""] if hint else lines[:1]
    named = choice.separator or single or _named_in({"separator": hint[1]} if hint else directives, lines)
    share = 0.0 if '"' in text else MIN_SHARE  # in quotes, one row may span many lines
    tables = [_split(lines, mark, choice) for mark in ([named] if named else frequent(SEPARATORS, lines, share))]
    usable = [table for table in tables if table and table.width > 1 and (named or table.is_consistent())]
    if not usable or (not named and all(table.is_prose() for table in usable)):
        return None
    return _lay_out(max(usable, key=_merit), directives, choice)


def split_rows(text: str) -> tuple[list[str], str | None]:
    """The lines of the text; of Quizlet's export with `;` between the cards, the cards, and what is between their
    sides; with blank lines between them, the cards at the places of their first lines.
    """
    cards = [] if "\n" in text.strip() else text.strip().strip(";").split(";")
    mark = next((mark for mark in _SINGLE_MARKS if all(card.count(mark) == 1 for card in cards)), None)
    if len(cards) > 1 and mark and (mark == "\t" or len(cards) >= _FEW):
        return cards, mark
    lines = split_lines(text)
    return (lines if '"' in text else _join_blocks(lines)), None


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


def frequent(marks: Iterable[str], lines: list[str], share: float) -> Iterator[str]:
    """The marks in one line that are also in this share of the lines that are not blank: others separate nothing."""
    enough = max(1, share * sum(bool(line.strip()) for line in lines))
    return (mark for mark in marks if sum(mark in line for line in lines) >= enough)


def _merit(table: _Table) -> tuple[bool, bool, bool, float]:
    """How well a table fits: first by a header, then by the tab, intact quotes and rows of equal length."""
    return table.sides is not None, table.separator == "\t", table.whole >= MIN_AGREEMENT, table.agreement


def describe(layout: Layout) -> str:
    """The layout in words: `tab, front in column 1, back in column 2, no header`."""
    mark = next((name for name, mark in _NAMED_SEPARATORS.items() if mark == layout.separator), repr(layout.separator))
    header = "with a header" if layout.header else "no header"
    return f"{mark}, front in column {layout.front + 1}, back in column {layout.back + 1}, {header}"


def name_first_mark(text: str) -> str | None:
    """The name of the separator whose first place in each line parts a name from its text; None where none does."""
    lines = [line for line in split_lines(text) if line.strip()]
    for name, mark in _NAMED_SEPARATORS.items():
        pairs = [(front, back) for front, found, back in (line.partition(mark) for line in lines) if found]
        if mark in SEPARATORS and MIN_PAIRS <= len(lines) == len(pairs) and are_explained(pairs):
            return name
    return None


def parse_separator(cell: str) -> str:
    """The mark that a cell of a sheet names. Raises ValueError."""
    mark = _NAMED_SEPARATORS.get(cell.lower(), cell)
    if not _is_mark(mark):
        raise ValueError(f"a separator such as }} or ::, or {', '.join(_NAMED_SEPARATORS)}")
    return mark


def parse_columns(cell: str) -> tuple[int, int]:
    """The columns of front and back, from 0, that a cell names from 1. Raises ValueError."""
    places = [int(number) - 1 if number.strip().isdecimal() else -1 for number in cell.split(",")]
    if len(places) != 2 or min(places) < 0 or places[0] == places[1]:
        raise ValueError("two columns, such as 1,2")
    return places[0], places[1]


def parse_fields(cell: str) -> tuple[str, str]:
    """The names of front and back that a cell holds as a row of CSV. Raises ValueError."""
    names = [name.strip() for row in csv.reader([cell], skipinitialspace=True) for name in row]
    if len(names) != 2 or not all(names) or read_name(names[0]) == read_name(names[1]):
        raise ValueError("two fields, such as Question,Answer")
    return names[0], names[1]


def _is_mark(text: str) -> bool:
    is_short = len(text) == 1 or (len(text) <= MAX_SEPARATOR_CHARS and not any(map(str.isalnum, text)))
    return is_short and not {*text} & {'"', "\n", "\r"}


def _directives(lines: list[str]) -> dict[str, str]:
    """The lines `#key:value` at the head of Anki's plain-text export: lower-case key -> value."""
    matches = itertools.takewhile(bool, map(_DIRECTIVE.match, lines))
    return {match[1].lower(): match[2].strip() or match[2] for match in matches if match}


def _named_in(directives: dict[str, str], lines: list[str]) -> str | None:
    """The separator that the file names; None where it is no mark, or is in no line."""
    name = directives.get("separator", "")
    mark = _NAMED_SEPARATORS.get(name.lower(), name)
    return mark if _is_mark(mark) and any(mark in line for line in lines) else None


def _split(lines: list[str], separator: str, choice: LayoutFlags) -> _Table | None:
    """The lines split by the separator, with quoting where that makes rows more uniform; None where all are blank."""
    plain = _measure(separator, ((number, line.split(separator)) for number, line in enumerate(lines, 1)), choice)
    if plain is None or len(separator) > 1 or not any('"' in line for line in lines):
        return plain
    strict, quoted = True, _measure_quoted(lines, separator, choice, strict=True)
    if any(f'{separator} "' in line for line in lines):
        spaced = _measure_quoted(lines, separator, choice, strict=True, spaced=True)
        quoted = spaced if spaced and (quoted is None or spaced.agreement > quoted.agreement) else quoted
    if quoted is None:
        strict, quoted = False, _measure_quoted(lines, separator, choice, strict=False)
    if quoted is None:
        return plain
    same_rows = strict and len(quoted.rows) == len(plain.rows)
    return quoted if (quoted.agreement, same_rows) > (plain.agreement, False) else plain


def _measure_quoted(
    lines: list[str], separator: str, choice: LayoutFlags, *, strict: bool, spaced: bool = False
) -> _Table | None:
    """The table with fields in double quotes, which may span lines and, if `spaced`, have a space before them; None
    where a quote is not closed.
    """
    reader = csv.reader((line + "\n" for line in lines), delimiter=separator, strict=strict, skipinitialspace=spaced)
    rows: list[Row] = []
    first_line = 1
    try:
        for row in reader:
            rows.append((first_line, row))
            first_line = reader.line_num + 1
    except csv.Error:
        return None
    return _measure(separator, rows, choice)


def _measure(separator: str, rows: Iterable[Row], choice: LayoutFlags) -> _Table | None:
    kept = tuple((number, row) for number, row in rows if any(map(str.strip, row)))
    if not kept:
        return None
    start, n_alike = (0, 0) if choice.header is False else _find_header(kept, choice.fields)
    sides = None if choice.header is False else _read_header(kept[start:], choice.fields)
    above, kept = (kept[:start], kept[start:]) if sides else ((), kept)
    widths = Counter(len(row) for _, row in kept)
    width = min((width for width in widths if width > 1), key=lambda width: (-widths[width], width), default=1)
    return _Table(
        separator=separator,
        rows=kept,
        width=width,
        agreement=widths[width] / len(kept),
        whole=sum(not any(field.count('"') % 2 for field in row) for _, row in kept) / len(kept),
        fronts=sum(len(row) > 1 and bool(row[0].strip()) for _, row in kept) / len(kept),
        backs=sum(len(row) > 1 and bool(row[1].strip()) for _, row in kept) / len(kept),
        sides=sides,
        above=tuple(number for number, _ in above),
        is_doubtful=n_alike > 0,
    )


def _read_header(rows: Sequence[Row], named: Named) -> tuple[int, int] | None:
    """The sides that a header names, as `named`, by names of columns that are mostly filled, or by any name."""
    header = rows[0][1]
    if find_sides(header, named) is None:
        return None
    n_filled = [sum(len(row) > at and bool(row[at].strip()) for _, row in rows[1:]) for at in range(len(header))]
    names = [name if 2 * n >= len(rows) - 1 else "" for name, n in zip(header, n_filled, strict=True)]
    return find_named(header, named) or find_sides(names) or find_sides(header)


def _find_header(rows: Sequence[Row], named: Named) -> tuple[int, int]:
    """The place of the header, and how many rows above it are as wide, which is why they may be cards.

    The first row with two cells, the first wide one below narrower rows that names both sides, or a row that names them
    by words that mean nothing else and that has few rows above for those below; the first row where none does.
    """
    n_filled = [sum(map(bool, map(str.strip, row))) for _, row in rows[:_HEAD]]
    for at, n in enumerate(n_filled):
        n_alike = sum(other >= n for other in n_filled[:at])
        is_first = not any(other > 1 for other in n_filled[:at])
        is_strong = None not in find_strong_sides(rows[at][1])
        is_apart = is_first or (n > 2 and not n_alike)
        most = max(_MAX_ABOVE * (len(rows) - at - 1), n > 2)
        may_be = n > 1 and (is_apart or (is_strong and n_alike <= most))
        if may_be and find_sides(rows[at][1], named):
            return at, n_alike
    return 0, 0


def _lay_out(table: _Table, directives: dict[str, str], choice: LayoutFlags) -> Layout:
    """The table with its sides: as chosen, by the header, by the file's directives, or by what the columns hold."""
    names = directives.get("columns", "").split(table.separator)
    named = find_sides(names, choice.fields)
    others = {value for key, value in directives.items() if key.endswith(" column")}
    places = [column for column in range(table.width + len(others) + 2) if str(column + 1) not in others]
    guessed = choice.header is None and table.is_doubtful
    if choice.header is None and not table.sides and not directives:
        wider = ((at, _columns(table.rows[at:], table.width, places)) for at in _wider_rows(table.rows))
        start = next((at for at, values in wider if seems_headed(values)), None)
        guessed = start is not None
        above = tuple(number for number, _ in table.rows[:start]) if start else ()
        table = replace(table, rows=table.rows[start or 0 :], above=above)
    columns = _columns(table.rows, table.width, places)
    has_header = choice.header if choice.header is not None else table.sides is not None or guessed
    cells = [values[has_header:] for values in columns]
    fitting = find_fitting(cells)
    known = choice.columns or table.sides or named or (find_parts(table.rows[0][1]) if guessed else None)
    names = table.rows[0][1] if has_header else names
    rivals = [] if known else [at for at in fitting if _has_words(cells[at])]
    evident = find_evident(cells, rivals) if len(rivals) > 2 and not has_header else None
    front, back = known or tuple(places[at] for at in evident or fitting[:2])
    is_named = max(front, back) < len(names)
    is_open = len(rivals) > 2 and not evident
    return Layout(
        separator=table.separator,
        width=len(table.rows[0][1]) if has_header else max(table.width, front + 1, back + 1),
        front=front,
        back=back,
        header=has_header,
        guessed=tuple(map(str.strip, table.rows[0][1])) if guessed else (),
        fields=Fields(front=names[front].strip(), back=names[back].strip()) if is_named else None,
        is_evident=evident is not None,
        names=tuple(map(str.strip, names)) if any(names) else (),
        rivals=tuple(places[at] for at in rivals) if is_open else (),
        html=directives.get("html", "").lower() == "true",
        rows=table.rows[1:] if has_header else table.rows,
        above=table.above,
    )


def _has_words(values: Sequence[str]) -> bool:
    """Whether most values have a letter."""
    return 2 * sum(any(map(str.isalpha, value)) for value in values) > len(values)


def _wider_rows(rows: Sequence[Row]) -> Iterator[int]:
    """The places of the first row, and of those with more than two cells that are wider than all above."""
    width = 0
    for at, (_, row) in enumerate(rows[:_HEAD]):
        n = sum(map(bool, map(str.strip, row)))
        if not at or n > max(width, 2):
            yield at
        width = max(width, n)


def _columns(rows: Sequence[Row], width: int, places: Sequence[int]) -> list[list[str]]:
    """The values in these places of the first row and of all with the usual number of fields."""
    kept = [row for at, (_, row) in enumerate(rows) if len(row) == width or not at]
    return [[row[place] if place < len(row) else "" for row in kept] for place in places if place < width]
