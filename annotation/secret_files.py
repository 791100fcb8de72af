"""Files that hold secrets."""

import os
from pathlib import Path


def write_secret(path: Path, content: bytes) -> None:
    """Writes the file whole or not at all, readable by nobody else at any moment."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    part = path.with_name(path.name + ".part")
    part.unlink(missing_ok=True)
    with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    part.replace(path)
