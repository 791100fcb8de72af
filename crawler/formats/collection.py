"""An Anki collection (SQLite, schema 11 or 18): its notes and note types, read from memory and never trusted."""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass

from crawler.formats.notes import Note, NoteType, is_cloze, type_from_json
from crawler.formats.wire import text_field, varint_field

FIELD_SEPARATOR = "\x1f"
"""Between the fields of a note, and between the levels of a deck's name in schema 18."""

MAX_NOTE_BYTES = 2**20
"""A note longer than that is no definition; Anki itself warns from 100 kB."""

DECOY = "Please update to the latest Anki version"
"""How the only note of a modern package's `collection.anki2` begins."""

_STEPS_BETWEEN_CHECKS = 1_000_000
_MAX_CHECKS = 2_000
"""Together 2e9 steps of SQLite's machine: a collection of a million notes needs 2e7."""


class CollectionError(Exception):
    """The database is torn, hostile or no collection."""


@dataclass(frozen=True, kw_only=True)
class Collection:
    """What a package's database holds for us."""

    notes: tuple[Note, ...]
    """In the order in which they were made."""
    note_types: dict[str, NoteType]
    title: str
    """The deck above all others that hold cards; empty where there is no such one."""
    skipped: tuple[tuple[str, str], ...]
    """(id, reason) of notes that were not read."""

    @property
    def is_decoy(self) -> bool:
        """True where the only note asks for a newer Anki."""
        return len(self.notes) == 1 and self.notes[0].values[0].startswith(DECOY)


def read_collection(content: bytes) -> Collection:
    """The collection in an SQLite file's bytes. Raises CollectionError."""
    with closing(_open(content)) as database:
        try:
            _check_tables(database, "notes", "col", "cards")
            notes, skipped = _read_notes(database)
            modern = bool(database.execute("SELECT 1 FROM sqlite_master WHERE name = 'notetypes'").fetchall())
            note_types = _types_of_schema_18(database) if modern else _types_of_schema_11(database)
            title = _common_root(_deck_names(database, modern=modern))
        except (sqlite3.Error, ValueError, KeyError, TypeError, AttributeError) as error:
            raise CollectionError(f"the collection cannot be read ({error})") from error
    return Collection(notes=notes, note_types=note_types, title=title, skipped=skipped)


def _open(content: bytes) -> sqlite3.Connection:
    """A database in memory that nothing can write to and whose schema may call nothing."""
    database = sqlite3.connect(":memory:")
    try:
        database.deserialize(_without_journal(content))
        database.execute("PRAGMA query_only = ON")
        database.execute("PRAGMA trusted_schema = OFF")
        database.execute("PRAGMA cell_size_check = ON")
    except (sqlite3.Error, OverflowError, MemoryError) as error:
        database.close()
        raise CollectionError(f"the collection is no SQLite database ({error})") from error
    checks = iter(range(_MAX_CHECKS))
    database.set_progress_handler(lambda: next(checks, None) is None, _STEPS_BETWEEN_CHECKS)
    database.create_collation("unicase", _compare_unicase)
    database.text_factory = lambda text: text.decode("utf-8", "replace")
    return database


def _without_journal(content: bytes) -> bytes:
    """The file marked as one without a write-ahead log, which a database in memory cannot have."""
    return content[:18] + b"\x01\x01" + content[20:] if content[18:20] == b"\x02\x02" else content


def _compare_unicase(first: str, second: str) -> int:
    """Anki's collation: order without regard to case."""
    folded_first, folded_second = first.casefold(), second.casefold()
    return (folded_first > folded_second) - (folded_first < folded_second)


def _check_tables(database: sqlite3.Connection, *names: str) -> None:
    """Raises CollectionError where one of the names is missing, a view or a virtual table."""
    for name in names:
        rows = database.execute("SELECT type, rootpage FROM sqlite_master WHERE name = ?", (name,)).fetchall()
        if [kind for kind, _ in rows] != ["table"] or not rows[0][1]:
            raise CollectionError(f"the collection has no real table {name}")


def _read_notes(database: sqlite3.Connection) -> tuple[tuple[Note, ...], tuple[tuple[str, str], ...]]:
    """The notes, and the ids of those that are too long."""
    rows = database.execute(
        "SELECT id, mid, CASE WHEN length(CAST(flds AS BLOB)) <= ? THEN CAST(flds AS TEXT) END FROM notes ORDER BY id",
        (MAX_NOTE_BYTES,),
    ).fetchall()
    notes = tuple(
        Note(note_id=str(note_id), type_id=str(type_id), values=tuple(fields.split(FIELD_SEPARATOR)))
        for note_id, type_id, fields in rows
        if fields is not None
    )
    return notes, tuple((str(note_id), "note_too_long") for note_id, _, fields in rows if fields is None)


def _types_of_schema_11(database: sqlite3.Connection) -> dict[str, NoteType]:
    """From the JSON in `col.models`."""
    (models,) = database.execute("SELECT models FROM col LIMIT 1").fetchone()
    return {str(type_id): type_from_json(model) for type_id, model in json.loads(models).items()}


def _types_of_schema_18(database: sqlite3.Connection) -> dict[str, NoteType]:
    """From the tables `notetypes`, `fields` and `templates`, whose `config` columns are protobuf."""
    _check_tables(database, "notetypes", "fields", "templates")
    fields: dict[int, list[str]] = {}
    for type_id, field in database.execute("SELECT ntid, name FROM fields ORDER BY ntid, ord"):
        fields.setdefault(type_id, []).append(field)
    templates = dict(database.execute("SELECT ntid, config FROM templates ORDER BY ord DESC"))
    kinds = database.execute("SELECT id, config FROM notetypes").fetchall()
    return {
        str(type_id): _type_of_configs(tuple(fields.get(type_id, ())), config, templates.get(type_id, b""))
        for type_id, config in kinds
    }


def _type_of_configs(fields: tuple[str, ...], config: bytes, template: bytes) -> NoteType:
    """Field 1 of a note type's configuration is 1 for cloze; 1 and 2 of a template's are question and answer."""
    question = text_field(template, 1)
    cloze = varint_field(config, 1) == 1 or is_cloze(question)
    return NoteType(fields=fields, question=question, answer=text_field(template, 2), cloze=cloze)


def _deck_names(database: sqlite3.Connection, *, modern: bool) -> Iterator[list[str]]:
    """The levels of the name of each deck that holds cards."""
    used = {deck_id for (deck_id,) in database.execute("SELECT DISTINCT did FROM cards")}
    if modern:
        _check_tables(database, "decks")
        rows = database.execute("SELECT id, name FROM decks").fetchall()
        return (name.split(FIELD_SEPARATOR) for deck_id, name in rows if deck_id in used)
    (decks,) = database.execute("SELECT decks FROM col LIMIT 1").fetchone()
    return (str(deck["name"]).split("::") for deck_id, deck in json.loads(decks).items() if int(deck_id) in used)


def _common_root(names: Iterator[list[str]]) -> str:
    """The levels that all names begin with, joined by `::`."""
    root: list[str] = []
    for level in zip(*names, strict=False):
        if len(set(level)) > 1:
            break
        root.append(level[0])
    return "::".join(root)
