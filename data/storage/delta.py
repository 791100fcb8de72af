"""One Delta table: its rows, its versions and its files, in a folder or at an address."""

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from deltalake import DeltaTable, QueryBuilder, WriterProperties, write_deltalake
from deltalake.exceptions import CommitFailedError, DeltaError, TableNotFoundError
from deltalake.fs import DeltaStorageHandler
from pyarrow.fs import LocalFileSystem, SubTreeFileSystem

from data.console.errors import TableError
from data.console.paths import Address
from data.contract.base import Table
from data.contract.validation import checked
from data.files import parquet
from data.storage.commits import one_commit
from data.storage.object_storage import LOG, OPTIONS, explain, list_files, words

KEEP_FOR_EVER = {
    "delta.logRetentionDuration": "interval 36500 days",
    "delta.deletedFileRetentionDuration": "interval 36500 days",
    "delta.dataSkippingNumIndexedCols": "0",
    "delta.checkpointInterval": "10",
}
"""A table's past stays readable until it is removed on purpose; the log holds none of its texts."""

MOST_SMALL_FILES, SMALL_BYTES = 16, 2**20
"""How many small files an event table has before they are joined, and below which size a file is small. The past keeps
what is joined, so larger files stay as they are."""

WRITTEN = WriterProperties(compression="SNAPPY", max_row_group_size=2**16)
"""How files are written. A group of rows is in memory while it is written: the usual million took half a gigabyte."""

COMMIT = re.compile(r"[0-9]{20}\.(json|checkpoint\.parquet)", re.ASCII)
"""The name of a file of the log that makes a version."""

OWN_FILE = re.compile(r"\w[\w.-]*\.parquet", re.ASCII)
"""The name of a table's file, in the table's own folder."""


MISSING = re.compile(r"Object at location [^\n]*+ not found|NoSuchKey")
"""What deltalake says where a file is not there."""


