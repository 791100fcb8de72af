"""The tables' dictionary, data/README.md, written from their types."""

import pyarrow as pa

from data.contract.access import find_access
from data.contract.base import Table
from data.contract.register import TABLES

INTRODUCTION = """\
<!-- Made from the types in data/contract/tables: change those, then run `make dictionary`. -->
# The tables

Rooms meet only here. A store is a folder or an address (`--store`, `$PARADE_STORE`, else `data/store`) with one Delta
table per folder; pandas, polars, DuckDB, Spark and Dask read them without this project's code. `data/contract/tables/`
declares every type, and every write is checked against it.

- **Event** tables grow: a row is something that happened, with its time (UTC). The latest row counts.
- **Derived** tables are computed from others and replaced whole, or in the part that their *scope* names.
- Every version's commit holds its **manifest**: stage, configuration, recipe, seed, versions of the inputs, row counts,
  rejects by reason, library versions, numeric kernel, code version (`python -m data history TABLE`).
- Ids are content hashes (blake2b, 32 hexadecimal digits). What is not defined is null.
- *Rows in = rows out + rejects* at every stage.

In code: `Store(path).read(Pairs)` gives a pandas frame; without this project's code,
`deltalake.DeltaTable("data/store/pairs").to_pandas()` or `python -m data export pairs --out pairs.csv`.
"""

TYPES = {
    "string": "text",
    "int64": "integer",
    "double": "real",
    "bool": "true or false",
    "timestamp[us, tz=UTC]": "time (UTC)",
    "list<item: string>": "list of texts",
    "list<item: int64>": "list of integers",
    "list<item: double>": "list of reals",
}
"""Arrow's names of the columns' types, in plain words."""


def write_dictionary() -> str:
    """The dictionary as Markdown: what a store is, then every table with its key and the meanings of its columns."""
    return "\n".join([INTRODUCTION, *map(_section, TABLES)])


def _section(table: type[Table]) -> str:
    uses = find_access()[table.__name__]
    written, read = (", ".join(f"`{name}`" for name in uses[use]) for use in ("written", "read"))
    scope = f", scope `{', '.join(table.scope_columns())}`" if table.scope_columns() else ""
    lines = [
        f"## {table.table_name()}",
        (table.__doc__ or "").strip(),
        "",
        f"{table.table_kind().capitalize()}, key `{', '.join(table.key_columns())}`{scope}. "
        f"Written in {written}; read in {read}.",
        "",
        "| column | type | meaning |",
        "|---|---|---|",
    ]
    for name, spec in table.columns().items():
        null = " or null" if spec.nullable else ""
        meaning = spec.meaning.replace("|", r"\|")
        lines.append(f"| {name} | {_name_type(spec.kind)}{null} | {meaning} |")
    return "\n".join(lines) + "\n"


def _name_type(kind: pa.DataType) -> str:
    """The type in plain words; of a list of records with the names of their fields."""
    if pa.types.is_list(kind) and pa.types.is_struct(kind.value_type):
        return f"list of records ({', '.join(kind.value_type.names)})"
    return TYPES[str(kind)]
