"""Files that people write, by hand or with a spreadsheet: texts, and tables with a text in every cell."""

from collections.abc import Collection
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

import pandas as pd

from data.console import existing_file
from data.errors import InputError


@dataclass(frozen=True, kw_only=True)
class Sheet:
    """A table that somebody wrote, and what to do where it is wrong."""

    path: Path
    rows: pd.DataFrame
    """Texts, none of them null; the index is the line in the file, provided that no cell holds a line break."""
    remedy: str

    def require(self, needed: Collection[str], known: Collection[str] | None = None) -> None:
        """Raises InputError where a needed column is missing, or one is not among the known ones (None: any is)."""
        columns = set(self.rows.columns)
        if not set(needed) <= columns or (known is not None and not columns <= set(known)):
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

    Its cells are separated by commas, semicolons or tabs, whichever its header has most of; it may have a byte-order
    mark and the line ends of any system. Raises InputError for any other file; `what` names the one expected.
    """
    text = read_text(path, what)
    separator = max(",;\t", key=text.partition("\n")[0].count)
    try:
        cells = pd.read_csv(
            StringIO(text),
            sep=separator,
            dtype=str,
            keep_default_na=False,
            skipinitialspace=True,
            skip_blank_lines=False,
        )
    except ValueError as fault:
        raise InputError(path, expected=what, found=" ".join(str(fault).split()), remedy=remedy) from fault
    rows = cells.reset_index(drop=True).fillna("").rename(columns=str.strip)
    rows.index += 2  # below the header
    return Sheet(path=path, rows=rows[rows.apply(lambda column: column.str.strip() != "").any(axis=1)], remedy=remedy)


def read_text(path: Path, what: str) -> str:
    """The text of a file in UTF-8, with or without a byte-order mark. Raises InputError for another file."""
    try:
        return existing_file(path, what).read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as fault:
        found = f"bytes of another encoding (at {fault.start})"
        raise InputError(path, expected=f"{what} in UTF-8", found=found, remedy="save it as UTF-8") from fault
