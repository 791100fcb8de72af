"""The layout of a delimited text: its separator, its quoting, its header, and which columns are the two sides."""

import csv
import itertools
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from crawler.cards.outcome import Fields
from crawler.cards.texts import split_lines
from crawler.formats.columns import choose_sides, names_columns
from crawler.formats.headers import find_sides, find_strong_sides, read_name
from crawler.formats.paragraphs import MIN_PAIRS, are_explained, without_numbers

SEPARATORS = ("\t", "|", ";", ",")
"""In order of preference: the rarer a character is in prose, the better it separates."""

RARE_SEPARATORS = ("}", "~", "^", "¦", "§", ":::", "::", "=>", "->", "→", " = ", " - ", " – ", " — ", "=", ": ")
"""What people put between term and definition where none of SEPARATORS is; also common in prose and code."""

_CONTINUED = ("::", " - ", " – ", " — ", ": ")
"""Those of them behind which a text may continue on further lines."""

MAX_SEPARATOR = 5

MIN_SHARE = 0.6
"""Share of rows that must contain the tab or `|` (the rule of tolerant importers of Quizlet's export)."""

MIN_AGREEMENT = 0.9
"""Share of rows that `;` or comma, which are common in prose, must split into the same number of fields."""

_NAMED_SEPARATORS = {"tab": "\t", "pipe": "|", "semicolon": ";", "comma": ",", "colon": ":", "space": " "}
_DIRECTIVE = re.compile(
    r"#((?:separator|html|columns|notetype|deck|tags|guid|if matches)(?: column)?):(.*)", re.IGNORECASE
)

_HINT = re.compile("sep=(.)", re.IGNORECASE)
"""The first line of a CSV for Excel."""
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

Row = tuple[int, list[str]]
"""The number of the line where a row begins (from 1), and its fields."""

csv.field_size_limit(64 * 2**20)  # with the default, 128 kB, one long field would fail the whole file


@dataclass(frozen=True, kw_only=True)
class Choice:
    """What the operator says about delimited text and notes; None is detected."""

    separator: str | None = None
    """At most MAX_SEPARATOR characters."""
    columns: tuple[int, int] | None = None
    """The columns of front and back, from 0."""
    header: bool | None = None
    """Whether the first row names the columns."""
    fields: tuple[str, str] | None = None
    """The names of front and back: fields of notes, columns of tables, keys of records."""


SNIFFED = Choice()
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
    fields: Fields | None
    """What the header or the file calls the two columns; None where nothing names them."""
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
    """The numbers of the rows above the header, of one field at most."""

    def is_consistent(self) -> bool:
        """True where the separator splits enough rows into sides that are mostly not blank."""
        if self.fronts < MIN_SHARE or self.separator in "\t|" or self.sides:
            return self.fronts >= MIN_SHARE
        return self.backs >= MIN_SHARE and len(self.rows) > 1 and self.agreement >= MIN_AGREEMENT

    def is_prose(self) -> bool:
        """True where nothing but a comma with a space behind it separates: a sentence may have one."""
        return (
            self.separator == "," and not self.sides and all(row[1][:1] == " " for _, row in self.rows if len(row) > 1)
        )

    def defines(self) -> bool:
        """True where the separator stands between a name and a longer text in almost all rows."""
        pairs = [(row[0].strip(), row[1].strip()) for _, row in self.rows if len(row) > 1]
        return self.agreement >= MIN_AGREEMENT and len(pairs) >= MIN_PAIRS and are_explained(pairs)


def find_layout(text: str, choice: Choice = SNIFFED) -> Layout | None:
    """The layout of the text; None where no separator is consistent across its rows."""
    lines = _lines(text)
    directives = _directives(lines)
    lines[: len(directives)] = [""] * len(directives)  # blank, so that rows keep their numbers
    hint = _HINT.fullmatch(lines[0])
    lines[:1] = [""] if hint else lines[:1]
    framed = _without_frames(lines) if choice.separator in (None, "|") else None
    lines = framed or lines
    named = choice.separator or ("|" if framed else _named_in({"separator": hint[1]} if hint else directives, lines))
    share = 0.0 if '"' in text else MIN_SHARE  # in quotes, one row may span many lines
    tables = [
        _split(lines, mark, choice.fields) for mark in ([named] if named else _frequent(SEPARATORS, lines, share))
    ]
    usable = [table for table in tables if table and table.width > 1 and (named or table.is_consistent())]
    if not named and all(table.is_prose() for table in usable):
        usable = _divide_once(lines, choice) or usable
    if not usable:
        return None
    best = max(usable, key=_merit)
    return _lay_out(best, directives, choice)


