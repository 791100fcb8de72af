"""A store as it was at one moment: what a report reads."""

from datetime import UTC, datetime
from typing import Any

import pandas as pd

from data.console.errors import InputError
from data.console.paths import Address
from data.contract import register
from data.contract.base import Table
from data.storage.store import Store


class Snapshot(Store):
    """A store whose tables stay at the versions of one moment, by default the latest; nothing is written to it."""

    def __init__(self, place: Address, as_of: datetime | None = None) -> None:
        """Raise InputError if the store had no table at `as_of`."""
        super().__init__(place)
        moment = None if as_of is None else as_of.timestamp() * 1000
        self._manifests = {
            table: [one for one in super(Snapshot, self).history(table) if moment is None or one["at"] <= moment]
            for table in register.TABLES
        }
        if not any(self._manifests.values()):
            raise InputError(
                self.address,
                expected="a store with at least one table" + (f" at {as_of}" if as_of else ""),
                found="no table" if self.is_remote or self.root.is_dir() else "no such folder",
                remedy="see `python -m data --store DIR`, or begin with `python -m crawler.terminology PAPERS`",
            )

    def version(self, table: type[Table]) -> int | None:
        """The table's version then; None if it had not been written."""
        manifests = self._manifests[table]
        return int(manifests[0]["version"]) if manifests else None

    def history(self, table: type[Table]) -> list[dict[str, Any]]:
        """The manifests of the table's versions until then, latest first."""
        return self._manifests[table]

    def read(
        self, table: type[Table], columns: list[str] | None = None, version: int | None = None, **where: Any
    ) -> pd.DataFrame:
        """The table's rows as `Store.read` returns them, by default as they were then; none if there were none."""
        then = self.version(table)
        rows = super().read(table, columns, then if version is None else version, **where)
        return rows.iloc[:0] if then is None else rows


def parse_moment(text: str, flag: str = "--as-of") -> datetime:
    """The moment of an ISO date or time, in UTC unless it names another zone; raises InputError for anything else."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as fault:
        raise InputError(
            flag,
            expected="a date or time such as 2026-11-20 or 2026-11-20T18:30",
            found=repr(text),
            remedy="correct it",
        ) from fault
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
