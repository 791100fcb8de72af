"""Secrets of a store in files of mode 0600, created on first use."""

import secrets
from pathlib import Path

from data.files.whole import PRIVATE, write_whole

SERVER = "server"
"""The folder of the store's Label Studio."""


def own_key(path: Path) -> bytes:
    """The 32 random bytes in the file; created on first use, then always the same."""
    if not path.exists():
        write_whole(path, secrets.token_bytes(32), mode=PRIVATE)
    return path.read_bytes()


def judges_key(server: Path) -> bytes:
    """The secret that the game's server and its judges share; `server`: the folder of the server."""
    return own_key(server / "judges.key")