def _divide_once(lines: list[str], choice: Choice) -> list[_Table]:
    """The text divided by the first mark that stands between terms and texts, which may continue on further lines."""
    one_dash = [line if line[:1].isspace() else _DASH.sub(" - ", line, count=1) for line in lines]
    texts = itertools.chain(_prepare(lines), _prepare(one_dash) if one_dash != lines else ())
    for heads, marks in texts:
        plain = _without_bold(without_numbers(heads))
        rare = (
            _measure(mark, _split_once(plain, mark), choice.fields) for mark in _frequent(marks, plain, MIN_AGREEMENT)
        )
        if table := next((table for table in rare if table and table.defines()), None):
            return [table]
    return []


def _prepare(lines: list[str]) -> Iterator[tuple[list[str], Sequence[str]]]:
    """The lines as they are, joined, without titles, and those of lists alone; each with the marks to look for."""
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
        if n_more and len(heads) >= MIN_PAIRS and any(_frequent(_CONTINUED, heads, MIN_AGREEMENT)):
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


def _merit(table: _Table) -> tuple[bool, bool, bool, float]:
    """How well a table fits: a header goes before the tab, and fields without torn quotes before rows alike."""
    return table.sides is not None, table.separator == "\t", table.whole >= MIN_AGREEMENT, table.agreement


def _without_bold(texts: list[str]) -> list[str]:
    """The texts without Markdown's bold around their beginnings, if almost all begin so."""
    n_bold = sum(_BOLD.match(text) is not None for text in texts)
    has_bold = n_bold >= max(MIN_PAIRS, MIN_AGREEMENT * sum(bool(text.strip()) for text in texts))
    return [_BOLD.sub(r"\1", text) for text in texts] if has_bold else texts


def describe(layout: Layout) -> str:
    """The layout in words: `tab, front in column 1, back in column 2, no header`."""
    mark = next((name for name, mark in _NAMED_SEPARATORS.items() if mark == layout.separator), repr(layout.separator))
    header = "with a header" if layout.header else "no header"
    return f"{mark}, front in column {layout.front + 1}, back in column {layout.back + 1}, {header}"


def parse_choice(separator: str, columns: str, header: str, fields: str = "") -> Choice:
    """The operator's choice, from flags as written; what is empty is detected. Raises ValueError."""
    mark = _NAMED_SEPARATORS.get(separator.lower(), separator)
    places = tuple(int(number) - 1 for number in columns.split(",")) if columns else None
    if mark and not _is_mark(mark):
        raise ValueError(f"a separator such as }} or ::, or {', '.join(_NAMED_SEPARATORS)}, not {separator!r}")
    if places is not None and (len(places) != 2 or min(places) < 0 or places[0] == places[1]):
        raise ValueError(f"two columns, such as 1,2, not {columns!r}")
    if header not in ("", "yes", "no"):
        raise ValueError(f"yes or no for the header, not {header!r}")
    names = [name.strip() for name in fields.split(",")]
    if fields and (len(names) != 2 or not all(names) or read_name(names[0]) == read_name(names[1])):
        raise ValueError(f"two fields, such as Question,Answer, not {fields!r}")
    return Choice(
        separator=mark or None,
        columns=(places[0], places[1]) if places else None,
        header=None if not header else header == "yes",
        fields=(names[0], names[1]) if fields else None,
    )


def _is_mark(text: str) -> bool:
    is_short = len(text) == 1 or (len(text) <= MAX_SEPARATOR and not any(map(str.isalnum, text)))
    return is_short and not {*text} & {'"', "\n", "\r"}


def _lines(text: str) -> list[str]:
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


def _without_frames(lines: list[str]) -> list[str] | None:
    """The lines, those of Markdown's tables without what frames them; None where no table names both sides clearly.

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


def _directives(lines: list[str]) -> dict[str, str]:
    """The lines `#key:value` at the head of Anki's plain-text export: lower-case key -> value."""
    matches = itertools.takewhile(bool, map(_DIRECTIVE.match, lines))
    return {match[1].lower(): match[2].strip() or match[2] for match in matches if match}


