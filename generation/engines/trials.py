"""Files of KenLM that others made: what they say is checked, and another process uses them first."""

import re
from collections.abc import Iterator
from pathlib import Path

from data.console.errors import InputError
from data.models.trials import TEXTS, try_first

EXPECTED = "a language model of KenLM, binary or ARPA"
REMEDY = "make one with `python -m generation lm --train`"

MAGIC = b"mmap lm http://kheafield.com/code"
"""How a binary file of KenLM begins."""
MAX_LINE_BYTES = 2**20
_COUNT = re.compile(rb"ngram (\d{1,4})=(\d{1,12})\s*")


def try_kenlm(path: Path) -> None:
    """Raise InputError where KenLM would crash on the file, hang, or believe counts that the file cannot hold."""
    with path.open("rb") as file:
        is_binary = file.read(len(MAGIC)) == MAGIC
    if not is_binary:
        _require_counts(path)
    try_first(use_kenlm, path, expected=EXPECTED, remedy=REMEDY)


def use_kenlm(place: str) -> None:
    """Score texts with the model in the file, where KenLM takes it."""
    import kenlm

    settings = kenlm.Config()
    settings.show_progress, settings.arpa_complain = False, kenlm.ARPALoadComplain.NONE
    try:
        model = kenlm.Model(place, settings)
    except (OSError, RuntimeError, ValueError):
        return  # said again, with its reason, by who asked
    for text in TEXTS:
        model.score(text)


def _require_counts(path: Path) -> None:
    """Raise InputError where an ARPA does not say how many n-grams of each length it has, or has fewer lines."""
    with path.open("rb") as file:
        counts = list(_read_counts(path, iter(lambda: file.readline(MAX_LINE_BYTES), b"")))
        lines = sum(block.count(b"\n") for block in iter(lambda: file.read(2**20), b""))
    if not counts or min(counts) < 1 or sum(counts) > lines:
        raise _spoiled(path, f"counts of {sum(counts):,} n-grams above {lines:,} lines")


def _read_counts(path: Path, lines: Iterator[bytes]) -> Iterator[int]:
    first = next((line for line in lines if line.strip()), b"")
    if first.lstrip(b"\xef\xbb\xbf").strip() != b"\\data\\":
        raise _spoiled(path, "another file")
    for number, line in enumerate(iter(lambda: next(lines, b"\n").rstrip(), b""), start=1):
        count = _COUNT.fullmatch(line)
        if count is None or int(count[1]) != number:
            raise _spoiled(path, f"the line {line[:60].decode('utf-8', 'replace')!r} where n-grams are counted")
        yield int(count[2])


def _spoiled(path: Path, found: str) -> InputError:
    return InputError(path, expected=EXPECTED, found=found, remedy=REMEDY)
