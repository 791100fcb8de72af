"""What a table's rows are checked for, whatever form they come in."""

import pandas as pd
import pytest

from data.console.errors import TableError
from data.contract import register
from data.contract.base import Table
from data.contract.tables.pairs import Pairs
from data.contract.validation import checked


@pytest.mark.parametrize("table", register.TABLES, ids=lambda table: table.table_name())
@pytest.mark.parametrize("dtype", ["object", "str", "float64"])
def test_no_rows_are_rows_of_every_table(table: type[Table], dtype: str) -> None:
    names = table.arrow_schema().names
    rows = checked(table, pd.DataFrame({name: pd.Series([], dtype=dtype) for name in names}))
    assert rows.empty
    assert [rows[name].dtype.pyarrow_dtype for name in names] == table.arrow_schema().types


def test_columns_are_checked_even_without_rows() -> None:
    with pytest.raises(TableError, match="pairs: expected a column parents"):
        checked(Pairs, pd.DataFrame({name: [] for name in Pairs.arrow_schema().names if name != "parents"}))
    with pytest.raises(TableError, match="pairs: expected only the declared columns, found more"):
        checked(Pairs, pd.DataFrame({name: [] for name in (*Pairs.arrow_schema().names, "more")}))
