"""Files of values that strangers write, TOML and JSON: a door for each, through which only plain values come."""

import json
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from data.console.errors import InputError
from data.files.sheets import read_text

MAX_FILE_BYTES = 256 * 2**20
"""Bytes of a file that is read into memory."""


def read_toml(path: Path, what: str, remedy: str) -> dict[str, Any]:
    """The values of a TOML file. Raises InputError, which names `what` was expected, for any other file."""
    values: dict[str, Any] = _read(path, f"{what}, as TOML", remedy, tomllib.loads)
    return values


def read_json(path: Path, what: str, remedy: str) -> Any:
    """The value of a JSON file. Raises InputError, which names `what` was expected, for any other file."""
    return _read(path, f"{what}, as JSON", remedy, json.loads)


def _read(path: Path, what: str, remedy: str, parse: Callable[[str], Any]) -> Any:
    """The file's value, which can be written as JSON in UTF-8 again: nested no deeper, and of whole characters."""
    text = read_text(path, what, MAX_FILE_BYTES)
    try:
        value = parse(text)
        json.dumps(value, ensure_ascii=False, default=str).encode("utf-8")
    except (ValueError, RecursionError, MemoryError) as fault:
        found = " ".join(str(fault).split())[:120] or type(fault).__name__
        raise InputError(path, expected=what, found=found, remedy=remedy) from fault
    return value
