"""Files of papers as UTF-8 without control characters, one of which would refuse a whole pile; both are counted."""

import codecs
import io
import re

import pyarrow as pa
import pyarrow.compute as pc

from crawler.cards.characters import CONTROLS, MIXED, without_control_bytes, without_controls

_CHUNK = 2**20
_DECLARED = re.compile(rb"""<\?xml[^>]{0,100}encoding=["'](?!utf-?8["'])""", re.IGNORECASE)


class CleanFile(io.RawIOBase):
    """A file's bytes, read from UTF-8, Windows-1252 (where they are no UTF-8) or UTF-16.

    XML that declares another encoding keeps it.
    """

    def __init__(self, file: io.BufferedReader) -> None:
        """`file` is at its start."""
        self.n_dropped = 0
        self._file = file
        self._rest = memoryview(b"")
        self._ended = False
        start = file.peek(200)
        is_utf_16 = start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
        self._decoder = codecs.getincrementaldecoder("utf-16" if is_utf_16 else "utf-8-sig")(MIXED)
        self._is_decoded = _DECLARED.match(start.lstrip()) is None

    def readable(self) -> bool:
        """True."""
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        """Read the next bytes; returns their number, 0 at the end."""
        while not self._rest and not self._ended:
            chunk = self._file.read1(_CHUNK)
            self._ended = not chunk
            self._rest = memoryview(self._clean(chunk))
        n_bytes = min(len(buffer), len(self._rest))
        buffer[:n_bytes] = self._rest[:n_bytes]
        self._rest = self._rest[n_bytes:]
        return n_bytes

    def _clean(self, chunk: bytes) -> bytes:
        if self._is_decoded:
            text = without_controls(self._decoder.decode(chunk, self._ended))
            self.n_dropped += text.n_dropped
            return text.content.encode()
        clean = without_control_bytes(chunk)
        self.n_dropped += len(chunk) - len(clean)
        return clean


def clean_column(column: pa.Array) -> tuple[pa.Array, int]:
    """The texts without control characters, which JSON and Parquet may hold in their own ways, and their number."""
    n_dropped = pc.sum(pc.count_substring_regex(column, CONTROLS)).as_py() or 0
    return (pc.replace_substring_regex(column, CONTROLS, "") if n_dropped else column), n_dropped
