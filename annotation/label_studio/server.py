"""A Label Studio server of our own on 127.0.0.1: started, stopped, asked how it is.

One folder holds a server: `credentials.json` (mode 0600), `server.json` (address and process), `server.lock`,
`server.log` and `data/` (the database, Django's secret key). The server's process inherits the open lock file,
so the lock is held exactly as long as it, or a child of it, lives: no stale process number can name a stranger.
"""

import fcntl
import json
import os
import signal
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

import httpx

from annotation.label_studio import environment
from annotation.label_studio.folder import credentials, fill
from data.console import progress
from data.errors import ServerError

PROCESS = "server.json"
LOCK = "server.lock"
LOG = "server.log"
SECONDS_TO_START = 600
SECONDS_TO_STOP = 20
SECONDS_BETWEEN_LOOKS = 0.25


@dataclass(frozen=True, kw_only=True)
class Running:
    """A server that runs: its address, its process, and the administrator's key (never shown)."""

    url: str
    pid: int
    api_key: str = field(repr=False)


@dataclass(frozen=True, kw_only=True)
class Way:
    """How a server is run."""

    port: int = 8080
    """Where it listens; 0 takes any free port."""

    database: str = ""
    """A PostgreSQL database for a campaign of many, postgresql://USER@HOST:PORT/NAME, its password in the environment
    variable PGPASSWORD; named once, then remembered. If left out, SQLite in the store."""

    workers: int = 0
    """Processes of gunicorn, for a campaign of many; 0 is one process of Label Studio's own."""

    public: str = ""
    """The https address under which a proxy on this machine shows it (docs/deployment.md); else this machine alone."""

    quick: bool = False
    """Do not wait for the disk at every write: for simulations. A power cut may lose the last labels."""


def start(folder: Path, way: Way) -> Running:
    """The folder's server, which answers and knows our key; started first where it does not run.

    A new folder gets a copy of the migrated empty database (or fills an empty PostgreSQL database), an administrator
    and a secret key of its own. Raises ServerError where the port is taken, where the folder's server has another
    database, or where the server ends or does not answer in SECONDS_TO_START.
    """
    folder = folder.absolute()
    running = status(folder)
    if running:
        return running
    installed = environment.locate()
    fill(folder, installed, way.database)
    url = f"http://127.0.0.1:{_free_port(way.port)}"
    _launch(folder, installed, url, way)
    with ExitStack() as undo:
        undo.callback(stop, folder)
        running = _wait(folder)
        undo.pop_all()
    return running


def status(folder: Path) -> Running | None:
    """The folder's server, or None where none runs. Raises ServerError where its credentials are gone."""
    process = _process(folder)
    return Running(**process, api_key=credentials(folder).api_key) if process else None


def stop(folder: Path) -> bool:
    """True if a server ran and has been stopped, with all its processes; False if none ran."""
    process = _process(folder)
    if not process:
        return False
    for number in (signal.SIGTERM, signal.SIGKILL):
        with suppress(ProcessLookupError):
            os.killpg(process["pid"], number)
        if _ends(folder, process["pid"]):
            (folder / PROCESS).unlink()
            return True
    raise ServerError(
        folder,
        expected=f"process group {process['pid']} to end",
        found="it alive after SIGKILL",
        remedy="look at it with `ps`",
    )


def _process(folder: Path) -> dict[str, Any] | None:
    """Address and process number of the folder's server while one runs, else None."""
    if not (folder / LOCK).exists():
        return None
    with (folder / LOCK).open() as lock:
        if _try_lock(lock, fcntl.LOCK_SH):
            return None
    if not (folder / PROCESS).exists():
        raise _busy(folder)
    return dict(json.loads((folder / PROCESS).read_text(encoding="utf-8")))


