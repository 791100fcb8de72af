"""The contents of a server's folder: the administrator's credentials and the database, never one without the other."""

import json
import secrets
import shutil
from dataclasses import asdict, dataclass, field
from pathlib import Path

from annotation.label_studio.server import environment
from data.console.errors import InputError, ServerError
from data.files.values import read_json
from data.files.whole import PRIVATE, write_whole

ADMINISTRATOR = "administrator@example.org"
CREDENTIALS = "credentials.json"


@dataclass(frozen=True, kw_only=True)
class Credentials:
    """The credentials of one server's administrator; their file has mode 0600."""

    email: str
    password: str = field(repr=False)
    api_key: str = field(repr=False)
    database: str = ""
    """The address of the PostgreSQL database, without a password; empty for SQLite in the folder."""


def credentials(folder: Path) -> Credentials:
    """The credentials of the administrator. Raises ServerError if their file is missing."""
    path = folder / CREDENTIALS
    if not path.is_file():
        raise ServerError(
            path,
            expected="the credentials of this folder's server",
            found="no such file",
            remedy="start the server first: `python -m annotation server start`",
        )
    what, remedy = "the credentials of this folder's server", "put back the file, or begin with another --store"
    try:
        return Credentials(**read_json(path, what, remedy))
    except TypeError as fault:
        raise InputError(path, expected=what, found="other values", remedy=remedy) from fault


def fill(folder: Path, installed: Path, address: str) -> None:
    """Create credentials and database if they are missing; never one without the other.

    `installed`: Label Studio's environment. `address`: a PostgreSQL database, or empty for SQLite in the folder. Raises
    InputError for a malformed address, ServerError if the folder's server has another database.
    """
    environment.database_variables(address)  # refuses a password before anything repeats it
    database = folder / "data" / environment.DATABASE
    is_known = database.exists() or (folder / CREDENTIALS).exists()
    if is_known:
        _require_same_database(folder, address)
    database.parent.mkdir(parents=True, exist_ok=True, mode=0o700)  # a restored folder may hold credentials alone
    if database.exists() or (is_known and credentials(folder).database):
        return
    if address:
        _write_credentials(folder, address)
        return
    source = environment.template(installed)
    _write_credentials(folder, address)
    scratch = database.with_suffix(".new")
    shutil.copyfile(source, scratch)
    scratch.chmod(0o600)
    scratch.replace(database)


def remove_leftovers(folder: Path) -> None:
    """Remove what a stopped server or an older version left in files: exports with answers, attempts to sign in."""
    for name in ("export", "attempts", environment.TEMPORARY):
        shutil.rmtree(folder / "data" / name, ignore_errors=True)
    (folder / "data" / environment.TEMPORARY).mkdir(mode=0o700, exist_ok=True)


def _require_same_database(folder: Path, address: str) -> None:
    known = credentials(folder).database
    if address and address != known:
        raise ServerError(
            folder,
            expected=f"the database of this folder's server ({known or 'SQLite in the folder'})",
            found=address,
            remedy="omit --database, or use another --store",
        )


def _write_credentials(folder: Path, address: str) -> None:
    password, api_key = secrets.token_urlsafe(24), secrets.token_hex(20)
    administrator = Credentials(email=ADMINISTRATOR, password=password, api_key=api_key, database=address)
    write_whole(folder / CREDENTIALS, json.dumps(asdict(administrator)), mode=PRIVATE)
