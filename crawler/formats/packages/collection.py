"""An Anki collection (SQLite, schema 11 or 18): its notes and note types, read from memory and never trusted."""

import json
import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass

from crawler.formats.packages.database import (
    MAX_VALUE_BYTES,
    DatabaseError,
    open_database,
    require_tables,
    select_texts,
)
from crawler.formats.packages.notes import Note, NoteType, type_from_json
from crawler.formats.packages.templates import is_cloze
from crawler.formats.packages.wire import bytes_field, text_field, varint_field

FIELD_SEPARATOR = "\x1f"
"""Between the fields of a note, and between the levels of a deck's name in schema 18."""

DECOY = "Please update to the latest Anki version"
"""How the only note of a modern package's `collection.anki2` begins."""


@dataclass(frozen=True, kw_only=True)
class Collection:
    """What we read from a package's database."""

    notes: tuple[Note, ...]
    """In the order of creation."""
    note_types: dict[str, NoteType]
    title: str
    """The deck above all others that hold cards; empty where there is none."""
    description: str
    """HTML; only of decks that hold cards."""
    skipped: tuple[tuple[str, str], ...]
    """(id, reason) of notes that were not read."""

    @property
    def is_decoy(self) -> bool:
        """True where the only note asks for a newer Anki."""
        return len(self.notes) == 1 and self.notes[0].values[0].startswith(DECOY)


def read_collection(content: bytes) -> Collection:
    """The collection in an SQLite file's bytes. Raises DatabaseError."""
    with open_database(content) as database:
        require_tables(database, "notes", "col", "cards")
        try:
            notes, skipped = _read_notes(database)
            modern = bool(database.execute("SELECT 1 FROM sqlite_master WHERE name = 'notetypes'").fetchall())
            note_types = _types_of_schema_18(database) if modern else _types_of_schema_11(database)
            decks = _decks_of_schema_18(database) if modern else _decks_of_schema_11(database)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise DatabaseError(f"the collection cannot be read ({error})") from error
    title, description = _common_root(names for names, _ in decks), "<br>".join(text for _, text in decks if text)
    return Collection(notes=notes, note_types=note_types, title=title, description=description, skipped=skipped)


def _read_notes(database: sqlite3.Connection) -> tuple[tuple[Note, ...], tuple[tuple[str, str], ...]]:
    """The notes, and the (id, reason) of those that are too long."""
    rows = select_texts(database, "notes", ("id", "mid", "flds"), order="id")
    notes = tuple(
        Note(note_id=str(note_id), type_id=str(type_id), values=tuple(fields.split(FIELD_SEPARATOR)))
        for note_id, type_id, fields in rows
        if fields is not None and len(fields) < MAX_VALUE_BYTES
    )
    read = {note.note_id for note in notes}
    return notes, tuple((str(note_id), "note_too_long") for note_id, _, _ in rows if str(note_id) not in read)


def _types_of_schema_11(database: sqlite3.Connection) -> dict[str, NoteType]:
    """From the JSON in `col.models`."""
    (models,) = database.execute("SELECT models FROM col LIMIT 1").fetchone()
    return {str(type_id): type_from_json(model) for type_id, model in json.loads(models).items()}


def _types_of_schema_18(database: sqlite3.Connection) -> dict[str, NoteType]:
    """From the tables `notetypes`, `fields` and `templates`, whose `config` columns are protobuf."""
    require_tables(database, "notetypes", "fields", "templates")
    fields: dict[int, list[str]] = {}
    for type_id, field in database.execute("SELECT ntid, name FROM fields ORDER BY ntid, ord"):
        fields.setdefault(type_id, []).append(field)
    templates = dict(database.execute("SELECT ntid, config FROM templates ORDER BY ord DESC"))
    kinds = database.execute("SELECT id, name, config FROM notetypes").fetchall()
    return {
        str(type_id): _type_of_configs(str(name), tuple(fields.get(type_id, ())), config, templates.get(type_id, b""))
        for type_id, name, config in kinds
    }


def _type_of_configs(name: str, fields: tuple[str, ...], config: bytes, template: bytes) -> NoteType:
    """Field 1 of a note type's configuration is 1 for cloze; fields 1 and 2 of a template are question and answer."""
    question = text_field(template, 1)
    cloze = varint_field(config, 1) == 1 or is_cloze(question)
    return NoteType(name=name, fields=fields, question=question, answer=text_field(template, 2), cloze=cloze)


def _decks_of_schema_11(database: sqlite3.Connection) -> list[tuple[list[str], str]]:
    """The levels of the name and the description of each deck that holds cards, from the JSON in `col.decks`."""
    (decks,) = database.execute("SELECT decks FROM col LIMIT 1").fetchone()
    used = _used_decks(database)
    rows = [deck for deck_id, deck in json.loads(decks).items() if int(deck_id) in used]
    return [(str(deck["name"]).split("::"), str(deck.get("desc") or "")) for deck in rows]


def _decks_of_schema_18(database: sqlite3.Connection) -> list[tuple[list[str], str]]:
    """The same from the table `decks`: field 4 of the message in field 1 of `kind` is the description."""
    require_tables(database, "decks")
    has_kind = any(row[1] == "kind" for row in database.execute("PRAGMA table_info(decks)"))
    rows = database.execute(f"SELECT id, name, {'kind' if has_kind else 'NULL'} FROM decks").fetchall()
    used = _used_decks(database)
    return [(name.split(FIELD_SEPARATOR), _description(kind)) for deck_id, name, kind in rows if deck_id in used]


def _description(kind: object) -> str:
    try:
        return text_field(bytes_field(kind, 1), 4) if isinstance(kind, bytes) else ""
    except ValueError:
        return ""


def _used_decks(database: sqlite3.Connection) -> set[int]:
    return {deck_id for (deck_id,) in database.execute("SELECT DISTINCT did FROM cards")}


def _common_root(names: Iterable[list[str]]) -> str:
    """The levels that all names begin with, joined by `::`."""
    root: list[str] = []
    for level in zip(*names, strict=False):
        if len(set(level)) > 1:
            break
        root.append(level[0])
    return "::".join(root)
