"""The reader of each glossary."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

from crawler.cards.outcome import Finding, Glossary, Outcome
from crawler.glossaries.dictd import read_dictd
from crawler.glossaries.foldoc import read_foldoc
from crawler.glossaries.jargon import read_jargon
from crawler.glossaries.nist import read_nist
from crawler.glossaries.rfc4949 import read_rfc4949
from crawler.glossaries.wiktionary import read_wiktionary
from data.files.characters import without_control_bytes
from data.files.deadline import DeadlineError, deadline

MAX_BYTES = 64 * 2**20
"""A longer file is not a glossary, or is a bomb; Wiktionary is read in parts."""
PART_BYTES = 4 * 2**20
PROCESSOR_SECONDS = 300.0
"""Of the processor, for one glossary; the largest known one takes a tenth."""

_READERS: Mapping[str, Callable[[bytes], Outcome]] = {
    "rfc4949": read_rfc4949,
    "jargon": read_jargon,
    "foldoc": read_foldoc,
    "wiktionary": read_wiktionary,
}

_BESIDE: Mapping[str, tuple[tuple[str, ...], str]] = {
    "nist": ((), ".meta"),
    "dictd": ((".dict.dz", ".dict.gz", ".dict"), ".index"),
}
"""Endings of a glossary's files, and of the file beside each."""


def read(kind: Glossary, name: str, content: bytes, beside: bytes | None = None) -> Outcome:
    """The decks of a glossary, or of a part of one; bad content never raises. `beside` is what `find_beside` gives."""
    if len(content) > MAX_BYTES:
        return Outcome(findings=(Finding(kind="too_large", detail=f"{name}: more than {MAX_BYTES >> 20} MiB"),))
    try:
        with deadline(PROCESSOR_SECONDS):
            if kind == "dictd":
                return read_dictd(name, content, beside)
            if kind == "nist":
                return read_nist(content, beside)
            clean = without_control_bytes(content)
            return replace(_READERS[kind](clean), n_dropped=len(content) - len(clean))
    except DeadlineError:
        return Outcome(
            findings=(Finding(kind="too_slow", detail=f"{name}: not read in {PROCESSOR_SECONDS:.0f} seconds"),)
        )


def parts(kind: Glossary, file: BinaryIO) -> Iterator[bytes]:
    """The content of a glossary's (unpacked) file: whole, or for Wiktionary in parts of whole lines."""
    if kind != "wiktionary":
        yield file.read(MAX_BYTES + 1)
        return
    while content := file.read(PART_BYTES):
        yield content + file.readline(MAX_BYTES)


def find_beside(kind: Glossary, path: Path) -> bytes | None:
    """The content of the file that belongs to a glossary's file: a NIST export's `.meta`, a dictionary's `.index`."""
    if kind not in _BESIDE:
        return None
    suffixes, suffix = _BESIDE[kind]
    stem = next((path.name.removesuffix(end) for end in suffixes if path.name.endswith(end)), path.stem)
    beside = path.with_name(stem + suffix)
    return beside.read_bytes() if beside.is_file() and beside != path else None


def is_beside(kind: Glossary, path: Path) -> bool:
    """Whether a file only belongs to another one, as in `find_beside`."""
    return kind in _BESIDE and path.suffix == _BESIDE[kind][1]
