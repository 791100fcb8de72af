"""Rows checked against their table's declared type; pandera is imported when the first are."""

import sys
from collections.abc import Collection
from functools import cache
from types import ModuleType, SimpleNamespace
from typing import Any, cast

import pandas as pd

from data.console.errors import TableError
from data.contract.base import Table


def checked(table: type[Table], frame: pd.DataFrame) -> pd.DataFrame:
    """The rows in the table's types. Raises TableError with the column, rule and row of the first fault."""
    if frame.empty:
        frame = frame.assign(**{name: _nothing(spec.kind) for name, spec in table.columns().items() if name in frame})
    rows, fault = check_rows(table, frame.reset_index(drop=True))
    if fault is not None:
        raise _table_error(table, frame, fault)
    return rows


def check_rows(
    table: type[Table], frame: pd.DataFrame, without: Collection[str] = ()
) -> tuple[pd.DataFrame, "pd.Series[Any] | None"]:
    """The rows in the table's types, and their first fault: column, check, failure_case, index; None if there is none.

    `without`: columns that the rows do not have.
    """
    schema = _schema_of(table)  # type: ignore[arg-type] # mypy takes no class for hashable
    from pandera.errors import SchemaErrors

    try:
        return schema.remove_columns([*without]).validate(frame, lazy=True), None
    except SchemaErrors as fault:
        return frame, fault.failure_cases.iloc[0]


@cache
def _schema_of(table: type[Table]) -> Any:
    """The table's type as pandera checks it."""
    # pandera imports dask.dataframe (0.7 s) wherever dask is installed, to know its frames; none of ours is one
    sys.modules.setdefault("pandera.typing.dask", cast(ModuleType, SimpleNamespace(DASK_INSTALLED=False)))
    import pandera.pandas as pandera

    return pandera.DataFrameSchema(
        {
            name: pandera.Column(
                pd.ArrowDtype(spec.kind),
                [getattr(pandera.Check, rule)(limit) for rule, limit in spec.rules.items()],
                nullable=spec.nullable,
                default=spec.default,
            )
            for name, spec in table.columns().items()
        },
        unique=table.key_columns() or None,
        strict=True,
        coerce=True,
        add_missing_columns=table.completes,
    )


def _nothing(kind: Any) -> "pd.Series[Any]":
    """No values, in the column's type: pandera converts every other type but not into lists."""
    return pd.Series(dtype=pd.ArrowDtype(kind))


def _table_error(table: type[Table], frame: pd.DataFrame, fault: "pd.Series[Any]") -> TableError:
    """A fault in one line: column, rule and row."""
    column, check, case = fault["column"], str(fault["check"]), fault["failure_case"]
    if check in ("column_in_dataframe", "add_missing_has_default"):
        expected, found = f"a column {case}", "the columns " + ", ".join(map(str, frame.columns))
    elif check == "column_in_schema":
        expected, found = "only the declared columns", f"{case}"
    elif check == "multiple_fields_uniqueness":
        expected, found = "each key (" + ", ".join(table.key_columns()) + ") once", f"{case} more than once"
    else:
        row = "" if pd.isna(fault["index"]) else f" (row {fault['index']})"
        expected, found = f"{column} to satisfy {check}", f"{case}{row}"
    return TableError(
        table.table_name(),
        expected=expected,
        found=found,
        remedy="see data/README.md for the table's columns",
    )
