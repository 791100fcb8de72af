"""Rows checked against their table's declared type."""

from typing import Any

import pandas as pd
from pandera.errors import SchemaErrors

from data.console.errors import TableError
from data.contract.base import Table


def checked(table: type[Table], frame: pd.DataFrame) -> pd.DataFrame:
    """The rows in the table's types. Raises TableError with the column, rule and row of the first fault."""
    if frame.empty:
        frame = frame.assign(**{name: _nothing(column) for name, column in _columns(table).items() if name in frame})
    try:
        rows: pd.DataFrame = table.validate(frame.reset_index(drop=True), lazy=True)
    except SchemaErrors as fault:
        raise _table_error(table, frame, fault) from fault
    return rows


def _columns(table: type[Table]) -> dict[str, Any]:
    return dict(table.to_schema().columns)


def _nothing(column: Any) -> "pd.Series[Any]":
    """No values, in the column's type: pandera converts every other type but not into lists."""
    return pd.Series(dtype=column.dtype.type)


def _table_error(table: type[Table], frame: pd.DataFrame, fault: SchemaErrors) -> TableError:
    """The first fault in one line: column, rule and row."""
    first = fault.failure_cases.iloc[0]
    column, check, case = first["column"], str(first["check"]), first["failure_case"]
    if check in ("column_in_dataframe", "add_missing_has_default"):
        expected, found = f"a column {case}", "the columns " + ", ".join(map(str, frame.columns))
    elif check == "column_in_schema":
        expected, found = "only the declared columns", f"{case}"
    elif check == "multiple_fields_uniqueness":
        expected, found = "each key (" + ", ".join(table.key_columns()) + ") once", f"{case} more than once"
    else:
        row = "" if pd.isna(first["index"]) else f" (row {first['index']})"
        expected, found = f"{column} to satisfy {check}", f"{case}{row}"
    return TableError(
        table.table_name(),
        expected=expected,
        found=found,
        remedy="see data/README.md for the table's columns",
    )
