"""Label Studio's own environment: where it is, which version it holds, and its migrated empty database."""

import fcntl
import os
import shutil
import sqlite3
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from data.errors import InputError, ServerError
from data.identity import digest

VERSION = "1.23.2"
"""The one version whose exports, pages and permissions were measured."""

DATABASE = "label_studio.sqlite3"

PLUGIN = Path(__file__).parent / "plugin"
"""What of ours runs inside the server; alone on its path, so that no other module of ours can be taken for its own."""

SWITCHES = {
    "PYTHONPATH": str(PLUGIN),
    "DJANGO_SETTINGS_MODULE": "parade_gate.settings",
    "LABEL_STUDIO_ENABLE_LEGACY_API_TOKEN": "true",
    "LABEL_STUDIO_DISABLE_SIGNUP_WITHOUT_LINK": "true",
    "LATEST_VERSION_CHECK": "false",
    "COLLECT_ANALYTICS": "false",
    "SENTRY_DSN": "",
    "FRONTEND_SENTRY_DSN": "",
    "ALLOWED_HOSTS": "127.0.0.1,localhost",
    "CORS_ALLOW_ALL_ORIGINS": "false",
    "PYTHONUNBUFFERED": "1",  # its log in the order in which things happened
    "GIT_DIR": os.devnull,  # else it shows everybody the last commit of the repository that it lies in
}
"""No telemetry, no version checks, no open sign-up, no foreign host names; legacy tokens, as our key is one."""

KEPT = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "TZ")
"""What the server inherits of our environment: nothing that could change its settings."""


def locate() -> Path:
    """The folder of Label Studio's environment: `$PARADE_LABEL_STUDIO`, else `.label-studio` in the working folder.

    Raises ServerError where it holds no Label Studio, or another version than VERSION.
    """
    folder = Path(os.environ.get("PARADE_LABEL_STUDIO", ".label-studio")).absolute()
    installed = folder.glob("lib/python3*/site-packages/label_studio-*.dist-info")
    found = [path.name.removesuffix(".dist-info").removeprefix("label_studio-") for path in installed]
    if found != [VERSION]:
        raise ServerError(
            folder,
            expected=f"an environment with label-studio {VERSION}",
            found=", ".join(found) or "none",
            remedy="run `make setup`, or let PARADE_LABEL_STUDIO name the environment's folder",
        )
    return folder


def template(folder: Path) -> Path:
    """The migrated database without a user or an organization, made first where it is missing (1-3 minutes).

    Every new server starts from a copy of it, within seconds. Raises ServerError where the migrations fail.
    """
    path = template_path(folder)
    path.parent.mkdir(exist_ok=True)
    with _lock(path.with_suffix(".lock")):
        if not path.exists():
            _migrate(folder, path)
    return path


def template_path(folder: Path) -> Path:
    """Where that database lies: it is another one for each version and for each step of the gate's own tables."""
    steps = len(list((PLUGIN / "parade_gate" / "migrations").glob("0*.py")))
    return folder / "template" / f"{VERSION}-{steps}.sqlite3"


def variables(data: Path) -> dict[str, str]:
    """The process environment of a server whose database and files lie in `data`."""
    kept = {name: os.environ[name] for name in KEPT if name in os.environ}
    return kept | SWITCHES | {"LABEL_STUDIO_BASE_DATA_DIR": str(data), "PARADE_GATE": gate_version()}


def gate_version() -> str:
    """What the gate's files hold now; a server that runs answers with what they held when it was started."""
    files = sorted((PLUGIN / "parade_gate").rglob("*.py"))
    return digest(*(file.read_text(encoding="utf-8") for file in files))


def database_variables(address: str) -> dict[str, str]:
    """What names a PostgreSQL database to the server; nothing for an empty address (SQLite).

    Raises InputError for anything but `postgresql://USER@HOST:PORT/NAME`: a password comes by $PGPASSWORD alone.
    """
    if not address:
        return {}
    parts = urlsplit(address)
    name = parts.path.removeprefix("/")
    if parts.scheme != "postgresql" or not (parts.username and parts.hostname and name) or parts.password:
        raise InputError(
            "--database",
            expected="postgresql://USER@HOST:PORT/NAME, the password in the environment variable PGPASSWORD",
            found="one with a password" if parts.password else "another form",
            remedy="write it in that form",
        )
    return {
        "DJANGO_DB": "default",
        "POSTGRE_USER": parts.username,
        "POSTGRE_PASSWORD": os.environ.get("PGPASSWORD", ""),
        "POSTGRE_HOST": parts.hostname,
        "POSTGRE_PORT": str(parts.port or 5432),
        "POSTGRE_NAME": name,
    }


def public_variables(address: str) -> dict[str, str]:
    """What a server needs behind a proxy that speaks TLS; nothing for an empty address.

    Cookies go over TLS alone, and the address's host is the only one served beside this machine's own. Raises
    InputError for anything but `https://HOST` with an optional port.
    """
    if not address:
        return {}
    parts = urlsplit(address)
    if parts.scheme != "https" or not parts.hostname or parts.path.strip("/") or parts.query:
        raise InputError("--public", expected="https://HOST", found=repr(address), remedy="name the proxy's address")
    return {
        "LABEL_STUDIO_HOST": address.rstrip("/"),
        "ALLOWED_HOSTS": f"{SWITCHES['ALLOWED_HOSTS']},{parts.hostname}",
        "CSRF_TRUSTED_ORIGINS": address.rstrip("/"),
        "SESSION_COOKIE_SECURE": "1",
        "CSRF_COOKIE_SECURE": "1",
    }


def program(folder: Path) -> Path:
    """The executable `label-studio`."""
    return folder / "bin" / "label-studio"


def _migrate(folder: Path, path: Path) -> None:
    """Any command of label-studio migrates; `version` does nothing else, so the database holds no secret."""
    with tempfile.TemporaryDirectory(dir=path.parent) as scratch:
        data = Path(scratch)
        for earlier in sorted(path.parent.glob("*.sqlite3"))[-1:]:
            shutil.copyfile(earlier, data / DATABASE)  # so that only the steps since are left to do
        command = [str(program(folder)), "version"]
        outcome = subprocess.run(  # noqa: S603 - our own program
            command, env=variables(data), capture_output=True, text=True, check=False
        )
        if outcome.returncode:
            raise ServerError(
                folder,
                expected="Label Studio to migrate an empty database",
                found=(outcome.stderr.strip().splitlines() or [f"exit code {outcome.returncode}"])[-1],
                remedy="install the environment anew: `make setup`",
            )
        with closing(sqlite3.connect(data / DATABASE)) as database:
            database.execute("PRAGMA journal_mode=WAL")  # readers do not wait for writers; kept in the file
        (data / DATABASE).replace(path)


@contextmanager
def _lock(path: Path) -> Iterator[None]:
    with path.open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