def _named_in(directives: dict[str, str], lines: list[str]) -> str | None:
    """The separator that the file names; None where it is no mark, or stands in no line."""
    name = directives.get("separator", "")
    mark = _NAMED_SEPARATORS.get(name.lower(), name)
    return mark if _is_mark(mark) and any(mark in line for line in lines) else None


def _frequent(marks: Iterable[str], lines: list[str], share: float) -> Iterator[str]:
    """The marks that stand in one line, and in that share of those that are not blank: others separate nothing."""
    enough = max(1, share * sum(bool(line.strip()) for line in lines))
    return (mark for mark in marks if sum(mark in line for line in lines) >= enough)


def _split_once(lines: list[str], separator: str) -> Iterator[Row]:
    return ((number, line.split(separator, 1)) for number, line in enumerate(lines, 1))


def _split(lines: list[str], separator: str, named: tuple[str, str] | None) -> _Table | None:
    """The lines split by the separator, with quoting where that makes rows more uniform; None where all are blank."""
    plain = _measure(separator, ((number, line.split(separator)) for number, line in enumerate(lines, 1)), named)
    if plain is None or len(separator) > 1 or not any('"' in line for line in lines):
        return plain
    strict, quoted = True, _measure_quoted(lines, separator, named, strict=True)
    if quoted is None:
        strict, quoted = False, _measure_quoted(lines, separator, named, strict=False)
    if quoted is None:
        return plain
    same_rows = strict and len(quoted.rows) == len(plain.rows)
    return quoted if (quoted.agreement, same_rows) > (plain.agreement, False) else plain


def _measure_quoted(lines: list[str], separator: str, named: tuple[str, str] | None, *, strict: bool) -> _Table | None:
    """The table with fields in double quotes, which may span lines; None where a quote is not closed."""
    reader = csv.reader((line + "\n" for line in lines), delimiter=separator, strict=strict)
    rows: list[Row] = []
    first_line = 1
    try:
        for row in reader:
            rows.append((first_line, row))
            first_line = reader.line_num + 1
    except csv.Error:
        return None
    return _measure(separator, rows, named)


def _measure(separator: str, rows: Iterable[Row], named: tuple[str, str] | None) -> _Table | None:
    kept = tuple((number, row) for number, row in rows if any(map(str.strip, row)))
    if not kept:
        return None
    start = next((at for at, (_, row) in enumerate(kept) if sum(map(bool, map(str.strip, row))) > 1), 0)
    sides = find_sides(kept[start][1], named)
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
    )


def _lay_out(table: _Table, directives: dict[str, str], choice: Choice) -> Layout:
    """The table with its sides: as chosen, by the header, by the file's directives, or by what the columns hold."""
    names = directives.get("columns", "").split(table.separator)
    named = find_sides(names, choice.fields)
    others = {value for key, value in directives.items() if key.endswith(" column")}
    places = [column for column in range(table.width + len(others) + 2) if str(column + 1) not in others]
    columns = _columns(table, places)
    has_header = choice.header
    if has_header is None:
        has_header = table.sides is not None or (not directives and names_columns(columns))
    first, second = choose_sides([values[has_header:] for values in columns])
    front, back = choice.columns or table.sides or named or (places[first], places[second])
    names = table.rows[0][1] if has_header else names
    is_named = max(front, back) < len(names)
    return Layout(
        separator=table.separator,
        width=len(table.rows[0][1]) if has_header else max(table.width, front + 1, back + 1),
        front=front,
        back=back,
        header=has_header,
        fields=Fields(front=names[front].strip(), back=names[back].strip()) if is_named else None,
        html=directives.get("html", "").lower() == "true",
        rows=table.rows[1:] if has_header else table.rows,
        above=table.above,
    )


def _columns(table: _Table, places: Sequence[int]) -> list[list[str]]:
    """The values in these places of the first row and of all with the usual number of fields."""
    rows = [row for at, (_, row) in enumerate(table.rows) if len(row) == table.width or not at]
    return [[row[place] if place < len(row) else "" for row in rows] for place in places if place < table.width]
