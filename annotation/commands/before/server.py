"""The command `server`: the store's own Label Studio on this machine."""

from dataclasses import dataclass, field
from pathlib import Path

from annotation.config import settings
from annotation.label_studio.server import environment, server
from annotation.label_studio.server.folder import CREDENTIALS
from data.console.messages import say, say_next
from data.console.paths import Address
from data.guidance.next_steps import say_steps
from data.storage.store import Store


@dataclass(frozen=True, kw_only=True)
class OfStore:
    """The flag of every action except `prepare`."""

    store: Address = field(default_factory=Store.default_address)
    """The store; the server's files are in the folder `server` of its folder on this machine."""


@dataclass(frozen=True, kw_only=True)
class Start(server.Options, OfStore):
    """Start the server on 127.0.0.1 and wait until it answers."""


@dataclass(frozen=True, kw_only=True)
class Stop(OfStore):
    """Stop the server and wait until its processes have ended."""


@dataclass(frozen=True, kw_only=True)
class ServerStatus(OfStore):
    """Say whether the server is running, and where."""


@dataclass(frozen=True, kw_only=True)
class Prepare:
    """Create the empty database that every new server starts from (once per installation; takes minutes)."""


def _start(arguments: Start) -> None:
    folder = _folder(arguments)
    before = server.status(folder)
    running = before or server.start(folder, settings(arguments, server.Options))
    say(f"Label Studio {'is already running' if before else 'is running'} at {running.url} (process {running.pid})")
    say(f"the administrator's address and password: {folder / CREDENTIALS} (readable by you alone)")
    say_steps(Store(arguments.store))


def _stop(arguments: Stop) -> None:
    flags = server.stop(_folder(arguments))
    say("this store's Label Studio is not running" if flags is None else "Label Studio is stopped")
    say_next("python -m annotation server start", "--store", arguments.store, *(flags or ()))


def _status(arguments: ServerStatus) -> None:
    running = server.status(_folder(arguments))
    if running:
        say(f"Label Studio is running at {running.url} (process {running.pid})")
        say_steps(Store(arguments.store))
    else:
        say("this store's Label Studio is not running")
        say_next("python -m annotation server start", "--store", arguments.store)


def _prepare(arguments: Prepare) -> None:  # noqa: ARG001 (a command takes its arguments)
    say(f"new servers start from {environment.template(environment.locate())}")


def _folder(arguments: OfStore) -> Path:
    return Store(arguments.store).root / "server"


VERBS = {"start": _start, "stop": _stop, "status": _status, "prepare": _prepare}
