"""Reading no more of a file than memory can hold: a kilobyte of gzip can unpack to one line of a gigabyte."""

from collections.abc import Iterator
from typing import BinaryIO

MAX_LINE_BYTES = 16 * 2**20
MAX_FILE_BYTES = 512 * 2**20
"""Of the kinds that are read whole. Larger ones can be split, or given as JSON lines, CSV or Parquet."""


class TooLongError(ValueError):
    """A line or a file is longer than any of papers; the message says how long it may be."""


def lines(file: BinaryIO) -> Iterator[bytes]:
    """The lines of a file, with their ends. Raises TooLongError."""
    while line := file.readline(MAX_LINE_BYTES + 1):
        if len(line) > MAX_LINE_BYTES:
            raise TooLongError(f"a line of at most {MAX_LINE_BYTES:,} bytes")
        yield line


def whole(file: BinaryIO) -> bytes:
    """The content of a file. Raises TooLongError."""
    content = file.read(MAX_FILE_BYTES + 1)
    if len(content) > MAX_FILE_BYTES:
        raise TooLongError(f"a file of at most {MAX_FILE_BYTES:,} bytes")
    return content
