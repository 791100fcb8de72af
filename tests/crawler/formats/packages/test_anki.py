"""Anki packages: each generation gives the same cards, and nothing hostile gives a traceback."""

import gzip
import sqlite3

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.formats.packages import anki, collection, database
from crawler.formats.reading import read
from tests.crawler.tools import anki_files
from tests.crawler.tools.anki_files import BASIC, latest, legacy_1, legacy_2, package, packed

MODERN = anki_files.schema_18()
CARDS = [
    ("hash table", "maps keys to values\nin constant time", ()),
    ("big & small", "a < b\n\\(x^2\\)", ()),
    ("binary tree", "a tree", ("image",)),
    ("phoneme", "a sound", ("audio",)),
]


def sides(outcome):
    return [(card.front, card.back, card.media) for deck in outcome.decks for card in deck.cards]


def kinds(outcome):
    assert not outcome.decks
    return [finding.kind for finding in outcome.findings]


@pytest.mark.parametrize("build", [legacy_1, legacy_2, latest])
def test_every_generation_gives_the_same_cards(build):
    outcome = read("decks/science.apkg", build())
    assert sides(outcome) == CARDS
    assert outcome.skipped == (("3", "cloze"),)
    assert outcome.findings == ()
    deck = outcome.decks[0]
    assert (deck.set_id, deck.title) == ("decks/science.apkg", "Science::Computing")
    assert [card.position for card in deck.cards] == [0, 1, 2, 3]


def test_the_name_does_not_matter_and_gzip_is_unpacked():
    assert sides(read("upload", latest())) == sides(read("upload.gz", gzip.compress(latest()))) == CARDS


def test_the_decoy_never_yields_a_card():
    assert kinds(read("a.apkg", package({"collection.anki2": anki_files.decoy()}))) == ["decoy_only"]
    without_collection = package({"collection.anki2": anki_files.decoy(), "meta": b"\x08\x03"})
    assert kinds(read("a.apkg", without_collection)) == ["corrupt_package"]


@pytest.mark.parametrize(
    ("name", "content", "kind"),
    [
        ("a.apkg", b"front\tback\nfront\tback\n", "not_a_package"),
        ("a.colpkg.gz", gzip.compress(b"<html>", mtime=0), "not_a_package"),
        ("a.apkg", b"PK\x03\x04 and then nothing", "corrupt_package"),
        ("a.bin", latest()[:-40], "corrupt_package"),
        ("a.apkg", package({"words.txt": b"x"}), "corrupt_package"),
        ("a.apkg", package({"collection.anki21b": b"no zstd"}), "corrupt_package"),
        ("a.apkg", package({"collection.anki21b": packed(b"no database")}), "corrupt_package"),
        ("a.apkg", package({"collection.anki2": anki_files.schema_11()[:5000]}), "corrupt_package"),
        ("a.apkg", package({"collection.anki2": b""}), "corrupt_package"),
        ("a.apkg", package({"collection.anki2": anki_files.schema_11(), "meta": b"\x08\x09"}), "package_too_new"),
        ("a.apkg", package({"collection.anki2": anki_files.schema_11(), "meta": b"\x08"}), "corrupt_package"),
        ("a.docx", package({"words.txt": b"x"}), "unknown_format"),
    ],
)
def test_what_is_no_package_is_a_named_finding(name, content, kind):
    assert kinds(read(name, content)) == [kind]


def test_a_bomb_stops_at_the_cap(monkeypatch):
    monkeypatch.setattr(anki, "MAX_COLLECTION_BYTES", 2**20)
    bomb = packed(bytes(2**24))
    assert len(bomb) < 2000
    for entries in ({"collection.anki21b": bomb}, {"collection.anki2": bytes(2**24)}):
        assert kinds(read("bomb.apkg", package(entries))) == ["too_large"]


def changed(*statements):
    database = sqlite3.connect(":memory:")
    database.deserialize(anki_files.schema_11())
    for statement in statements:
        database.execute(statement)
    database.commit()
    return package({"collection.anki2": database.serialize()})


def test_a_view_or_a_virtual_table_named_notes_is_refused():
    view = changed("ALTER TABLE notes RENAME TO stored", "CREATE VIEW notes AS SELECT * FROM stored")
    virtual = changed("DROP TABLE notes", "CREATE VIRTUAL TABLE notes USING fts5(id, mid, flds)")
    for content in (view, virtual):
        outcome = read("a.apkg", content)
        assert kinds(outcome) == ["corrupt_package"]
        assert "no real table notes" in outcome.findings[0].detail


def test_an_endless_query_is_stopped(monkeypatch):
    monkeypatch.setattr(database, "_MAX_CHECKS", 3)
    monkeypatch.setattr(database, "_STEPS_BETWEEN_CHECKS", 1)
    outcome = read("a.apkg", changed())
    assert kinds(outcome) == ["corrupt_package"]
    assert "interrupted" in outcome.findings[0].detail


def test_a_write_ahead_database_is_read():
    content = bytearray(anki_files.schema_11())
    content[18:20] = b"\x02\x02"
    assert sides(read("a.apkg", package({"collection.anki2": bytes(content)}))) == CARDS


def test_notes_that_are_no_card_are_skipped_with_a_reason(monkeypatch):
    for module in (collection, database):
        monkeypatch.setattr(module, "MAX_VALUE_BYTES", 60)
    notes = [
        (BASIC, ["", "front", "back"]),
        (999, ["front", "back"]),
        (BASIC, ["alone"]),
        (BASIC, ["", "front only"]),
        (BASIC, ["", "long", "x" * 100]),
        (BASIC, ["", "hidden", "a {{c1::cloze}} in a basic note"]),
    ]
    outcome = read("a.apkg", package({"collection.anki21b": packed(anki_files.schema_18(notes))}))
    assert sides(outcome) == [("front", "back", ())]
    reasons = {"2": "unknown_note_type", "3": "no_back_field", "4": "missing_field", "5": "note_too_long", "6": "cloze"}
    assert dict(outcome.skipped) == reasons


@given(st.integers(0, len(latest()) - 1), st.integers(1, 255))
def test_a_damaged_package_never_raises(at, change):
    content = bytearray(latest())
    content[at] ^= change
    outcome = read("a.apkg", bytes(content))
    assert outcome.decks or outcome.findings


@given(st.binary(max_size=60))
def test_any_bytes_as_a_note_type_are_read_or_refused(blob):
    database = sqlite3.connect(":memory:")
    database.create_collation("unicase", lambda first, second: (first > second) - (first < second))
    database.deserialize(MODERN)
    database.execute("UPDATE templates SET config = ?", (blob,))
    database.commit()
    outcome = read("a.apkg", package({"collection.anki21b": packed(database.serialize())}))
    database.close()
    assert kinds(outcome) == ["corrupt_package"] if outcome.findings else len(outcome.decks) == 1
