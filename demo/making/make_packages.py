"""Write the Anki packages of `demo/files/` in the three containers, and one gzip file, from `package_notes.json`.

    python -m demo.making.make_packages

Containers and tables as Anki writes them: legacy 1 (collection.anki2), legacy 2 (collection.anki21 with a decoy),
latest (collection.anki21b: zstd without content size, schema 18, with a decoy; nothing compressed).
"""

import gzip
import hashlib
import json
import sqlite3
import zipfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import zstandard

FILES = Path(__file__).parents[1] / "files"
NOTES = Path(__file__).parent / "package_notes.json"
BASIC, CLOZE, DECK = 1_600_000_000_001, 1_600_000_000_002, 1_600_000_000_003
STAMP = (2020, 1, 1, 0, 0, 0)
DECOY = "Please update to the latest Anki version, then import the .colpkg/.apkg file again."
MEDIA = {"results.png": b"\x89PNG no real picture"}

Notes = Sequence[Sequence[str]]
Deck = Mapping[str, str | Notes]

SHARED_TABLES = """
CREATE TABLE notes (id integer PRIMARY KEY, guid text NOT NULL, mid integer NOT NULL, mod integer NOT NULL,
  usn integer NOT NULL, tags text NOT NULL, flds text NOT NULL, sfld integer NOT NULL, csum integer NOT NULL,
  flags integer NOT NULL, data text NOT NULL);
CREATE TABLE cards (id integer PRIMARY KEY, nid integer NOT NULL, did integer NOT NULL, ord integer NOT NULL);
CREATE TABLE col (id integer PRIMARY KEY, crt integer NOT NULL, mod integer NOT NULL, scm integer NOT NULL,
  ver integer NOT NULL, dty integer NOT NULL, usn integer NOT NULL, ls integer NOT NULL, conf text NOT NULL,
  models text NOT NULL, decks text NOT NULL, dconf text NOT NULL, tags text NOT NULL);
CREATE TABLE revlog (id integer PRIMARY KEY, cid integer NOT NULL);
CREATE TABLE graves (usn integer NOT NULL, oid integer NOT NULL, type integer NOT NULL);
"""
SCHEMA_18 = """
CREATE TABLE notetypes (id integer NOT NULL PRIMARY KEY, name text NOT NULL COLLATE unicase,
  mtime_secs integer NOT NULL, usn integer NOT NULL, config blob NOT NULL);
CREATE TABLE fields (ntid integer NOT NULL, ord integer NOT NULL, name text NOT NULL COLLATE unicase,
  config blob NOT NULL, PRIMARY KEY (ntid, ord)) without rowid;
CREATE TABLE templates (ntid integer NOT NULL, ord integer NOT NULL, name text NOT NULL COLLATE unicase,
  mtime_secs integer NOT NULL, usn integer NOT NULL, config blob NOT NULL, PRIMARY KEY (ntid, ord)) without rowid;
CREATE TABLE decks (id integer PRIMARY KEY NOT NULL, name text NOT NULL COLLATE unicase,
  mtime_secs integer NOT NULL, usn integer NOT NULL, common blob NOT NULL, kind blob NOT NULL);
CREATE TABLE tags (tag text NOT NULL PRIMARY KEY COLLATE unicase, usn integer NOT NULL) without rowid;
CREATE TABLE config ("KEY" text NOT NULL PRIMARY KEY, usn integer NOT NULL, val blob NOT NULL) without rowid;
CREATE TABLE deck_config (id integer PRIMARY KEY NOT NULL, name text NOT NULL COLLATE unicase, config blob NOT NULL);
"""
NOTE_TYPES = {BASIC: ("Basic", 0, ("Front", "Back")), CLOZE: ("Cloze", 1, ("Text", "Back Extra"))}


