"""What decks say about their licence is kept with them, and so is a licence that lies beside them in an archive."""

import json
import sqlite3

import pytest

from crawler.formats.reading import read
from crawler.formats.statements import find_statement, is_licence_file, read_licence_file
from tests.crawler.tools.anki_files import message, package, schema_11, schema_18
from tests.crawler.tools.decks import tar

CC = "Licensed under CC BY-SA 4.0."
DESCRIPTION = f"<b>All bones</b> of the body.<br>{CC} Have fun!"


def notes(content, name="deck"):
    return {deck.set_id: deck.licence_note for deck in read(name, content).decks}


def described(content, statement, *values):
    """The database with the description in it."""
    with sqlite3.connect(":memory:") as database:
        database.deserialize(content)
        for one in (statement,) if isinstance(statement, str) else statement:
            database.execute(one, values if "?" in one else ())
        database.commit()
        return database.serialize()


@pytest.mark.parametrize(
    ("text", "statement"),
    [
        (DESCRIPTION, CC),
        ("Bones\n\n© 2020 A. Author", "© 2020 A. Author"),
        ("Free to use. License: MIT", "License: MIT"),
        ("Shared under a very open licence", "Shared under a very open licence"),
        ("Cards for the driving licence. Have fun!", None),
        ("", None),
        ("x" * 300 + " CC BY", ("x" * 300)[:200]),
    ],
)
def test_the_sentence_that_states_a_licence_is_found(text, statement):
    assert find_statement(text) == statement


@pytest.mark.parametrize(
    ("text", "title"),
    [
        (
            "\n# Attribution-ShareAlike 4.0 International\n\n=====\n",
            "Creative Commons Attribution-ShareAlike 4.0 International",
        ),
        ("MIT License\n\nCopyright (c) 2020\n", "MIT License"),
        ("  GNU GENERAL PUBLIC LICENSE\n   Version 3, 29 June 2007\n", "GNU GENERAL PUBLIC LICENSE Version 3"),
        ("====\n", None),
        ("", None),
    ],
)
def test_a_licence_is_known_by_its_title(text, title):
    assert read_licence_file(text.encode()) == title


def test_files_with_a_licence_are_known_by_their_names():
    assert all(map(is_licence_file, ["LICENSE", "a/licence.md", "COPYING", "License.txt", "UNLICENSE"]))
    assert not any(map(is_licence_file, ["licences.csv", "licence terms.txt", "license.tsv", "decks/license/a.txt"]))


def test_decks_that_state_their_licence():
    old = described(
        schema_11(), 'UPDATE col SET decks = replace(decks, \'"name"\', \'"desc": "\' || ? || \'", "name"\')', CC
    )
    kind = message((1, message((1, 1), (4, DESCRIPTION.encode()))))
    changes = ["ALTER TABLE decks ADD COLUMN kind BLOB", "UPDATE decks SET kind = ?"]
    new, damaged = (described(schema_18(), changes, value) for value in (kind, b"\xff\xff"))
    crowdanki = {"__type__": "Deck", "name": "A", "note_models": [], "notes": [], "desc": DESCRIPTION}
    records = {"title": "A", "license": "CC0", "cards": [{"front": "stack", "back": "a pile"}]}
    assert notes(package({"collection.anki2": old})) == {"deck": CC}
    assert notes(package({"collection.anki21": new})) == {"deck": CC}
    assert notes(package({"collection.anki21": damaged})) == {"deck": None}
    assert notes(json.dumps(crowdanki).encode()) == {"deck": CC}
    assert notes(json.dumps(records).encode()) == {"deck": "CC0"}


def test_a_licence_in_an_archive_matches_the_decks_below_it():
    deck = b"stack\ta pile\nqueue\ta row\n"
    own = json.dumps({"rights": "MIT", "cards": [{"front": "a", "back": "b"}]}).encode()
    entries = {
        "a/x.tsv": deck,
        "a/LICENSE": b"CC0 1.0 Universal",
        "a/b/LICENSE.md": b"# MIT License",
        "a/b/y.tsv": deck,
    }
    entries |= {"ab/z.tsv": deck, "a/own.json": own}
    assert notes(tar(entries), "t.tar") == {
        "t.tar!a/x.tsv": "CC0 1.0 Universal",
        "t.tar!a/b/y.tsv": "MIT License",
        "t.tar!ab/z.tsv": None,
        "t.tar!a/own.json": "MIT",
    }
    assert set(notes(tar({"LICENSE": b"MIT License", **entries}), "t.tar").values()) >= {"MIT License", "MIT"}
    assert notes(tar({"LICENSE": b"MIT License", "z.tsv": deck}), "t.tar") == {"t.tar!z.tsv": "MIT License"}
