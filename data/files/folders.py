"""The files that a path names."""

import glob
import os
from pathlib import Path

from data.console.errors import InputError


def find_files(path: str) -> dict[Path, str]:
    """The files that a path names (a file, a folder with everything below it, or a pattern), each with its name.

    The name starts at the folder, the file's own where it is named itself, so that two `glossary.md` are two decks and
    the name is the same wherever the folder lies. Hidden files are left out.
    Raises InputError where there is no file.
    """
    root = Path(path)
    roots = [root] if root.exists() else sorted(map(Path, glob.glob(path, recursive=True)))
    found = {file: name for top in roots for file, name in _below(top.resolve())}
    locked = [file for file in found if not os.access(file, os.R_OK)]
    if locked:
        raise InputError(
            locked[0], expected="a readable file", found="no permission to read it", remedy="change its rights"
        )
    if not found:
        raise InputError(
            path, expected="a file, a folder with files, or a pattern", found="no file", remedy="check the path"
        )
    return found


def _below(root: Path) -> list[tuple[Path, str]]:
    if root.is_file():
        return [(root, f"{root.parent.name}/{root.name}".lstrip("/"))]
    files = sorted(file for file in root.rglob("*") if file.is_file())
    names = [(file, file.relative_to(root.parent).as_posix()) for file in files]
    return [(file, name) for file, name in names if "/." not in name]
