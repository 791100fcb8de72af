"""Files and folders that are there whole or not at all, whatever happens while they are written."""

import errno
import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PUBLIC, PRIVATE = 0o666, 0o600
"""Modes of new files, before the process's umask."""


def write_whole(path: Path, content: str | bytes, *, mode: int = PUBLIC) -> None:
    """Write the file (texts in UTF-8) at once, with its missing parent folders; an older one stays until then."""
    with whole_file(path, mode=mode) as unfinished:
        unfinished.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)


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
    """An empty folder beside `folder` to fill; it becomes `folder`, which is new or empty, once the block has ended.

    Two runs never share it: the second to end finds `folder` filled and fails.
    """
    unfinished = folder.with_name(f"{folder.name}.{secrets.token_hex(4)}.part")
    unfinished.mkdir(parents=True)
    try:
        yield unfinished
        if folder.exists():
            folder.rmdir()
        unfinished.replace(folder)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)


def _sync(path: Path) -> None:
    """Wait until the file's bytes are on the disk: a rename may reach it before them."""
    with path.open("rb") as file:
        os.fsync(file.fileno())
