"""What the operator says about a file, and how a cell of the sheet of decks says it."""

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from crawler.formats.sides.headers import Named, read_name

MAX_SEPARATOR_CHARS = 5

SEPARATOR_NAMES = {"tab": "\t", "pipe": "|", "semicolon": ";", "comma": ",", "colon": ":", "space": " "}


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


def read_flags(cells: Mapping[str, Sequence[str]]) -> LayoutFlags:
    """What the cells of rows for one file say, by their column; of several the first counts, of `fields` all.

    Raises ValueError.
    """
    first = {column: some[0] for column, some in cells.items() if some}
    return LayoutFlags(
        separator=parse_separator(first["separator"]) if "separator" in first else None,
        columns=parse_columns(first["columns"]) if "columns" in first else None,
        header=first["header"] == "yes" if "header" in first else None,
        fields=tuple(map(parse_fields, cells.get("fields", ()))),
        shape=first.get("shape"),
        skip=first.get("skip") == "yes",
    )


def with_cells(layout: LayoutFlags, cells: Mapping[str, Sequence[str]]) -> LayoutFlags:
    """The layout with the cells of further rows of the sheet; raises ValueError where one cannot be read."""
    flags = vars(read_flags(cells))
    return replace(layout, **{name: value for name, value in flags.items() if value != getattr(DETECT_ALL, name)})


def parse_separator(cell: str) -> str:
    """The mark that a cell of a sheet names. Raises ValueError."""
    mark = SEPARATOR_NAMES.get(cell.lower(), cell)
    if not is_mark(mark):
        raise ValueError(f"a separator such as }} or ::, or {', '.join(SEPARATOR_NAMES)}")
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


def is_mark(text: str) -> bool:
    """Whether a text may separate: one character, or a few that are no letters, without quotes and line ends."""
    is_short = len(text) == 1 or (len(text) <= MAX_SEPARATOR_CHARS and not any(map(str.isalnum, text)))
    return is_short and not {*text} & {'"', "\n", "\r"}