class Delta:
    """The rows of one type of table, at one place."""

    def __init__(self, table: type[Table], place: Address) -> None:
        self.table, self.place = table, place
        self._options = OPTIONS if isinstance(place, str) else None
        self._opened: DeltaTable | None = None
        self._commits: list[tuple[str, int, int]] = []
        """The log on disk when the table was opened: it is opened again where that is another one."""
        self._history: tuple[object, list[dict[str, Any]]] = (None, [])

    def exists(self) -> bool:
        """Whether the table was ever written."""
        if isinstance(self.place, str):
            return self.latest() is not None
        with _readable(self.place):
            return bool(_list_commits(self.place))

    def latest(self) -> DeltaTable | None:
        """The table at its latest version; None if it was never written."""
        commits: list[tuple[str, int, int]] = []
        if isinstance(self.place, Path):
            with _readable(self.place):
                commits = _list_commits(self.place)
            if self._opened is not None and commits == self._commits:
                return self._opened
            self._opened = None
            if not commits:
                return None
        with _readable(self.place):
            try:
                if self._opened is None:
                    self._opened = DeltaTable(str(self.place), storage_options=self._options)
                else:
                    self._opened.update_incremental()
            except TableNotFoundError:
                return None
            self._own(self._opened)
        self._commits = commits
        return self._opened

    def at(self, version: int | None) -> DeltaTable | None:
        """The table at the version, by default the latest; None if it was never written.

        Raises TableError if it has no such version.
        """
        latest = self.latest()
        if latest is None or version is None or version == latest.version():
            return latest
        if not 0 <= version < latest.version():
            raise TableError(
                self.table.table_name(),
                expected=f"a version from 0 to {latest.version()}",
                found=str(version),
                remedy=f"see `python -m data history {self.table.table_name()}`",
            )
        with _readable(self.place):
            return self._own(DeltaTable(str(self.place), version, self._options))

    def _own(self, delta: DeltaTable) -> DeltaTable:
        """The same; raises TableError where its log names a file outside the table's folder."""
        _require_own_files(self.place, _files_of(delta))
        return delta

    def rows(self, delta: DeltaTable | None, columns: list[str] | None, where: Mapping[str, Any]) -> pd.DataFrame:
        """The version's rows that have the values, sorted by key, in Arrow-typed columns; none of no table."""
        key, shown = self.table.key_columns(), columns or self.table.arrow_schema().names
        rows = self._find(delta, list(dict.fromkeys([*shown, *key])), where)
        return _as_frame(_by_key(self.table, rows).select(shown))

    def distinct(self, delta: DeltaTable | None, column: str, where: Mapping[str, Any]) -> set[Any]:
        """The values of a column in the version's rows that have the given values, each once; none of no table."""
        return set(self._find(delta, [column], where)[column].unique().to_pylist())

    def _find(self, delta: DeltaTable | None, columns: list[str], where: Mapping[str, Any]) -> pa.Table:
        """The columns of the version's rows that have the values, in no order."""
        none = self.table.arrow_schema().empty_table().select(columns)
        if delta is None:
            return none
        absent = self._absent(delta, [*columns, *where])
        if where.keys() & set(absent):
            return none
        try:
            with _readable(self.place):
                found = self._read(delta, [column for column in columns if column not in absent], where)
        except FileNotFoundError as fault:
            raise TableError(
                self.table.table_name(),
                expected=f"the files of version {delta.version()}",
                found="none: something has been taken down since",
                remedy="read a later version",
            ) from fault
        return self._typed(found, columns, delta)

    def count(self, delta: DeltaTable | None) -> int:
        """The number of the version's rows: from its log, or by reading the keys where another program left it out."""
        if delta is None:
            return 0
        files = delta.get_add_actions()
        counts: list[Any] = [*files["num_records"].to_pylist()] if "num_records" in files.schema.names else [None]
        return len(self.rows(delta, self.table.key_columns(), {})) if None in counts else sum(counts)

    def _read(self, delta: DeltaTable, columns: list[str], where: Mapping[str, Any]) -> pa.Table:
        """The columns of the rows that have the values, in no order."""
        if isinstance(self.place, Path):
            filters = [(column, "=", value) for column, value in where.items()]
            return delta.to_pyarrow_table(columns=columns, filesystem=self._files(), filters=filters or None)
        names = ", ".join(f'"{column}"' for column in columns)
        query = f"SELECT {names} FROM rows WHERE {predicate(where) or 'true'}"
        reader = QueryBuilder().register("rows", delta).execute(query)
        try:
            found = pa.RecordBatchReader.from_stream(reader).read_all()  # it lets other threads run meanwhile
        except pa.ArrowInvalid as fault:
            if MISSING.search(str(fault)):
                raise FileNotFoundError(str(fault)) from fault
            raise
        return found.cast(pa.schema([self.table.arrow_schema().field(column) for column in columns]))

    def _files(self) -> SubTreeFileSystem:
        """The table's folder as Arrow reads it by itself.

        deltalake's own file system is written in Python: threads of Arrow that still release its buffers when the
        interpreter ends abort the process ("terminate called without an active exception").
        """
        return SubTreeFileSystem(str(self.place), LocalFileSystem())

    def _absent(self, delta: DeltaTable, needed: list[str]) -> list[str]:
        """The needed columns that the version lacks. Raises TableError if one of them cannot be null."""
        present = {field.name for field in delta.schema().fields}
        absent = [column for column in needed if column not in present]
        columns = self.table.columns()
        if vital := [column for column in absent if not columns[column].nullable]:
            raise TableError(
                self.table.table_name(),
                expected=f"the column {vital[0]}",
                found=f"none in version {delta.version()}: another release of this project wrote it",
                remedy=self._remedy,
            )
        return absent

    @property
    def _remedy(self) -> str:
        """What to do with a table that another release wrote."""
        again = "run the command that writes this table again"
        return again if self.table.table_kind() == "derived" else "read the store with that release"

    def _typed(self, rows: pa.Table, columns: list[str], delta: DeltaTable) -> pa.Table:
        """The columns of the rows in the table's types; null where the version lacks one."""
        schema, typed = self.table.arrow_schema(), {}
        for column in columns:
            kind = schema.field(column).type
            if column not in rows.column_names:
                typed[column] = pa.nulls(len(rows), kind)
                continue
            try:
                typed[column] = rows[column].cast(kind)
            except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as fault:
                raise TableError(
                    self.table.table_name(),
                    expected=f"the column {column} of type {kind}",
                    found=f"{rows[column].type} in version {delta.version()}: another release of this project wrote it",
                    remedy=self._remedy,
                ) from fault
        return pa.table(typed)

    def history(self) -> list[dict[str, Any]]:
        """What was written with each version, latest first; empty if the table was never written."""
        known = self.latest()
        if known is None:
            return []
        of = (known.metadata().id, known.version())
        if self._history[0] != of:
            with _readable(self.place):
                commits = known.history()  # to the latest version of now, counted from the version of `known`
            numbers = range(len(commits))[::-1]
            self._history = of, [commit | {"version": n} for n, commit in zip(numbers, commits, strict=True)]
        return self._history[1]

    def append(self, known: DeltaTable | None, rows: pd.DataFrame, record: str) -> int:
        """Add checked rows to the version as `write` does; many small files are joined first, by a version of its own.

        That version has the same rows, and no record.
        """
        if known is not None and _count_small(known) >= MOST_SMALL_FILES:
            with _writable(self.place), one_commit(self.place, known.version() + 1) as commit:
                known.optimize.compact(target_size=SMALL_BYTES, commit_properties=commit)
        return self.write(known, rows, record, mode="append", schema_mode="merge")

    def write(self, known: DeltaTable | None, rows: pd.DataFrame, record: str, **how: Any) -> int:
        """Write checked rows on the version that they were made for, with the record; return the new version.

        `how`: deltalake's mode and predicate. Raises CommitFailedError where another process committed first.
        """
        content = pa.Table.from_pandas(rows, schema=self.table.arrow_schema(), preserve_index=False)
        content = _by_key(self.table, content.replace_schema_metadata(None))
        version = 0 if known is None else known.version() + 1
        with _writable(self.place), one_commit(self.place, version, parade=record) as commit:
            if known is not None:
                write_deltalake(known, content, commit_properties=commit, writer_properties=WRITTEN, **how)
            else:
                write_deltalake(
                    str(self.place),
                    content,
                    configuration=KEEP_FOR_EVER,
                    commit_properties=commit,
                    writer_properties=WRITTEN,
                    mode="error",
                    storage_options=self._options,
                )
        return version

    def forget_past(self, known: DeltaTable | None) -> None:
        """Delete all files that the latest version does not name.

        A commit comes first: a write that began before it cannot be committed, so that none of its files is needed.
        """
        if known is None:
            return
        with _writable(self.place):
            live = set(_files_of(known))
            found = [name for name in list_files(self.place) if not name.startswith(LOG)]
            with one_commit(self.place, known.version() + 1) as commit:
                known.alter.set_table_properties(KEEP_FOR_EVER, commit_properties=commit)
            files = DeltaStorageHandler(str(self.place), self._options)
            for name in found:
                if name not in live:
                    files.delete_file(name)

    def count_checked(self, expected: int, at_once: int) -> int:
        """The number of rows of a table on disk; where it is the expected one, each is held against the table's type.

        Never more than `at_once` rows are in memory, beside the keys of all. Raises TableError for the first row that
        breaks a rule, for a key that occurs twice, and where any version has rows that would fill the memory.
        """
        delta, schema = self.latest(), self.table.arrow_schema()
        if delta is None:
            raise TableError(self.place, expected="the table", found="none", remedy="run its stage first")
        self._absent(delta, schema.names)
        with _readable(self.place):
            if not parquet.fits(sorted(Path(self.place).glob("*.parquet"))):
                remedy = "do not use the store: reading it fills the memory"
                raise TableError(self.place, expected=parquet.SIZE_RULE, found="more", remedy=remedy)
            data = delta.to_pyarrow_dataset(filesystem=self._files())
            n: int = sum(fragment.metadata.num_rows for fragment in data.get_fragments())
            if n != expected:
                return n
            keys = []
            for batch in data.to_batches(batch_size=at_once, batch_readahead=0, fragment_readahead=0):
                found = self._typed(pa.Table.from_batches([batch]), schema.names, delta)
                rows = checked(self.table, _as_frame(found))
                keys.append(pd.util.hash_pandas_object(rows[self.table.key_columns()], index=False))
        if keys and pd.concat(keys).duplicated().any():
            raise TableError(self.place, expected="each key once", found="one twice", remedy="make it again")
        return n

    def check_log(self) -> None:
        """Raise TableError where any version in the log adds or removes a file outside the table's folder on disk."""
        for path in sorted((Path(self.place) / LOG).glob("*.json")):
            actions = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
            named = [action[kind]["path"] for action in actions for kind in ("add", "remove", "cdc") if kind in action]
            _require_own_files(path, named)