def _free_port(port: int) -> int:
    """The port itself, or any free one for 0. Label Studio would silently take the next where this one is taken."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except (OSError, OverflowError) as fault:
            why = os.strerror(fault.errno or 0).lower() if isinstance(fault, OSError) else "no number from 0 to 65535"
            raise ServerError(
                f"port {port} on 127.0.0.1",
                expected="a free port",
                found=why,
                remedy="stop what listens there, or choose another with --port",
            ) from fault
        return int(probe.getsockname()[1])


def _launch(folder: Path, installed: Path, url: str, way: Way) -> None:
    """Starts the server detached, in a process group of its own, as the holder of the lock."""
    command = [str(environment.program(installed)), "start", "--no-browser", "--internal-host", "127.0.0.1"]
    command += ["--port", url.rpartition(":")[2]]
    if way.workers:
        python = environment.program(installed).with_name("python")
        command = [str(python), "-m", "parade_gate.serve", url.removeprefix("http://"), str(way.workers)]
    variables = {**environment.variables(folder / "data"), **_identity(folder, url)}
    variables |= {"PARADE_QUICK": "1"} if way.quick else {}
    variables |= environment.public_variables(way.public)
    variables |= environment.database_variables(credentials(folder).database)
    with (folder / LOCK).open("a") as lock, (folder / LOG).open("a") as log, open(os.devnull) as nothing:
        if not _try_lock(lock, fcntl.LOCK_EX):
            raise _busy(folder)
        (folder / PROCESS).unlink(missing_ok=True)
        os.set_inheritable(lock.fileno(), True)
        streams = [(os.POSIX_SPAWN_DUP2, nothing.fileno(), 0)]
        streams += [(os.POSIX_SPAWN_DUP2, log.fileno(), stream) for stream in (1, 2)]
        pid = os.posix_spawn(command[0], command, variables, file_actions=streams, setsid=True)
        (folder / PROCESS).write_text(json.dumps({"url": url, "pid": pid}), encoding="utf-8")


def _identity(folder: Path, url: str) -> dict[str, str]:
    """The variables of this server alone; the administrator is made of them where there is none yet."""
    administrator = credentials(folder)
    return {
        "LABEL_STUDIO_HOST": url,
        "LABEL_STUDIO_USERNAME": administrator.email,
        "LABEL_STUDIO_PASSWORD": administrator.password,
        "LABEL_STUDIO_USER_TOKEN": administrator.api_key,
    }


def _wait(folder: Path) -> Running:
    """The server, once it answers and knows our key."""
    with httpx.Client(timeout=30) as client:
        for _ in progress(_looks(SECONDS_TO_START), label="Label Studio starts", unit="looks"):
            running = status(folder)
            if not running:
                raise _failed(folder, "its process ended")
            answer = _whoami(client, running)
            if answer == httpx.codes.OK:
                return running
            if answer:
                raise _failed(folder, f"status {answer} in answer to our key")
    raise _failed(folder, f"no answer in {SECONDS_TO_START} s")


def _looks(seconds: float) -> Iterator[None]:
    """Something every SECONDS_BETWEEN_LOOKS, until the time is over."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        yield
        time.sleep(SECONDS_BETWEEN_LOOKS)


def _whoami(client: httpx.Client, running: Running) -> int:
    """The status with which the server answers to our key, 0 where it does not answer yet."""
    headers = {"Authorization": f"Token {running.api_key}"}
    with suppress(httpx.TransportError):
        return client.get(f"{running.url}/api/current-user/whoami", headers=headers).status_code
    return 0


def _ends(folder: Path, pid: int) -> bool:
    """True as soon as the lock is free, that is when all the server's processes are gone."""
    for _ in _looks(SECONDS_TO_STOP):
        if not _process(folder):
            with suppress(ChildProcessError):
                os.waitpid(pid, 0)  # where this very process started it
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
        expected="a server that runs or does not",
        found="one that is being started or stopped by another command",
        remedy="wait a moment and run again",
    )


def _failed(folder: Path, found: str) -> ServerError:
    lines = (folder / LOG).read_text(encoding="utf-8", errors="replace").strip().splitlines()
    return ServerError(
        folder,
        expected="Label Studio to start",
        found=found + (f" (last line of its log: {lines[-1]})" if lines else ""),
        remedy=f"read {folder / LOG}",
    )
