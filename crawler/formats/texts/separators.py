"""Which mark separates the fields of a text's rows, and whether they are in quotes."""

import csv
import itertools
import re
from collections.abc import Iterable, Iterator, Mapping

from crawler.cards.texts import split_lines
from crawler.formats.layout_flags import DETECT_ALL, SEPARATOR_NAMES, LayoutFlags, is_mark
from crawler.formats.sides.headers import names_side
from crawler.formats.sides.table import N_HEAD_ROWS, Declared, Layout, Row, RowTable, lay_out, tabulate
from crawler.formats.texts.names import MIN_PAIRS, are_explained, asks

SEPARATORS = ("\t", "|", ";", ",")
"""In order of preference: the rarer a character is in prose, the better it separates."""

MIN_SHARE = 0.6
"""Share of rows that must contain the tab or `|` (the rule of tolerant importers of Quizlet's export)."""

MIN_AGREEMENT = 0.9
"""Share of rows that a mark which is common in prose must split into the same number of fields."""
_SINGLE_MARKS = ("\t", " - ", ",")
"""What Quizlet puts between the sides where the cards are on one line, apart from what people type there."""
_FEW = 3
"""Cards from which such a line is told from a table with one row."""

_DIRECTIVE = re.compile(
    r"#((?:separator|html|columns|notetype|deck|tags|guid|if matches)(?: column)?):(.*)", re.IGNORECASE
)

_PLACE = re.compile("[0-9]{1,6}")
_GLUED = re.compile(r"#separator:(?:tab|pipe|semicolon|comma|colon|space)(?=\S)", re.IGNORECASE)
"""A file's own separator with the first row behind it on the line."""
_WIDTHS = {"\t": 3, ";": 5, ",": 5}
"""Columns from which rows of equal length are no prose, whatever the columns hold."""
_RULE = frozenset("|:- ")
"""The characters of the line below the header of Markdown's tables."""
_NO_MARKS = frozenset(".,:;!?()[]{}'\"’-–=<>/_@")
"""What a sentence, a setting, a path or an address may have once."""
_WRAPPED = re.compile(r'\s*"(.*)"\s*', re.DOTALL)
"""A row, or a field, in quotes, whatever is within."""
_HINT = re.compile("sep=(.)", re.IGNORECASE)
"""The first line of a CSV for Excel."""

csv.field_size_limit(64 * 2**20)  # with the default, 128 kB, one long field would fail the whole file


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
    marks = [named] if named else frequent(SEPARATORS, lines, share)
    tables = ((mark, _split(lines, mark, choice)) for mark in marks)
    usable = [(mark, table) for mark, table in tables if table and table.width > 1]
    if not named:
        usable = [one for one in usable if _is_consistent(*one)]
        usable = [] if all(_is_prose(*one) for one in usable) else usable
    if not usable:
        return None
    mark, table = max(usable, key=lambda one: _merit(*one))
    return lay_out(table, choice, declared=_declared(directives, mark) if directives else None, separator=mark)


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


def _is_consistent(separator: str, table: RowTable) -> bool:
    """Whether the separator splits enough rows into sides that are mostly not blank."""
    head = table.rows[:N_HEAD_ROWS]
    if 2 * sum(names_side(row[0]) for _, row in head) >= len(head) > 1:
        return False  # labels, as `Q:`
    if table.agreement >= MIN_AGREEMENT and table.width >= _WIDTHS.get(separator, table.width + 1):
        return True
    if table.share_filled(0) < MIN_SHARE or separator in "\t|" or table.header:
        return table.share_filled(0) >= MIN_SHARE
    return table.share_filled(1) >= MIN_SHARE and len(table.rows) > 1 and table.agreement >= MIN_AGREEMENT


def _is_prose(separator: str, table: RowTable) -> bool:
    """Whether nothing but a comma with a space behind it separates, unless questions: a sentence may have one."""
    is_spaced = all(row[1][:1] == " " for _, row in table.rows if len(row) > 1)
    n_asking = sum(asks(row[0]) for _, row in table.rows)
    return separator == "," and not table.header and is_spaced and 2 * n_asking < len(table.rows)


def _merit(separator: str, table: RowTable) -> tuple[bool, bool, bool, float]:
    """How well a separator fits: first by a header, then the tab, intact quotes and rows of equal length."""
    n_whole = sum(not any(field.count('"') % 2 for field in row) for _, row in table.rows)
    return table.header is not None, separator == "\t", n_whole >= MIN_AGREEMENT * len(table.rows), table.agreement


