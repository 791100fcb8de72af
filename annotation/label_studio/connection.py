"""The connection from a command to its Label Studio server."""

import os
from dataclasses import dataclass
from pathlib import Path

from annotation.campaign.campaign import OfCampaign
from annotation.label_studio.client import LabelStudio
from annotation.label_studio.server import server
from data.console.errors import InputError, ServerError
from data.storage.store import Store

KEY_VARIABLE = "LABEL_STUDIO_API_KEY"


@dataclass(frozen=True, kw_only=True)
class AtServer(OfCampaign):
    """The flags of a command that talks to Label Studio."""

    url: str | None = None
    """The address of Label Studio, with the administrator's API key in the environment variable LABEL_STUDIO_API_KEY;
    if left out, the store's own server (python -m annotation server start)."""


def endpoint(arguments: AtServer) -> tuple[str, str]:
    """The server's address and API key.

    Raises InputError where an address is given without a key, ServerError where the store's own server is not running.
    """
    if arguments.url is None:
        running = _own_server(Store(arguments.store).root / "server")
        return running.url, running.api_key
    key = os.environ.get(KEY_VARIABLE, "")
    if not key:
        raise InputError(
            f"--url {arguments.url}",
            expected=f"the administrator's API key in the environment variable {KEY_VARIABLE}",
            found="none",
            remedy=f"export {KEY_VARIABLE}=…, or leave --url out to use the store's own server",
        )
    return arguments.url, key


def connect(arguments: AtServer) -> LabelStudio:
    """The administrator's view of the server. Raises ServerError where it does not answer or refuses the key."""
    url, key = endpoint(arguments)
    return LabelStudio(url=url, api_key=key)


def people_sign_in_at(arguments: AtServer) -> str:
    """The address for people: where a proxy publishes the store's own server, or else the one that commands use."""
    if arguments.url is not None:
        return arguments.url
    running = _own_server(Store(arguments.store).root / "server")
    return running.public or running.url


def _own_server(folder: Path) -> server.Running:
    running = server.status(folder)
    if running is None:
        raise ServerError(
            folder,
            expected="the store's own Label Studio to run",
            found="no server",
            remedy="start it: python -m annotation server start",
        )
    return running
