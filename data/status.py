"""The status of a store: what each table holds, what was dropped and why, and what to run next."""

from datetime import UTC, datetime

import pandas as pd

from data.stages import BEFORE_RATINGS, REPORT, STAGES
from data.store import Store
from data.tables import register
from data.tables.base import Table
from data.tables.generated import GeneratedTexts, Sentences
from data.tables.pairs import Pairs
from data.tables.removals import Rejects


def tables(store: Store) -> pd.DataFrame:
    """One row per table written: table, kind, rows, version, at (UTC), by (the stage), state.

    `state` is `current`, or `behind` with the names of the tables that have newer versions.
    """
    rows = []
    for table in register.TABLES:
        last = store.manifest(table)
        if last is None:
            continue
        rows.append(
            {
                "table": table.table_name(),
                "kind": table.table_kind(),
                "rows": len(store.read(table, columns=table.key_columns())),
                "version": last["version"],
                "at": datetime.fromtimestamp(last["at"] / 1000, UTC),
                "by": last["stage"],
                "state": " ".join(["behind", *moved]) if (moved := behind(store, table)) else "current",
            }
        )
    return pd.DataFrame(rows, columns=["table", "kind", "rows", "version", "at", "by", "state"])


def behind(store: Store, table: type[Table]) -> list[str]:
    """The inputs of a derived table that have changed since it was computed; empty if it is current."""
    last = store.manifest(table)
    if last is None or table.table_kind() == "event":
        return []
    versions = {other.table_name(): store.version(other) for other in register.TABLES}
    return [name for name, used in last["inputs"].items() if name in versions and versions[name] != used]


def rejects(store: Store) -> pd.DataFrame:
    """The number of rows that each stage dropped, by reason: stage, reason, rows."""
    dropped = store.read(Rejects, columns=["stage", "reason"])
    return dropped.groupby(["stage", "reason"], as_index=False).size().rename(columns={"size": "rows"})


def next_commands(store: Store) -> tuple[str, ...]:
    """The commands of the first needed stage whose table is missing or behind its inputs, then of optional ones behind.

    Pairs of other texts than definitions need none of the stages that lead to these.
    """
    optional = [command for stage in STAGES if not stage.needed and behind(store, stage.table)
                for command in stage.commands]  # fmt: skip
    return (*_next_needed(store), *optional)


def _next_needed(store: Store) -> tuple[str, ...]:
    has_sentences = store.exists(Sentences)
    for stage in STAGES:
        missing = not store.exists(stage.table)
        if stage.needed and has_sentences and missing and stage.name in BEFORE_RATINGS:
            if stage.table is Pairs:
                return next(stage.commands for stage in STAGES if stage.table is GeneratedTexts)
            continue
        if stage.needed and (missing or behind(store, stage.table)):
            return stage.commands
    return REPORT
