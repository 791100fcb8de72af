"""A store's tables as one SQLite file for the browser, which is never written again.

A copy starts from the one before and writes only the tables that have changed. Where large ones have, they wait for
one more copy, so that the figures of the campaigns are there early; of a large store, the very first copy has small
tables alone, so that there is something to see at once. The table `figures` says which versions of the store's tables
the copy has, and `made` holds what `data.guidance.look.made` says.

The copy has no secret of the campaign: keys, accounts and people's files are not read, nor what `copied_rows` hides;
mail addresses, and names and passwords in addresses, are masked in every text.
"""

import json
import shutil
import sqlite3
from collections.abc import Iterable, Mapping
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pandas as pd

from data.console.errors import ParadeError
from data.console.paths import Address
from data.contract import register
from data.contract.base import Table
from data.contract.tables.campaign import Ratings
from data.contract.tables.pairs import Pairs
from data.guidance.look import joined
from data.guidance.look.copied_rows import HIDDEN, SOURCES, key_of, read_rows
from data.guidance.look.figures import describe_store, list_tables
from data.guidance.look.made import PARTS
from data.guidance.look.written import PRAGMAS, add_indexes, index_words, list_options, mask, write
from data.storage.snapshot import Snapshot
from data.storage.store import Store

MADE = "made"
"""The table of what the store has beside its campaigns: name, content, versions."""
MANY_ROWS = 20_000
"""Tables with more rows are large."""
FIGURES = "the figures of the campaigns"
"""What the very first copy of a large store lacks, beside tables."""
SLOW_PART = "models"
"""What takes long for many pairs and models: it waits with the large tables."""


def is_current(store: Store, path: Path) -> bool:
    """Whether the copy has the last version of every table, and nothing waits for the next copy."""
    with closing(sqlite3.connect(path)) as base:
        figures = _figures(base)
        return figures.get("versions") == store.versions() and not figures["waiting"]


def copy_store(place: Address, path: Path, before: Path | None = None) -> None:
    """Write the copy to `path`, a new file; of a copy made `before`, keep what has not changed since."""
    versions = Store(place).versions()
    store = Store(place) if set(versions.values()) == {None} else Snapshot(place)
    sizes = list_tables(store)
    shown = {table: table.table_name() for table in register.TABLES if table not in HIDDEN}
    found = {table: name for table, name in shown.items() if versions[name] is not None}
    if before is not None:
        shutil.copyfile(before, path)
    with sqlite3.connect(path) as base:
        for pragma in PRAGMAS:
            base.execute(f"pragma {pragma}")
        had, kept = _figures(base), _kept(base, versions)
        is_early = not had or not had["waiting"] or FIGURES in had["waiting"]  # the tables wait once, not for ever
        large = _find_large(found, {row["table"]: row["rows"] for row in sizes})
        waiting = [table for table in large if found[table] not in kept] if is_early else []
        for name in {*_names(base)} & {table.table_name() for table in register.TABLES} - kept - {*found.values()}:
            base.execute(f'drop table "{name}"')
        new = [table for table, name in found.items() if name not in kept and table not in waiting]
        _write_tables(base, store, found, new)
        left = [found[table] for table in waiting]
        left += _write_made(base, store, versions, [SLOW_PART] if is_early else [])
        figures: dict[str, Any] = {"tables": sizes, "rejects": [], "next": [], "collected": None}
        figures |= {"campaigns": [], "games": []}
        if waiting and not had:
            left.insert(0, FIGURES)
        else:
            figures = had if had.get("described") == versions and had["waiting"] else describe_store(store, sizes)
            figures["described"] = versions
        figures["waiting"], figures["copied"] = left, datetime.now(UTC).isoformat()
        figures["versions"] = {name: version for name, version in versions.items() if name not in left}
        content = pd.DataFrame({"content": [mask(json.dumps(figures, ensure_ascii=False))]})
        write(base, "figures", content, [])
        add_indexes(base, {found[table] for table in new})
        for table in new:
            base.execute(f'analyze "{found[table]}"')
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
        rows = read_rows(store, table, ratings)
        write(base, found[table], rows, key_of(table))
        if table is Pairs:
            index_words(base)
            write(base, "filters", list_options(rows), [])
    if Pairs not in found or "filters" not in _names(base):
        write(base, "filters", pd.DataFrame(columns=["name", "value", "n"]), [])


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
        elif old.get(name) == seen:
            continue
        elif name in later:
            left.append(name)
        else:
            try:
                content = {"rows": describe(store)}
            except ParadeError as fault:
                content = {"rows": None, "fault": str(fault)}
            row = (name, mask(json.dumps(content, ensure_ascii=False)), seen)
            base.execute(f"insert or replace into {MADE} values (?, ?, ?)", row)
    return left


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