def name_mark(text: str) -> str | None:
    """The name of the separator whose first place in each line parts a name from its text, or the only mark that each
    line has once, between two texts; None where there is none.
    """
    lines = [line for line in split_lines(text) if line.strip()]
    if len(lines) < MIN_PAIRS:
        return None
    for name, mark in SEPARATOR_NAMES.items():
        pairs = [(front, back) for front, found, back in (line.partition(mark) for line in lines) if found]
        if mark in SEPARATORS and len(lines) == len(pairs) and are_explained(pairs):
            return name
    marks = [mark for mark in {*lines[0]} if not (mark.isalnum() or mark.isspace() or mark in _NO_MARKS)]
    once = [mark for mark in marks if all(len([*filter(str.strip, line.split(mark))]) == 2 for line in lines)]
    return once[0] if len(once) == 1 and all(line.count(once[0]) == 1 for line in lines) else None


def _directives(lines: list[str]) -> dict[str, str]:
    """The lines `#key:value` at the head of Anki's plain-text export: lower-case key -> value."""
    matches = itertools.takewhile(bool, map(_DIRECTIVE.match, lines))
    return {match[1].lower(): match[2].strip() or match[2] for match in matches if match}


def _named_in(directives: dict[str, str], lines: list[str]) -> str | None:
    """The separator that the file names; None where it is no mark, or is in no line."""
    name = directives.get("separator", "")
    mark = SEPARATOR_NAMES.get(name.lower(), name)
    return mark if is_mark(mark) and any(mark in line for line in lines) else None


def _declared(directives: Mapping[str, str], separator: str) -> Declared:
    """What the lines at the head say about the columns."""
    names = directives.get("columns")
    others = (value for key, value in directives.items() if key.endswith(" column") and _PLACE.fullmatch(value))
    return Declared(
        names=tuple(names.split(separator)) if names else (),
        others=frozenset(int(value) - 1 for value in others),
        html=directives.get("html", "").lower() == "true",
    )


def _split(lines: list[str], separator: str, choice: LayoutFlags) -> RowTable | None:
    """The lines split by the separator, with quoting where that makes rows more uniform; None where all are blank.

    Where most lines have the separator at both ends, as tables of Org do, it is there no separator.
    """
    framed = [len(line) > 1 and line.startswith(separator) and line.endswith(separator) for line in lines]
    is_ruled = any(_RULE.issuperset(line) for line in lines if line)
    if separator == "|" and sum(framed) >= MIN_SHARE * sum(map(bool, lines)) and not is_ruled:
        lines = [line[1:-1] if is_framed else line for line, is_framed in zip(lines, framed, strict=True)]
    plain = tabulate(((number, line.split(separator)) for number, line in enumerate(lines, 1)), choice)
    if plain is None or len(separator) > 1 or not any('"' in line for line in lines):
        return plain
    best, n_rows = plain, len(plain.rows)
    is_wrapped = sum(_WRAPPED.fullmatch(line) is not None for line in lines) > MIN_SHARE * n_rows
    for spaced in (False, True)[: 1 + any(f'{separator} "' in line for line in lines)]:
        strict, quoted = True, _measure_quoted(lines, separator, choice, strict=True, spaced=spaced)
        if quoted is None:
            strict, quoted = False, _measure_quoted(lines, separator, choice, strict=False, spaced=spaced)
            alone = _split_alone(lines, separator, choice) if is_wrapped and not spaced else None
            if alone and (quoted is None or alone.agreement >= quoted.agreement):
                strict, quoted = True, alone
        is_plain = best is plain and strict and quoted is not None and len(quoted.rows) == n_rows
        best = quoted if quoted and (quoted.agreement, is_plain) > (best.agreement, False) else best
    return best


def _split_alone(lines: list[str], separator: str, choice: LayoutFlags) -> RowTable | None:
    """The table of rows in quotes, each line one row, where a quote within a field is not doubled."""

    def split(line: str) -> list[str]:
        try:
            return next(csv.reader([line], delimiter=separator, strict=True), [])
        except csv.Error:
            is_wrapped = _WRAPPED.fullmatch(line) is not None
            return line.strip()[1:-1].split(f'"{separator}"') if is_wrapped else line.split(separator)

    return tabulate(((number, split(line)) for number, line in enumerate(lines, 1)), choice)


def _measure_quoted(
    lines: list[str], separator: str, choice: LayoutFlags, *, strict: bool, spaced: bool
) -> RowTable | None:
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
    return tabulate(rows, choice)
