"""The base of every table's type, and the types of its columns."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar, Literal

import pyarrow as pa

Text = Annotated[Any, pa.string()]
Count = Annotated[Any, pa.int64()]
Real = Annotated[Any, pa.float64()]
Truth = Annotated[Any, pa.bool_()]
Instant = Annotated[Any, pa.timestamp("us", tz="UTC")]
Texts = Annotated[Any, pa.list_(pa.string())]
Counts = Annotated[Any, pa.list_(pa.int64())]
Reals = Annotated[Any, pa.list_(pa.float64())]
_TEXTS, _COUNTS = (pa.list_(pa.field("element", kind)) for kind in (pa.string(), pa.int64()))
_EDIT = pa.struct(
    {"first": _COUNTS, "second": _COUNTS, "old_first": pa.string(), "old_second": pa.string(), "word": pa.string()}
)
_CONTRADICTION = pa.struct({"pair_ids": _TEXTS, "labels": _COUNTS})
Edits = Annotated[Any, pa.list_(_EDIT)]
Contradictions = Annotated[Any, pa.list_(_CONTRADICTION)]


@dataclass(frozen=True, kw_only=True)
class Column:
    """A column of a table: its type, what it means and what its values satisfy."""

    meaning: str
    """In words, for data/README.md."""
    nullable: bool
    """Whether a value may be null."""
    rules: Mapping[str, Any]
    """Names of `data.contract.validation.RULES`, each with its limit."""
    default: Any = None
    """What fills a column that the rows do not have, in a table that adds missing ones."""
    kind: pa.DataType = None
    """The type in Arrow; a table sets it from the column's annotation."""


def column(meaning: str, *, default: Any = None, **rules: Any) -> Any:
    """A column that is never null."""
    return Column(meaning=meaning, nullable=False, default=default, rules=rules)


def optional(meaning: str, **rules: Any) -> Any:
    """A column that may be null."""
    return Column(meaning=meaning, nullable=True, rules=rules)


class Table:
    """A table's type: no columns but the declared ones, types coerced, keys unique.

    A subclass says in its head: `name`; `key`, the columns that identify a row; `kind`, `event` (rows are appended) or
    `derived` (rows are computed and replaced); `scope`, the columns that name the part of a derived table that one run
    replaces, none where it is replaced whole; `completes`, whether rows may lack columns that have a default or may be
    null.
    """

    _name: ClassVar[str]
    _kind: ClassVar[str]
    _key: ClassVar[tuple[str, ...]]
    _scope: ClassVar[tuple[str, ...]]
    _columns: ClassVar[dict[str, Column]]
    completes: ClassVar[bool]

    def __init_subclass__(
        cls,
        *,
        name: str,
        key: Sequence[str] = (),
        kind: Literal["event", "derived"] = "derived",
        scope: Sequence[str] = (),
        completes: bool = False,
    ) -> None:
        cls._name, cls._kind, cls._key, cls._scope, cls.completes = name, kind, tuple(key), tuple(scope), completes
        cls._columns = {
            one: replace(getattr(cls, one), kind=annotation.__metadata__[0])
            for one, annotation in cls.__annotations__.items()
        }

    @classmethod
    def table_name(cls) -> str:
        """The table's name, which is also its folder's."""
        return cls._name

    @classmethod
    def table_kind(cls) -> str:
        """`event` (rows are appended) or `derived` (rows are computed and replaced)."""
        return cls._kind

    @classmethod
    def key_columns(cls) -> list[str]:
        """The columns that identify a row."""
        return list(cls._key)

    @classmethod
    def scope_columns(cls) -> list[str]:
        """The columns that name the part of a derived table that one run replaces; empty where it is replaced whole."""
        return list(cls._scope)

    @classmethod
    def columns(cls) -> dict[str, Column]:
        """The columns by name, in the declared order."""
        return dict(cls._columns)

    @classmethod
    def arrow_schema(cls) -> pa.Schema:
        """The table's Arrow schema, in the declared order of columns."""
        return pa.schema([pa.field(one, column.kind) for one, column in cls._columns.items()])
