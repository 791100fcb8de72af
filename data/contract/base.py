"""The base of every table's type, and the types of its columns."""

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
Reals = Annotated[pd.ArrowDtype, pa.list_(pa.field("element", pa.float64()))]
_TEXTS, _COUNTS = (pa.list_(pa.field("element", kind)) for kind in (pa.string(), pa.int64()))
_EDIT = pa.struct(
    {"first": _COUNTS, "second": _COUNTS, "old_first": pa.string(), "old_second": pa.string(), "word": pa.string()}
)
_CONTRADICTION = pa.struct({"pair_ids": _TEXTS, "labels": _COUNTS})
Edits = Annotated[pd.ArrowDtype, pa.list_(pa.field("element", _EDIT))]
Contradictions = Annotated[pd.ArrowDtype, pa.list_(pa.field("element", _CONTRADICTION))]


def column(meaning: str, **checks: Any) -> Any:
    """A column that is never null; `meaning` goes to data/README.md, `checks` are keywords of pandera's `Field`."""
    return Field(description=meaning, **checks)


def optional(meaning: str, **checks: Any) -> Any:
    """A column that may be null; otherwise like `column`."""
    return Field(description=meaning, nullable=True, **checks)


class Table(pandera.DataFrameModel):
    """A table's type: no columns but the declared ones, types coerced, keys unique.

    A table's `Config` holds its name, its key (`unique`) and, as `metadata`: its kind, `event` or `derived`, and, for a
    derived table that is replaced in parts, the columns that name the part (`scope`).
    """

    class Config:
        """Pandera's settings, inherited by every table."""

        strict = True
        coerce = True
        ordered = False

    @classmethod
    def table_name(cls) -> str:
        """The table's name, which is also its folder's."""
        return str(cls.__config__.name)

    @classmethod
    def key_columns(cls) -> list[str]:
        """The columns that identify a row."""
        return list(cls.__config__.unique)

    @classmethod
    def table_kind(cls) -> str:
        """`event` (rows are appended) or `derived` (rows are computed and replaced)."""
        return str(cls.__config__.metadata["kind"])

    @classmethod
    def scope_columns(cls) -> list[str]:
        """The columns that name the part of a derived table that one run replaces; empty where it is replaced whole."""
        return list(cls.__config__.metadata.get("scope", []))

    @classmethod
    def arrow_schema(cls) -> pa.Schema:
        """The table's Arrow schema, in the declared order of columns."""
        columns = cls.to_schema().columns.items()
        return pa.schema([pa.field(name, spec.dtype.type.pyarrow_dtype) for name, spec in columns])
