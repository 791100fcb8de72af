"""Leave no copy of an answer in files: exports go once they are sent, deleted rows leave the files of the database."""

import fcntl
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from django.conf import settings
from django.db import NotSupportedError, connection
from projects.models import Project

SECONDS_TO_WAIT = 60.0
"""The time for other readers of the database, such as a dump, before its files can be cleaned."""

OLDER_READERS = """
SELECT count(*) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = current_database()
AND greatest(age(backend_xid), age(backend_xmin)) >= age(%s::text::xid)
"""
"""Who may still read what had been deleted when a transaction began: PostgreSQL keeps it for them."""


SAMPLED = """
SELECT format('%I.%I', schemaname, tablename), format('%I', attname), format_type(atttypid, atttypmod)
FROM pg_stats JOIN pg_attribute USING (attname) JOIN pg_class ON pg_class.oid = attrelid
WHERE attrelid = format('%I.%I', schemaname, tablename)::regclass AND relkind = 'r'
AND schemaname = ANY (current_schemas(false)) AND NOT EXISTS (
    SELECT FROM pg_constraint WHERE conrelid = attrelid AND attnum = ANY (conkey) AND contype IN ('p', 'f')
)
"""
"""The columns of tables, but for ids, of which PostgreSQL keeps samples; an index's samples fall with its column's."""


@contextmanager
def one_export() -> Iterator[None]:
    """Let the server write the files of an export, one at a time: it gives two of a minute one name. Remove them."""
    with (Path(settings.BASE_DATA_DIR) / "exports.lock").open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        try:
            yield
        finally:
            for path in Path(settings.EXPORT_DIR).iterdir():  # also files of older versions and interrupted exports
                _remove(path)
            for path in (Path(settings.BASE_DATA_DIR) / "tmp").glob("*/"):  # left where an export failed
                _remove(path)


def remove_snapshots() -> None:
    """Remove the snapshots, which an administrator can make in the browser, of projects that no longer exist."""
    with one_export():
        existing = set(map(str, Project.objects.values_list("id", flat=True)))
        for folder in (Path(settings.MEDIA_ROOT) / settings.DELAYED_EXPORT_DIR).iterdir():
            if folder.name not in existing:
                _remove(folder)


def clean_database() -> bool:
    """Rewrite the database's files without what has been deleted; False if another program reads it all the time.

    SQLite overwrites what it deletes (`secure_delete`), but not in the log of writes, which is emptied. PostgreSQL
    keeps it until all tables are rewritten, and samples of it in its statistics until they are made again or dropped.
    """
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            return _wait(lambda: cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0] == 0)
        cursor.execute("SELECT txid_current() % 4294967296")
        now = cursor.fetchone()[0]

        def is_unread() -> bool:
            cursor.execute(OLDER_READERS, [now])
            return not cursor.fetchone()[0]

        if not _wait(is_unread):
            return False
        cursor.execute("SELECT pg_advisory_lock(hashtext('parade_gate.erasure'))")  # two would wait for each other
        try:
            cursor.execute("ANALYZE")
            _drop_samples(cursor)
            cursor.execute("VACUUM FULL")
        finally:
            cursor.execute("SELECT pg_advisory_unlock(hashtext('parade_gate.erasure'))")
    return True


def _drop_samples(cursor) -> None:
    """Drop the samples of tables without rows, where ANALYZE keeps the old ones; a column given its own type has none.

    Versions before 18 have no function that does it for users other than superusers.
    """
    cursor.execute(SAMPLED)
    for table, column, kind in cursor.fetchall():
        cursor.execute(f"SELECT EXISTS (SELECT FROM {table})")
        if not cursor.fetchone()[0]:
            with suppress(NotSupportedError):  # other columns are computed from it, such as a search's
                cursor.execute(f"ALTER TABLE {table} ALTER COLUMN {column} TYPE {kind}")


def _wait(condition) -> bool:
    """Whether the condition holds within SECONDS_TO_WAIT."""
    deadline = time.monotonic() + SECONDS_TO_WAIT
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)
