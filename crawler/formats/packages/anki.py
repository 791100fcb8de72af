"""Anki packages (.apkg, .colpkg) of all three generations: the container.

A package is a zip whose collection is an SQLite database. A modern one also contains an old-style
`collection.anki2` as a decoy, with a single note that asks for an update; it never yields a card.
"""

import io
import zipfile
from dataclasses import replace
from pathlib import PurePath

import zstandard

from crawler.cards.outcome import Deck, Finding, Outcome
from crawler.formats.packages.collection import read_collection
from crawler.formats.packages.database import DatabaseError
from crawler.formats.packages.notes import read_notes
from crawler.formats.packages.wire import varint_field
from crawler.formats.packed import UNREADABLE
from crawler.formats.sides.headers import Named
from crawler.formats.statements import find_statement

COLLECTIONS = ("collection.anki21b", "collection.anki21", "collection.anki2")
"""Newest first: in a modern package the last one is the decoy."""

NEWEST_VERSION = 3
"""Version in `meta` of the zstd container (Anki 2.1.50, 2022)."""

MAX_COLLECTION_BYTES = 64 * 2**20
"""A collection without its media is rarely larger; zstd packs zeros 32,000 : 1."""

_MAX_ZSTD_WINDOW = 2**27


class PackageError(Exception):
    """The package cannot be read; `kind` is the finding's."""

    def __init__(self, kind: str, detail: str) -> None:
        super().__init__(detail)
        self.kind = kind


def is_package(content: bytes) -> bool:
    """True where the bytes are a zip that holds a collection, or a torn zip that names one."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return not set(COLLECTIONS).isdisjoint(archive.namelist())
    except UNREADABLE:
        return b"collection.anki2" in content


def read_package(name: str, content: bytes, named: Named = ()) -> Outcome:
    """The cards of a package's normal notes; cloze notes and others that give no card are reported as skipped.

    Every note of the collection is a card or skipped. Only the collection is unpacked, into memory; media never are.
    `named` as in `read_notes`. Findings: its, `corrupt_package`, `package_too_new`, `decoy_only`, `too_large`.
    """
    try:
        return read_collection_file(name, _unpack(content), named)
    except PackageError as refusal:
        return Outcome(findings=(Finding(kind=refusal.kind, detail=f"{name}: {refusal}"),))


def read_collection_file(name: str, content: bytes, named: Named = ()) -> Outcome:
    """The cards of a collection's notes, as in `read_package`. Findings: `corrupt_package`, `decoy_only`."""
    try:
        collection = read_collection(content)
    except DatabaseError as error:
        return Outcome(findings=(Finding(kind="corrupt_package", detail=f"{name}: {error}"),))
    if collection.is_decoy:
        detail = f"{name}: only the note that asks for a newer Anki; the real collection is missing"
        return Outcome(findings=(Finding(kind="decoy_only", detail=detail),))
    note = find_statement(collection.description)
    deck = Deck(set_id=name, title=collection.title or PurePath(name).stem, cards=(), licence_note=note)
    outcome = read_notes(deck, collection.notes, collection.note_types, named)
    return replace(outcome, skipped=(*outcome.skipped, *collection.skipped))


def _unpack(content: bytes) -> bytes:
    """The newest collection's SQLite file."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            entry = _choose(archive)
            with archive.open(entry) as stream:
                return _read_capped(stream, packed=entry.endswith("b"))
    except UNREADABLE as error:
        raise PackageError("corrupt_package", f"the zip cannot be read ({error})") from error


def _choose(archive: zipfile.ZipFile) -> str:
    """The newest collection's entry. Raises PackageError for an unknown version, or one without its collection."""
    names = set(archive.namelist())
    if names.isdisjoint(COLLECTIONS):
        raise PackageError("corrupt_package", "the zip holds no collection")
    version = NEWEST_VERSION if "meta" not in names else varint_field(archive.open("meta").read(1024), 1)
    if not 1 <= version <= NEWEST_VERSION:
        raise PackageError("package_too_new", f"package version {version}; 1 to {NEWEST_VERSION} are known")
    if "meta" in names and version == NEWEST_VERSION and COLLECTIONS[0] not in names:
        raise PackageError("corrupt_package", f"version {version} without {COLLECTIONS[0]}")
    return next(entry for entry in COLLECTIONS if entry in names)


def _read_capped(stream: io.BufferedIOBase | object, *, packed: bool) -> bytes:
    """All bytes of the stream, unpacked piece by piece where it is zstd (its frames do not give their size)."""
    if packed:
        stream = zstandard.ZstdDecompressor(max_window_size=_MAX_ZSTD_WINDOW).stream_reader(stream)  # type: ignore[arg-type]
    content: bytes = stream.read(MAX_COLLECTION_BYTES + 1)  # type: ignore[union-attr]
    if len(content) > MAX_COLLECTION_BYTES:
        raise PackageError("too_large", f"the collection is larger than {MAX_COLLECTION_BYTES >> 20} MiB")
    return content
