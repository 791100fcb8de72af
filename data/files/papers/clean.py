"""Files of papers as UTF-8 without control characters, which are counted: one would refuse a whole pile."""

import codecs
import io
import re
from contextlib import suppress

from data.files.characters import MIXED, without_controls

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
        self._rest = memoryview(b"")
        self._ended = False
        start = file.peek(200)
        is_utf_16 = start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
        declared = _DECLARED.match(start.lstrip())
        encoding = "utf-16" if is_utf_16 else "utf-8-sig"
        self._decoder = codecs.getincrementaldecoder(encoding)(MIXED)
        if declared and not is_utf_16:
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
        text = without_controls(self._decoder.decode(chunk, self._ended))
        self.n_dropped += text.n_dropped
        return text.content.encode()
