"""The tables: Delta tables in one folder or at one address, checked when written, with a manifest in every commit.

A commit is made on the version that its rows were made for. Where another process commits first, the work is done
again on the new version: no lock is needed for that, on disk or on object storage.
"""

import fcntl
import json
import os
import random
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from time import sleep
from typing import Any, TypeVar

import pandas as pd
from deltalake import DeltaTable
from deltalake.exceptions import CommitFailedError

from data.console.errors import TableError
from data.console.paths import Address, address
from data.contract import register
from data.contract.base import Table
from data.contract.tables.removals import Rejects
from data.contract.validation import checked
from data.storage.delta import Delta, predicate
from data.storage.locks import LOCKS, hold_here, hold_lease, list_leases, lock_file
from data.storage.manifest import Manifest
from data.storage.object_storage import folder_here, last_versions, list_folders

T = TypeVar("T")

PARTS_OF_MANIFEST = {"stage": str, "part": str, "scope": dict, "config": dict, "inputs": dict, "fingerprint": str}
"""What commands read of a version's manifest."""

MOST_TRIES = 20
"""How often a commit is tried while others commit first."""


class Store:
    """A folder of tables, or an address of them. Nothing is created before the first write."""

    def __init__(self, place: Address) -> None:
        """`place`: the folder or the address; raises InputError for an address that cannot be used."""
        self.address = address(place)
        self.root = folder_here(self.address) if isinstance(self.address, str) else self.address
        """The store's folder on this machine: ledgers, accounts, unfinished work, and locks of its processes; the
        tables, too, where the store is on disk."""
        self._deltas: dict[type[Table], Delta] = {}

    @staticmethod
    def default_address() -> Address:
        """`$PARADE_STORE`, else `data/store` under the working directory."""
        return address(os.environ.get("PARADE_STORE", "data/store"))

    @property
    def is_remote(self) -> bool:
        """Whether the tables are on object storage."""
        return isinstance(self.address, str)

    @property
    def shards(self) -> Path:
        """The folder of unfinished work in shards; it holds texts of the tables."""
        return self.root / "shards"

    def path(self, table: type[Table]) -> Address:
        """The table's folder or address."""
        name = table.table_name()
        return f"{self.address}/{name}" if isinstance(self.address, str) else self.address / name

    def delta(self, table: type[Table]) -> Delta:
        """The table as Delta Lake has it."""
        if table not in self._deltas:
            self._deltas[table] = Delta(table, self.path(table))
        return self._deltas[table]

    def exists(self, table: type[Table]) -> bool:
        """Whether the table was ever written."""
        return self.delta(table).exists()

    def tables(self) -> list[type[Table]]:
        """The tables that were ever written, in the contract's order.

        At an address it is one listing, and a table whose first write was cut off counts, too.
        """
        if isinstance(self.address, str):
            names = list_folders(self.address)
            return [table for table in register.TABLES if table.table_name() in names]
        return [table for table in register.TABLES if self.delta(table).exists()]

    def version(self, table: type[Table]) -> int | None:
        """The table's latest version, from 0; None if it was never written."""
        latest = self.delta(table).latest()
        return None if latest is None else latest.version()

    def versions(self) -> dict[str, int | None]:
        """The latest version of every table that the contract knows, by its name; None if it was never written.

        At an address it is one listing, and one more per table that was written.
        """
        if not isinstance(self.address, str):
            return {table.table_name(): self.version(table) for table in register.TABLES}
        written = [table.table_name() for table in self.tables()]
        return dict.fromkeys(table.table_name() for table in register.TABLES) | last_versions(self.address, written)

    def inputs(self, *tables: type[Table]) -> dict[str, int | str | None]:
        """Names of tables with their versions, as a manifest's `inputs`."""
        return {table.table_name(): self.version(table) for table in tables}

    def read(
        self,
        table: type[Table],
        columns: list[str] | None = None,
        version: int | None = None,
        **where: Any,
    ) -> pd.DataFrame:
        """The table's rows, sorted by key, in Arrow-typed columns; empty if it was never written.

        `where` selects the rows whose columns equal the given values; `version` reads the past. An optional column that
        is newer than the version is null. Raises TableError if the table has no such version, or if the version lacks
        a column that cannot be null.
        """
        return self.delta(table).rows(self._open(table, version), columns, where)

    def distinct(self, table: type[Table], column: str, **where: Any) -> set[Any]:
        """The values of a column, each once, None for null; of the rows that `where` selects, as in `read`."""
        return self.delta(table).distinct(self._open(table), column, where)

    def count(self, table: type[Table]) -> int:
        """The number of the table's rows; 0 if it was never written."""
        return self.delta(table).count(self._open(table))

    def _open(self, table: type[Table], version: int | None = None) -> DeltaTable | None:
        """The table at the version, by default the latest; None if it was never written."""
        return self.delta(table).at(version)

    def append(self, table: type[Table], frame: pd.DataFrame, manifest: Manifest) -> int | None:
        """Add the rows whose key is new to an event table; return the new version, or None if no row was new."""
        self._expect(table, "event")
        rows = checked(table, frame)
        key = table.key_columns()

        def add(known: DeltaTable | None) -> int | None:
            seen = pd.MultiIndex.from_frame(self.delta(table).rows(known, key, {}))
            new = rows[~pd.MultiIndex.from_frame(rows[key]).isin(seen)]
            if new.empty:
                return None
            return self.delta(table).append(known, new, manifest.to_json({}))

        return self._commit(table, add)

    def replace(self, table: type[Table], frame: pd.DataFrame, manifest: Manifest, **scope: Any) -> int:
        """Replace a derived table, or the part of it that `scope` names, in one commit; return the new version.

        All rows must belong to the part. `scope` gives a value for each of the table's scope columns.
        """
        self._expect(table, "derived")
        self._check_scope(table, frame, scope)
        rows = checked(table, frame)

        def put(known: DeltaTable | None) -> int:
            part = scope and known is not None and _has_parts(table, known)
            how = {"predicate": predicate(scope), "schema_mode": "merge"} if part else {"schema_mode": "overwrite"}
            return self._write(known, table, rows, manifest, scope, mode="overwrite", **how)

        return self._commit(table, put)

    def reject(self, stage: str, rejects: pd.DataFrame, manifest: Manifest, part: str = "") -> int:
        """Replace the rejects of a stage and part of it; `rejects` has the columns id, reason, detail."""
        rows = rejects.assign(stage=stage, part=part)
        return self.replace(Rejects, rows, manifest, stage=stage, part=part)

    def erase(self, table: type[Table], leave: Callable[[pd.DataFrame], pd.DataFrame], stage: str) -> int:
        """Replace the table's rows by what `leave` returns for them, and delete the files of all past versions.

        Files that an interrupted write left go as well. Returns the number of rows removed; after an interruption, run
        it again to complete it.
        """
        delta = self.delta(table)
        if not delta.exists():
            return 0

        def put(known: DeltaTable | None) -> int:
            rows = delta.rows(known, None, {})
            kept = checked(table, leave(rows))
            n = len(rows) - len(kept)
            manifest = Manifest(stage=stage, counts={"rows_removed": n})
            self._write(known, table, kept, manifest, {}, mode="overwrite")
            return n

        n = self._commit(table, put)
        self._commit(table, delta.forget_past)
        return n

    def is_current(self, table: type[Table], manifest: Manifest, **scope: Any) -> bool:
        """Whether the part was last made from the same inputs, configuration and code, with nothing erased since."""
        last = next((record for record in self.history(table) if record["scope"] in ({}, scope)), None)
        return last is not None and last["fingerprint"] == manifest.fingerprint()

    def manifest(self, table: type[Table], **scope: Any) -> dict[str, Any] | None:
        """The manifest of the part's latest version; None if there is none."""
        return next((record for record in self.history(table) if not scope or record["scope"] == scope), None)

    def config(self, table: type[Table], **scope: Any) -> dict[str, Any]:
        """The configuration that the part was made with; empty if there is none."""
        return dict((self.manifest(table, **scope) or {}).get("config", {}))

    def history(self, table: type[Table]) -> list[dict[str, Any]]:
        """The manifests of the table's versions, latest first, each with its `version` and `at` (Unix milliseconds)."""
        commits = self.delta(table).history()
        return [self._read_manifest(table, commit) for commit in commits if "parade" in commit]

    def _read_manifest(self, table: type[Table], commit: Mapping[str, Any]) -> dict[str, Any]:
        remedy, version = "restore its folder from a copy of the store", commit["version"]
        try:
            manifest = dict(json.loads(commit["parade"]))
        except (ValueError, TypeError, RecursionError) as fault:
            expected, found = "the manifest of every version", f"none that can be read in version {version}"
            raise TableError(self.path(table), expected=expected, found=found, remedy=remedy) from fault
        for part, kind in PARTS_OF_MANIFEST.items():
            if not isinstance(manifest.get(part), kind):
                expected, found = f"a manifest with {part}", f"{manifest.get(part, 'none')} in version {version}"
                raise TableError(self.path(table), expected=expected, found=found, remedy=remedy)
        return manifest | {"version": version, "at": commit["timestamp"]}

    @contextmanager
    def lock(self, name: str) -> Iterator[None]:
        """Hold the named lock, which ends with its process. Raises StoreBusy if another process holds it."""
        with hold_here(self.root, name, self.address):
            if not isinstance(self.address, str):
                yield
                return
            with hold_lease(self.root, name, self.address):
                yield

    def _commit(self, table: type[Table], make: Callable[[DeltaTable | None], T]) -> T:
        """What `make` returns for the table's latest version, which it commits to; again where others commit first."""
        with lock_file(self.root, f"{table.table_name()}.table") as file:
            fcntl.flock(file, fcntl.LOCK_EX)  # of this machine's processes, each waits for its turn
            for _ in range(MOST_TRIES):
                try:
                    return make(self.delta(table).latest())
                except CommitFailedError:
                    sleep(random.random())  # noqa: S311 - machines that met once are not to meet again
        raise TableError(
            self.path(table),
            expected=f"a commit in {MOST_TRIES} tries",
            found="that other runs committed first each time",
            remedy="run the same command again once they have ended",
        )

    def _write(
        self,
        known: DeltaTable | None,
        table: type[Table],
        rows: pd.DataFrame,
        manifest: Manifest,
        scope: Mapping[str, Any],
        **how: Any,
    ) -> int:
        return self.delta(table).write(known, rows, manifest.to_json(scope), **how)

    def _expect(self, table: type[Table], kind: str) -> None:
        if table.table_kind() != kind:
            raise TypeError(f"{table.table_name()} is no {kind} table")

    def _check_scope(self, table: type[Table], frame: pd.DataFrame, scope: Mapping[str, Any]) -> None:
        if sorted(scope) != sorted(table.scope_columns()):
            raise TypeError(f"{table.table_name()} is replaced by {table.scope_columns()}, not by {list(scope)}")
        for column, value in scope.items():
            if not (frame[column] == value).all():
                raise TypeError(f"{table.table_name()}: rows outside the part {column} = {value!r}")


def _has_parts(table: type[Table], known: DeltaTable) -> bool:
    """Whether the version has the columns that name a part; an older release may have had other ones."""
    return {field.name for field in known.schema().fields} >= set(table.scope_columns())


def next_instant(earlier: "pd.Series[Any]") -> datetime:
    """The time of a row that counts instead of earlier ones: now or, where the clock was set back, right after them."""
    now, latest = datetime.now(UTC), earlier.max()
    return now if pd.isna(latest) else max(now, (latest + pd.Timedelta(microseconds=1)).to_pydatetime())


@contextmanager
def all_locks(store: Store) -> Iterator[None]:
    """Hold all locks of the store, so that no other process writes it."""
    names = {path.stem for path in (store.root / LOCKS).glob("*.lock")}
    if isinstance(store.address, str):
        names.update(list_leases(store.address))
    with ExitStack() as locks:
        for name in sorted(names):
            locks.enter_context(store.lock(name))
        yield
