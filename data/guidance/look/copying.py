"""A store's tables as one SQLite file for the browser, which is never written again.

The first copy leaves out what takes long, so that there is something to see at once. A later one starts from the one
before and writes only the tables that have changed. The table `figures` says which versions of the store's tables it
has, and `made` holds what `data.guidance.look.made` says.

The copy has no secret of the campaign: keys, accounts and people's files are not read, nor are the tables HIDDEN and
the columns PRIVATE; mail addresses, and names and passwords in addresses, are masked in every text.
"""

import json
import re
import shutil
import sqlite3
from collections.abc import Iterable, Mapping
from contextlib import closing
from datetime import UTC, datetime
from itertools import combinations
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from data.console.errors import ParadeError
from data.console.paths import Address
from data.contract import licences, register
from data.contract.base import Table
from data.contract.stages import name_rejects
from data.contract.tables.campaign import Acceptances, Annotators, Documents, Ratings, SimulatedTruth, Worked
from data.contract.tables.definitions import Cards, Definitions, Licences
from data.contract.tables.game import Attempts, Prompts
from data.contract.tables.generated import GeneratedTexts, Sentences
from data.contract.tables.pairs import Pairs
from data.contract.tables.removals import Rejects
from data.guidance.look import joined
from data.guidance.look.figures import describe_store, list_tables
from data.guidance.look.made import PARTS
from data.recorded.played import latest_attempts
from data.storage.store import Store
from data.texts.identity import pair_id

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
REJECTS: Mapping[str, str] = {
    "text": "what the row said: a card or definition with its name, a pair's two texts; empty for files and papers",
}
ATTEMPTS: Mapping[str, str] = {"sentence": "the sentence that it rewrites"}
GENERATED: Mapping[str, str] = {"source": "the text that it was made from"}
MADE = "made"
"""The table of what the store has beside its campaigns: name, content, versions."""
MANY_ROWS = 20_000
"""Tables with more rows are not in the first copy."""
SLOW_PART = "models"
"""What takes long for many pairs and models: not in the first copy either."""
Texts = tuple[tuple[type[Table], tuple[str, ...], str], ...]
SOURCES_OF_TEXTS: Texts = (
    (Definitions, ("definition_id", "text"), ""),
    (GeneratedTexts, ("text_id", "text"), ""),
    (Sentences, ("sentence_id", "text"), ""),
    (Prompts, ("prompt_id", "text"), ""),
)
"""What others are made from: the columns of the id and of the texts, and what is put between two of these."""
TEXTS: Texts = (
    *SOURCES_OF_TEXTS,
    (Pairs, ("pair_id", "first", "second"), " | "),
    (Cards, ("card_id", "front", "back"), ": "),
    (Definitions, ("definition_id", "entity", "text"), ": "),
)
"""What a row that was dropped may have been; the last one that has its id counts."""
OPTIONS = ("label", "votes", "spread", "generator", "selection", "split", "model")
LISTS = ("flags", "annotators", "decks")
"""The columns of pairs whose values the page offers as filters: plain ones, and lists."""
MOST_OF_ENTITY = 300
"""Of an entity with more definitions, pairs of the others are not named."""
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

SOURCES: Mapping[type[Table], tuple[type[Table], ...]] = {
    Ratings: joined.OF_RATINGS,
    Pairs: joined.OF_PAIRS,
    Cards: (Cards, Licences),
    Rejects: (Rejects, Cards, Definitions, Pairs, Sentences, GeneratedTexts, Prompts),
    Attempts: (Attempts, Prompts),
    GeneratedTexts: (GeneratedTexts, Sentences, Definitions, Prompts),
}
"""The tables of the store that a copied table is made of, where it is not its own alone."""


def is_current(store: Store, path: Path) -> bool:
    """Whether the copy has the last version of every table, and nothing waits for the next copy."""
    with closing(sqlite3.connect(path)) as base:
        figures = _figures(base)
        return figures.get("versions") == _versions(store) and not figures["waiting"]


