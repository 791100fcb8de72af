"""Files of papers, recognised by their content: records of bibliographies anywhere in a text, JSON, tables, Parquet."""

import io
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import BinaryIO

import pyarrow as pa

from data.console.errors import InputError
from data.console.messages import say
from data.files.papers import bounded_reads, objects, records, tables
from data.files.papers.elements import PATHS
from data.files.papers.exporters import FIELDS, Names

_HEAD_BYTES = 2**20
"""Where the first record or the header of a table must begin."""
PARQUET = b"PAR1"
_TORN = (OSError, EOFError, zlib.error, bounded_reads.TooLongError)


class UnknownKindError(InputError):
    """A file in which no record of a paper begins."""


@dataclass(frozen=True, kw_only=True)
class Columns:
    """What the user says about the names of fields, and which of these names a file had."""

    mapped: Mapping[str, str]
    """Field -> column."""
    needed: str = "title"
    """The field without which a table is of no use."""
    otherwise: str = "a plain list of terms goes to --terms"
    """What to do with other tables."""
    seen: set[str] = field(default_factory=set)
    """The fields whose column a file had."""

    @classmethod
    def parse(cls, mapping: Sequence[str]) -> "Columns":
        """From texts `field=column`. Raises InputError for anything else."""
        pairs = {field: column for field, _, column in (part.partition("=") for part in mapping)}
        if not all(pairs.values()) or not pairs.keys() <= set(FIELDS):
            raise InputError(
                "--columns",
                expected="field=COLUMN with a field of " + ", ".join(FIELDS),
                found=" ".join(mapping),
                remedy="write for example --columns title=Title abstract=Abstract",
            )
        return cls(mapped=pairs)

    def check(self, path: Path, found: Iterable[str], names: Names) -> None:
        """Raise InputError where no column is known as the needed field; UnknownKindError where none is of a text.

        Say it where there are titles, though abstracts are needed.
        """
        self.seen.update(one for one, column in self.mapped.items() if column in names[one])
        if names[self.needed]:
            return
        kind = InputError if names["title"] or names["abstract"] else UnknownKindError
        fault = kind(
            path,
            expected=f"a column for the {self.needed}",
            found="the columns " + " ".join(", ".join(map(str, found)).split()),
            remedy=f"map it with --columns {self.needed}=COLUMN ({self.otherwise})",
        )
        if not names["title"]:
            raise fault
        say(f"note: {fault}")

    def require_seen(self, path: Path) -> None:
        """Raise InputError where no file had the column of a mapped field."""
        for one in sorted(self.mapped.keys() - self.seen):
            raise InputError(
                path,
                expected=f"a column {self.mapped[one]!r} for the {one}",
                found="none in any table or JSON",
                remedy=f"correct --columns {one}=COLUMN, or leave it out",
            )


def signature(path: Path, file: io.BufferedReader) -> bytes:
    """The first four bytes. Raises InputError where they cannot be read."""
    try:
        return file.peek(4)[:4]
    except _TORN as fault:
        raise _torn(path, fault) from fault


def read(path: Path, file: io.BufferedReader, columns: Columns) -> Iterator[pa.RecordBatch]:
    """The records of a file, as text: one row for each record found, without any text where it cannot be read.

    Raises InputError where the file cannot be read to its end, and UnknownKindError where no record begins in it.
    """
    try:
        yield from _choose(path, file, columns)
    except (pa.ArrowException, *_TORN) as fault:
        raise _torn(path, fault) from fault


def _choose(path: Path, file: io.BufferedReader, columns: Columns) -> Iterator[pa.RecordBatch]:
    if file.peek(4)[:4] == PARQUET:
        present, names, batches = tables.read_parquet(file, columns.mapped)
        columns.check(path, present, names)
        return batches
    head = file.read(_HEAD_BYTES)
    text = _one_line_end(head.decode("utf-8", "replace"))
    rest = io.BufferedReader(_Rejoined(head, file), _HEAD_BYTES)
    found = records.find(text)
    if text.lstrip()[:1] in ("{", "[") and all(one.kind in PATHS for one in found):  # it may hold XML
        present, names, batches = objects.read(rest, columns.mapped)
        if not present:
            raise UnknownKindError(path, expected="papers", found="other JSON", remedy="name the files of papers")
        columns.check(path, present, names)
        return batches
    header = tables.find_header(text[: found[0].start] if found else text, columns.mapped)
    if header is not None:
        columns.check(path, header.cells, header.names)
        return tables.read_text(rest, header)
    if found:
        return _read_records(rest)
    raise _unknown(path, text)


class _Rejoined(io.RawIOBase):
    """A file whose head was read already."""

    def __init__(self, head: bytes, rest: io.BufferedReader) -> None:
        self._head, self._rest = memoryview(head), rest

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        if not self._head:
            return self._rest.readinto(buffer)
        n_bytes = min(len(buffer), len(self._head))
        buffer[:n_bytes] = self._head[:n_bytes]
        self._head = self._head[n_bytes:]
        return n_bytes


def _read_records(file: BinaryIO) -> Iterator[pa.RecordBatch]:
    text = _one_line_end(bounded_reads.whole(file).decode("utf-8", "replace"))
    read = records.read(text, records.find(text))
    while some := [*islice(read, tables.BATCH)]:
        arrays = [pa.array([record.get(field) for record in some], pa.string()) for field in FIELDS]
        yield pa.RecordBatch.from_arrays(arrays, list(FIELDS))


def _one_line_end(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def _unknown(path: Path, text: str) -> InputError:
    """What a file holds in which no record begins, and what to do."""
    top = next((line.strip() for line in text.splitlines() if line.strip()), "")
    if not top:
        found = "nothing"
    elif top.startswith("<"):
        found = "other XML or HTML"
    else:
        found = f"a text that begins with {top[:60]!r}"
    return UnknownKindError(
        path,
        expected="records of papers (BibTeX, RIS, PubMed, Web of Science, EndNote, JSON, or a table with a title)",
        found=found,
        remedy="export it again as one of these, or map its columns with --columns title=COLUMN"
        if re.search(r"[,;\t]", top)
        else "export it again as one of these",
    )


def _torn(path: Path, fault: Exception) -> InputError:
    if isinstance(fault, bounded_reads.TooLongError):
        return InputError(path, expected=str(fault), found="a longer one", remedy="split or correct the file")
    found = " ".join(str(fault).split()) or type(fault).__name__
    return InputError(path, expected="to read it to its end", found=found, remedy="fetch or write the file again")
