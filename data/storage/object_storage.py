"""Object storage as a store's place: this machine's folder for it, what its faults mean, and copies of its files."""

import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from deltalake._internal import DeltaFileSystemHandler  # whose streams take bytes
from deltalake.exceptions import CommitFailedError, DeltaError
from deltalake.fs import DeltaStorageHandler
from pyarrow.fs import FileSelector, FileType, LocalFileSystem, PyFileSystem, copy_files

from data.console.errors import TableError
from data.console.paths import Address
from data.texts.identity import digest

OPTIONS = {"max_retries": "10", "retry_timeout": "60s", "timeout": "20s"}
"""How long a request is tried; credentials and endpoints come from the environment and the provider's files."""

BRIEFLY = {"max_retries": "2", "retry_timeout": "10s", "timeout": "10s"}
"""The same for what is tried again anyway."""

LOG = "_delta_log"
"""The folder of a table's log."""

PIECE_BYTES = 2**20
"""How much of a file is in memory while it is uploaded."""

_COMMIT = re.compile(r"(\d{20})\.json", re.ASCII)
_MARKS = re.compile(r"\x1b\[\d*+m|↳|<\?xml[^>]*+>")
_CODE = re.compile(r"<Code>([^<]*+)</Code>\s*+(?:<Message>([^<]*+)</Message>)?+")
_DENIED = re.compile(
    r"401 Unauthorized|403 Forbidden|AccessDenied|InvalidAccessKeyId|SignatureDoesNotMatch|token request|169\.254\.|"
    r"Account must be specified|[Cc]redential|"
    r"Missing (?:Access|Secret)"
)
_UNREACHED = re.compile(r"HTTP error|error sending request|retry_timeout|timed out|[Cc]onnection")


def folder_here(address: str) -> Path:
    """The folder of a store on object storage that belongs to this machine: `$XDG_STATE_HOME/parade/NAME`, else in
    `~/.local/state`."""
    base = os.environ.get("XDG_STATE_HOME") or "~/.local/state"
    name = re.sub(r"[^\w.-]++", "-", address, flags=re.ASCII)
    return Path(base).expanduser() / "parade" / f"{name}-{digest(address)[:8]}"


def list_files(place: Address) -> list[str]:
    """The paths of all files below the place, in alphabetical order."""
    files = DeltaStorageHandler(str(place), OPTIONS if isinstance(place, str) else None)
    found = files.get_file_info_selector(FileSelector("", allow_not_found=True, recursive=True))
    return sorted(info.path for info in found if info.is_file)


def list_folders(place: str) -> list[str]:
    """The names of the folders in the place."""
    with reached(place):
        found = DeltaStorageHandler(place, OPTIONS).get_file_info_selector(FileSelector("", allow_not_found=True))
    return [info.base_name for info in found if info.type == FileType.Directory]


def last_versions(place: str, names: Iterable[str]) -> dict[str, int | None]:
    """The last version of each Delta table of these names in the place, by one listing each; None without a commit."""
    found = {}
    with reached(place):
        files = DeltaStorageHandler(place, OPTIONS)
        for name in names:
            log = files.get_file_info_selector(FileSelector(f"{name}/{LOG}", allow_not_found=True))
            found[name] = max(
                (int(match[1]) for info in log if (match := _COMMIT.fullmatch(info.base_name))), default=None
            )
    return found


def download(place: str, folder: Path) -> None:
    """Copy all files below the place into the folder."""
    there = PyFileSystem(DeltaStorageHandler(place, OPTIONS))
    folder.mkdir(parents=True, exist_ok=True)
    with reached(place):
        copy_files(
            "", str(folder), source_filesystem=there, destination_filesystem=LocalFileSystem(), use_threads=False
        )


def upload(folder: Path, place: str) -> None:
    """Copy all files of tables below the folder to the place: what their logs name first, the logs in their order."""
    paths = sorted((path for path in folder.rglob("*") if path.is_file()), key=lambda path: (LOG in path.parts, path))
    files = DeltaFileSystemHandler(place, OPTIONS)
    for path in paths:
        with reached(place), path.open("rb") as content:
            out = files.open_output_stream(path.relative_to(folder).as_posix())
            while piece := content.read(PIECE_BYTES):
                out.write(piece)
            out.close()  # type: ignore[attr-defined] # its stub has none


def words(fault: BaseException) -> str:
    """What a fault of storage says, in one line."""
    text = _MARKS.sub(" ", str(fault)).partition("\n   0: ")[0]  # after that it is deltalake's own stack
    if code := _CODE.search(text):
        return f"{code[1]} {code[2] or ''}".strip()
    return " ".join(text.split())


def explain(place: Address, fault: BaseException) -> TableError | None:
    """The error for a fault of object storage: no bucket, no rights, no connection; None for any other."""
    if isinstance(place, Path):
        return None
    text = str(fault)
    if isinstance(fault, NotImplementedError) or "501 Not Implemented" in text:
        expected = "object storage that writes a file only where there is none (If-None-Match)"
        remedy = "use a server that does, or a newer version of it"
    elif "NoSuchBucket" in text or "ContainerNotFound" in text:
        expected, remedy = "a bucket of that name", "create it, or correct --store"
    elif "URL scheme is not allowed" in text:
        expected, remedy = "an address with https", "export AWS_ALLOW_HTTP=true for a server that has http alone"
    elif _DENIED.search(text):
        expected = "credentials that may read and write there"
        remedy = (
            "export AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY or what your provider asks for (docs/deployment.md)"
        )
    elif _UNREACHED.search(text):
        expected = "object storage that answers"
        remedy = "check the network and AWS_ENDPOINT_URL, and run the same command again"
    else:
        return None
    return TableError(place, expected=expected, found=words(fault), remedy=remedy)


@contextmanager
def reached(place: str) -> Iterator[None]:
    """Say in one line why storage could not be used; other faults are the caller's to explain."""
    try:
        yield
    except CommitFailedError:
        raise
    except (OSError, DeltaError, NotImplementedError) as fault:
        raise explain(place, fault) or TableError(
            place, expected="object storage that can be used", found=words(fault), remedy="correct --store"
        ) from fault
