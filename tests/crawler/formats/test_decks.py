"""YAML, JSON, Markdown and SQLite decks, saved pages, and what the operator says of delimited text."""

import json
import sqlite3

import pytest

from crawler.formats import database
from crawler.formats.layout import Choice, parse_choice
from crawler.formats.reading import read
from demo import pages
from demo.decks import read_decks
from demo.webapi import studiable_documents

NOTES = """\
topic: data structures
deck: All::CS
notes:
  # a comment
-       guid: n`B3F!CGGe
        front: stack
        back: |
                last in,

                first out
-       guid: zW*7#Fie*T
        front: on
        back: 0x10
        include_reverse: true
-       {guid: c, front: trie, back: "a *tree* of `letters`", markdown: true}
-       {guid: d, front: "{{c1::hidden}}", back: text}
-       {guid: e, front: lonely}
-       {guid: f, front: nested, back: [a, b]}
-       {guid: g, front: "", back: nothing}
"""


def sides(outcome):
    return [(card.front, card.back) for deck in outcome.decks for card in deck.cards]


def kinds(outcome):
    return [finding.kind for finding in outcome.findings]


# -- YAML and JSON


def test_yaml_notes_are_read_as_they_are_written():
    outcome = read("cs/a.yaml", NOTES.encode())
    assert sides(outcome) == [("stack", "last in,\n\nfirst out"), ("on", "0x10"), ("trie", "a tree of letters")]
    assert outcome.skipped == (
        ("record 4", "cloze"),
        ("record 5", "no_sides"),
        ("record 6", "no_text"),
        ("record 7", "empty_front"),
    )
    assert (outcome.decks[0].set_id, outcome.decks[0].title) == ("cs/a.yaml", "All::CS")
    assert [card.position for card in outcome.decks[0].cards] == [0, 1, 2]


def test_a_list_of_records_is_a_deck_in_yaml_and_in_json():
    records = [{"term": "stack", "definition": "a pile"}, {"term": "queue", "definition": "a row"}]
    written = "# mine\n- term: stack\n  definition: a pile\n- term: queue\n  definition: a row\n"
    expected = [("stack", "a pile"), ("queue", "a row")]
    for content in (written, json.dumps(records), json.dumps({"cards": records, "title": "T"})):
        assert sides(read("a", content.encode())) == expected


@pytest.mark.parametrize(
    "text",
    [
        "notes:\n- {front: a, back: b\n",
        "notes:\n- &a {front: a, back: b}\n- *a\n",
        "a: &a {x: y}\nb: &b {<<: [*a, *a]}\nnotes:\n- {<<: [*b, *b], front: a, back: b}\n",
        "notes:\n" + "[" * 5000,
    ],
)
def test_torn_yaml_and_yaml_with_aliases_are_refused(text):
    outcome = read("a.yaml", text.encode())
    assert (outcome.decks, kinds(outcome)) == ((), ["corrupt_deck"])


@pytest.mark.parametrize("text", ['{"a": 1}', "[1, 2]", '[{"x": 1, "y": 2}]', "terms:\n  a: b\n", "notes:\n- 1\n- 2\n"])
def test_trees_without_a_deck_are_unknown(text):
    assert kinds(read("a", text.encode())) == ["unknown_format"]


def test_a_table_with_a_line_like_yaml_is_a_table():
    text = "stack\ta pile\nnotes:\nqueue\ta row\nheap\ta tree\n"
    outcome = read("a.txt", text.encode())
    assert sides(outcome) == [("stack", "a pile"), ("queue", "a row"), ("heap", "a tree")]
    assert outcome.skipped == (("row 2", "no_separator"),)


def test_no_tag_of_yaml_is_obeyed():
    text = "notes:\n- {front: a, back: !!python/object/apply:os.system ['exit 1']}\n- {front: b, back: !x c}\n"
    outcome = read("a.yaml", text.encode())
    assert (sides(outcome), outcome.skipped) == ([("b", "c")], (("record 1", "no_text"),))


# -- Markdown


def note(front="What is a <b>stack</b>?", back="a pile<br>of plates", names=("Front", "Back")):
    head = "# Note\n```\nguid: g-1\nnotetype: Basic-1\n```\n\n### Tags\n```\ncs\n```\n\n"
    return f"{head}## {names[0]}\n{front}\n\n## {names[1]}\n{back}\n".encode()


def test_a_markdown_note_is_a_card_of_its_folder():
    outcome = read("decks/CS/what-is-a-stack.md", note())
    assert sides(outcome) == [("What is a stack?", "a pile\nof plates")]
    assert (outcome.decks[0].set_id, outcome.decks[0].title) == ("decks/CS", "CS")
    turned = read("n.md", note(back="Kellerspeicher", names=("Rückseite", "Vorderseite")))
    assert (sides(turned), turned.decks[0].set_id) == ([("Kellerspeicher", "What is a stack?")], "n.md")


