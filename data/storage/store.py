"""The tables on disk: Delta tables in one folder, checked when written, with a manifest in every commit."""

import fcntl
import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TextIO

import pandas as pd
import pyarrow as pa
from deltalake import CommitProperties, DeltaTable, write_deltalake
from deltalake.exceptions import DeltaError
from pyarrow.fs import LocalFileSystem, SubTreeFileSystem

from data.console.errors import StoreBusy, TableError
from data.console.paths import local
from data.contract.base import Table
from data.contract.tables.removals import Rejects
from data.contract.validation import checked
from data.files import parquet
from data.storage.manifest import Manifest

KEEP_FOR_EVER = {
    "delta.logRetentionDuration": "interval 36500 days",
    "delta.deletedFileRetentionDuration": "interval 36500 days",
    "delta.dataSkippingNumIndexedCols": "0",
}
"""A table's past stays readable until it is removed on purpose; the log holds none of its texts."""

OWN_FILE = re.compile(r"\w[\w.-]*\.parquet", re.ASCII)
"""The name of a table's file, in the table's own folder."""

LOCKS = "locks"
"""The folder of the lock files."""


class Store:
    """A folder of tables. Nothing is created before the first write."""

    def __init__(self, root: Path) -> None:
        """`root` is the store's folder; raises InputError for an address."""
        self.root = local(Path(root))

    @staticmethod
    def default_path() -> Path:
        """`$PARADE_STORE`, else `data/store` under the working directory."""
        return Path(os.environ.get("PARADE_STORE", "data/store"))

    @property
    def shards(self) -> Path:
        """The folder of unfinished work in shards; it holds texts of the tables."""
        return self.root / "shards"

    def path(self, table: type[Table]) -> Path:
        """The table's folder."""
        return self.root / table.table_name()

    def exists(self, table: type[Table]) -> bool:
        """Whether the table was ever written."""
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
        schema = table.arrow_schema()
        wanted = columns or schema.names
        if self.exists(table):
            delta = self._at(table, version)
            filters = [(column, "=", value) for column, value in where.items()]
            needed = list(dict.fromkeys([*wanted, *table.key_columns()]))
            absent = _absent(table, delta, needed)
            try:
                with _readable(self.path(table)):
                    rows = delta.to_pyarrow_table(
                        columns=[column for column in needed if column not in absent],
                        filesystem=self._files(table),
                        filters=filters or None,
                    )
            except FileNotFoundError as fault:
                raise TableError(
                    table.table_name(),
                    expected=f"the files of version {version}",
                    found="none: something has been taken down since",
                    remedy="read a later version",
                ) from fault
            rows = rows.sort_by([(column, "ascending") for column in table.key_columns()])
        else:
            rows, absent = schema.empty_table(), []
        return _typed(rows, pa.schema([schema.field(column) for column in wanted]), absent)

    def count_checked(self, table: type[Table], expected: int, at_once: int) -> int:
        """The number of the table's rows; where it is the expected one, each is held against the table's type first.

        Never more than `at_once` rows are in memory, beside the keys of all. Raises TableError for the first row that
        breaks a rule, for a key that occurs twice, and where any version has rows that would fill the memory.
        """
        delta, schema = self._at(table, None), table.arrow_schema()
        absent = _absent(table, delta, schema.names)
        with _readable(self.path(table)):
            if not parquet.fits(sorted(self.path(table).glob("*.parquet"))):
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
        with self._alone(table):
            seen = pd.MultiIndex.from_frame(self.read(table, columns=key))
            rows = rows[~pd.MultiIndex.from_frame(rows[key]).isin(seen)]
            if rows.empty:
                return None
            return self._write(table, rows, manifest, {}, mode="append", schema_mode="merge")

    def replace(self, table: type[Table], frame: pd.DataFrame, manifest: Manifest, **scope: Any) -> int:
        """Replace a derived table, or the part of it that `scope` names, in one commit; return the new version.

        All rows must belong to the part. `scope` gives a value for each of the table's scope columns.
        """
        self._expect(table, "derived")
        self._check_scope(table, frame, scope)
        rows = checked(table, frame)
        predicate = " AND ".join(f"{column} = {_literal(value)}" for column, value in scope.items())
        with self._alone(table):
            part = predicate and self._has_parts(table)
            how = {"predicate": predicate, "schema_mode": "merge"} if part else {"schema_mode": "overwrite"}
            return self._write(table, rows, manifest, scope, mode="overwrite", **how)

    def reject(self, stage: str, rejects: pd.DataFrame, manifest: Manifest, part: str = "") -> int:
        """Replace the rejects of a stage and part of it; `rejects` has the columns id, reason, detail."""
        rows = rejects.assign(stage=stage, part=part)
        return self.replace(Rejects, rows, manifest, stage=stage, part=part)

    def erase(self, table: type[Table], leave: Callable[[pd.DataFrame], pd.DataFrame], stage: str) -> int:
        """Replace the table's rows by what `leave` returns for them, and delete the files of all past versions.

        Returns the number of rows removed. No other process writes the table meanwhile; after an interruption, run it
        again to complete it.
        """
        if not self.exists(table):
            return 0
        with self._alone(table):
            rows = self.read(table)
            kept = checked(table, leave(rows))
            n = len(rows) - len(kept)
            self._write(table, kept, Manifest(stage=stage, counts={"rows_removed": n}), {}, mode="overwrite")
            DeltaTable(self.path(table)).vacuum(retention_hours=0, enforce_retention_duration=False, dry_run=False)
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
        if not self.exists(table):
            return []
        with _readable(self.path(table)):
            commits = DeltaTable(self.path(table)).history()
        return [self._read_manifest(table, commit) for commit in commits if "parade" in commit]

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
        """Hold the named lock, which dies with its process. Raises StoreBusy if another process holds it."""
        with self._lock_file(f"{name}.lock") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as fault:
                file.seek(0)
                process = file.read().strip()  # empty while the holder has not written it yet
                raise StoreBusy(
                    self.root,
                    expected=f"no other run of {name} here",
                    found="a run in progress" + (f" (process {process})" if process else ""),
                    remedy="wait for it to end, or stop it, and run again",
                ) from fault
            file.truncate(0)
            file.write(str(os.getpid()))
            file.flush()
            yield

    def _lock_file(self, name: str) -> TextIO:
        folder = self.root / LOCKS
        folder.mkdir(parents=True, exist_ok=True)
        return (folder / name).open("a+", encoding="ascii")

    @contextmanager
    def _alone(self, table: type[Table]) -> Iterator[None]:
        """Wait until no other process writes the table: of two simultaneous commits the second would be refused."""
        with self._lock_file(f"{table.table_name()}.table") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield

    def _files(self, table: type[Table]) -> SubTreeFileSystem:
        """The table's folder as Arrow reads it by itself.

        deltalake's own file system is written in Python: threads of Arrow that still release its buffers when the
        interpreter ends abort the process ("terminate called without an active exception").
        """
        return SubTreeFileSystem(str(self.path(table)), LocalFileSystem())

    def _at(self, table: type[Table], version: int | None) -> DeltaTable:
        with _readable(self.path(table)):
            latest = DeltaTable(self.path(table))
        if version is None or version == latest.version():
            return self._with_own_files(latest, table)
        if not 0 <= version < latest.version():
            raise TableError(
                table.table_name(),
                expected=f"a version from 0 to {latest.version()}",
                found=str(version),
                remedy=f"see `python -m data history {table.table_name()}`",
            )
        return self._with_own_files(DeltaTable(self.path(table), version=version), table)

    def _with_own_files(self, delta: DeltaTable, table: type[Table]) -> DeltaTable:
        """The same; raises TableError where its log names a file outside the table's folder."""
        with _readable(self.path(table)):
            names = delta.get_add_actions()["path"].to_pylist()
        _require_own_files(self.path(table), names)
        return delta

    def check_log(self, table: type[Table]) -> None:
        """Raise TableError where any version in the log adds or removes a file outside the table's folder."""
        for path in sorted((self.path(table) / "_delta_log").glob("*.json")):
            actions = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
            named = [action[kind]["path"] for action in actions for kind in ("add", "remove", "cdc") if kind in action]
            _require_own_files(path, named)

    def _write(
        self, table: type[Table], rows: pd.DataFrame, manifest: Manifest, scope: Mapping[str, Any], **how: Any
    ) -> int:
        ordered = rows.sort_values(table.key_columns(), kind="stable")
        content = pa.Table.from_pandas(ordered, schema=table.arrow_schema(), preserve_index=False)
        path = self.path(table)
        with _writable(path):
            known = DeltaTable(path) if self.exists(table) else None  # opened once: that takes longer than to write
            write_deltalake(
                known or path,
                content.replace_schema_metadata(None),
                configuration=None if known else KEEP_FOR_EVER,
                commit_properties=CommitProperties(custom_metadata={"parade": manifest.to_json(scope)}),
                **how,
            )
        return (known or DeltaTable(path)).version()

    def _has_parts(self, table: type[Table]) -> bool:
        """Whether the version on disk has the columns that name a part; an older release may have had other ones."""
        if not self.exists(table):
            return False
        present = {field.name for field in DeltaTable(self.path(table)).schema().fields}
        return present >= set(table.scope_columns())

    def _expect(self, table: type[Table], kind: str) -> None:
        if table.table_kind() != kind:
            raise TypeError(f"{table.table_name()} is no {kind} table")

    def _check_scope(self, table: type[Table], frame: pd.DataFrame, scope: Mapping[str, Any]) -> None:
        if sorted(scope) != sorted(table.scope_columns()):
            raise TypeError(f"{table.table_name()} is replaced by {table.scope_columns()}, not by {list(scope)}")
        for column, value in scope.items():
            if not (frame[column] == value).all():
                raise TypeError(f"{table.table_name()}: rows outside the part {column} = {value!r}")


