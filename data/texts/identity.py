"""Ids computed from content alone: the same thing has the same id in every run and on every machine."""

import hashlib
from collections.abc import Iterable
from pathlib import Path

ID_BYTES = 16
"""128 bits: the probability of a collision among a million rows is below 1e-26."""


def digest(*parts: object, key: bytes = b"") -> str:
    """32 hexadecimal digits (blake2b) of the parts in order; different lists of parts never hash the same bytes.

    With `key` (at most 64 bytes) the digest cannot be guessed without the key.
    """
    state = hashlib.blake2b(digest_size=ID_BYTES, key=key)
    for part in parts:
        content = str(part).encode("utf-8", "surrogatepass")
        state.update(len(content).to_bytes(8, "big") + content)
    return state.hexdigest()


def file_digest(path: Path) -> str:
    """The blake2b digest (32 hexadecimal digits) of a file, read piece by piece."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=ID_BYTES)).hexdigest()


def files_digest(paths: Iterable[Path]) -> str:
    """A digest of files and of all files in folders, whatever folder they lie in."""
    parts = []
    for path in sorted(paths):
        files = sorted(file for file in path.rglob("*") if file.is_file()) if path.is_dir() else [path]
        parts += [part for file in files for part in (file.relative_to(path.parent).as_posix(), file_digest(file))]
    return digest("files", *parts)


def card_id(source: str, set_id: str, front: str, back: str, occurrence: int = 0) -> str:
    """The id of a card: stable when cards are inserted before it.

    `occurrence` is the number of earlier cards in the set with the same two sides.
    """
    return digest("card", source, set_id, front, back, occurrence)


def definition_id(entity: str, text: str) -> str:
    """The id of a definition, from its canonical entity and its text."""
    return digest("definition", entity, text)


def text_id(text: str, entity: str | None = None) -> str:
    """The id of a text: the definition's where it defines an entity, otherwise the id of the text alone."""
    return definition_id(entity or "", text)


def pair_id(first_id: str, second_id: str) -> str:
    """The id of a pair of texts, whatever their order."""
    return digest("pair", *sorted((first_id, second_id)))
