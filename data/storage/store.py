"""The tables: Delta tables in one folder or at one address, checked when written, with a manifest in every commit.

A commit is made on the version that its rows were made for. Where another process commits first, the work is done
again on the new version: no lock is needed for that, on disk or on object storage.
"""

import fcntl
import json
import os
import random
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from time import sleep
from typing import Any, TypeVar

import pandas as pd
import pyarrow as pa
from deltalake import DeltaTable, QueryBuilder, write_deltalake
from deltalake.exceptions import CommitFailedError, DeltaError, TableNotFoundError
from deltalake.fs import DeltaStorageHandler
from pyarrow.fs import LocalFileSystem, SubTreeFileSystem

from data.console.errors import TableError
from data.console.paths import Address, address, last_name
from data.contract.base import Table
from data.contract.tables.removals import Rejects
from data.contract.validation import checked
from data.files import parquet
from data.storage.commits import one_commit
from data.storage.locks import LOCKS, hold_here, hold_lease, list_leases, lock_file
from data.storage.manifest import Manifest
from data.storage.object_storage import LOG, OPTIONS, explain, folder_here, list_files, words

T = TypeVar("T")

KEEP_FOR_EVER = {
    "delta.logRetentionDuration": "interval 36500 days",
    "delta.deletedFileRetentionDuration": "interval 36500 days",
    "delta.dataSkippingNumIndexedCols": "0",
}
"""A table's past stays readable until it is removed on purpose; the log holds none of its texts."""

