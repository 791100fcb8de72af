"""Files that people write, by hand or with a spreadsheet: texts, and tables with a text in every cell."""

import csv
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

import pandas as pd

from data.console import existing_file
from data.errors import InputError

_SEPARATORS = ",;\t"
_STATED = re.compile(rf"sep=([{_SEPARATORS}])\r?\n?")
"""The line with which Excel states the separator, before the header."""


@dataclass(frozen=True, kw_only=True)
class Sheet:
    """A table that somebody wrote, and what to do where it is wrong."""

    path: Path
    rows: pd.DataFrame
    """Texts, none of them null; the index is the line in the file on which each row ends."""
    remedy: str

    def require(self, needed: Collection[str], known: Collection[str] | None = None) -> None:
        """Raises InputError where a needed column is missing, or one is there twice or not known (None: any is)."""
        columns = set(self.rows.columns)
        repeated = len(columns) < len(self.rows.columns)
        if repeated or not set(needed) <= columns or (known is not None and not columns <= set(known)):
            expected = "the columns " + ", ".join(needed) + (f" and none but {', '.join(known)}" if known else "")
            raise InputError(self.path, expected=expected, found=", ".join(self.rows.columns), remedy=self.remedy)

    def demand(self, right: "pd.Series[bool]", expected: str, found: "pd.Series[str]") -> None:
        """Raises InputError that names the line of the first row that is not `right`, and what was found there."""
        wrong = found[~right.astype("bool")]
        if not wrong.empty:
            where = f"{self.path}, line {wrong.index[0]}"
            raise InputError(where, expected=expected, found=str(wrong.iloc[0]), remedy=self.remedy)


def read_sheet(path: Path, what: str, remedy: str) -> Sheet:
    """The table in a CSV file of any spreadsheet program; rows without any text are left out.

    Its cells are separated by commas, semicolons or tabs, whichever its header has most of or a first line such as
    `sep=;` names; it may have a byte-order mark and the line ends of any system. Raises InputError for any other file
    and for a row with more cells than the header; `what` names the file expected.
    """
    try:
        (_, header), *rows = [*_rows(read_text(path, what))] or [(0, [])]
    except csv.Error as fault:
        raise InputError(path, expected=what, found=str(fault), remedy=remedy) from fault
    names = [name.strip() for name in header]
    if not names:
        raise InputError(path, expected=what, found="nothing", remedy=remedy)
    for line, cells in rows:
        if len(cells) > len(names):
            where, expected = f"{path}, line {line}", f"at most {len(names)} cells, as in the header"
            quote = "put texts that hold a separator in quotes"
            raise InputError(where, expected=expected, found=str(len(cells)), remedy=quote)
    filled = [[*row, *[""] * (len(names) - len(row))] for _, row in rows]
    return Sheet(path=path, rows=pd.DataFrame(filled, [line for line, _ in rows], names, dtype="str"), remedy=remedy)


def read_header(text: str) -> list[str]:
    """The names of the columns of a table that begins so; none where it is no CSV."""
    try:
        return [name.strip() for name in next(_rows(text), (0, []))[1]]
    except csv.Error:
        return []


def _rows(text: str) -> Iterator[tuple[int, list[str]]]:
    """The rows with any text, without empty cells at their ends, each with the line on which it ends."""
    stated = _STATED.match(text)
    separator = stated[1] if stated else max(_SEPARATORS, key=text.lstrip().partition("\n")[0].count)
    reader = csv.reader(StringIO(text), delimiter=separator, skipinitialspace=True, strict=True)
    for cells in reader:
        trimmed = _trim(cells)
        if trimmed and not (stated and reader.line_num == 1):
            yield reader.line_num, trimmed


def _trim(cells: list[str]) -> list[str]:
    n = max((place for place, cell in enumerate(cells, start=1) if cell.strip()), default=0)
    return cells[:n]


def read_text(path: Path, what: str) -> str:
    """The text of a file in UTF-8, with or without a byte-order mark. Raises InputError for another file."""
    try:
        return existing_file(path, what).read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as fault:
        found = f"bytes of another encoding (at {fault.start})"
        raise InputError(path, expected=f"{what} in UTF-8", found=found, remedy="save it as UTF-8") from fault
