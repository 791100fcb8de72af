"""Locks: on one machine by files, across machines by leases that end with their holder.

A lease is a Delta log of its own beside the tables, whose description names its holder and its end. To take, renew
or give back a lease is a commit, and of two commits of one version storage accepts one. A lease that is not renewed
ends; the machine that held it may take it again at once, since its file lock shows that no process holds it.
Leases are renewed by a process of their own, which no long computation of the holder keeps from it.
"""

import fcntl
import json
import os
import select
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TextIO
from uuid import uuid4

import pyarrow as pa
from deltalake import DeltaTable
from deltalake.exceptions import CommitFailedError, DeltaError, TableNotFoundError

from data.console.errors import StoreBusy
from data.files.keys import own_key
from data.storage.commits import one_commit
from data.storage.object_storage import BRIEFLY, list_files, reached
from data.texts.identity import digest

LOCKS = "locks"
"""The folder of the lock files, and of the leases."""

LEASE_SECONDS = 120.0
"""A lease that was not renewed for this long may be taken by others; the machines' clocks must agree better."""
RENEWALS = 4
"""How often a lease is renewed in that time."""
_SCHEMA = pa.schema([("lock", pa.string())])
_SHORT = {"delta.checkpointInterval": "10", "delta.logRetentionDuration": "interval 0 seconds"}
_FREE: dict[str, Any] = {"until": 0.0, "run": ""}


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
    lease = _Lease(f"{place}/{LOCKS}/{name}", _holder(folder))
    with reached(place):
        lease.take(name, place)
    words = [lease.place, json.dumps(lease.holder), str(LEASE_SECONDS), str(LEASE_SECONDS / RENEWALS)]
    command = [sys.executable, "-m", __name__, *words]
    with subprocess.Popen(command, stdin=subprocess.PIPE, start_new_session=True) as renewal:  # noqa: S603 - our own
        try:
            yield
        finally:
            renewal.kill()
            renewal.wait()
            is_own = lease.give_back()
    if not is_own:
        raise StoreBusy(
            place,
            expected=f"the lock {name} until the end",
            found=f"that it was lost: it could not be renewed for {LEASE_SECONDS:g} s, and another run took it",
            remedy="wait for that run to end, see `python -m data status`, and run again",
        )


def list_leases(place: str) -> list[str]:
    """The names of the leases that were ever taken at `place`."""
    with reached(place):
        return sorted({path.split("/")[0] for path in list_files(f"{place}/{LOCKS}")})


def _holder(folder: Path) -> dict[str, str]:
    """This run, as a lease names it. Machines that share the folder differ in their names."""
    host = socket.gethostname()
    machine = digest(own_key(folder / LOCKS / "machine").hex(), host)
    return {"machine": machine, "process": f"process {os.getpid()} on {host}", "run": uuid4().hex}


class _Lease:
    """The lease at `place`, for one run."""

    def __init__(self, place: str, holder: dict[str, str]) -> None:
        self.place, self.holder = place, holder
        self.log: DeltaTable | None = None

    def take(self, name: str, store: str) -> None:
        """Take the lease. Raises StoreBusy where another machine has it."""
        while True:
            self.log = self._open()
            state = _state(self.log)
            if state["until"] > _now() and state["machine"] != self.holder["machine"]:
                end = datetime.fromtimestamp(state["until"], UTC)
                raise StoreBusy(
                    store,
                    expected=f"no other run of {name}",
                    found=f"{state['process']}",
                    remedy=f"wait for it to end; if it died, its lock ends at {end:%H:%M:%S} UTC",
                )
            with suppress(CommitFailedError):  # another run was faster: see which
                return self._commit(self.log, self._held(LEASE_SECONDS))

    def renew(self, seconds: float) -> bool:
        """Hold the lease for that long from now, if it is still this run's; whether it is."""
        return self._go_on(self._held(seconds))

    def give_back(self) -> bool:
        """End the lease, if it is still this run's; whether it is. It ends by itself where storage is not reached."""
        with suppress(OSError, DeltaError):
            return self._go_on(_FREE)
        return True

    def _held(self, seconds: float) -> dict[str, Any]:
        return {**self.holder, "until": _now() + seconds}

    def _go_on(self, state: dict[str, Any]) -> bool:
        """Commit the state after this run's own; whether no other run's came between."""
        while True:
            self.log = self.log or self._open()
            if _state(self.log)["run"] != self.holder["run"]:
                return False
            try:
                self._commit(self.log, state)
            except CommitFailedError:  # by another run, or by this one's other process
                self.log = None
            else:
                return True

    def _commit(self, log: DeltaTable, state: dict[str, Any]) -> None:
        version = log.version() + 1
        with one_commit(self.place, version) as commit:
            log.alter.set_table_description(json.dumps(state), commit_properties=commit)
        self.log = log if log.version() == version else None  # it knows nothing of a commit whose answer was lost

    def _open(self) -> DeltaTable:
        with suppress(TableNotFoundError):
            return DeltaTable(self.place, storage_options=BRIEFLY)
        with suppress(CommitFailedError), one_commit(self.place, 0) as commit:  # another run may make it now
            return DeltaTable.create(
                self.place,
                _SCHEMA,
                mode="error",
                description=json.dumps(_FREE),
                configuration=_SHORT,
                commit_properties=commit,
                storage_options=BRIEFLY,
            )
        return DeltaTable(self.place, storage_options=BRIEFLY)


def _state(log: DeltaTable) -> dict[str, Any]:
    return dict(json.loads(log.metadata().description or "{}")) or _FREE


def _now() -> float:
    return datetime.now(UTC).timestamp()


def _keep_renewing(place: str, holder: str, seconds: float, pause: float) -> None:
    """Renew the lease until its holder ends, which closes this process's input, or another run takes it."""
    lease = _Lease(place, json.loads(holder))
    while not select.select([sys.stdin], [], [], pause)[0]:
        with suppress(OSError, DeltaError):  # it is tried again after the pause
            if not lease.renew(seconds):
                return


if __name__ == "__main__":
    _keep_renewing(sys.argv[1], sys.argv[2], float(sys.argv[3]), float(sys.argv[4]))
