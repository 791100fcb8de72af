"""A store's tables as they stood at one moment: what a report reads."""

from datetime import UTC, datetime
from typing import Any

import pandas as pd

from data.errors import InputError
from data.store import Store
from data.tables import register
from data.tables.base import Table


class Snapshot:
    """The tables of a store at a moment, the latest unless one is given; remembers nothing but versions."""

    def __init__(self, store: Store, as_of: datetime | None = None) -> None:
        """Raises InputError where the store held no table at `as_of`."""
        self.store = store
        moment = None if as_of is None else as_of.timestamp() * 1000
        self._manifests = {
            table.table_name(): [one for one in store.history(table) if moment is None or one["at"] <= moment]
            for table in register.TABLES
        }
        if not any(self._manifests.values()):
            raise InputError(
                store.root,
                expected="a store with at least one table" + (f" at {as_of}" if as_of else ""),
                found="no table" if store.root.is_dir() else "no such folder",
                remedy="see `python -m data --store DIR`, or begin with `python -m crawler.terminology PAPERS`",
            )

    def read(self, table: type[Table], columns: list[str] | None = None, **where: Any) -> pd.DataFrame:
        """The table's rows as `Store.read` gives them; empty where it was not written by then."""
        manifests = self._manifests[table.table_name()]
        version = manifests[0]["version"] if manifests else None
        rows = self.store.read(table, columns, version, **where)
        return rows if manifests else rows.iloc[:0]

    def config(self, table: type[Table], **scope: Any) -> dict[str, Any]:
        """The configuration that the table's part was made with; empty where it was not written by then."""
        made = (one["config"] for one in self._manifests[table.table_name()] if one["scope"] == scope)
        return dict(next(made, {}))

    def tables(self) -> list[dict[str, Any]]:
        """The versions in use, one a table: table, version, at (UTC), stage, recipe, seed, code, inputs."""
        return [
            {
                "table": table,
                "version": last["version"],
                "at": f"{datetime.fromtimestamp(last['at'] / 1000, UTC):%Y-%m-%d %H:%M:%S}",
                **{field: last[field] for field in ("stage", "recipe", "seed", "code", "inputs")},
            }
            for table, (last, *_) in ((name, found) for name, found in self._manifests.items() if found)
        ]


def parse_moment(text: str) -> datetime:
    """The moment of an ISO date or time, UTC unless it says otherwise; raises InputError for anything else."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as fault:
        raise InputError(
            "--as-of",
            expected="a date or time such as 2026-11-20 or 2026-11-20T18:30",
            found=repr(text),
            remedy="mend it",
        ) from fault
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
