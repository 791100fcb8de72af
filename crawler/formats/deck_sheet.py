"""The sheet of decks, `-a decks=FILE.csv`: one row per file, folder, address or pattern, about licences and reading."""

import fnmatch
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from crawler.cards.advice import COLUMNS, READ, STATED
from crawler.cards.outcome import Outcome
from crawler.cards.reversal import Turning, read_note_types, turn
from crawler.formats.layout_flags import LayoutFlags, parse_columns, parse_fields, parse_separator, read_flags
from crawler.formats.reading import read
from crawler.formats.texts.shapes.known import SHAPES
from data.console.errors import InputError
from data.contract.tables.definitions import LINK
from data.files.sheets import Sheet, read_header, read_sheet
from data.texts.languages.base import codes

REMEDY = f"its header is {','.join(COLUMNS)}, of which `path` and one more are enough"
_MANY = ("fields", "note_types")
"""Columns of which several rows for a path count together."""


@dataclass(frozen=True, kw_only=True)
class ReadOptions:
    """How a file is read."""

    layout: LayoutFlags = field(default_factory=LayoutFlags)
    """What the operator says about its sides."""
    reversed: Turning = ""
    """Which cards that have a name behind are turned round."""
    note_types: tuple[str, ...] = ()
    """The note types whose cards are turned; none for all cards."""
    language: str = ""
    """The code of its language; empty where the operator does not say."""


def _one_of(*words: str) -> Callable[[str], str]:
    def parse(cell: str) -> str:
        if cell not in words:
            raise ValueError(f"{', '.join(words[:-1])} or {words[-1]}" if words[1:] else words[0])
        return cell

    return parse


def _parse_shape(cell: str) -> str:
    """The cell, if it names a shape, which a number from 2 may follow."""
    shape, space, number = cell.partition(" ")
    _one_of(*(shape.name for shape in SHAPES))(shape)
    if space and not re.fullmatch("[2-9]", number):
        raise ValueError("a shape, also with a number from 2 to 9")
    return cell


_PARSERS: Mapping[str, Callable[[str], Any]] = {
    "skip": _one_of("yes", "no"),
    "shape": _parse_shape,
    "fields": parse_fields,
    "separator": parse_separator,
    "columns": parse_columns,
    "header": _one_of("yes", "no"),
    "reversed": _one_of("yes", "descriptions", "no"),
    "note_types": read_note_types,
    "language": _one_of(*codes()),
}


@dataclass(frozen=True, kw_only=True)
class DeckSheet:
    """What the operator says about decks."""

    rows: pd.DataFrame = field(default_factory=lambda: pd.DataFrame(columns=[*COLUMNS], dtype="str"))
    """The columns COLUMNS without nulls; the index is the line of the CSV."""
    file: Path | None = None
    """The CSV."""

    @cached_property
    def _by_column(self) -> dict[str, pd.DataFrame]:
        return {column: self.rows[self.rows[column] != ""] for column in READ}

    def options(self, names: Sequence[str]) -> ReadOptions:
        """How the file that has these names is read: for each column by the row with the closest path."""
        cells = {}
        for column, rows in self._by_column.items():
            path = Paths(rows["path"].tolist()).choose(names) if len(rows) else ""
            cells[column] = rows.loc[rows["path"] == path, column].tolist() if path else []
        note_types = tuple(dict.fromkeys(name for cell in cells["note_types"] for name in read_note_types(cell)))
        turning: Turning = _PARSERS["reversed"](cells["reversed"][0]) if cells["reversed"] else ""
        return ReadOptions(
            layout=read_flags(cells), reversed=turning, note_types=note_types, language="".join(cells["language"][:1])
        )

    def idle(self, decks: Sequence[Sequence[str]]) -> "pd.Series[str]":
        """The paths that mean none of the decks, each of which has several names, and leave out no part of a file."""
        paths = Paths(self.rows["path"].tolist())
        used = {path for names in decks for path in paths.fitting(names)}
        known = {name for names in decks for name in names}
        left_out = self.rows.loc[self.rows["skip"] == "yes", "path"]
        used |= {path for path in left_out if path.partition("!")[0] in known}
        return self.rows.loc[~self.rows["path"].isin(used), "path"]

    def require_licences_only(self) -> None:
        """Raise InputError where a row says how to read a file, for sources that read none."""
        for column in READ:
            for line, cell in self.rows.loc[self.rows[column] != "", column].items():
                raise InputError(
                    f"{self.file}, line {line}",
                    expected=f"nothing under {column}, which is for files",
                    found=str(cell),
                    remedy="empty the cell, or give the sheet to `scrapy crawl files`",
                )


class Paths:
    """The paths of rows, and what they mean: what has that name, everything below a folder of that name, and, with `*`,
    `?` or `[…]`, whatever fits (`*` also fits `/`).
    """

    def __init__(self, paths: Sequence[str]) -> None:
        """`paths` in any order."""
        self.paths = frozenset(paths)
        marked = (path for path in self.paths if not {"*", "?", "["}.isdisjoint(path))
        self._patterns = {path: re.compile(fnmatch.translate(path)).match for path in marked}

    def choose(self, names: Sequence[str]) -> str:
        """The path that counts for a deck of these names, the exact name first, then the longest; empty for none."""
        exact = [name for name in names if name in self.paths]
        return exact[0] if exact else max(self.fitting(names), key=lambda path: (len(path), path), default="")

    def fitting(self, names: Sequence[str]) -> Iterator[str]:
        """All paths that mean a deck of these names."""
        for name in names:
            places = [name, *(name[: place.start()] for place in re.finditer("[/!]", name))]
            yield from (place for place in places if place in self.paths)
        yield from (path for path, fits in self._patterns.items() if any(map(fits, names)))


