"""A store as one file for a colleague: packed with checksums, with or without ratings, and checked on arrival.

A pack contains the tables with their past and the crawls' ledgers, never accounts, passwords and campaigns' keys
(`private`), the server's files or locks. It is a gzipped tar of plain files whose first member, `pack.json`, lists all
others with their sizes and blake2b digests.
"""

import hashlib
import io
import json
import shutil
import sqlite3
import tarfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO, Any

import pandas as pd

from data.console.errors import InputError, ParadeError
from data.console.paths import Address
from data.contract import register
from data.contract.stages import BEFORE_RATINGS, WITHOUT_RATINGS, stage_of
from data.contract.tables.removals import Rejects
from data.files.parquet import ROWS_AT_ONCE
from data.files.whole import scratch_beside, whole_folder
from data.storage import ledgers
from data.storage.locks import LOCKS
from data.storage.object_storage import download, list_files, reached, upload
from data.storage.store import Store
from data.texts.identity import ID_BYTES, file_digest

CONTENTS = "pack.json"
FORMAT = 1
LEDGERS = "ledgers"
MAX_CONTENTS_BYTES = 64 * 2**20

MAX_PATH_NAMES = 4
"""The most names on a file's path: a table's files are no deeper than its log."""

PIECE_BYTES = 2**20


@dataclass(frozen=True, kw_only=True)
class Contents:
    """The list of contents of a pack."""

    ratings: bool
    files: dict[str, dict[str, Any]]
    """Path -> bytes, digest."""
    tables: dict[str, int]
    """Name -> rows."""


def pack(store: Store, out: Path, *, ratings: bool) -> Contents:
    """Write the store as a pack; `out` exists only once it is complete.

    Raises InputError if `out` exists already, or if the store has no tables.
    """
    if out.exists():
        raise InputError(out, expected="a new file", found="one that exists", remedy="choose another name")
    with scratch_beside(out) as scratch:
        copy = scratch / "store"
        tables = _copy(store, copy, ratings=ratings)
        if not tables:
            raise InputError(store.address, expected="a store with tables", found="none", remedy="name it with --store")
        paths = sorted(path for path in copy.rglob("*") if path.is_file())
        files = {
            path.relative_to(copy).as_posix(): {"bytes": path.stat().st_size, "digest": file_digest(path)}
            for path in paths
        }
        contents = Contents(ratings=ratings, files=files, tables=tables)
        part = scratch / "pack"
        with tarfile.open(part, "w:gz", compresslevel=6) as archive:
            _add(archive, CONTENTS, json.dumps({"format": FORMAT} | vars(contents), sort_keys=True).encode())
            for path in paths:
                _add(archive, path.relative_to(copy).as_posix(), path)
        part.replace(out)
    return contents


def unpack(path: Path, place: Address) -> Contents:
    """Make a store at the place from a pack, complete and checked, or leave nothing there.

    On object storage, an upload that is interrupted leaves a part. Raises InputError if the place is not empty, if a
    file is missing, unknown, changed or would be outside the folder, or if a table cannot be read or has a different
    number of rows than listed.
    """
    store = Store(place)
    root = store.root
    if root.exists() and (not root.is_dir() or any(root.iterdir())):
        raise InputError(root, expected="an empty or new folder", found="one with files", remedy="name another")
    if isinstance(store.address, str):
        with reached(store.address):
            if list_files(store.address):
                remedy = "name another one, or delete what an interrupted upload left there"
                raise InputError(place, expected="an address without files", found="one with files", remedy=remedy)
    with whole_folder(root) as target:
        with _opened(path) as archive:
            contents = _read_contents(path, archive, target)
            _extract(path, archive, contents, target)
        _require_tables(path, Store(target), contents)
        for ledger in (name for name in contents.files if PurePosixPath(name).parts[0] == LEDGERS):
            ledgers.check(target / ledger, f"{path}, {ledger}")
        if isinstance(store.address, str):
            for folder in [target / name for name in contents.tables]:
                upload(folder, f"{store.address}/{folder.name}")
                shutil.rmtree(folder)
    return contents


def _copy(store: Store, target: Path, *, ratings: bool) -> dict[str, int]:
    """Copy tables and ledgers; return the number of rows by table name."""
    tables = [table for table in store.tables() if store.exists(table) and (ratings or table in WITHOUT_RATINGS)]
    for table in tables:
        place, folder = store.path(table), target / table.table_name()
        if isinstance(place, str):
            download(place, folder)
        else:
            shutil.copytree(place, folder)
    copy = Store(target)
    if not ratings and Rejects in tables:
        copy.erase(Rejects, _before_ratings, "data.pack")
        shutil.rmtree(target / LOCKS)
    for path in sorted((store.root / LEDGERS).glob("*.sqlite")):
        (target / LEDGERS).mkdir(parents=True, exist_ok=True)
        with closing(sqlite3.connect(path)) as ledger, closing(sqlite3.connect(target / LEDGERS / path.name)) as other:
            ledger.backup(other)
    return {table.table_name(): len(copy.read(table, columns=table.key_columns())) for table in tables}


def _before_ratings(rejects: pd.DataFrame) -> pd.DataFrame:
    """The rejects of stages that reveal nothing about annotators; an unknown stage's may."""
    stages = [stage_of(name) for name in rejects["stage"]]
    kept = [stage is not None and stage.name in BEFORE_RATINGS for stage in stages]
    return rejects[pd.Series(kept, rejects.index, dtype=bool)]


