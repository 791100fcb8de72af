"""SQLite files from strangers: read from memory, never written to, never trusted."""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager

MAGIC = b"SQLite format 3\0"
"""How every SQLite file begins."""

MAX_VALUE_BYTES = 2**20
"""A longer value is not a side of a card; Anki itself warns from 100 kB on."""

MAX_TEXTS_BYTES = 64 * 2**20
"""A deck has less text."""

_STEPS_BETWEEN_CHECKS = 1_000_000
_MAX_CHECKS = 200
"""Together 2e8 steps of SQLite's virtual machine: a collection of a million notes needs 2e7."""


class DatabaseError(Exception):
    """The database is damaged, hostile or of another kind."""


@contextmanager
def open_database(content: bytes) -> Iterator[sqlite3.Connection]:
    """A read-only database in memory whose schema can call no function.

    Raises DatabaseError, also in place of whatever SQLite raises while the database is being read.
    """
    with closing(sqlite3.connect(":memory:")) as database:
        try:
            database.deserialize(_without_journal(content))
            for pragma in ("query_only = ON", "trusted_schema = OFF", "cell_size_check = ON"):
                database.execute(f"PRAGMA {pragma}")
            checks = iter(range(_MAX_CHECKS))
            database.set_progress_handler(lambda: next(checks, None) is None, _STEPS_BETWEEN_CHECKS)
            database.create_collation("unicase", _compare_unicase)
            database.text_factory = lambda text: text.decode("utf-8", "replace")
            yield database
        except (sqlite3.Error, UnicodeDecodeError, OverflowError, MemoryError) as error:
            raise DatabaseError(f"the database cannot be read ({error})") from error


def real_tables(database: sqlite3.Connection) -> list[str]:
    """The names of the tables, without views, virtual tables and SQLite's internal ones."""
    rows = database.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage > 0 ORDER BY name")
    return [name for (name,) in rows if isinstance(name, str) and not name.startswith("sqlite_")]


def require_tables(database: sqlite3.Connection, *names: str) -> None:
    """Raises DatabaseError where one of the names is missing, a view or a virtual table."""
    found = real_tables(database)
    for name in names:
        if name not in found:
            raise DatabaseError(f"the database has no real table {name}")


def quoted(name: str) -> str:
    """The name as an SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def select_texts(
    database: sqlite3.Connection, table: str, columns: Sequence[str], order: str = ""
) -> list[tuple[str | None, ...]]:
    """The columns of all rows, as text of at most MAX_VALUE_BYTES characters; null for what is no text or number.

    Raises DatabaseError where the rows hold more than MAX_TEXTS_BYTES: in a hostile file, cells can share pages.
    """
    parts = [
        f"CASE WHEN typeof({name}) <> 'blob' THEN substr(CAST({name} AS TEXT), 1, {MAX_VALUE_BYTES}) END"
        for name in map(quoted, columns)
    ]
    sorting = f" ORDER BY {quoted(order)}" if order else ""
    rows, size = [], 0
    for row in database.execute(f"SELECT {', '.join(parts)} FROM {quoted(table)}{sorting}"):
        size += sum(len(value or "") for value in row)
        if size > MAX_TEXTS_BYTES:
            raise DatabaseError(f"the database holds more than {MAX_TEXTS_BYTES >> 20} MiB of text")
        rows.append(row)
    return rows


def read_table(database: sqlite3.Connection, table: str) -> Iterator[dict[str, str | None]]:
    """Each row of a table by the names of its columns. Raises DatabaseError as `select_texts`."""
    names = [str(row[1]) for row in database.execute(f"PRAGMA table_info({quoted(table)})")]
    return (dict(zip(names, row, strict=True)) for row in select_texts(database, table, names))


def _without_journal(content: bytes) -> bytes:
    """The file, marked as having no write-ahead log, which a database in memory cannot have."""
    return content[:18] + b"\x01\x01" + content[20:] if content[18:20] == b"\x02\x02" else content


def _compare_unicase(first: str, second: str) -> int:
    """Anki's collation: order without regard to case."""
    folded_first, folded_second = first.casefold(), second.casefold()
    return (folded_first > folded_second) - (folded_first < folded_second)
