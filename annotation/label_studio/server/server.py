"""Start and stop a Label Studio server on 127.0.0.1, and ask whether it runs.

A server has a folder: `credentials.json` and `judges.key`, which the game's judges know, too (both mode 0600),
`server.json` (addresses and process), `server.lock`, `server.log` and `data/` (the database, Django's secret key). The
server's process inherits the open lock file, so the lock is held exactly as long as the process or a child of it lives:
a stale process number names no one.
"""

import fcntl
import json
import os
import signal
import socket
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

import httpx

from annotation.label_studio.server import environment
from annotation.label_studio.server.folder import credentials, fill, remove_leftovers
from data.console.errors import ServerError
from data.console.marks import Advanced
from data.console.messages import progress
from data.files.keys import judges_key
from data.files.values import read_json

PROCESS = "server.json"
LOCK = "server.lock"
LOG = "server.log"
SECONDS_TO_START = 600
SECONDS_TO_STOP = 20
SECONDS_BETWEEN_POLLS = 0.25


@dataclass(frozen=True, kw_only=True)
class Running:
    """A running server: its address on this machine, its process, the administrator's key (never shown), and the
    address at which a proxy publishes it, if one does, and how else it runs (see `Options`)."""

    url: str
    pid: int
    api_key: str = field(repr=False)
    public: str = ""
    workers: int = 0


@dataclass(frozen=True, kw_only=True)
class Options:
    """How to run a server."""

    port: int = 8080
    """The port to listen on; 0 takes any free one."""

    database: Advanced[str] = ""
    """A PostgreSQL database for a campaign with many annotators, postgresql://USER@HOST:PORT/NAME, with its password in
    the environment variable PGPASSWORD; given once, then remembered. If omitted, SQLite in the store."""

    workers: Advanced[int] = 0
    """The number of gunicorn's worker processes, for a campaign with many annotators; 0 means one process of Label
    Studio's own server."""

    public: Advanced[str] = ""
    """The https address at which a proxy on this machine publishes it (docs/deployment.md); if omitted, this machine
    only."""


def start(folder: Path, options: Options) -> Running:
    """The folder's server, which answers and knows our key; started if it does not run.

    A new folder gets a copy of the empty migrated database (or fills an empty PostgreSQL database), an administrator
    and a secret key of its own. Raises ServerError if the port is taken, if the folder's server has another database,
    or if the server ends or does not answer within SECONDS_TO_START.
    """
    folder = folder.absolute()
    running = status(folder)
    if running:
        return running
    installed = environment.locate()
    fill(folder, installed, options.database)
    url = f"http://127.0.0.1:{free_port(options.port)}"
    _launch(folder, installed, url, options)
    with ExitStack() as undo:
        undo.callback(stop, folder)
        running = _wait(folder)
        undo.pop_all()
    return running


def status(folder: Path) -> Running | None:
    """The folder's server, or None if none runs. Raises ServerError if its credentials are gone."""
    process = _process(folder)
    return Running(**process, api_key=credentials(folder).api_key) if process else None


def stop(folder: Path) -> tuple[str, ...] | None:
    """Stop the server with all its processes; return the flags with which it runs in the same way; None if none ran."""
    process = _process(folder)
    if not process:
        return None
    for number in (signal.SIGTERM, signal.SIGKILL):
        with suppress(ProcessLookupError):
            os.killpg(process["pid"], number)
        if wait_until_gone(folder, process["pid"]):
            (folder / PROCESS).unlink()
            return _flags(process)
    raise ServerError(
        folder,
        expected=f"process group {process['pid']} to end",
        found="it still running after SIGKILL",
        remedy="look at it with `ps`",
    )


def _flags(process: Mapping[str, Any]) -> tuple[str, ...]:
    port = process["url"].rpartition(":")[2]
    flags = ["--port", port] if port != str(Options.port) else []
    for name in ("public", "workers"):
        flags += [f"--{name}", str(process[name])] if process.get(name) else []
    return tuple(flags)


def _process(folder: Path) -> dict[str, Any] | None:
    """What `_launch` wrote of the folder's server (see `Running`) while it runs, else None."""
    if not (folder / LOCK).exists():
        return None
    with (folder / LOCK).open() as lock:
        if _try_lock(lock, fcntl.LOCK_SH):
            return None
    if not (folder / PROCESS).exists():
        raise _busy(folder)
    return dict(read_json(folder / PROCESS, "the address of a running server", "end its process, and start it again"))


