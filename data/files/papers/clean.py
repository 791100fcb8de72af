"""Files of papers as UTF-8 without control characters, which are counted: one would refuse a whole pile."""

import codecs
import io
import re
from contextlib import suppress

import pyarrow as pa

from data.files.characters import MIXED, without_controls, without_utf_8_controls

_CHUNK_BYTES = 2**20
_DECLARED = re.compile(rb"""<\?xml[^>]{0,100}encoding=["']((?!utf)[\w-]{1,40})["']""", re.IGNORECASE)


class CleanFile(io.RawIOBase):
    """A file's bytes, read from UTF-8, Windows-1252 (where they are no UTF-8) or UTF-16.

    XML may declare another encoding.
    """

    def __init__(self, file: io.BufferedReader) -> None:
        """`file` is at its start."""
        self.n_dropped = 0
        self._file = file
        self._begun, self._rest = b"", memoryview(b"")
        self._ended = False
        self._decoder: codecs.IncrementalDecoder | None = None
        start = file.peek(200)
        declared = _DECLARED.match(start.lstrip())
        if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            self._decoder = codecs.getincrementaldecoder("utf-16")(MIXED)
        elif start.startswith(codecs.BOM_UTF8):
            file.read(len(codecs.BOM_UTF8))
        elif declared:
            with suppress(LookupError):
                self._decoder = codecs.getincrementaldecoder(declared[1].decode())("replace")

    def readable(self) -> bool:
        """True."""
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        """Read the next bytes; returns their number, 0 at the end."""
        while not self._rest and not self._ended:
            chunk = self._file.read1(_CHUNK_BYTES)
            self._ended = not chunk
            self._rest = memoryview(self._clean(chunk))
        n_bytes = min(len(buffer), len(self._rest))
        buffer[:n_bytes] = self._rest[:n_bytes]
        self._rest = self._rest[n_bytes:]
        return n_bytes

    def _clean(self, chunk: bytes) -> bytes:
        if self._decoder:
            text = self._decoder.decode(chunk, self._ended)
        else:
            content = self._begun + chunk
            end = len(content) if self._ended else _end(content)
            content, self._begun = content[:end], content[end:]
            if _is_utf_8(content):
                content, n_dropped = without_utf_8_controls(content)
                self.n_dropped += n_dropped
                return content
            text = content.decode("utf-8", MIXED)
        clean = without_controls(text)
        self.n_dropped += clean.n_dropped
        return clean.content.encode()


def _end(content: bytes) -> int:
    """Where the last character of UTF-8 begins, if it is not all there; else the end."""
    for back, byte in enumerate(reversed(content[-3:]), 1):
        if byte >= 0xC0:
            return len(content) - back * (back < 2 + (byte >= 0xE0) + (byte >= 0xF0))
        if byte < 0x80:
            break
    return len(content)


def _is_utf_8(content: bytes) -> bool:
    """Whether bytes are UTF-8, which Arrow sees sooner than Python decodes them."""
    if content.isascii():
        return True
    try:
        pa.array([content], pa.binary()).cast(pa.string())
    except pa.ArrowInvalid:
        return False
    return True