def _list_commits(place: Path) -> list[tuple[str, int, int]]:
    """Name, time and size of each file of the log on disk that makes a version; none where there is no table."""
    try:
        with os.scandir(place / LOG) as files:
            found = [(file.name, file.stat()) for file in files if COMMIT.fullmatch(file.name)]
    except (FileNotFoundError, NotADirectoryError):
        if place.is_file():
            raise
        return []
    return sorted((name, state.st_mtime_ns, state.st_size) for name, state in found)


def predicate(where: Mapping[str, Any]) -> str:
    """The condition in SQL that the columns have the values; empty for no columns."""
    return " AND ".join(f'"{column}" = {_literal(value)}' for column, value in where.items())


def _files_of(delta: DeltaTable) -> list[str]:
    """The names of the files that hold the version's rows."""
    return [str(name) for name in delta.get_add_actions()["path"].to_pylist()]


def _count_small(delta: DeltaTable) -> int:
    return sum(size < SMALL_BYTES for size in delta.get_add_actions()["size_bytes"].to_pylist())


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
    except FileNotFoundError:
        raise
    except (OSError, DeltaError, pa.ArrowException) as fault:
        raise explain(path, fault) or _broken(path, fault) from fault


def _broken(path: Address, fault: Exception) -> TableError:
    return TableError(
        path,
        expected="a Delta table, whole and readable",
        found=words(fault),
        remedy="restore its folder from a copy of the store, or remove it and run its stage again",
    )


