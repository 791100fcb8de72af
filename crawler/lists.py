"""Plain lists of terms: a file with one term a line; lines that begin with # are comments."""

from pathlib import Path

from data import words
from data.console import existing_file
from data.errors import InputError


def read_list(path: Path) -> list[str]:
    """The file's terms, normalised, each once, in their order. Raises InputError where there is none to read."""
    existing_file(path, "a list of terms, one a line")
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except UnicodeDecodeError as fault:
        raise InputError(path, expected="UTF-8 text, one term a line", found=str(fault), remedy="convert it") from fault
    terms = list(dict.fromkeys(words.normalise(line) for line in lines if line.strip() and not line.startswith("#")))
    if not terms:
        raise InputError(path, expected="one term a line", found="no term", remedy="add terms")
    return terms