OWN_FILE = re.compile(r"\w[\w.-]*\.parquet", re.ASCII)
"""The name of a table's file, in the table's own folder."""

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
        self._opened: dict[type[Table], DeltaTable] = {}

    @staticmethod
    def default_address() -> Address:
        """`$PARADE_STORE`, else `data/store` under the working directory."""
        return address(os.environ.get("PARADE_STORE", "data/store"))

    @property
    def name(self) -> str:
        """The last name of its folder or address."""
        return last_name(self.address)

    @property
    def is_remote(self) -> bool:
        """Whether the tables are on object storage."""
        return isinstance(self.address, str)

    @property
    def _options(self) -> dict[str, str] | None:
        return OPTIONS if self.is_remote else None

    @property
    def shards(self) -> Path:
        """The folder of unfinished work in shards; it holds texts of the tables."""
        return self.root / "shards"

    def path(self, table: type[Table]) -> Address:
        """The table's folder or address."""
        name = table.table_name()
        return f"{self.address}/{name}" if isinstance(self.address, str) else self.address / name

    def exists(self, table: type[Table]) -> bool:
        """Whether the table was ever written."""
        if self.is_remote:
            return self._open(table) is not None
        return DeltaTable.is_deltatable(str(self.path(table)))

    def version(self, table: type[Table]) -> int | None:
        """The table's latest version, from 0; None if it was never written."""
        return self._at(table, None).version() if self.exists(table) else None

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
        delta = self._at(table, version) if self.exists(table) else None
        return self._select(table, delta, columns, where)

    def count_checked(self, table: type[Table], expected: int, at_once: int) -> int:
        """The number of rows of a table on disk; where it is the expected one, each is held against the table's type.

        Never more than `at_once` rows are in memory, beside the keys of all. Raises TableError for the first row that
        breaks a rule, for a key that occurs twice, and where any version has rows that would fill the memory.
        """
        delta, schema = self._at(table, None), table.arrow_schema()
        absent = _absent(table, delta, schema.names)
        with _readable(self.path(table)):
            if not parquet.fits(sorted((self.root / table.table_name()).glob("*.parquet"))):
                remedy = "do not use the store: reading it fills the memory"
                raise TableError(self.path(table), expected=parquet.SIZE_RULE, found="more", remedy=remedy)
            data = delta.to_pyarrow_dataset(filesystem=self._files(table))
            n: int = sum(fragment.metadata.num_rows for fragment in data.get_fragments())
            if n != expected:
                return n
            keys = []
            for batch in data.to_batches(batch_size=at_once, batch_readahead=0, fragment_readahead=0):
                rows = _typed(pa.Table.from_batches([batch]), schema, absent)
                keys.append(pd.util.hash_pandas_object(checked(table, rows)[table.key_columns()], index=False))
        if keys and pd.concat(keys).duplicated().any():
            raise TableError(self.path(table), expected="each key once", found="one twice", remedy="make it again")
        return n

    def append(self, table: type[Table], frame: pd.DataFrame, manifest: Manifest) -> int | None:
        """Add the rows whose key is new to an event table; return the new version, or None if no row was new."""
        self._expect(table, "event")
        rows = checked(table, frame)
        key = table.key_columns()

        def add(known: DeltaTable | None) -> int | None:
            seen = pd.MultiIndex.from_frame(self._select(table, known, key, {}))
            new = rows[~pd.MultiIndex.from_frame(rows[key]).isin(seen)]
            if new.empty:
                return None
            return self._write(known, table, new, manifest.to_json({}), mode="append", schema_mode="merge")

        return self._commit(table, add)

    def replace(self, table: type[Table], frame: pd.DataFrame, manifest: Manifest, **scope: Any) -> int:
        """Replace a derived table, or the part of it that `scope` names, in one commit; return the new version.

        All rows must belong to the part. `scope` gives a value for each of the table's scope columns.
        """
        self._expect(table, "derived")
        self._check_scope(table, frame, scope)
        rows = checked(table, frame)
        predicate = " AND ".join(f"{column} = {_literal(value)}" for column, value in scope.items())

        def put(known: DeltaTable | None) -> int:
            part = predicate and known is not None and _has_parts(table, known)
            how = {"predicate": predicate, "schema_mode": "merge"} if part else {"schema_mode": "overwrite"}
            return self._write(known, table, rows, manifest.to_json(scope), mode="overwrite", **how)

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

        def put(known: DeltaTable | None) -> int:
            if known is None:
                return 0
            rows = self._select(table, known, None, {})
            kept = checked(table, leave(rows))
            n = len(rows) - len(kept)
            record = Manifest(stage=stage, counts={"rows_removed": n}).to_json({})
            self._write(known, table, kept, record, mode="overwrite")
            return n

        n = self._commit(table, put)
        self._commit(table, partial(self._forget_past, table))
        return n

    def _forget_past(self, table: type[Table], known: DeltaTable | None) -> None:
        """Delete all files that the latest version does not name, once no write that began before can be committed."""
        if known is None:
            return
        with _writable(self.path(table)):
            live = set(_files_of(known))
            found = [name for name in list_files(str(self.path(table))) if not name.startswith(LOG)]
            with one_commit(self.path(table), known.version() + 1) as commit:
                known.alter.set_table_properties(KEEP_FOR_EVER, commit_properties=commit)
            files = DeltaStorageHandler(str(self.path(table)), self._options)
            for name in found:
                if name not in live:
                    files.delete_file(name)

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
        known = self._open(table)
        if known is None:
            return []
        with _readable(self.path(table)):
            commits = known.history()  # to the latest version of now, counted from that of `known`
        numbered = zip(range(len(commits) - 1, -1, -1), commits, strict=True)
        return [self._read_manifest(table, commit | {"version": n}) for n, commit in numbered if "parade" in commit]

    def _read_manifest(self, table: type[Table], commit: Mapping[str, Any]) -> dict[str, Any]:
        try:
            manifest = dict(json.loads(commit["parade"]))
        except (ValueError, TypeError, RecursionError) as fault:
            raise TableError(
                self.path(table),
                expected="the manifest of every version",
                found=f"none that can be read in version {commit['version']}",
                remedy="restore its folder from a copy of the store",
            ) from fault
        return manifest | {"version": commit["version"], "at": commit["timestamp"]}

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
                    return make(self._open(table))
                except CommitFailedError:
                    sleep(random.random())  # noqa: S311 - machines that met once are not to meet again
        raise TableError(
            self.path(table),
            expected=f"a commit in {MOST_TRIES} tries",
            found="that other runs committed first each time",
            remedy="run the same command again once they have ended",
        )

    def _open(self, table: type[Table]) -> DeltaTable | None:
        """The table at its latest version; None if it was never written."""
        path = str(self.path(table))
        if not self.is_remote:
            if not DeltaTable.is_deltatable(path):
                return None
            with _readable(path):
                return self._own(table, DeltaTable(path))
        with _readable(path):
            try:
                if table in self._opened:
                    self._opened[table].update_incremental()
                else:
                    self._opened[table] = DeltaTable(path, storage_options=OPTIONS)
            except TableNotFoundError:
                return None
            return self._own(table, self._opened[table])

    def _own(self, table: type[Table], delta: DeltaTable) -> DeltaTable:
        """The same; raises TableError where its log names a file outside the table's folder."""
        _require_own_files(self.path(table), _files_of(delta))
        return delta

    def _select(
        self, table: type[Table], delta: DeltaTable | None, columns: list[str] | None, where: Mapping[str, Any]
    ) -> pd.DataFrame:
        schema = table.arrow_schema()
        wanted = columns or schema.names
        if delta is not None:
            needed = list(dict.fromkeys([*wanted, *table.key_columns()]))
            absent = _absent(table, delta, needed)
            try:
                with _readable(self.path(table)):
                    rows = self._rows(table, delta, [column for column in needed if column not in absent], where)
            except FileNotFoundError as fault:
                raise TableError(
                    table.table_name(),
                    expected=f"the files of version {delta.version()}",
                    found="none: something has been taken down since",
                    remedy="read a later version",
                ) from fault
            rows = rows.sort_by([(column, "ascending") for column in table.key_columns()])
        else:
            rows, absent = schema.empty_table(), []
        return _typed(rows, pa.schema([schema.field(column) for column in wanted]), absent)

    def _rows(self, table: type[Table], delta: DeltaTable, columns: list[str], where: Mapping[str, Any]) -> pa.Table:
        """The columns of the rows that have the values, in no order."""
        if self.is_remote:
            names = ", ".join(f'"{column}"' for column in columns)
            chosen = " AND ".join(f'"{column}" = {_literal(value)}' for column, value in where.items())
            query = f"SELECT {names} FROM rows WHERE {chosen or 'true'}"
            try:
                reader = QueryBuilder().register("rows", delta).execute(query)
                found = pa.RecordBatchReader.from_stream(reader).read_all()  # it lets other threads run meanwhile
            except Exception as fault:  # it has no class of its own
                if "not found" in str(fault) or "NoSuchKey" in str(fault):
                    raise FileNotFoundError(str(fault)) from fault
                raise OSError(str(fault)) from fault
            return found.cast(pa.schema([table.arrow_schema().field(column) for column in columns]))
        filters = [(column, "=", value) for column, value in where.items()]
        return delta.to_pyarrow_table(columns=columns, filesystem=self._files(table), filters=filters or None)

    def _files(self, table: type[Table]) -> SubTreeFileSystem:
        """The table's folder as Arrow reads it by itself.

        deltalake's own file system is written in Python: threads of Arrow that still release its buffers when the
        interpreter ends abort the process ("terminate called without an active exception").
        """
        return SubTreeFileSystem(str(self.path(table)), LocalFileSystem())

    def _at(self, table: type[Table], version: int | None) -> DeltaTable:
        latest = self._open(table)
        if latest is None:
            raise TableError(self.path(table), expected="the table", found="none", remedy="run its stage first")
        if version is None or version == latest.version():
            return latest
        if not 0 <= version < latest.version():
            raise TableError(
                table.table_name(),
                expected=f"a version from 0 to {latest.version()}",
                found=str(version),
                remedy=f"see `python -m data history {table.table_name()}`",
            )
        with _readable(self.path(table)):
            return self._own(table, DeltaTable(str(self.path(table)), version, self._options))

    def check_log(self, table: type[Table]) -> None:
        """Raise TableError where any version in the log adds or removes a file outside the table's folder."""
        for path in sorted((self.root / table.table_name() / "_delta_log").glob("*.json")):
            actions = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
            named = [action[kind]["path"] for action in actions for kind in ("add", "remove", "cdc") if kind in action]
            _require_own_files(path, named)

    def _write(
        self,
        known: DeltaTable | None,
        table: type[Table],
        rows: pd.DataFrame,
        record: str,
        **how: Any,
    ) -> int:
        ordered = rows.sort_values(table.key_columns(), kind="stable")
        content = pa.Table.from_pandas(ordered, schema=table.arrow_schema(), preserve_index=False)
        content = content.replace_schema_metadata(None)
        version = 0 if known is None else known.version() + 1
        with _writable(self.path(table)), one_commit(self.path(table), version, parade=record) as commit:
            if known is not None:
                write_deltalake(known, content, commit_properties=commit, **how)
            else:
                write_deltalake(
                    str(self.path(table)),
                    content,
                    configuration=KEEP_FOR_EVER,
                    commit_properties=commit,
                    mode="error",
                    storage_options=self._options,
                )
        return version

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


