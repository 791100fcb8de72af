"""Rows checked against their table's declared type."""

from collections.abc import Callable, Collection, Mapping
from typing import Any, NamedTuple

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from data.console.errors import TableError
from data.contract.base import Column, Table

RULES: Mapping[str, tuple[str, Callable[[pa.Array, Any], pa.Array]]] = {
    "ge": ("to be at least", pc.greater_equal),
    "le": ("to be at most", pc.less_equal),
    "isin": ("to be one of", lambda values, known: pc.is_in(values, pa.array([*known, None], values.type))),
    "str_matches": ("to match", pc.match_substring_regex),
}
"""Rule of a column -> its words in an error, and which values satisfy it, given its limit; null ones are left aside."""

MAX_SHOWN = 80
"""Characters of a value that an error shows."""


class Fault(NamedTuple):
    """Why rows are not a table's."""

    expected: str
    found: str


def checked(table: type[Table], frame: pd.DataFrame) -> pd.DataFrame:
    """The rows in the table's types and order of columns. Raises TableError with the first fault and its row."""
    rows, fault = check_rows(table, frame)
    if fault is not None:
        remedy = "see data/README.md for the table's columns"
        raise TableError(table.table_name(), expected=fault.expected, found=fault.found, remedy=remedy)
    return rows


def check_rows(
    table: type[Table], frame: pd.DataFrame, without: Collection[str] = ()
) -> tuple[pd.DataFrame, Fault | None]:
    """The rows in the table's types and order of columns, and their first fault; None if there is none.

    `without`: columns that the rows do not have.
    """
    columns = {name: spec for name, spec in table.columns().items() if name not in without}
    if more := [name for name in frame if name not in columns]:
        return frame, Fault("only the declared columns", str(more[0]))
    rows: dict[str, pd.Series[Any]] = {}
    for name, spec in columns.items():
        if name in frame:
            values = frame[name].reset_index(drop=True)
        elif table.completes and (spec.nullable or spec.default is not None):
            values = pd.Series([spec.default] * len(frame), dtype=pd.ArrowDtype(spec.kind))
        else:
            return frame, Fault(f"a column {name}", "the columns " + ", ".join(map(str, frame.columns)))
        rows[name], fault = _check_column(name, spec, values)
        if fault is not None:
            return frame, fault
    typed, key = pd.DataFrame(rows, copy=False), table.key_columns()
    if key and (again := typed[key].duplicated()).any():
        first = ", ".join(map(str, typed.loc[again, key].iloc[0]))
        return frame, Fault("each key (" + ", ".join(key) + ") once", f"{first[:MAX_SHOWN]} more than once")
    return typed, None


def _check_column(name: str, spec: Column, values: "pd.Series[Any]") -> tuple["pd.Series[Any]", Fault | None]:
    """The values in the column's type, and their first fault."""
    try:
        typed = _typed(values, spec.kind)
    except (ValueError, TypeError, ArithmeticError, NotImplementedError):
        return values, Fault(f"{name} to be of type {spec.kind}", _show(values, _first_untyped(values, spec.kind)))
    if spec.default is not None:
        typed = typed.fillna(spec.default)
    array = pa.array(typed)
    if array.null_count and not spec.nullable:
        return values, Fault(f"{name} in every row", f"none (row {pc.index(pc.is_null(array), True).as_py()})")
    for rule, limit in spec.rules.items():
        words, satisfy = RULES[rule]
        if (wrong := pc.index(satisfy(array, limit), False).as_py()) >= 0:
            shown = limit if isinstance(limit, (int, float, str)) else ", ".join(map(str, limit))
            return values, Fault(f"{name} {words} {shown}", _show(values, wrong))
    return typed, None


def _typed(values: "pd.Series[Any]", kind: pa.DataType) -> "pd.Series[Any]":
    """The values in the type; no values are of any type, which pandas knows of all types but lists."""
    dtype = pd.ArrowDtype(kind)
    return values.astype(dtype) if len(values) else pd.Series(dtype=dtype)


def _first_untyped(values: "pd.Series[Any]", kind: pa.DataType) -> int:
    """The place of the first value that is not of the type, where not all are."""
    good, bad = 0, len(values)
    while bad - good > 1:
        middle = (good + bad) // 2
        try:
            _typed(values.iloc[:middle], kind)
            good = middle
        except (ValueError, TypeError, ArithmeticError, NotImplementedError):
            bad = middle
    return good


def _show(values: "pd.Series[Any]", place: int) -> str:
    value = values.iloc[place]
    return (repr(value) if isinstance(value, str) else str(value))[:MAX_SHOWN] + f" (row {place})"
