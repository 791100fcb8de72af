"""A store's tables as one SQLite file for the browser: read once, column by column, and never written again.

The copy has no secret of the campaign: keys, accounts and people's files are not read, nor are the tables HIDDEN and
the columns PRIVATE; mail addresses, and names and passwords in addresses, are masked in every text.
"""

import json
import re
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from data.contract import licences, register
from data.contract.base import Table
from data.contract.stages import name_rejects
from data.contract.tables.campaign import Acceptances, Annotators, Documents, Ratings, SimulatedTruth, Worked
from data.contract.tables.definitions import Cards, Licences
from data.contract.tables.pairs import Pairs
from data.contract.tables.removals import Rejects
from data.guidance.look import joined
from data.guidance.look.figures import describe_store
from data.storage.store import Store

HIDDEN: frozenset[type[Table]] = frozenset({Acceptances, Documents, SimulatedTruth, Worked, Licences})
"""The tables that are not copied; licences are beside the cards."""

PRIVATE: Mapping[type[Table], tuple[str, ...]] = {Annotators: ("areas",)}
"""The columns that are not copied: for the lead's own use."""

MAIL = r"[\w.+%-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}"
LOGIN = r"://[^/\s@]{1,200}@"
MASKS = ((LOGIN, "://"), (MAIL, "[mail address]"))
"""What is masked in every text, and by what."""
_PATTERNS = tuple((re.compile(pattern), mask) for pattern, mask in MASKS)

CARDS: Mapping[str, str] = {
    "licence": "the deck's licence as the lead states it, else as the source does",
    "credit": "the name to credit, as the lead states it",
}
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

KEY_OF_FIGURES = "store"
LOG = "_delta_log"


def fingerprint(root: Path) -> tuple[tuple[str, str], ...]:
    """The name of each table's last version on disk; another one after every write."""
    logs = ((folder.parent.name, max((path.name for path in folder.glob("*.json")), default="")) for folder in
            sorted(root.glob(f"*/{LOG}")))  # fmt: skip
    return tuple(logs)


def copy_store(root: Path, path: Path) -> None:
    """Write the copy to `path`, a new file."""
    store = Store(root)
    with sqlite3.connect(path) as base:
        base.execute("pragma journal_mode = off")
        base.execute("pragma synchronous = off")
        ratings = joined.join_ratings(store)
        pairs = joined.join_pairs(store, ratings)
        own = {Ratings: ratings, Pairs: pairs}
        for table in register.TABLES:
            if table not in HIDDEN and store.exists(table):
                rows = own[table] if table in own else _read(store, table)
                _write(base, table.table_name(), rows, _key(table))
        if store.exists(Pairs):
            _index_words(base)
        _write(base, "filters", _options(pairs), [])
        _keep(base, KEY_OF_FIGURES, describe_store(store) | {"copied": datetime.now(UTC).isoformat()})
        _add_indexes(base)
        base.execute("analyze")
    base.close()


def columns_of(table: type[Table]) -> dict[str, str]:
    """Each column of the copied table and what it means."""
    own: dict[str, str] = {}
    for name, spec in table.to_schema().columns.items():
        if name not in PRIVATE.get(table, ()):
            own[name] = str(spec.description or "").replace("`", "")
    more = {Pairs: joined.PAIRS, Ratings: joined.RATINGS, Cards: CARDS}.get(table, {})
    return own | dict(more)


def _read(store: Store, table: type[Table]) -> pd.DataFrame:
    rows = store.read(table)
    if table is Cards:
        decks = licences.of_decks(rows, store.read(Licences))
        rows = rows.merge(decks[[*licences.DECK, *CARDS]], on=licences.DECK, how="left")
    if table is Rejects:
        rows["stage"] = list(map(name_rejects, rows["stage"], rows["part"]))
        rows = rows.drop(columns="part")
    return rows.drop(columns=list(PRIVATE.get(table, ())))


def _key(table: type[Table]) -> list[str]:
    if table is Rejects:
        return []  # the part is in the stage's name
    return ["assignment_id"] if table is Ratings else table.key_columns()


def _write(base: sqlite3.Connection, name: str, rows: pd.DataFrame, key: list[str]) -> None:
    """Write a table with its rows."""
    content = pa.Table.from_pandas(rows, preserve_index=False)
    kinds = [_kind(field.type) for field in content.schema]
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
        column = pc.strftime(column, format="%Y-%m-%d %H:%M:%S")
        column = pc.utf8_slice_codeunits(column, 0, 19)
    elif pa.types.is_nested(kind):
        return [_as_json(one) for one in column.to_pylist()]
    elif pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return [one if one is None or "@" not in one else mask(one) for one in column.to_pylist()]
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
        for pattern, instead in _PATTERNS:
            text = pattern.sub(instead, text)
    return text


def _index_words(base: sqlite3.Connection) -> None:
    base.execute(
        'create virtual table pairs_words using fts5(entity, first, second, content="pairs", '
        'tokenize="unicode61 remove_diacritics 2")'
    )
    base.execute("insert into pairs_words(pairs_words) values ('rebuild')")


def _options(pairs: pd.DataFrame) -> pd.DataFrame:
    """The values of the columns that pairs are filtered by: name, value, n; the most frequent ones of each."""
    rows: list[tuple[str, str, int]] = []
    for name in OPTIONS:
        counts = pairs[name].dropna().astype("str").value_counts().sort_index().head(MOST_OPTIONS)
        rows += [(name, str(value).removesuffix(".0"), int(n)) for value, n in counts.items()]
    for name in LISTS:
        values = pairs[name].dropna().map(json.loads).explode().value_counts().head(MOST_OPTIONS).sort_index()
        rows += [(name, mask(str(value)), int(n)) for value, n in values.items()]
    return pd.DataFrame(rows, columns=["name", "value", "n"]).astype({"n": "int64"})


def _keep(base: sqlite3.Connection, name: str, figures: Mapping[str, Any]) -> None:
    base.execute("create table figures (name text primary key, content text)")
    base.execute("insert into figures values (?, ?)", (name, mask(json.dumps(figures, ensure_ascii=False))))


def _add_indexes(base: sqlite3.Connection) -> None:
    for table, columns in _known(base):
        for column in columns:
            name = "by_" + table + "_" + re.sub(r"\W", "_", column)
            base.execute(f'create index "{name}" on "{table}" ({column})')


def _known(base: sqlite3.Connection) -> Iterator[tuple[str, tuple[str, ...]]]:
    present = {name for (name,) in base.execute("select name from sqlite_master where type = 'table'")}
    yield from ((table, columns) for table, columns in INDEXES.items() if table in present)
