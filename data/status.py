"""The status of a store: what each table holds, what was dropped and why, and what to run next."""

from datetime import UTC, datetime

import pandas as pd

from data.stages import BEFORE_RATINGS, REPORT, STAGES, Stage
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
    """The inputs of a derived table that have changed since it was computed; empty if it is current.

    What the same command wrote after it, such as the labels that follow from new pairs, is no change. What `plan` added
    for its campaign stays as it is.
    """
    last = store.manifest(table)
    if last is None or table.table_kind() == "event" or last["stage"].startswith("annotation.plan."):
        return []
    others = {
        other.table_name(): store.manifest(other) for other in register.TABLES if other.table_name() in last["inputs"]
    }
    return [
        name
        for name, other in others.items()
        if other and other["version"] != last["inputs"][name] and other["stage"] != last["stage"]
    ]


def rejects(store: Store) -> pd.DataFrame:
    """The number of rows that each stage dropped, by reason: stage, reason, rows."""
    dropped = store.read(Rejects, columns=["stage", "reason"])
    return dropped.groupby(["stage", "reason"], as_index=False).size().rename(columns={"size": "rows"})


def next_commands(store: Store) -> tuple[str, ...]:
    """The commands of the first needed stage whose table is missing or behind its inputs, then of optional ones behind.

    Pairs of other texts than definitions need none of the stages that lead to these. What another command of
    generation wrote last is made again by that one.
    """
    optional = [command for stage in STAGES if not stage.needed for command in _again(store, stage)]
    return (*dict.fromkeys((*_next_needed(store), *optional)),)


def _again(store: Store, stage: Stage) -> tuple[str, ...]:
    """The commands that make a table anew which is behind its inputs."""
    last = store.manifest(stage.table)
    if last is None or not behind(store, stage.table):
        return ()
    room, verb, *_ = f"{last['stage']}..".split(".")
    if any(command.startswith(f"python -m {room} {verb}") for command in stage.commands):
        return stage.commands
    if room == "generation":
        return (f"python -m generation {verb}",)
    return stage.commands


def _next_needed(store: Store) -> tuple[str, ...]:
    has_sentences = store.exists(Sentences)
    for stage in STAGES:
        missing = not store.exists(stage.table)
        if stage.needed and has_sentences and missing and stage.name in BEFORE_RATINGS:
            if stage.table is Pairs:
                return next(stage.commands for stage in STAGES if stage.table is GeneratedTexts)
            continue
        if stage.needed and missing:
            return stage.commands
        if stage.needed and (again := _again(store, stage)):
            return again
    return REPORT