def free_port(port: int) -> int:
    """The port itself, or any free one for 0. Label Studio would silently take the next port if this one is taken."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except (OSError, OverflowError) as fault:
            why = os.strerror(fault.errno or 0).lower() if isinstance(fault, OSError) else "a number outside 0 to 65535"
            raise ServerError(
                f"port {port} on 127.0.0.1",
                expected="a free port",
                found=why,
                remedy="stop the program that listens there, or choose another port with --port",
            ) from fault
        return int(probe.getsockname()[1])


def _launch(folder: Path, installed: Path, url: str, options: Options) -> None:
    """Start the server detached, in a process group of its own, which holds the lock."""
    command = [str(environment.program(installed)), "start", "--no-browser", "--internal-host", "127.0.0.1"]
    command += ["--port", url.rpartition(":")[2]]
    if options.workers:
        python = environment.program(installed).with_name("python")
        command = [str(python), "-m", "parade_gate.serve", url.removeprefix("http://"), str(options.workers)]
    variables = {**environment.variables(folder / "data"), **_identity(folder, url), "PARADE_LOG": str(folder / LOG)}
    variables |= environment.public_variables(options.public)
    variables |= environment.database_variables(credentials(folder).database)
    with (folder / LOCK).open("a") as lock, (folder / LOG).open("a") as log, open(os.devnull) as nothing:
        if not _try_lock(lock, fcntl.LOCK_EX):
            raise _busy(folder)
        (folder / PROCESS).unlink(missing_ok=True)
        remove_leftovers(folder)
        os.set_inheritable(lock.fileno(), True)
        streams = [(os.POSIX_SPAWN_DUP2, nothing.fileno(), 0)]
        streams += [(os.POSIX_SPAWN_DUP2, log.fileno(), stream) for stream in (1, 2)]
        pid = os.posix_spawn(command[0], command, variables, file_actions=streams, setsid=True)
        how = {"public": options.public, "workers": options.workers}
        (folder / PROCESS).write_text(json.dumps({"url": url, "pid": pid, **how}), encoding="utf-8")


def _identity(folder: Path, url: str) -> dict[str, str]:
    """The variables of this server alone; it creates the administrator from them if there is none yet."""
    administrator = credentials(folder)
    return {
        "LABEL_STUDIO_HOST": url,
        "LABEL_STUDIO_USERNAME": administrator.email,
        "LABEL_STUDIO_PASSWORD": administrator.password,
        "LABEL_STUDIO_USER_TOKEN": administrator.api_key,
        "PARADE_JUDGES_KEY": judges_key(folder).hex(),
    }


def _wait(folder: Path) -> Running:
    """The running server, as soon as it answers and knows our key."""
    with httpx.Client(timeout=30) as client:
        for _ in progress(_poll(SECONDS_TO_START), label="Label Studio starts", unit="requests"):
            running = status(folder)
            if not running:
                raise _failed(folder, "its process ended")
            status_code = _whoami(client, running)
            if status_code == httpx.codes.OK:
                return running
            if status_code:
                raise _failed(folder, f"status {status_code} in answer to our key")
    raise _failed(folder, f"no answer in {SECONDS_TO_START} s")


def _poll(seconds: float) -> Iterator[None]:
    """Yield every SECONDS_BETWEEN_POLLS until the time is over."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        yield
        time.sleep(SECONDS_BETWEEN_POLLS)


def _whoami(client: httpx.Client, running: Running) -> int:
    """The status of the server's answer to our key, 0 if it does not answer yet."""
    headers = {"Authorization": f"Token {running.api_key}"}
    with suppress(httpx.TransportError):
        return client.get(f"{running.url}/api/current-user/whoami", headers=headers).status_code
    return 0


def wait_until_gone(folder: Path, pid: int) -> bool:
    """True as soon as the lock is free, that is, all the server's processes are gone; False after SECONDS_TO_STOP."""
    for _ in _poll(SECONDS_TO_STOP):
        if not _process(folder):
            with suppress(ChildProcessError):
                os.waitpid(pid, 0)  # if this very process started it
            return True
    return False


def _try_lock(file: IO[str], kind: int) -> bool:
    try:
        fcntl.flock(file, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _busy(folder: Path) -> ServerError:
    return ServerError(
        folder,
        expected="a server that either runs or does not",
        found="a server that another command is starting or stopping",
        remedy="wait a moment and run the command again",
    )


def _failed(folder: Path, found: str) -> ServerError:
    lines = (folder / LOG).read_text(encoding="utf-8", errors="replace").strip().splitlines()
    return ServerError(
        folder,
        expected="Label Studio to start",
        found=found + (f" (last line of its log: {lines[-1]})" if lines else ""),
        remedy=f"read {folder / LOG}",
    )
