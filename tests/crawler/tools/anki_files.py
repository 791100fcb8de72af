"""Anki packages of all generations, built from invented notes, for the tests."""

import io
import json
import sqlite3
import zipfile
from collections.abc import Mapping, Sequence
from functools import cache

import zstandard

BASIC, CLOZE, STOCK = 11, 12, 13
SEPARATOR = "\x1f"

MODELS = {
    BASIC: ("B", 0, ["Extra", "Front", "Back"], "{{type:Front}}{{#Extra}}{{Tags}}{{/Extra}}", "{{FrontSide}}{{Back}}"),
    CLOZE: ("Cloze", 1, ["Text", "Back Extra"], "{{cloze:Text}}", "{{cloze:Text}}{{Back Extra}}"),
    STOCK: ("Unused", 0, ["A", "B"], "{{A}}", "{{B}}"),
}  # fmt: skip

NOTES = [
    (BASIC, ["", "hash table", "maps <b>keys</b> to values<br>in constant time"]),
    (BASIC, ["x", "big &amp; small", "<div>a &lt; b</div><div>\\(x^2\\)</div>"]),
    (CLOZE, ["A {{c1::stack}} is last in, first out", ""]),
    (BASIC, ["", "binary tree", 'a tree<img src="tree.png">']),
    (BASIC, ["", "phoneme", "a sound [sound:a.mp3]"]),
]


def message(*fields: tuple[int, int | bytes]) -> bytes:
    """A protobuf message whose numbers and lengths are below 128 or 16,384."""
    content = b""
    for number, value in fields:
        if isinstance(value, int):
            content += bytes([number << 3, value])
        else:
            size = bytes([len(value)]) if len(value) < 128 else bytes([len(value) & 127 | 128, len(value) >> 7])
            content += bytes([number << 3 | 2]) + size + value
    return content


def schema_11(notes: Sequence[tuple[int, Sequence[str]]] = NOTES, *, deck: str = "Science::Computing") -> bytes:
    """A collection of the old schema."""
    models = {
        type_id: {
            "id": type_id,
            "name": name,
            "type": kind,
            "flds": [{"name": field, "ord": ord_} for ord_, field in enumerate(fields)][::-1],
            "tmpls": [
                {"name": "Card 2", "ord": 1, "qfmt": "{{Back}}", "afmt": ""},
                {"name": "Card 1", "ord": 0, "qfmt": question, "afmt": answer},
            ],
        }
        for type_id, (name, kind, fields, question, answer) in MODELS.items()
    }
    decks = {"1": {"name": "Default"}, "5": {"name": deck}, "6": {"name": deck + "::Trees"}}
    database = _with_notes(notes)
    database.execute("CREATE TABLE col (id INTEGER, models TEXT, decks TEXT)")
    database.execute("INSERT INTO col VALUES (1, ?, ?)", (json.dumps(models), json.dumps(decks)))
    return _bytes(database)


def schema_18(notes: Sequence[tuple[int, Sequence[str]]] = NOTES) -> bytes:
    """A collection of the new schema, its names under Anki's collation."""
    database = _with_notes(notes)
    database.create_collation("unicase", lambda first, second: (first > second) - (first < second))
    for statement in (
        "CREATE TABLE col (id INTEGER, models TEXT, decks TEXT)",
        "CREATE TABLE notetypes (id INTEGER PRIMARY KEY, name TEXT COLLATE unicase, config BLOB)",
        "CREATE TABLE fields (ntid INTEGER, ord INTEGER, name TEXT COLLATE unicase, config BLOB)",
        "CREATE TABLE templates (ntid INTEGER, ord INTEGER, name TEXT COLLATE unicase, config BLOB)",
        "CREATE TABLE decks (id INTEGER PRIMARY KEY, name TEXT COLLATE unicase)",
        "CREATE UNIQUE INDEX by_name ON notetypes (name)",
        "INSERT INTO col VALUES (1, '', '')",
        "INSERT INTO decks VALUES (1, 'Default'), (5, 'Science' || char(31) || 'Computing')",
        "INSERT INTO decks VALUES (6, 'Science' || char(31) || 'Computing' || char(31) || 'Trees')",
    ):
        database.execute(statement)
    for type_id, (name, kind, fields, question, answer) in MODELS.items():
        config = message((1, 1), (9, b"x")) if kind else message((3, b"css"))
        database.execute("INSERT INTO notetypes VALUES (?, ?, ?)", (type_id, name, config))
        rows = [(type_id, ord_, field, b"") for ord_, field in enumerate(fields)]
        database.executemany("INSERT INTO fields VALUES (?, ?, ?, ?)", rows[::-1])
        both = [(0, question, answer), (1, "{{Back}}", "")]
        configs = [(type_id, ord_, "Card", message((1, q.encode()), (2, a.encode()))) for ord_, q, a in both]
        database.executemany("INSERT INTO templates VALUES (?, ?, ?, ?)", configs)
    return _bytes(database)


def decoy() -> bytes:
    """The old-style collection of a modern package."""
    text = "Please update to the latest Anki version, then import the .colpkg/.apkg file again."
    return schema_11([(BASIC, [text, "", ""])])


def package(entries: Mapping[str, bytes]) -> bytes:
    """A zip of the entries."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, entry in entries.items():
            archive.writestr(name, entry)
    return content.getvalue()


def packed(content: bytes) -> bytes:
    """The content as zstd frames that do not tell their size, as Anki writes them."""
    compressor = zstandard.ZstdCompressor(write_content_size=False).compressobj()
    return compressor.compress(content) + compressor.flush()


@cache
def legacy_1() -> bytes:
    """A package of the first generation."""
    return package({"collection.anki2": schema_11(), "media": b"{}"})


@cache
def legacy_2() -> bytes:
    """A package of the second generation, for older versions."""
    return package({"collection.anki2": decoy(), "collection.anki21": schema_11(), "meta": b"\x08\x02", "media": b"{}"})


@cache
def latest() -> bytes:
    """A package as Anki writes it since 2022."""
    entries = {"meta": b"\x08\x03", "collection.anki21b": packed(schema_18()), "collection.anki2": decoy()}
    return package(entries | {"media": b"", "0": b"../escape"})


def _with_notes(notes: Sequence[tuple[int, Sequence[str]]]) -> sqlite3.Connection:
    database = sqlite3.connect(":memory:")
    database.execute("CREATE TABLE notes (id INTEGER PRIMARY KEY, guid TEXT, mid INTEGER, tags TEXT, flds TEXT)")
    database.execute("CREATE TABLE cards (id INTEGER PRIMARY KEY, nid INTEGER, did INTEGER, ord INTEGER)")
    for at, (type_id, fields) in enumerate(notes, 1):
        row = (at, f"guid{at}", type_id, "", SEPARATOR.join(fields))
        database.execute("INSERT INTO notes VALUES (?, ?, ?, ?, ?)", row)
        database.executemany("INSERT INTO cards VALUES (NULL, ?, ?, ?)", [(at, 5, 0), (at, 6, 1)])  # two cards a note
    return database


def _bytes(database: sqlite3.Connection) -> bytes:
    database.commit()
    content = database.serialize()
    database.close()
    return content
