"""Label Studio's own Python environment: its folder, its version, and an empty migrated database."""

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

from data.console.errors import InputError, ServerError
from data.texts.identity import digest

VERSION = "1.23.2"
"""The only version whose exports, pages and permissions were tested."""

DATABASE = "label_studio.sqlite3"

TEMPORARY = "tmp"
"""The server's folder for temporary files, which hold copies of answers: in no folder that others use."""

PLUGIN = Path(__file__).parent.parent / "plugin"
"""Our code inside the server, on a path of its own so that the server can import no other module of ours."""

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
    "PYTHONUNBUFFERED": "1",  # keeps its log in order
    "GIT_DIR": os.devnull,  # otherwise it shows everybody the last commit of the repository around it
}
"""No telemetry, no version checks, no open sign-up, no foreign host names; legacy tokens, because our key is one."""

INHERITED = ("PATH", "HOME", "LANG", "LC_ALL", "TZ")
"""The variables that the server inherits: none changes its settings."""


def locate() -> Path:
    """The folder of Label Studio's environment: `$PARADE_LABEL_STUDIO`, else `.label-studio` here or in the checkout.

    Raises ServerError if it contains no Label Studio, or another version than VERSION.
    """
    here, checkout = Path(".label-studio"), Path(__file__).parents[3] / ".label-studio"
    chosen = os.environ.get("PARADE_LABEL_STUDIO") or (here if here.exists() else checkout)
    folder = Path(chosen).absolute()
    installed = folder.glob("lib/python3*/site-packages/label_studio-*.dist-info")
    versions = [path.name.removesuffix(".dist-info").removeprefix("label_studio-") for path in installed]
    if versions != [VERSION]:
        raise ServerError(
            folder,
            expected=f"an environment with label-studio {VERSION}",
            found=", ".join(versions) or "none",
            remedy="run `make setup`, or set PARADE_LABEL_STUDIO to the environment's folder",
        )
    return folder


def template(folder: Path) -> Path:
    """The migrated database without any user or organization; created if it is missing (1-3 minutes).

    Every new server starts from a copy of it, within seconds. Raises ServerError if the migrations fail.
    """
    path = template_path(folder)
    path.parent.mkdir(exist_ok=True)
    with _lock(path.with_suffix(".lock")):
        if not path.exists():
            _migrate(folder, path)
    return path


def template_path(folder: Path) -> Path:
    """The path of that database, which differs for each version and each migration of the gate's own tables."""
    steps = len(list((PLUGIN / "parade_gate" / "migrations").glob("0*.py")))
    return folder / "template" / f"{VERSION}-{steps}.sqlite3"


def variables(data: Path) -> dict[str, str]:
    """The environment variables of a server whose database and files are in `data`."""
    inherited = {name: os.environ[name] for name in INHERITED if name in os.environ}
    own = {"LABEL_STUDIO_BASE_DATA_DIR": str(data), "TMPDIR": str(data / TEMPORARY), "PARADE_GATE": gate_version()}
    return inherited | SWITCHES | own


def gate_version() -> str:
    """A digest of the gate's files as they are now; a running server answers with the digest at its start."""
    files = sorted((PLUGIN / "parade_gate").rglob("*.py"))
    return digest(*(file.read_text(encoding="utf-8") for file in files))


def database_variables(address: str) -> dict[str, str]:
    """The variables that tell the server its PostgreSQL database; none for an empty address (SQLite).

    Raises InputError for anything but `postgresql://USER@HOST:PORT/NAME`: the password comes from $PGPASSWORD only.
    """
    if not address:
        return {}
    parts = urlsplit(address)
    name = parts.path.removeprefix("/")
    if parts.scheme != "postgresql" or not (parts.username and parts.hostname and name) or parts.password:
        raise InputError(
            "--database",
            expected="postgresql://USER@HOST:PORT/NAME, the password in the environment variable PGPASSWORD",
            found="an address with a password" if parts.password else "another form",
            remedy="give it in that form",
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
    """The variables of a server behind a TLS proxy; none for an empty address.

    Cookies are sent over TLS only, and the address's host is the only one served besides this machine's own. Raises
    InputError for anything but `https://HOST` with an optional port.
    """
    if not address:
        return {}
    parts = urlsplit(address)
    if parts.scheme != "https" or not parts.hostname or parts.path.strip("/") or parts.query:
        raise InputError("--public", expected="https://HOST", found=repr(address), remedy="give the proxy's address")
    return {
        "LABEL_STUDIO_HOST": address.rstrip("/"),
        "ALLOWED_HOSTS": f"{SWITCHES['ALLOWED_HOSTS']},{parts.hostname}",
        "CSRF_TRUSTED_ORIGINS": address.rstrip("/"),
        "PARADE_PROXY": "1",
        "SESSION_COOKIE_SECURE": "1",
        "CSRF_COOKIE_SECURE": "1",
    }


def program(folder: Path) -> Path:
    """The executable `label-studio`."""
    return folder / "bin" / "label-studio"


def _migrate(folder: Path, path: Path) -> None:
    """Migrate by `label-studio version`, which does nothing else: the database holds no secret."""
    with tempfile.TemporaryDirectory(dir=path.parent) as scratch:
        data = Path(scratch)
        for earlier in sorted(path.parent.glob("*.sqlite3"))[-1:]:
            shutil.copyfile(earlier, data / DATABASE)  # then only the later steps remain
        command = [str(program(folder)), "version"]
        outcome = subprocess.run(  # noqa: S603 - our own program
            command, env=variables(data), capture_output=True, text=True, check=False
        )
        if outcome.returncode:
            raise ServerError(
                folder,
                expected="Label Studio to migrate an empty database",
                found=(outcome.stderr.strip().splitlines() or [f"exit code {outcome.returncode}"])[-1],
                remedy="delete the environment and run `make setup`",
            )
        with closing(sqlite3.connect(data / DATABASE)) as database:
            database.execute("PRAGMA journal_mode=WAL")  # readers do not wait for writers; recorded in the file
        (data / DATABASE).replace(path)


@contextmanager
def _lock(path: Path) -> Iterator[None]:
    with path.open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