def _files_of(delta: DeltaTable) -> list[str]:
    """The names of the files that hold the version's rows."""
    return [str(name) for name in delta.get_add_actions()["path"].to_pylist()]


def _require_own_files(where: Address, names: Iterable[str]) -> None:
    if wrong := next((name for name in names if not OWN_FILE.fullmatch(name)), None):
        raise TableError(
            where,
            expected="names of files in the table's folder",
            found=repr(wrong)[:80],
            remedy="do not use the store: its log was changed by hand",
        )


@contextmanager
def _readable(path: Address) -> Iterator[None]:
    """Say in one line what the table's files are refused for; a file that is missing is the caller's to explain."""
    try:
        yield
    except (FileNotFoundError, TableNotFoundError):
        raise
    except (OSError, DeltaError, pa.ArrowException) as fault:
        raise (isinstance(path, str) and explain(path, fault)) or TableError(
            path,
            expected="a Delta table, whole and readable",
            found=words(fault),
            remedy="restore its folder from a copy of the store, or remove it and run its stage again",
        ) from fault


@contextmanager
def _writable(path: Address) -> Iterator[None]:
    """Say in one line why the table could not be written; a full disk is an OSError or a DeltaError, as it falls."""
    try:
        yield
    except CommitFailedError:
        raise
    except (OSError, DeltaError) as fault:
        raise (isinstance(path, str) and explain(path, fault)) or TableError(
            path,
            expected="a disk with room to write on",
            found=words(fault),
            remedy="free some and run the same command again",
        ) from fault


def _literal(value: object) -> str:
    """The value as an SQL literal."""
    return str(value) if isinstance(value, int) else "'" + str(value).replace("'", "''") + "'"


def _typed(rows: pa.Table, schema: pa.Schema, absent: list[str]) -> pd.DataFrame:
    """The schema's columns of the rows in its types; the absent ones are null."""
    for column in absent:
        rows = rows.append_column(column, pa.nulls(len(rows), schema.field(column).type))
    frame: pd.DataFrame = rows.select(schema.names).cast(schema).to_pandas(types_mapper=pd.ArrowDtype)
    return frame


def _absent(table: type[Table], delta: DeltaTable, needed: list[str]) -> list[str]:
    """The needed columns that the version on disk lacks. Raises TableError if one of them cannot be null."""
    present = {field.name for field in delta.schema().fields}
    absent = [column for column in needed if column not in present]
    columns = table.to_schema().columns
    if vital := [column for column in absent if not columns[column].nullable]:
        raise TableError(
            table.table_name(),
            expected=f"the column {vital[0]}",
            found=f"none in version {delta.version()}: another release of this project wrote it",
            remedy="run the command that writes this table again",
        )
    return absent


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