def read_decks(file: Path | None) -> DeckSheet:
    """The sheet in a CSV. Raises InputError for columns and cells that are none, and for a path that is given twice."""
    if file is None:
        return DeckSheet()
    sheet = read_sheet(file, "a sheet of decks (CSV)", REMEDY, further=COLUMNS)
    sheet = replace(sheet, rows=sheet.rows.rename(columns=_column))
    sheet.require_columns(("path",), COLUMNS)
    rows = sheet.rows.reindex(columns=[*COLUMNS], fill_value="").apply(lambda column: column.str.strip())
    given = (rows["path"].replace("", "no path") + " for " + rows["licence"]).str.strip()
    rows["path"] = rows["path"].str.removeprefix("./").str.rstrip("/")
    anything = "a path, an address or a pattern (`*` for every deck)"
    sheet.require_rows(~rows["path"].isin(["", "."]), anything, given)
    told = (rows[[*COLUMNS[1:]]] != "").any(axis=1)
    sheet.require_rows(told, "a licence, or how to read it", "a path alone, " + rows["path"])
    credited = (rows[[*STATED[1:]]] != "").any(axis=1)
    sheet.require_rows((rows["licence"] != "") | ~credited, "a licence, or `none stated`", "none for " + rows["path"])
    sheet.require_rows(rows["link"].str.contains(LINK) | (rows["link"] == ""), "an address as https://…", rows["link"])
    for column in ("licence", *READ):
        _require_column(sheet, rows, column)
    turned = rows.loc[rows["reversed"].isin(["yes", "descriptions"]), "path"]
    alone = (rows["note_types"] != "") & ~rows["path"].isin(turned)
    sheet.require_rows(
        ~alone, "`yes` or `descriptions` under reversed beside note_types", "neither for " + rows["path"]
    )
    return DeckSheet(rows=rows, file=file)


def _require_column(sheet: Sheet, rows: pd.DataFrame, column: str) -> None:
    """Raises InputError for a cell that cannot be, and for a path with two cells of which one counts."""
    filled = rows[rows[column] != ""]
    for line, cell in filled[column].items() if column in _PARSERS else ():
        try:
            _PARSERS[column](cell)
        except ValueError as fault:
            where = f"{sheet.path}, line {line}"
            raise InputError(where, expected=f"under {column} {fault}", found=repr(cell), remedy=REMEDY) from fault
    again = filled.duplicated("path") & (column not in _MANY)
    clear = pd.Series(True, rows.index)
    clear[again.index] = ~again
    sheet.require_rows(clear, f"each path once with a {column}", rows["path"] + " again")


def is_sheet(file: Path) -> bool:
    """Whether a file is a sheet of decks, and no deck: it has no other columns, and `path` among them."""
    if file.suffix.lower() != ".csv":
        return False
    with file.open("rb") as content:
        beginning = content.read(1_000).decode("utf-8-sig", "replace")
    columns = {*map(_column, read_header(beginning))}
    return "path" in columns and len(columns) > 1 and columns <= {*COLUMNS}


def _column(header: str) -> str:
    """The name of the column with this header, which may be written `license` as well."""
    return "licence" if header == "license" else header


def call(path: Path, name: str) -> Iterator[str]:
    """What a row may call a file: its name, with or without the folder that it begins with, or its path."""
    yield name
    if "/" in name:
        yield name.partition("/")[2]
    yield path.as_posix()
    if path.is_relative_to(Path.cwd()):
        yield path.relative_to(Path.cwd()).as_posix()


class Manner:
    """How the files of a run are read."""

    def __init__(self, sheet: DeckSheet, files: Mapping[Path, str]) -> None:
        """`files` maps each path to its name."""
        self.sheet = sheet
        self._calls = {name: tuple(call(path, name)) for path, name in files.items()}
        self._options: dict[str, ReadOptions] = {}

    def options(self, name: str) -> ReadOptions:
        """How a file, or ARCHIVE!MEMBER, is read."""
        if name not in self._options:
            top, mark, member = name.partition("!")
            names = [own + part for own in self._calls.get(top, (top,)) for part in dict.fromkeys((mark + member, ""))]
            self._options[name] = self.sheet.options(names)
        return self._options[name]

    def read(self, name: str, content: bytes) -> Outcome:
        """The outcome for a file, with its decks' reversed cards turned or reported."""
        outcome = read(name, content, layouts=lambda member: self.options(member).layout)
        ways = [(deck, self.options(deck.file or name)) for deck in outcome.decks]
        turned = [turn(deck, way.reversed, way.note_types) for deck, way in ways]
        findings = (*outcome.findings, *(offer for _, offers in turned for offer in offers))
        return replace(outcome, decks=tuple(deck for deck, _ in turned), findings=findings)

    def describe(self, name: str) -> str:
        """What the operator says about a file and what is in it, as one text; empty where nothing is said."""
        own = {name, *self._calls.get(name, ())}
        rows: list[list[str]] = self.sheet.rows[["path", *READ]].to_numpy().tolist()
        inner = [row for row in rows if "!" in row[0] and row[0].partition("!")[0] in own]
        way = self.options(name)
        return repr((way, inner)) if inner or way != ReadOptions() else ""