def next_instant(earlier: "pd.Series[Any]") -> datetime:
    """The time of a row that counts instead of earlier ones: now or, where the clock was set back, right after them."""
    now, latest = datetime.now(UTC), earlier.max()
    return now if pd.isna(latest) else max(now, (latest + pd.Timedelta(microseconds=1)).to_pydatetime())


def _require_own_files(where: Path, names: Iterable[str]) -> None:
    if wrong := next((name for name in names if not OWN_FILE.fullmatch(name)), None):
        raise TableError(
            where,
            expected="names of files in the table's folder",
            found=repr(wrong)[:80],
            remedy="do not use the store: its log was changed by hand",
        )


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    """Say in one line what the table's files are refused for; a file that is missing is the caller's to explain."""
    try:
        yield
    except FileNotFoundError:
        raise
    except (OSError, DeltaError, pa.ArrowException) as fault:
        raise TableError(
            path,
            expected="a Delta table, whole and readable",
            found=" ".join(str(fault).split()),
            remedy="restore its folder from a copy of the store, or remove it and run its stage again",
        ) from fault


@contextmanager
def _writable(path: Path) -> Iterator[None]:
    """Say in one line why the table could not be written; a full disk is an OSError or a DeltaError, as it falls."""
    try:
        yield
    except (OSError, DeltaError) as fault:
        raise TableError(
            path,
            expected="a disk with room to write on",
            found=" ".join(str(fault).split()),
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
    with ExitStack() as locks:
        for path in sorted((store.root / LOCKS).glob("*.lock")):
            locks.enter_context(store.lock(path.stem))
        yield
