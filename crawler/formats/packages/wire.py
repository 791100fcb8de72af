"""The part of protobuf's wire format that Anki's settings need: single fields of a flat message."""

from collections.abc import Iterator

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5
_FIXED_SIZES = {FIXED64: 8, FIXED32: 4}


def varint_field(message: bytes, number: int) -> int:
    """The last value of an integer field; 0, protobuf's default, where it is absent.

    Raises ValueError for bytes that are not a message.
    """
    values = [value for field, value in _fields(message) if field == number and isinstance(value, int)]
    return values[-1] if values else 0


def text_field(message: bytes, number: int) -> str:
    """The last value of a text field; empty where it is absent. Raises ValueError for bytes that are not a message."""
    return bytes_field(message, number).decode("utf-8", "replace")


def bytes_field(message: bytes, number: int) -> bytes:
    """The last value of a field of bytes, such as a message; empty where it is absent. Raises ValueError likewise."""
    values = [value for field, value in _fields(message) if field == number and isinstance(value, bytes)]
    return values[-1] if values else b""


def _fields(message: bytes) -> Iterator[tuple[int, int | bytes]]:
    """The number and value of each field."""
    at = 0
    while at < len(message):
        tag, at = _varint(message, at)
        if tag & 7 == VARINT:
            value, at = _varint(message, at)
            yield tag >> 3, value
            continue
        size = _FIXED_SIZES.get(tag & 7)
        if tag & 7 == BYTES:
            size, at = _varint(message, at)
        if size is None or at + size > len(message):
            raise ValueError("not a protobuf message")
        yield tag >> 3, message[at : at + size]
        at += size


def _varint(message: bytes, at: int) -> tuple[int, int]:
    """The integer at a position, and the position after it."""
    value = 0
    for shift in range(0, 70, 7):
        if at >= len(message):
            break
        value |= (message[at] & 0x7F) << shift
        at += 1
        if message[at - 1] < 0x80:
            return value, at
    raise ValueError("not a protobuf message")
