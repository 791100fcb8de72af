"""The server's log: each line once, and never longer than twice MAX_LOG_BYTES."""

import fcntl
import logging
import os
import shutil
from pathlib import Path

MAX_LOG_BYTES = 10_000_000
"""Bytes after which the log is moved to a file that ends with `.1`, in place of the one before."""


class RotatingHandler(logging.StreamHandler):
    """A handler that writes to the process's standard error, which is the log that PARADE_LOG names.

    All the server's processes append to the one file, so it is copied and emptied instead of renamed.
    """

    def emit(self, record: logging.LogRecord) -> None:
        """Write the record, after moving aside a log that is too long."""
        path = Path(os.environ.get("PARADE_LOG", os.devnull))
        if path.is_file() and path.stat().st_size > MAX_LOG_BYTES:
            rotate(path)
        super().emit(record)


def rotate(path: Path) -> None:
    """Move the content to the file that ends with `.1`, once, whatever other processes try."""
    with path.open("r+b") as log:
        fcntl.flock(log, fcntl.LOCK_EX)
        if path.stat().st_size > MAX_LOG_BYTES:
            shutil.copyfile(path, path.with_name(path.name + ".1"))
            log.truncate(0)
