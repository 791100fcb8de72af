"""Tables as plain files for other programs: text in cells that no spreadsheet runs, and back.

A cell that begins with `=`, `+`, `-`, `@`, a tab or a return, and is no plain number, is a formula to a spreadsheet.
Such a cell gets an apostrophe before it, and so does one that begins with apostrophes before such a sign: so one
apostrophe less is always the text. All other cells are as they are. Source: OWASP, CSV Injection.
"""

import pandas as pd

_RUNS = r"^'*[=+\-@\t\r＝＋－＠]"
_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_GUARDED = r"^''*[=+\-@\t\r＝＋－＠]"


def guard(texts: "pd.Series[str]") -> "pd.Series[str]":
    """The column with an apostrophe before every cell that a spreadsheet would run."""
    runs = texts.str.contains(_RUNS, regex=True, na=False) & ~texts.str.fullmatch(_NUMBER, na=False)
    return texts.where(~runs, texts.str.replace("^", "'", regex=True))


def unguard(texts: "pd.Series[str]") -> "pd.Series[str]":
    """The column as it was before `guard`."""
    return texts.where(~texts.str.contains(_GUARDED, regex=True, na=False), texts.str.slice(1))


def without_formulas(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame with every column of texts guarded."""
    kinds = frame.dtypes.items()
    texts = [str(column) for column, kind in kinds if str(kind).startswith(("str", "object"))]
    return frame.assign(**{column: guard(frame[column]) for column in texts})
