"""SQLite decks."""

import pytest

from crawler.formats.packages import database
from crawler.formats.reading import read
from tests.crawler.tools.decks import CARDS, built, kinds, sides


def test_a_table_that_names_two_sides_is_a_deck():
    content = built(CARDS, "CREATE TABLE users (name TEXT, password TEXT)", "INSERT INTO users VALUES ('a', 'b')",
                    "INSERT INTO cards VALUES (1, 1, 'a stack?', 'a pile \r\nof plates', 0), (2, 1, '', 'x', 0)",
                    "INSERT INTO cards VALUES (3, 1, 'queue', 4, 0)")  # fmt: skip
    outcome = read("cards.db", content)
    assert sides(outcome) == [("a stack?", "a pile \r\nof plates"), ("queue", "4")]
    assert outcome.skipped == (("record 2", "empty_front"),)
    assert outcome.decks[0].unread == ("id", "type", "known")
    two = built(
        CARDS,
        "INSERT INTO cards VALUES (1, 1, 'a', 'b', 0)",
        "CREATE TABLE more (term TEXT, definition TEXT) ",
        "INSERT INTO more VALUES ('a', 'b')",
    )
    assert [deck.set_id for deck in read("x.db", two).decks] == ["x.db!cards", "x.db!more"]


@pytest.mark.parametrize(
    "statements",
    [
        ["CREATE TABLE stored (front TEXT, back TEXT)", "CREATE VIEW cards AS SELECT * FROM stored JOIN stored"],
        ["CREATE VIRTUAL TABLE cards USING fts5(front, back)"],
        ["CREATE TABLE cards (x TEXT, y TEXT)"],
    ],
)
def test_views_and_virtual_tables_are_not_read(statements):
    outcome = read("cards.db", built(*statements[-1:] if len(statements) == 1 else statements))
    assert kinds(outcome) in ([], ["unknown_format"])
    assert not sides(outcome)


def test_long_values_many_bytes_and_endless_queries_end(monkeypatch):
    content = built(CARDS, "INSERT INTO cards VALUES (1, 1, 'a', hex(zeroblob(60000)), 0), (2, 1, 'b', 'c', 0)")
    assert read("cards.db", content).skipped == (("record 1", "too_long"),)
    monkeypatch.setattr(database, "MAX_TEXTS_BYTES", 1)
    assert kinds(read("cards.db", content)) == ["corrupt_deck"]
    monkeypatch.setattr(database, "_MAX_CHECKS", 1)
    monkeypatch.setattr(database, "_STEPS_BETWEEN_CHECKS", 1)
    assert "interrupted" in read("cards.db", content).findings[0].detail


def test_a_schema_that_is_no_utf_8_is_a_finding():
    content = built(CARDS).replace(b"CREATE TABLE cards", b"CREATE TABL\xa4 cards")
    assert kinds(read("cards.db", content)) == ["corrupt_deck"]
