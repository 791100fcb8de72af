"""What every ledger of a crawl must be, wherever it comes from: an SQLite file of tables whose pages lie on one
site."""

import sqlite3
from contextlib import closing
from pathlib import Path

from data.console.errors import InputError

FILE = "file"
"""Kind of the pages that are files, whose key is a digest; the key of any other page is its path on the site."""

_STRAYS = f"SELECT key FROM pages WHERE kind != '{FILE}' AND (key NOT GLOB '/*' OR key GLOB '/[/\\]*') LIMIT 1"


def check(path: Path, name: str) -> None:
    """Raise InputError, by that name, where a ledger is damaged, holds code, or has pages that are off its site."""
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as ledger:
            ledger.execute("PRAGMA trusted_schema = OFF")
            (state,) = ledger.execute("PRAGMA quick_check(1)").fetchone()
            kinds = dict(ledger.execute("SELECT name, type FROM sqlite_master"))
            if state != "ok" or not set(kinds.values()) <= {"table", "index"}:
                raise _foreign(name, state if state != "ok" else "views or triggers")
            if "pages" in kinds:
                require_paths(name, ledger)
    except sqlite3.Error as fault:
        raise _foreign(name, str(fault)) from fault


def require_paths(name: str, ledger: sqlite3.Connection) -> None:
    """Raise InputError where a page's key is not a path that begins with a single slash."""
    if (stray := ledger.execute(_STRAYS).fetchone()) is not None:
        raise _foreign(name, f"a page {stray[0]!r} that is not a path on its site")


def _foreign(name: str, found: str) -> InputError:
    return InputError(name, expected="the ledger of a crawl", found=found, remedy="ask for it again, or remove it")