def protobuf(number: int, value: bytes | int) -> bytes:
    """One field of a protobuf message: a varint for a number, length-delimited for bytes."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def varint(value: int) -> bytes:
    low, rest = value & 0x7F, value >> 7
    return bytes([low | 0x80]) + varint(rest) if rest else bytes([low])


def template(kind: int, fields: Sequence[str]) -> tuple[str, str]:
    """Question and answer format of the only template of a note type."""
    marker = "cloze:" if kind else ""
    return f"{{{{{marker}{fields[0]}}}}}", f"{{{{{marker}{fields[0]}}}}}<hr id=answer>{{{{{fields[1]}}}}}"


def note_rows(deck: Deck) -> list[tuple[object, ...]]:
    """Rows of the table notes: basic ones first, then cloze ones."""
    typed = [(BASIC, note) for note in deck["notes"]] + [(CLOZE, note) for note in deck.get("cloze", ())]
    return [
        (at, f"demo{at:06d}", mid, 0, -1, " cs ", "\x1f".join(note), note[0], at, 0, "")
        for at, (mid, note) in enumerate(typed, start=1)
    ]


def fill_shared(database: sqlite3.Connection, deck: Deck, columns: tuple[int, str, str]) -> None:
    """Tables of both schemas; `columns` are version, models and decks of the row of `col`."""
    database.executescript(SHARED_TABLES)
    rows = note_rows(deck)
    database.executemany(f"INSERT INTO notes VALUES ({','.join('?' * 11)})", rows)
    database.executemany("INSERT INTO cards VALUES (?, ?, ?, 0)", [(row[0], row[0], DECK) for row in rows])
    version, models, decks = columns
    database.execute(
        "INSERT INTO col VALUES (1, 0, 0, 0, ?, 0, 0, 0, '{}', ?, ?, '{}', '{}')", (version, models, decks)
    )


def fill_schema_11(database: sqlite3.Connection, deck: Deck) -> None:
    models = {}
    for mid, (name, kind, fields) in NOTE_TYPES.items():
        question, answer = template(kind, fields)
        models[str(mid)] = {
            "id": mid,
            "name": name,
            "type": kind,
            "flds": [{"name": field, "ord": at} for at, field in enumerate(fields)],
            "tmpls": [{"name": "Card 1", "ord": 0, "qfmt": question, "afmt": answer}],
        }
    decks = {str(DECK): {"id": DECK, "name": deck["deck"]}}
    fill_shared(database, deck, (11, json.dumps(models), json.dumps(decks)))


def fill_schema_18(database: sqlite3.Connection, deck: Deck) -> None:
    fill_shared(database, deck, (18, "", ""))
    database.executescript(SCHEMA_18)
    for mid, (name, kind, fields) in NOTE_TYPES.items():
        config = protobuf(1, kind) if kind else b""
        database.execute("INSERT INTO notetypes VALUES (?, ?, 0, 0, ?)", (mid, name, config))
        for at, field in enumerate(fields):
            database.execute("INSERT INTO fields VALUES (?, ?, ?, ?)", (mid, at, field, b""))
        formats = b"".join(protobuf(at, text.encode()) for at, text in enumerate(template(kind, fields), 1))
        database.execute("INSERT INTO templates VALUES (?, 0, 'Card 1', 0, 0, ?)", (mid, formats))
    name = str(deck["deck"]).replace("::", "\x1f")
    database.execute("INSERT INTO decks VALUES (?, ?, 0, 0, ?, ?)", (DECK, name, b"", b""))


def collection(deck: Deck, fill: Callable[[sqlite3.Connection, Deck], None]) -> bytes:
    """The bytes of a SQLite file with the deck."""
    database = sqlite3.connect(":memory:")
    try:
        database.create_collation("unicase", lambda a, b: (a.lower() > b.lower()) - (a.lower() < b.lower()))
        fill(database, deck)
        database.commit()
        return database.serialize()
    finally:
        database.close()


def frame(content: bytes) -> bytes:
    """A zstd frame without its content size, as Anki writes it."""
    return zstandard.ZstdCompressor(write_content_size=False).compress(content)


def write_zip(path: Path, entries: Mapping[str, bytes], method: int) -> None:
    with zipfile.ZipFile(path, "w", method) as package:
        for name, content in entries.items():
            package.writestr(zipfile.ZipInfo(name, STAMP), content, compress_type=method)


def legacy_1(deck: Deck) -> tuple[dict[str, bytes], int]:
    return {"collection.anki2": collection(deck, fill_schema_11), "media": b"{}"}, zipfile.ZIP_DEFLATED


def legacy_2(deck: Deck) -> tuple[dict[str, bytes], int]:
    entries = {
        "meta": protobuf(1, 2),
        "collection.anki21": collection(deck, fill_schema_11),
        "collection.anki2": decoy(),
        "media": b'{"0": "cell.mp3"}',
        "0": b"no real recording",
    }
    return entries, zipfile.ZIP_DEFLATED


def latest(deck: Deck) -> tuple[dict[str, bytes], int]:
    listing = b"".join(protobuf(1, media_entry(name, content)) for name, content in MEDIA.items())
    entries = {
        "meta": protobuf(1, 3),
        "collection.anki21b": frame(collection(deck, fill_schema_18)),
        "collection.anki2": decoy(),
        "media": frame(listing),
    }
    entries |= {str(at): frame(content) for at, content in enumerate(MEDIA.values())}
    return entries, zipfile.ZIP_STORED


def media_entry(name: str, content: bytes) -> bytes:
    digest = hashlib.sha1(content, usedforsecurity=False).digest()
    return protobuf(1, name.encode()) + protobuf(2, len(content)) + protobuf(3, digest)


def decoy() -> bytes:
    """The collection that tells users of an old Anki to update: one note."""
    return collection({"deck": "Default", "notes": [[DECOY, ""]]}, fill_schema_11)


CONTAINERS = {"legacy_1.apkg": legacy_1, "legacy_2.apkg": legacy_2, "latest.apkg": latest}


def write_files(folder: Path) -> list[Path]:
    """Write all packages and the gzip file into the folder; return their paths."""
    decks = json.loads(NOTES.read_text(encoding="utf-8"))
    for name, container in CONTAINERS.items():
        entries, method = container(decks[name])
        write_zip(folder / name, entries, method)
    lines = "".join("\t".join(card) + "\n" for card in decks["more_cards.txt.gz"]["lines"])
    (folder / "more_cards.txt.gz").write_bytes(gzip.compress(lines.encode("utf-8"), mtime=0))
    return [folder / name for name in decks]


if __name__ == "__main__":
    for path in write_files(FILES):
        print(f"{path.stat().st_size:>7} bytes written to {path}")
