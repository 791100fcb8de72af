"""How a stage makes its part of a table: only where it is out of date, with its rejects, and with a report."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pandas as pd

from data.console.memory import return_memory
from data.console.messages import quantity, say
from data.contract.base import Table
from data.storage.manifest import Manifest
from data.storage.store import Store


@dataclass(frozen=True, kw_only=True)
class Made:
    """What a stage made of its part of a table."""

    rows: pd.DataFrame
    lines: Iterable[str] = ()
    """What to print about them."""
    rejects: pd.DataFrame | None = None
    """The rejects: id, reason, detail; None if the stage drops nothing."""
    why: Mapping[str, str] = field(default_factory=dict)
    """What a reason means, where its name does not say it."""
    counts: Mapping[str, Any] = field(default_factory=dict)
    """Numbers for the manifest, beside the numbers of rows and rejects."""
    beside: Sequence[tuple[type[Table], pd.DataFrame, Mapping[str, Any]]] = ()
    """Other tables that are written with it, first: each with its rows and the part that they replace."""


def run_stage(
    store: Store, table: type[Table], manifest: Manifest, make: Callable[[], Made], *, noun: str = "", **scope: Any
) -> None:
    """Make the part of the table that `scope` names, unless it was made from the same; the caller holds the lock.

    Rejects are stored under the stage and, where the table has parts, the part. The table itself is written last, so
    that a killed run starts over. `noun` is the word for a row, such as "label"; without it, nothing is printed.
    """
    of = " of " + ", ".join(f"`{value}`" for value in scope.values()) if scope else ""
    if store.is_current(table, manifest, **scope):
        if noun:
            say(f"the {noun}s{of} are up to date: nothing to do")
        return
    made = make()
    return_memory()
    dropped: dict[str, int] = {}
    manifest = replace(manifest, counts={**manifest.counts, **made.counts, "rows_out": len(made.rows)})
    if made.rejects is not None:
        dropped = {str(reason): int(n) for reason, n in made.rejects["reason"].value_counts().sort_index().items()}
        manifest = replace(manifest, counts={**manifest.counts, "rejects": dropped})
        store.reject(manifest.stage, made.rejects, manifest, part=str(next(iter(scope.values()), "")))
    for other, rows, part in made.beside:
        store.replace(other, rows, manifest, **part)
        return_memory()
    version = store.replace(table, made.rows.assign(**scope), manifest, **scope)
    for line in made.lines:
        say(line)
    for reason, n in dropped.items():
        say(f"  {n:,} dropped: {reason}" + (f": {made.why[reason]}" if reason in made.why else ""))
    if noun:
        say(f"{quantity(len(made.rows), noun)}{of} written to {store.path(table)} (version {version})")