@contextmanager
def _writable(path: Address) -> Iterator[None]:
    """Say in one line why the table could not be written; a full disk is an OSError or a DeltaError, as it falls."""
    try:
        yield
    except CommitFailedError:
        raise
    except (OSError, DeltaError, NotImplementedError) as fault:
        if "Parquet error" in str(fault):  # to replace a part of the table, the others are read
            raise _broken(path, fault) from fault
        is_remote = isinstance(path, str)
        raise explain(path, fault) or TableError(
            path,
            expected="object storage that takes the table" if is_remote else "a disk with room to write on",
            found=words(fault),
            remedy="run the same command again" if is_remote else "free some and run the same command again",
        ) from fault


def _literal(value: str | int) -> str:
    """The value as an SQL literal: a text, a number or a truth value."""
    if isinstance(value, str):
        return "'" + str(value).replace("'", "''") + "'"
    if isinstance(value, int):
        return str(value).lower()
    raise TypeError(f"{value!r} is neither a text nor a whole number")


def _by_key(table: type[Table], rows: pa.Table) -> pa.Table:
    """The rows in the order of the table's key; the same ones, not copied, where they already are."""
    order = pc.sort_indices(rows, [(column, "ascending") for column in table.key_columns()]).to_numpy()
    return rows if (order[1:] > order[:-1]).all() else rows.take(order)


def _as_frame(rows: pa.Table) -> pd.DataFrame:
    frame: pd.DataFrame = rows.to_pandas(types_mapper=pd.ArrowDtype)
    return frame
