"""Text in cells that no spreadsheet runs, and back; pure.

A cell that begins with `=`, `+`, `-`, `@`, a tab or a return, and is no plain number, is a formula to a spreadsheet.
Such a cell gets an apostrophe before it, and so does one that begins with apostrophes before such a sign: so one
apostrophe less is always the text. All other cells are as they are. Source: OWASP, CSV Injection.
"""

import pandas as pd

RUNS = r"^'*[=+\-@\t\r＝＋－＠]"
NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
SAFE = r"^''*[=+\-@\t\r＝＋－＠]"


def guard(texts: "pd.Series[str]") -> "pd.Series[str]":
    """The column with an apostrophe before every cell that a spreadsheet would run."""
    runs = texts.str.contains(RUNS, regex=True, na=False) & ~texts.str.fullmatch(NUMBER, na=False)
    return texts.where(~runs, "'" + texts)


def unguard(texts: "pd.Series[str]") -> "pd.Series[str]":
    """The column as it was before `guard`."""
    return texts.where(~texts.str.contains(SAFE, regex=True, na=False), texts.str.slice(1))
