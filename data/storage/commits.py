"""A commit of one version: made once, or not at all, even where storage's answer is lost."""

from collections.abc import Iterator
from contextlib import contextmanager
from uuid import uuid4

from deltalake import CommitProperties
from deltalake.exceptions import CommitFailedError, DeltaError
from deltalake.fs import DeltaStorageHandler

from data.console.paths import Address
from data.storage.object_storage import BRIEFLY, LOG


@contextmanager
def one_commit(place: Address, version: int, **record: str) -> Iterator[CommitProperties]:
    """The properties of the one commit that the block makes, with the record in it: of this version of the table.

    Raises CommitFailedError where another commit made the version. A fault after the commit, such as an answer that is
    lost, is none: the log tells by a mark whose commit it has.
    """
    mark = uuid4().hex
    try:
        yield CommitProperties(custom_metadata={"mark": mark, **record}, max_commit_retries=0)
    except (OSError, DeltaError) as fault:
        written = _read(place, version)
        if not written:
            raise
        if mark not in written:
            raise CommitFailedError(str(fault)) from fault


def _read(place: Address, version: int) -> str:
    """What the log has of the version; empty where it has nothing or cannot be read now."""
    try:
        files = DeltaStorageHandler(str(place), BRIEFLY if isinstance(place, str) else None)
        with files.open_input_stream(f"{LOG}/{version:020}.json") as file:
            return bytes(file.read()).decode()
    except (OSError, DeltaError):
        return ""
