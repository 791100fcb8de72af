"""Tables as plain files for other programs: texts that no spreadsheet runs as formulas, and back.

To a spreadsheet, a cell that begins with `=`, `+`, `-`, `@`, a tab or a return and is not a plain number is a formula.
Such a cell is given a leading apostrophe, as is one that begins with apostrophes followed by such a sign, so that
removing one apostrophe always restores the text. All other cells stay the same. Source: OWASP, CSV Injection.
"""

import pandas as pd

_RUNS = r"^'*[=+\-@\t\r＝＋－＠]"
_NUMBER = r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?"
_GUARDED = r"^''*[=+\-@\t\r＝＋－＠]"


def guard(texts: "pd.Series[str]") -> "pd.Series[str]":
    """The column with a leading apostrophe in every cell that a spreadsheet would run."""
    runs = texts.str.contains(_RUNS, regex=True, na=False) & ~texts.str.fullmatch(_NUMBER, na=False)
    return texts.where(~runs, texts.str.replace("^", "'", regex=True))


def unguard(texts: "pd.Series[str]") -> "pd.Series[str]":
    """The column as it was before `guard`."""
    return texts.where(~texts.str.contains(_GUARDED, regex=True, na=False), texts.str.slice(1))


def without_formulas(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame with every text column guarded."""
    kinds = frame.dtypes.items()
    texts = [str(column) for column, kind in kinds if str(kind).startswith(("str", "object"))]
    return frame.assign(**{column: guard(frame[column]) for column in texts})
