"""Entries of tables."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import chain

from crawler.formats.sides.cards import NamedColumns
from crawler.formats.sides.headers import find_parts, find_sides, find_strong_sides, find_sure_sides
from crawler.formats.texts.blocks import HEADER, ROW, Block, Page
from crawler.formats.texts.names import read_name
from crawler.formats.texts.shapes.entry import Entry, Hints


def find_tables(page: Page, hints: Hints) -> Iterator[list[Entry]]:
    """Tables whose header names both sides, or in a glossary one of them faintly."""
    yield [entry for table in group_tables(page) for entry in _read_table(table, hints, strong=True)]


def find_plain_tables(page: Page, hints: Hints) -> Iterator[list[Entry]]:
    """Tables with two columns, or with a header that may name the sides."""
    yield [entry for table in group_tables(page) for entry in _read_table(table, hints, strong=False)]


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


def find_main_table(page: Page) -> tuple[list[str], list[list[str]]]:
    """The header and the rows of those tables of several columns with one header that say most; empty without any."""
    tables: defaultdict[tuple[str, ...], list[list[str]]] = defaultdict(list)
    for head, *below in group_tables(page):
        tables[head.cells] += [list(row.cells) for row in below] if len(head.cells) > 1 else []
    names, rows = max(tables.items(), key=lambda one: sum(map(len, chain(*one[1]))), default=((), []))
    return list(map(read_name, names)), rows


def _read_table(table: Sequence[Block], hints: Hints, *, strong: bool) -> list[Entry]:
    names = list(map(read_name, table[0].cells))
    sides = find_sure_sides(names, hints.named)
    if sides is None and hints.is_titled and not hints.is_web and find_strong_sides(names)[1] is not None:
        sides = find_sides(names)
    if sides is None and not strong:
        sides = find_sides(names) or ((0, 1) if len(names) == 2 else find_parts(names))
    if sides is None:
        return []
    columns, (front, back) = NamedColumns(names=tuple(names), sides=sides), sides
    return [
        Entry(
            line=row.line, last=row.last, term=row.cells[front], text=row.cells[back], columns=columns, cells=row.cells
        )
        for row in table[1:]
        if len(row.cells) > max(sides) and row.cells[front]
    ]
