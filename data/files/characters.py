"""The characters of a file: decoded, and without those that no text has; what is dropped is counted."""

import codecs
import re
from dataclasses import dataclass

CONTROLS = "[\\x00-\\x08\\x0e-\\x1f\\x7f-\\x84\\x86-\\x9f\ufffe\uffff]"
"""What no text has, also for Arrow: control characters other than those that part words and lines, and noncharacters.
Texts copied from PDF and Word hold them in place of soft hyphens."""

MAX_CONTROL_SHARE = 0.02
"""Of control characters; text copied from anywhere has fewer, and anything but text at least five times as many."""

MIXED = "windows-1252 in utf-8"
"""The name of the way in which a decoder of UTF-8 reads bytes that are none."""

_CONTROLS = re.compile(CONTROLS)
_HIGH_CONTROLS = re.compile(rb"\xc2[\x80-\x84\x86-\x9f]"), re.compile(rb"\xef\xbf[\xbe\xbf]")
"""In UTF-8, where they are no ASCII."""
_HIGH = bytes([0] * 128 + [1] * 128)
_CONTROL_BYTES = bytes({*range(9), *range(14, 32), 127})
_ENCODINGS = {
    codecs.BOM_UTF32_LE: "utf-32",  # begins like the mark of UTF-16
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_MAX_NULL_SHARE = 0.001
"""Of NUL, which nothing but damage leaves in a text."""
_MIN_ZEROS, _MAX_STRAY = 0.01, 0.4
"""Of bytes that are zero in UTF-16, which every line end has and every space; and of these on the other side."""
_FREE_CONTROLS = 8
"""Control characters that a short text may hold."""
_SOME_HIGH, _MOST_HIGH = 0.1, 0.5
"""Of bytes above ASCII among those that are visible: damage leaves fewer, other scripts in their own encodings have
more, and in between it is Windows-1252 if it knows almost all of them."""
_MAX_UNDEFINED_SHARE = 0.05


@dataclass(frozen=True, kw_only=True)
class Text:
    """A text, and how many characters of its source it lacks."""

    content: str
    n_dropped: int


def without_controls(text: str) -> Text:
    """The text without CONTROLS."""
    content, n_dropped = _CONTROLS.subn("", text)
    return Text(content=content, n_dropped=n_dropped)


def without_utf_8_controls(content: bytes) -> tuple[bytes, int]:
    """The bytes of a text in UTF-8 without CONTROLS, and the number of these; quicker than `without_controls`."""
    clean = without_control_bytes(content)
    n_dropped = len(content) - len(clean)
    for high in () if clean.isascii() else _HIGH_CONTROLS:
        clean, n_high = high.subn(b"", clean)
        n_dropped += n_high
    return clean, n_dropped


def without_control_bytes(content: bytes) -> bytes:
    """The bytes of a text in any encoding that extends ASCII, without its control characters."""
    return content.translate(None, _CONTROL_BYTES)


def decode(content: bytes) -> Text | None:
    """The text of the bytes; None where they are something else, for too many of them are control characters.

    Read as UTF-8, or as UTF-16 behind a byte order mark or by its zero bytes. Bytes that are no UTF-8 are Windows-1252:
    all of them, unless most that are not ASCII are UTF-8. What neither knows is dropped. Other scripts in encodings of
    their own are None.
    """
    encoding = next((name for mark, name in _ENCODINGS.items() if content.startswith(mark)), None)
    encoding = encoding or _guess_utf_16(content)
    n_undefined = 0
    if encoding is None and not _is_mostly_utf_8(content):
        text = content.decode("cp1252", "ignore")
        n_undefined = len(content) - len(text)
        if _is_other_script(content, n_undefined):
            return None
    else:
        text = content.decode(encoding or "utf-8", MIXED).removeprefix("\ufeff")
    clean = without_controls(text)
    n_dropped = clean.n_dropped + n_undefined
    is_text = n_dropped <= max(_FREE_CONTROLS, MAX_CONTROL_SHARE * len(text)) and text.count("\0") <= max(
        1, _MAX_NULL_SHARE * len(text)
    )
    return Text(content=clean.content, n_dropped=n_dropped) if is_text else None


def _guess_utf_16(content: bytes) -> str | None:
    """The form of UTF-16 that bytes without a mark are in, whose zero bytes are all the first or the second ones."""
    zeros = [content[side::2].count(0) for side in (0, 1)]
    if len(content) % 2 or sum(zeros) < max(2, _MIN_ZEROS * len(content)) or min(zeros) > _MAX_STRAY * max(zeros):
        return None
    encoding = "utf-16-be" if zeros[0] > zeros[1] else "utf-16-le"
    try:
        content.decode(encoding)
    except UnicodeDecodeError:
        return None
    return encoding


def _is_other_script(content: bytes, n_undefined: int) -> bool:
    """Whether bytes are no Windows-1252, by how many are above ASCII and how many of these it does not know."""
    n_high = sum(content.translate(_HIGH))
    share = n_high / max(1, len(content.translate(None, b" \t\r\n")))
    return share > _MOST_HIGH or (share > _SOME_HIGH and n_undefined > max(1, _MAX_UNDEFINED_SHARE * n_high))


def _is_mostly_utf_8(content: bytes) -> bool:
    """Whether most of the bytes that are not ASCII are UTF-8, if any are not."""
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        text = content.decode("utf-8", "replace")
        n_bad = text.count("\ufffd") - content.count("\ufffd".encode())
        return 2 * n_bad < len(text) - len(text.encode("ascii", "ignore"))
    return True


def _read_as_windows_1252(fault: UnicodeError) -> tuple[str, int]:
    """Bytes that are no UTF-8, as Windows-1252; a control character for each that is undefined there too."""
    if not isinstance(fault, UnicodeDecodeError):
        raise fault
    part = fault.object[fault.start : fault.end]
    return "".join(bytes([byte]).decode("cp1252", "ignore") or "\x80" for byte in part), fault.end


codecs.register_error(MIXED, _read_as_windows_1252)
