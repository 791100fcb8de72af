"""Decks as lists of records, in YAML and JSON."""

import json

import pytest

from crawler.formats.reading import read
from tests.crawler.decks import NOTES, kinds, sides


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
        "notes:\n- {front: a, back: " + "[" * 5000 + "]" * 5000 + "}\n",
        "notes:\n- {front: a, back: " + "[" * 100_000 + "]" * 100_000 + "}\n",
        "notes:\n" + "".join(" " * n + "a:\n" for n in range(1, 1200)),
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
