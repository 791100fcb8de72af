"""Paths that a user gives: local ones, to files that exist, and where a store is."""

import re
from pathlib import Path

from data.console.errors import InputError

Address = str | Path
"""Where a store is: a folder (Path), or an address on object storage (str)."""

SCHEMES = ("s3", "s3a", "gs", "az", "abfs", "abfss")
"""The schemes of addresses on object storage: Amazon S3 and what speaks its protocol, Google's, Azure's."""

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*+):/")
_REMOTE = re.compile(r"[a-z0-9]++:/(?:/(?!\.{1,2}(?:/|$))[\w.=@-]++)++/?", re.ASCII)


def local(path: Path) -> Path:
    """The path; raises InputError for an address such as s3://bucket, which would make a folder `s3:` here."""
    if _SCHEME.match(str(path)):
        raise InputError(
            _without_secrets(str(path)),
            expected="a local file or folder",
            found="an address",
            remedy="copy or mount it on this machine, and give the path",
        )
    return path


def address(place: Address) -> Address:
    """The place of a store: a folder as a Path, an address on object storage as a str without a slash at its end.

    Raises InputError for an address of another kind, and for one with a query, a password or a name such as `..`.
    """
    text = str(place)
    scheme = _SCHEME.match(text)
    if scheme is None:
        return Path(place)
    if scheme[1] not in SCHEMES or not _REMOTE.fullmatch(text):
        known = ", ".join(f"{name}://" for name in SCHEMES[:-1])
        raise InputError(
            _without_secrets(text),
            expected=f"a folder, or an address that begins with {known} or {SCHEMES[-1]}://, a bucket and a name",
            found="another one",
            remedy="give one such as s3://bucket/store",
        )
    return text.rstrip("/")


def _without_secrets(text: str) -> str:
    """The address, or its scheme alone where a query, a password or another secret may follow."""
    return text if re.fullmatch(r"[\w.:/=-]++", text, re.ASCII) else text.partition(":")[0] + "://…"


def from_anywhere(name: str) -> str:
    """The name of a model, as a process in another folder finds it: where it is a folder's path, the absolute one."""
    return str(Path(name).absolute()) if Path(name).is_dir() else name


def last_name(place: Address) -> str:
    """The last name of a folder or an address."""
    return place.rpartition("/")[2] if isinstance(place, str) else place.resolve().name


def same_place(one: Address, other: Address) -> bool:
    """Whether both are the same folder or address."""
    one, other = address(one), address(other)
    if isinstance(one, Path) and isinstance(other, Path):
        return one.resolve() == other.resolve()
    return one == other


def existing_file(path: Path, what: str) -> Path:
    """The path, if it is a file; otherwise raises InputError. `what` names what was expected."""
    if not path.is_file():
        found = "a folder" if path.is_dir() else "a pipe or a device" if path.exists() else "nothing there"
        raise InputError(path, expected=what, found=found, remedy="check the path")
    return path
