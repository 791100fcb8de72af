"""Paths that a user gives: local ones, to files that exist."""

import re
from pathlib import Path

from data.console.errors import InputError

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:/")


def local(path: Path) -> Path:
    """The path; raises InputError for an address such as s3://bucket, which would make a folder `s3:` here."""
    if _SCHEME.match(str(path)):
        raise InputError(
            path,
            expected="a local file or folder",
            found="an address",
            remedy="copy or mount it on this machine, and give the path",
        )
    return path


def existing_file(path: Path, what: str) -> Path:
    """The path, if it is a file; otherwise raises InputError. `what` names what was expected."""
    if not path.is_file():
        found = "a folder" if path.is_dir() else "a pipe or a device" if path.exists() else "nothing there"
        raise InputError(path, expected=what, found=found, remedy="check the path")
    return path