def copy_store(place: Address, path: Path, before: Path | None = None) -> None:
    """Write the copy to `path`, a new file; of a copy made `before`, keep the tables that have not changed since.

    The first copy, without one before, leaves out tables of more than MANY_ROWS rows and how good models are.
    """
    store = Store(place)
    versions, sizes = _versions(store), list_tables(store)
    found = {table: table.table_name() for table in register.TABLES if table not in HIDDEN and store.exists(table)}
    waiting = [] if before else _find_large(found, {row["table"]: row["rows"] for row in sizes})
    if before is not None:
        shutil.copyfile(before, path)
    with sqlite3.connect(path) as base:
        for pragma in PRAGMAS:
            base.execute(f"pragma {pragma}")
        kept = _kept(base, versions)
        for name in {*_names(base)} & {table.table_name() for table in register.TABLES} - kept - {*found.values()}:
            base.execute(f'drop table "{name}"')
        new = [table for table, name in found.items() if name not in kept and table not in waiting]
        _write_tables(base, store, found, new)
        left = _write_made(base, store, versions, [] if before else [SLOW_PART])
        figures: dict[str, Any] = {"tables": sizes, "rejects": [], "next": [], "collected": None, "campaigns": []}
        figures |= {} if waiting else describe_store(store, sizes)
        figures["waiting"] = [found[table] for table in waiting] + left
        had = {name: version for name, version in versions.items() if name not in figures["waiting"]}
        figures |= {"copied": datetime.now(UTC).isoformat(), "versions": had}
        content = pd.DataFrame({"content": [mask(json.dumps(figures, ensure_ascii=False))]})
        _write(base, "figures", content, [])
        _add_indexes(base, {found[table] for table in new})
        base.execute("analyze")
    base.close()


def _find_large(found: Iterable[type[Table]], sizes: Mapping[str, int]) -> list[type[Table]]:
    """The tables with many rows, or that are made of one with many."""
    large = {table for table in found if sizes[table.table_name()] > MANY_ROWS}
    return [table for table in found if large & {table, *SOURCES.get(table, ())}]


def _write_tables(
    base: sqlite3.Connection, store: Store, found: Mapping[type[Table], str], new: list[type[Table]]
) -> None:
    """Write the new tables, and the values that pairs are filtered by."""
    if not new and _names(base) >= {"filters"}:
        return
    ratings = joined.join_ratings(store) if {Ratings, Pairs} & {*new} else pd.DataFrame()
    for table in new:
        rows = ratings if table is Ratings else read_rows(store, table, ratings)
        _write(base, found[table], rows, _key(table))
        if table is Pairs:
            _index_words(base)
            _write(base, "filters", _options(rows), [])
    if Pairs not in found or "filters" not in _names(base):
        _write(base, "filters", pd.DataFrame(columns=["name", "value", "n"]), [])


def _write_made(
    base: sqlite3.Connection, store: Store, versions: Mapping[str, int | None], later: list[str]
) -> list[str]:
    """Describe again what has changed of `made.PARTS`; the parts that are left for the next copy."""
    base.execute(f"create table if not exists {MADE} (name text primary key, content text, versions text)")
    old = dict(base.execute(f"select name, versions from {MADE}").fetchall())
    left = []
    for name, (describe, tables) in PARTS.items():
        seen = json.dumps([versions[table.table_name()] for table in tables])
        if versions[tables[0].table_name()] is None:
            base.execute(f"delete from {MADE} where name = ?", (name,))
        elif name in later:
            left.append(name)
        elif old.get(name) != seen:
            try:
                content = {"rows": describe(store)}
            except ParadeError as fault:
                content = {"rows": None, "fault": str(fault)}
            row = (name, mask(json.dumps(content, ensure_ascii=False)), seen)
            base.execute(f"insert or replace into {MADE} values (?, ?, ?)", row)
    return left


def _versions(store: Store) -> dict[str, int | None]:
    """Each table's last version."""
    return {table.table_name(): store.version(table) for table in register.TABLES}


def _figures(base: sqlite3.Connection) -> dict[str, Any]:
    """What the table says; nothing of an empty file."""
    if "figures" not in _names(base):
        return {}
    (content,) = base.execute("select content from figures").fetchone()
    figures: dict[str, Any] = json.loads(content)
    return figures


def _kept(base: sqlite3.Connection, versions: Mapping[str, int | None]) -> set[str]:
    """The tables of an earlier copy whose tables in the store are as they were."""
    copied, kept = _figures(base).get("versions", {}), set()
    for table in register.TABLES:
        sources = [one.table_name() for one in SOURCES.get(table, (table,))]
        if all(name in copied and copied[name] == versions[name] for name in sources):
            kept.add(table.table_name())
    return kept & _names(base)


