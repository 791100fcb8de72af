"""Files and folders that are there whole or not at all, whatever happens while they are written."""

import errno
import fcntl
import itertools
import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from data.console.errors import StoreBusy

PUBLIC, PRIVATE = 0o666, 0o600
"""Modes of new files, before the process's umask."""


def write_whole(path: Path, content: str | bytes, *, mode: int = PUBLIC) -> None:
    """Write the file (texts in UTF-8) at once, with its missing parent folders; an older one stays until then."""
    with whole_file(path, mode=mode) as unfinished:
        unfinished.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)


def write_json(path: Path, content: object) -> None:
    """Write the content, in terms of JSON, as `write_whole` does; raises ValueError for a number that is none."""
    write_whole(path, json.dumps(content, ensure_ascii=False, indent=1, allow_nan=False) + "\n")


def keep_other(path: Path, content: str) -> Path | None:
    """Rename a file that has other content, as `guide.1.md`; return its new name, or None where there is none."""
    if not path.is_file() or path.read_bytes() == content.encode("utf-8"):
        return None
    names = (path.with_suffix(f".{number}{path.suffix}") for number in itertools.count(1))
    kept = next(name for name in names if not name.exists())
    path.rename(kept)
    return kept


@contextmanager
def whole_file(path: Path, *, mode: int = PUBLIC) -> Iterator[Path]:
    """An empty file beside `path` to write to; it takes the place of `path` once the block has ended.

    It has its mode from the beginning. Where the block fails, it is removed and `path` is as it was.
    """
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700 if mode == PRIVATE else 0o777)
    unfinished = path.with_name(path.name + ".part")
    unfinished.unlink(missing_ok=True)
    os.close(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode))
    try:
        yield unfinished
        _sync(unfinished)
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)


@contextmanager
def whole_folder(folder: Path) -> Iterator[Path]:
    """An empty folder to fill; it becomes `folder`, which is new or empty, once the block has ended.

    Raises StoreBusy if another run is writing `folder`.
    """
    with scratch_beside(folder) as scratch:
        unfinished = scratch / "whole"
        unfinished.mkdir()
        yield unfinished
        if folder.exists():
            folder.rmdir()
        unfinished.replace(folder)


@contextmanager
def scratch_beside(place: Path) -> Iterator[Path]:
    """An empty folder beside the place, removed in the end; the next run removes what a killed run left in it.

    Raises StoreBusy if another run uses it.
    """
    scratch = place.absolute().with_name(f".{place.name}.unfinished")
    with _locked_folder(scratch, place):
        try:
            for left in scratch.iterdir():
                shutil.rmtree(left) if left.is_dir() else left.unlink()
            yield scratch
        finally:
            shutil.rmtree(scratch)


@contextmanager
def _locked_folder(folder: Path, place: Path) -> Iterator[None]:
    """Make the folder and hold its lock, which dies with this process."""
    busy = StoreBusy(place, expected="no other run to write it", found="a run in progress", remedy="wait for it to end")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        opened = os.open(folder, os.O_RDONLY)
    except (FileExistsError, FileNotFoundError) as fault:  # removed by the other run after it was seen
        raise busy from fault
    try:
        if not _lock(opened, folder):
            raise busy
        yield
    finally:
        os.close(opened)


def _lock(opened: int, folder: Path) -> bool:
    """Lock the opened folder; False if another run holds it, or has just removed it."""
    try:
        fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return os.path.samestat(os.fstat(opened), folder.stat())
    except (BlockingIOError, FileNotFoundError):
        return False


def _sync(path: Path) -> None:
    """Wait until the file's bytes are on the disk: a rename may reach it before them."""
    with path.open("rb") as file:
        os.fsync(file.fileno())
