"""A SQLite file and its tables, written once: rows with masked texts, indexes, and the words to search pairs by."""

import json
import re
import sqlite3
from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

MASKS = (
    (re.compile(r"://[^/\s@]{1,200}@"), "://"),
    (re.compile(r"[\w.+%-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}"), "[mail address]"),
)
"""What is masked in every text, and by what."""

OPTIONS = ("label", "votes", "spread", "generator", "selection", "split", "model")
LISTS = ("flags", "annotators", "decks")
"""The columns of pairs whose values the page offers as filters: plain ones, and lists."""
MOST_OPTIONS = 200
"""How many values of a column are offered."""
INDEXES: Mapping[str, tuple[str, ...]] = {
    "pairs": ("pair_id", "entity", "label", "votes", "spread", "generator", "selection", "split", "ratings", "score"),
    "ratings": ("pair_id", "campaign, annotator", "submitted_at", "score", "assignment_id"),
    "labels": ("pair_id",),
    "sightings": ("definition_id",),
    "cards": ("card_id",),
    "rejects": ("stage, reason",),
    "predictions": ("pair_id",),
    "generated_texts": ("text_id",),
    "attempts": ("attempt_id",),
}
"""The columns by which rows are found."""


PRAGMAS = (
    "journal_mode = off", "synchronous = off", "locking_mode = exclusive",
    "secure_delete = on",  # a text that was taken down is in no byte of a later copy
    "cache_size = -300000",  # KiB: rows of large tables do not come in the order of their keys
)  # fmt: skip


def write(base: sqlite3.Connection, name: str, rows: pd.DataFrame, key: list[str]) -> None:
    """Write a table with its rows."""
    content = pa.Table.from_pandas(rows, preserve_index=False)
    kinds = [_kind(field.type) for field in content.schema]
    base.execute(f'drop table if exists "{name}"')
    columns = [f'"{field}" {kind}' for field, kind in zip(content.schema.names, kinds, strict=True)]
    if key:
        columns.append("primary key (" + ", ".join(f'"{one}"' for one in key) + ")")
    base.execute(f'create table "{name}" ({", ".join(columns)})')
    places = ", ".join("?" * content.num_columns)
    values = [_values(content.column(place)) for place in range(content.num_columns)]
    base.executemany(f'insert or ignore into "{name}" values ({places})', zip(*values, strict=True))


def _kind(kind: pa.DataType) -> str:
    if pa.types.is_integer(kind) or pa.types.is_boolean(kind):
        return "integer"
    return "real" if pa.types.is_floating(kind) else "text"


def _values(column: pa.ChunkedArray) -> Iterable[Any]:
    """The column's values as SQLite takes them: times to the second, lists as JSON, texts masked."""
    kind = column.type
    if pa.types.is_timestamp(kind):
        column = column.cast(pa.timestamp("s"), safe=False).cast(pa.string())
    elif pa.types.is_nested(kind):
        return [_as_json(one) for one in column.to_pylist()]
    elif pa.types.is_string(kind) or pa.types.is_large_string(kind):
        texts: list[str | None] = column.to_pylist()
        if not pc.any(pc.match_substring(column, "@")).as_py():
            return texts
        return [one if one is None or "@" not in one else mask(one) for one in texts]
    elif pa.types.is_null(kind):
        return [None] * len(column)
    values: list[Any] = column.to_pylist()
    return values


def _as_json(value: Any) -> str | None:
    if value is None:
        return None
    return mask(json.dumps(value, ensure_ascii=False)) if value else "[]"


def mask(text: str) -> str:
    """The text without mail addresses, and without names and passwords in addresses."""
    if "@" in text:
        for pattern, instead in MASKS:
            text = pattern.sub(instead, text)
    return text


def index_words(base: sqlite3.Connection) -> None:
    """Let the words of the pairs be searched."""
    base.execute("drop table if exists pairs_words")
    base.execute(
        'create virtual table pairs_words using fts5(entity, first, second, content="pairs", '
        'tokenize="unicode61 remove_diacritics 2")'
    )
    base.execute("insert into pairs_words(pairs_words) values ('rebuild')")


def list_options(pairs: pd.DataFrame) -> pd.DataFrame:
    """The values of the columns that pairs are filtered by: name, value, n; the most frequent ones of each."""
    rows: list[tuple[str, str, int]] = []
    for name in OPTIONS:
        counts = pairs[name].dropna().astype("str").value_counts().head(MOST_OPTIONS).sort_index()
        rows += [(name, str(value).removesuffix(".0"), int(n)) for value, n in counts.items()]
    for name in LISTS:
        values = pairs[name].dropna().map(json.loads).explode().value_counts().head(MOST_OPTIONS).sort_index()
        rows += [(name, mask(str(value)), int(n)) for value, n in values.items()]
    return pd.DataFrame(rows, columns=["name", "value", "n"]).astype({"n": "int64"})


def add_indexes(base: sqlite3.Connection, tables: set[str]) -> None:
    """Index the columns by which rows of these tables are found."""
    for table in sorted(tables & {*INDEXES}):
        for column in INDEXES[table]:
            base.execute(f'create index "by_{table}_{column}" on "{table}" ({column})')
