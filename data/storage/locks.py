"""Locks: on one machine by files, across machines by leases that end with their holder.

A lease is a Delta log of its own beside the tables, whose description names its holder and its end. To take, renew
or give back a lease is a commit, and of two commits of one version storage accepts one. A lease that is not renewed
ends; the machine that held it may take it again at once, since its file lock shows that no process holds it.
"""

import fcntl
import json
import os
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TextIO

import pyarrow as pa
from deltalake import CommitProperties, DeltaTable
from deltalake.exceptions import CommitFailedError, DeltaError, TableNotFoundError

from data.console.errors import StoreBusy
from data.files.keys import own_key
from data.storage.object_storage import OPTIONS, list_files, reached

LOCKS = "locks"
"""The folder of the lock files, and of the leases."""

LEASE_SECONDS = 120.0
"""A lease that was not renewed for this long may be taken by others; the machines' clocks must agree better."""
RENEWALS = 4
"""How often a lease is renewed in that time."""

ONCE = CommitProperties(max_commit_retries=0)
"""A commit that fails where another one was first."""
_SCHEMA = pa.schema([("lock", pa.string())])
_SHORT = {"delta.checkpointInterval": "10", "delta.logRetentionDuration": "interval 0 seconds"}
_FREE: dict[str, Any] = {"until": 0.0}


def lock_file(folder: Path, name: str) -> TextIO:
    """The file of that name among the lock files, to lock; made where there is none."""
    (folder / LOCKS).mkdir(parents=True, exist_ok=True)
    return (folder / LOCKS / name).open("a+", encoding="ascii")


@contextmanager
def hold_here(folder: Path, name: str, where: object) -> Iterator[None]:
    """Hold the lock among this machine's processes; it dies with its process. Raises StoreBusy where one holds it."""
    with lock_file(folder, f"{name}.lock") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as fault:
            file.seek(0)
            process = file.read().strip()  # empty while the holder has not written it yet
            raise StoreBusy(
                where,
                expected=f"no other run of {name} here",
                found="a run in progress" + (f" (process {process})" if process else ""),
                remedy="wait for it to end, or stop it, and run again",
            ) from fault
        file.truncate(0)
        file.write(str(os.getpid()))
        file.flush()
        yield


@contextmanager
def hold_lease(folder: Path, name: str, place: str) -> Iterator[None]:
    """Hold the lock among all machines, by a lease at `place`, while this machine's lock of that name is held.

    Raises StoreBusy where another machine holds it, and at the end where another one took it meanwhile.
    """
    lease = _Lease(f"{place}/{LOCKS}/{name}", own_key(folder / LOCKS / "machine").hex())
    with reached(place):
        lease.take(name, place)
    ended = threading.Event()
    renewal = threading.Thread(target=lease.renew, args=(ended,), daemon=True)
    renewal.start()
    try:
        yield
    finally:
        ended.set()
        renewal.join()
        lease.give_back()
    if lease.is_lost:
        raise StoreBusy(
            place,
            expected=f"the lock {name} until the end",
            found=f"that it was lost: it could not be renewed for {LEASE_SECONDS:g} s, and another run took it",
            remedy="wait for that run to end, see `python -m data status`, and run again",
        )


def list_leases(place: str) -> list[str]:
    """The names of the leases that were ever taken at `place`."""
    return sorted({path.split("/")[0] for path in list_files(f"{place}/{LOCKS}")})


class _Lease:
    def __init__(self, place: str, machine: str) -> None:
        self.place, self.is_lost = place, False
        self.holder = {"machine": machine, "process": f"process {os.getpid()} on {socket.gethostname()}"}

    def take(self, name: str, store: str) -> None:
        """Take the lease. Raises StoreBusy where another machine has it."""
        try:
            self.log = self._open()
            state = json.loads(self.log.metadata().description or "{}") or _FREE
            if state["until"] > _now() and state["machine"] != self.holder["machine"]:
                end = datetime.fromtimestamp(state["until"], UTC)
                raise StoreBusy(
                    store,
                    expected=f"no other run of {name}",
                    found=f"{state['process']}",
                    remedy=f"wait for it to end; if it died, its lock ends at {end:%H:%M:%S} UTC",
                )
            self._commit({**self.holder, "until": _now() + LEASE_SECONDS})
        except CommitFailedError as fault:
            raise StoreBusy(
                store, expected=f"no other run of {name}", found="one that began now", remedy="wait for it to end"
            ) from fault

    def renew(self, ended: threading.Event) -> None:
        """Renew the lease until the end; a renewal that fails is tried again, unless another one took the lease."""
        while not self.is_lost and not ended.wait(LEASE_SECONDS / RENEWALS):
            try:
                self._commit({**self.holder, "until": _now() + LEASE_SECONDS})
            except CommitFailedError:
                self.is_lost = True
            except (OSError, DeltaError):
                continue

    def give_back(self) -> None:
        """End the lease, if it is still this run's; where storage cannot be reached, it ends by itself."""
        try:
            if not self.is_lost:
                self._commit(_FREE)
        except CommitFailedError:
            self.is_lost = True
        except (OSError, DeltaError):
            return

    def _open(self) -> DeltaTable:
        try:
            return DeltaTable(self.place, storage_options=OPTIONS)
        except TableNotFoundError:
            try:
                return DeltaTable.create(
                    self.place,
                    _SCHEMA,
                    mode="error",
                    description="{}",
                    configuration=_SHORT,
                    commit_properties=ONCE,
                    storage_options=OPTIONS,
                )
            except DeltaError:
                return DeltaTable(self.place, storage_options=OPTIONS)  # another run made it now

    def _commit(self, state: dict[str, Any]) -> None:
        self.log.alter.set_table_description(json.dumps(state), commit_properties=ONCE)


def _now() -> float:
    return datetime.now(UTC).timestamp()