def _names(base: sqlite3.Connection) -> set[str]:
    return {name for (name,) in base.execute("select name from sqlite_master where type = 'table'")}


def columns_of(table: type[Table]) -> dict[str, str]:
    """Each column of the copied table and what it means."""
    own: dict[str, str] = {}
    for name, spec in table.to_schema().columns.items():
        if name not in PRIVATE.get(table, ()):
            own[name] = str(spec.description or "").replace("`", "")
    more: Mapping[type[Table], Mapping[str, str]] = {
        Pairs: joined.PAIRS, Ratings: joined.RATINGS, Cards: CARDS, Rejects: REJECTS, Attempts: ATTEMPTS,
        GeneratedTexts: GENERATED,
    }  # fmt: skip
    return own | dict(more.get(table, {}))


def read_rows(store: Store, table: type[Table], ratings: pd.DataFrame) -> pd.DataFrame:
    """The rows of a table as they are copied; `ratings`: of `join_ratings`, for the pairs."""
    if table is Pairs:
        return joined.join_pairs(store, ratings)
    rows = store.read(table)
    if table is Cards:
        decks = licences.of_decks(rows, store.read(Licences))
        rows = rows.merge(decks[[*licences.DECK, *CARDS]], on=licences.DECK, how="left")
    if table is Rejects:
        rows["stage"] = list(map(name_rejects, rows["stage"], rows["part"]))
        texts = _texts(store, TEXTS)
        unknown = {*rows.loc[rows["stage"].str.startswith("clustering"), "id"]} - {*texts}
        rows.insert(2, "text", rows["id"].map(texts | _pair_texts(store, unknown)))
        rows = rows.drop(columns="part")
    if table is Attempts:
        rows = latest_attempts(rows)
        rows.insert(5, "sentence", rows["prompt_id"].map(_texts(store, SOURCES_OF_TEXTS[-1:])))
    if table is GeneratedTexts:
        rows.insert(2, "source", rows["source_id"].map(_texts(store, SOURCES_OF_TEXTS)))
    return rows.drop(columns=list(PRIVATE.get(table, ())))


def _texts(store: Store, kinds: Texts) -> dict[str, str]:
    """What the texts of these kinds say, by id."""
    texts: dict[str, str] = {}
    for table, columns, mark in kinds:
        ids, *parts = joined.lists(store.read(table, [*columns]).drop_duplicates(columns[0]), *columns)
        texts |= {one: mark.join(str(part or "") for part in said) for one, *said in zip(ids, *parts, strict=True)}
    return texts


def _pair_texts(store: Store, wanted: set[str]) -> dict[str, str]:
    """The two definitions of each of these pairs of one entity that is no row of `pairs`."""
    if not wanted:
        return {}
    definitions = store.read(Definitions, ["definition_id", "entity", "text"])
    found: dict[str, str] = {}
    for _, some in definitions.groupby("entity"):
        rows = list(zip(*joined.lists(some.head(MOST_OF_ENTITY), "definition_id", "text"), strict=True))
        for (first, text), (second, other) in combinations(rows, 2):
            if (pair := pair_id(first, second)) in wanted:
                found[pair] = f"{text} | {other}"
    return found


def _key(table: type[Table]) -> list[str]:
    if table is Rejects:
        return []  # the part is in the stage's name
    if table is Attempts:
        return ["attempt_id"]
    return ["assignment_id"] if table is Ratings else table.key_columns()


def _write(base: sqlite3.Connection, name: str, rows: pd.DataFrame, key: list[str]) -> None:
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
        for pattern, instead in _PATTERNS:
            text = pattern.sub(instead, text)
    return text


def _index_words(base: sqlite3.Connection) -> None:
    base.execute("drop table if exists pairs_words")
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


def _add_indexes(base: sqlite3.Connection, tables: set[str]) -> None:
    for table in sorted(tables & {*INDEXES}):
        for column in INDEXES[table]:
            name = "by_" + table + "_" + re.sub(r"\W", "_", column)
            base.execute(f'create index "{name}" on "{table}" ({column})')
