"""Files of others that native code reads: opened first in a process of its own, which may end however it likes."""

import re
import resource
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from data.errors import InputError

MAGIC = b"mmap lm http://kheafield.com/code"
"""How a binary file of KenLM begins."""
LONGEST_LINE = 2**20
SECONDS, BYTES_PER_SECOND = 120, 2**20
"""How long opening may take: so long, and longer for a large file."""
MEMORY = 4 * 2**30
"""What opening may take beside ten times the file's size."""
_COUNT = re.compile(rb"ngram (\d{1,4})=(\d{1,12})\s*")
_OPEN_KENLM = """
import sys, kenlm
settings = kenlm.Config()
settings.show_progress, settings.arpa_complain = False, kenlm.ARPALoadComplain.NONE
try:
    model = kenlm.Model(sys.argv[1], settings)
except (OSError, RuntimeError, ValueError):
    sys.exit(0)  # said again, with its reason, by who asked
for text in ("the", "a text of words , some unknown: qzx", ""):
    model.score(text)
"""


def try_kenlm(path: Path) -> None:
    """Raise InputError where KenLM would crash on the file, hang, or believe counts that the file cannot hold."""
    with path.open("rb") as file:
        is_binary = file.read(len(MAGIC)) == MAGIC
    if not is_binary:
        _check_counts(path)
    _try([sys.executable, "-c", _OPEN_KENLM, str(path)], path)


def _try(command: list[str], path: Path) -> None:
    size = path.stat().st_size

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY + 10 * size,) * 2)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    seconds = SECONDS + size / BYTES_PER_SECOND
    try:
        done = subprocess.run(  # noqa: S603 - ours
            command, stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=seconds, preexec_fn=limit
        )
    except subprocess.TimeoutExpired as fault:
        raise _spoiled(path, "one that is never open") from fault
    if done.returncode:
        raise _spoiled(path, f"one that ends the process which opens it ({done.returncode})")


def _check_counts(path: Path) -> None:
    """Raise InputError where an ARPA does not say how many n-grams of each length it has, or has fewer lines."""
    with path.open("rb") as file:
        counts = list(_read_counts(path, iter(lambda: file.readline(LONGEST_LINE), b"")))
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
    return InputError(
        path,
        expected="a language model of KenLM, binary or ARPA",
        found=found,
        remedy="make one with `python -m generation lm --train`",
    )
