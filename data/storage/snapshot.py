"""A store as it was at one moment: what a report reads."""

from datetime import UTC, datetime
from typing import Any

from deltalake import DeltaTable

from data.console.errors import InputError
from data.console.paths import Address
from data.contract.base import Table
from data.storage.store import Store


class Snapshot(Store):
    """A store whose tables stay at the versions of one moment, by default the latest; nothing is written to it."""

    def __init__(self, place: Address, as_of: datetime | None = None) -> None:
        """Raise InputError if the store had no table at `as_of`."""
        super().__init__(place)
        moment = None if as_of is None else as_of.timestamp() * 1000
        histories = {table: super(Snapshot, self).history(table) for table in super().tables()}
        self._manifests = {
            table: then
            for table, manifests in histories.items()
            if (then := [one for one in manifests if moment is None or one["at"] <= moment])
        }
        self._opened: dict[type[Table], DeltaTable | None] = {}
        if not self._manifests:
            raise InputError(
                self.address,
                expected="a store with at least one table" + (f" at {as_of}" if as_of else ""),
                found="no table" if self.is_remote or self.root.is_dir() else "no such folder",
                remedy="see `python -m data --store DIR`, or begin with `python -m crawler.terminology PAPERS`",
            )

    def tables(self) -> list[type[Table]]:
        """The tables that had been written then, in the contract's order."""
        return list(self._manifests)

    def exists(self, table: type[Table]) -> bool:
        """Whether the table had been written then."""
        return table in self._manifests

    def version(self, table: type[Table]) -> int | None:
        """The table's version then; None if it had not been written."""
        return int(self._manifests[table][0]["version"]) if self.exists(table) else None

    def history(self, table: type[Table]) -> list[dict[str, Any]]:
        """The manifests of the table's versions until then, latest first."""
        return self._manifests.get(table, [])

    def _open(self, table: type[Table], version: int | None = None) -> DeltaTable | None:
        """The table at the version, by default as it was then; None if it had not been written."""
        if version is not None:
            return super()._open(table, version)
        if table not in self._opened:
            self._opened[table] = super()._open(table, self.version(table)) if self.exists(table) else None
        return self._opened[table]


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
