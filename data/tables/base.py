"""What all tables share: the types of columns, the base of a table's type, and what it says of itself."""

import sys
from types import ModuleType, SimpleNamespace
from typing import Annotated, Any, cast

import pandas as pd
import pandera.pandas as pandera
import pyarrow as pa
from pandera.pandas import Field

# pandera imports dask.dataframe (0.7 s) wherever dask is installed, to know its frames; none of ours is one
sys.modules.setdefault("pandera.typing.dask", cast(ModuleType, SimpleNamespace(DASK_INSTALLED=False)))

Text = Annotated[pd.ArrowDtype, pa.string()]
Count = Annotated[pd.ArrowDtype, pa.int64()]
Real = Annotated[pd.ArrowDtype, pa.float64()]
Truth = Annotated[pd.ArrowDtype, pa.bool_()]
Instant = Annotated[pd.ArrowDtype, pa.timestamp("us", tz="UTC")]
Texts = Annotated[pd.ArrowDtype, pa.list_(pa.field("element", pa.string()))]
Counts = Annotated[pd.ArrowDtype, pa.list_(pa.field("element", pa.int64()))]


def optional(**checks: Any) -> Any:
    """A column that may be null."""
    return Field(nullable=True, **checks)


class Table(pandera.DataFrameModel):
    """What all tables share: no column but the declared ones, types coerced, keys unique."""

    class Config:
        """Pandera's settings, inherited by every table."""

        strict = True
        coerce = True
        ordered = False


def name(table: type[Table]) -> str:
    """The table's name, which is also its folder's."""
    return str(table.__config__.name)


def key(table: type[Table]) -> list[str]:
    """The columns that identify a row."""
    return list(table.__config__.unique)


def kind(table: type[Table]) -> str:
    """`event` (rows are appended) or `derived` (rows are computed and replaced)."""
    return str(table.__config__.metadata["kind"])


def scope(table: type[Table]) -> list[str]:
    """The columns that name the part of a derived table that one run replaces; empty where it is replaced whole."""
    return list(table.__config__.metadata.get("scope", []))


def arrow(table: type[Table]) -> pa.Schema:
    """The table's Arrow schema, in the declared order of columns."""
    columns = table.to_schema().columns.items()
    return pa.schema([pa.field(column, spec.dtype.type.pyarrow_dtype) for column, spec in columns])