def _add(archive: tarfile.TarFile, name: str, content: bytes | Path) -> None:
    """Add a plain file without this machine's owner, mode or time."""
    entry = tarfile.TarInfo(name)
    entry.size = len(content) if isinstance(content, bytes) else content.stat().st_size
    with io.BytesIO(content) if isinstance(content, bytes) else content.open("rb") as file:
        archive.addfile(entry, file)


@contextmanager
def _opened(path: Path) -> Iterator[tarfile.TarFile]:
    try:
        with tarfile.open(path, "r|gz") as archive:
            yield archive
    except (tarfile.TarError, EOFError, OSError) as fault:
        raise _damaged(path, str(fault) or type(fault).__name__) from fault


def _read_contents(path: Path, archive: tarfile.TarFile, folder: Path) -> Contents:
    """The list of contents. Raises InputError if there is none, or if the disk of `folder` has too little room."""
    first = archive.next()
    if first is None or first.name != CONTENTS or not first.isreg() or first.size > MAX_CONTENTS_BYTES:
        raise _damaged(path, "no list of contents")
    file = archive.extractfile(first)
    try:
        content = json.loads(file.read() if file else b"")
    except (ValueError, RecursionError) as fault:
        raise _damaged(path, "a list of contents that cannot be read") from fault
    if not _is_list_of_contents(content):
        raise _damaged(path, "a list of contents of another format")
    contents = Contents(ratings=content["ratings"], files=content["files"], tables=content["tables"])
    for name in contents.files:
        _require_inside(path, name)
    size, free = sum(listed["bytes"] for listed in contents.files.values()), shutil.disk_usage(folder).free
    if size > free:
        raise _damaged(path, f"{size} bytes to unpack, {free} free")
    return contents


def _is_list_of_contents(content: Any) -> bool:
    """Whether the content of a pack's first member has the declared fields and types."""
    if not isinstance(content, dict) or set(content) != {"format", *Contents.__dataclass_fields__}:
        return False
    files, tables = content["files"], content["tables"]
    return (
        _is_count(content["format"])
        and content["format"] == FORMAT
        and isinstance(content["ratings"], bool)
        and isinstance(tables, dict)
        and all(_is_count(n) for n in tables.values())
        and isinstance(files, dict)
        and all(isinstance(listed, dict) and set(listed) == {"bytes", "digest"} for listed in files.values())
        and all(_is_count(listed["bytes"]) and isinstance(listed["digest"], str) for listed in files.values())
    )


def _is_count(value: object) -> bool:
    return type(value) is int and value >= 0


def _require_inside(path: Path, name: str) -> None:
    """Raise InputError for a path that is not of a table or a ledger in the store's folder."""
    parts = PurePosixPath(name).parts
    plain = name == "/".join(parts) and not any(part in ("..", ".") or "\\" in part or "\0" in part for part in parts)
    tops = {*(table.table_name() for table in register.TABLES), LEDGERS}
    if not plain or not 2 <= len(parts) <= MAX_PATH_NAMES or parts[0] not in tops:
        raise _damaged(path, f"a file that belongs to no store: {name!r}")


def _extract(path: Path, archive: tarfile.TarFile, contents: Contents, target: Path) -> None:
    """Write each listed file. Raises InputError for one that is missing, not listed, or of another size or digest."""
    missing = dict(contents.files)
    while (entry := archive.next()) is not None:
        listed = missing.pop(entry.name, None)
        file = archive.extractfile(entry) if entry.isreg() else None
        if listed is None or file is None or entry.size != listed["bytes"]:
            raise _damaged(path, f"a file that is not listed, or not as listed: {entry.name!r}")
        place = target / entry.name
        place.parent.mkdir(parents=True, exist_ok=True)
        if _write(file, place) != listed["digest"]:
            raise _damaged(path, f"{entry.name} with other bytes than were packed")
    if missing:
        raise _damaged(path, f"{len(missing)} files missing, such as {sorted(missing)[0]}")


def _write(file: IO[bytes], place: Path) -> str:
    """Write the bytes; return their digest."""
    state = hashlib.blake2b(digest_size=ID_BYTES)
    with place.open("xb") as out:
        while piece := file.read(PIECE_BYTES):
            state.update(piece)
            out.write(piece)
    return state.hexdigest()


def _require_tables(path: Path, store: Store, contents: Contents) -> None:
    """Check that every table has its listed number of rows, each of the table's type, and a readable past."""
    for table in register.TABLES:
        listed = contents.tables.get(table.table_name())
        if listed is None and not store.exists(table):
            continue
        try:
            store.delta(table).check_log()
            store.history(table)
            found = store.delta(table).count_checked(listed or 0, ROWS_AT_ONCE)
        except (
            ParadeError,
            OSError,
            ValueError,
            KeyError,
            TypeError,
            AttributeError,
            RecursionError,
            MemoryError,
        ) as fault:
            raise _damaged(path, f"table {table.table_name()} that cannot be read") from fault
        if found != listed:
            raise _damaged(path, f"{found} rows of {table.table_name()} where {listed} were packed")


def _damaged(path: Path, found: str) -> InputError:
    return InputError(path, expected="a pack, whole and unchanged", found=found, remedy="ask for it again")