def test_markdown_notes_that_are_no_card_are_skipped_by_their_guid():
    assert read("a.md", note(front="a {{c1::cloze}}")).skipped == (("g-1", "cloze"),)
    assert read("a.md", note().partition(b"## Back")[0]).skipped == (("g-1", "no_back_field"),)
    assert sides(read("a.md", note(back='<img src="x.png">'))) == [("What is a stack?", "")]
    assert read("a.md", note(back='<img src="x.png">')).decks[0].cards[0].media == ("image",)


# -- SQLite


def built(*statements):
    with sqlite3.connect(":memory:") as opened:
        for statement in statements:
            opened.execute(statement)
    content = opened.serialize()
    opened.close()
    return content


CARDS = "CREATE TABLE cards (id INTEGER PRIMARY KEY, type INTEGER, front TEXT, back TEXT, known BOOLEAN)"


def test_a_table_that_names_two_sides_is_a_deck():
    content = built(CARDS, "CREATE TABLE users (name TEXT, password TEXT)", "INSERT INTO users VALUES ('a', 'b')",
                    "INSERT INTO cards VALUES (1, 1, 'a stack?', 'a pile \r\nof plates', 0), (2, 1, '', 'x', 0)",
                    "INSERT INTO cards VALUES (3, 1, 'queue', 4, 0)")  # fmt: skip
    outcome = read("cards.db", content)
    assert sides(outcome) == [("a stack?", "a pile \r\nof plates"), ("queue", "4")]
    assert outcome.skipped == (("cards row 2", "empty_front"),)
    two = built(CARDS, "CREATE TABLE more (term TEXT, definition TEXT) ", "INSERT INTO more VALUES ('a', 'b')")
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
    content = built(CARDS, "INSERT INTO cards VALUES (1, 1, 'a', hex(zeroblob(2000)), 0), (2, 1, 'b', 'c', 0)")
    monkeypatch.setattr(database, "MAX_VALUE_BYTES", 3000)
    assert read("cards.db", content).skipped == (("cards row 1", "too_long"),)
    monkeypatch.setattr(database, "MAX_TEXTS_BYTES", 1)
    assert kinds(read("cards.db", content)) == ["corrupt_deck"]
    monkeypatch.setattr(database, "_MAX_CHECKS", 1)
    monkeypatch.setattr(database, "_STEPS_BETWEEN_CHECKS", 1)
    assert "interrupted" in read("cards.db", content).findings[0].detail


# -- pages and JSON that somebody saved

DECK = next(deck for deck in read_decks().values() if not deck.behaviour and deck.shown)


def test_saved_pages_of_all_generations_give_the_set_s_cards():
    for shape, study in pages.GENERATIONS.values():
        for make in (shape, study):
            outcome = read("saved/page.html", make(DECK, []).encode())
            assert sides(outcome) == [(card.word, card.definition) for card in DECK.shown]
            assert {deck.set_id for deck in outcome.decks} <= {str(DECK.id), "saved/page.html"}
            assert not outcome.findings


def test_saved_json_is_one_page_of_a_set_and_says_what_is_missing():
    query = {"filters[studiableContainerId]": str(DECK.id), "perPage": "500", "page": "1"}
    whole = read("a.json", json.dumps(studiable_documents(DECK, query)[1]).encode())
    assert sides(whole) == [(card.word, card.definition) for card in DECK.shown]
    assert (whole.decks[0].set_id, whole.findings) == (str(DECK.id), ())
    part = read("a.json", json.dumps(studiable_documents(DECK, query | {"perPage": "3"})[1]).encode())
    assert (len(sides(part)), kinds(part)) == (3, ["truncated"])


def test_any_other_page_is_unknown():
    assert kinds(read("a.html", b"<!DOCTYPE html><html><body>a, b<br>c, d</body></html>")) == ["unknown_format"]


# -- what the operator says of delimited text


def test_the_operator_s_word_counts():
    text = "id;stack;a, pile\nid;queue;a, row\n"
    assert sides(read("a", text.encode(), parse_choice("semicolon", "3,2", ""))) == [
        ("a, pile", "stack"),
        ("a, row", "queue"),
    ]
    assert sides(read("a", text.encode(), parse_choice(",", "", "yes"))) == [("id;queue;a", "row")]
    assert read("a", text.encode()).decks[0].read_as == "semicolon, front in column 1, back in column 2, no header"
    assert parse_choice("", "", "") == Choice()


@pytest.mark.parametrize("said", [("tabs", "", ""), ("", "1", ""), ("", "2,2", ""), ("", "0,1", ""), ("", "", "maybe")])
def test_a_layout_that_cannot_be_is_refused(said):
    with pytest.raises(ValueError, match="not"):
        parse_choice(*said)
