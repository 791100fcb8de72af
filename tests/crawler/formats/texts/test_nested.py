"""JSON and YAML whose cards are no list of records with two texts."""

import json

import pytest

from crawler.formats.layout_flags import LayoutFlags, parse_fields
from crawler.formats.reading import read
from tests.crawler.tools.decks import kinds, sides

CELLS = [
    ("mitosis", "division of a nucleus into two that are alike"),
    ("osmosis", "movement of water through a membrane"),
    ("vacuole", "a space in a cell, filled with sap"),
]
RECORDS = [{"term": term, "definition": text} for term, text in CELLS]
NUMBERED = dict(map(str, pair) for pair in enumerate(term for term, _ in CELLS))


def read_json(tree, fields=""):
    return read("cells.json", json.dumps(tree).encode(), LayoutFlags(fields=(parse_fields(fields),) if fields else ()))


def paragraph(text):
    runs = [{"type": "text", "text": text[:4]}, {"type": "text", "text": text[4:], "marks": [{"type": "bold"}]}]
    return {"type": "doc", "content": [{"type": "paragraph", "content": runs}]}


@pytest.mark.parametrize(
    "side",
    [
        lambda text: {"text": text},
        lambda text: {"lang": "en", "value": text},
        lambda text: {"@language": "en", "@value": text},
        lambda text: {"en": text},
        lambda text: {"1": text},
        lambda text: {"pt-BR": text, "en": ""},
        lambda text: {"html": f"<p>{text}</p>", "id": 3},
        lambda text: [text],
        lambda text: [{"content": text}],
        lambda text: {"ops": [{"insert": text[:4]}, {"insert": f"{text[4:]}\n"}]},
        lambda text: [{"type": "paragraph", "children": [{"text": text[:4]}, {"text": text[4:]}]}],
        paragraph,
    ],
)
def test_the_text_within_a_side(side):
    outcome = read_json({"cards": [{"front": side(term), "back": side(text)} for term, text in CELLS]})
    assert sides(outcome) == CELLS
    assert (outcome.findings, outcome.skipped) == ((), ())


NAMED = list(enumerate(CELLS))


@pytest.mark.parametrize(
    "tree",
    [
        {"definition": [text for _, text in CELLS], "term": [term for term, _ in CELLS]},
        {"title": "Cells", "data": {"terms": [term for term, _ in CELLS], "definitions": [text for _, text in CELLS]}},
        {"name": NUMBERED, "description": {str(at): text for at, (_, text) in enumerate(CELLS)}},
        {"columns": ["term", "definition"], "index": [0, 1, 2], "data": CELLS},
        {"rows": CELLS, "headers": ["Begriff", "Definition"], "about": ["a", "b"]},
        [["Term", "Definition"], *CELLS],
        [["id", "Definition", "Term"], *([at, text, term] for at, (term, text) in enumerate(CELLS))],
        {str(at): record for at, record in enumerate(RECORDS)},
        {"decks": {"-N1": {"name": "Cells", "cards": {f"-M{at}": record for at, record in enumerate(RECORDS)}}}},
        {"hits": {"total": 3, "hits": [{"_id": "1", "_source": record} for record in RECORDS]}},
        {"result": [{"id": 1, "tags": [], "fields": {"Front": {"value": a, "order": 0}, "Back": {"value": b}}}
                    for a, b in CELLS], "error": None},
        {"version": 2, "terms": {f"c{at}": {"name": term, "description": text} for at, (term, text) in NAMED}},
        {"glossary": [{"name": term, "description": text} for term, text in CELLS]},
        {term: [text] for term, text in CELLS},
        {"acronyms": {"A": dict(CELLS[:1]), "B": dict(CELLS[1:])}, "notes": "drawn by hand"},
    ],
)  # fmt: skip
def test_cards_in_columns_in_tables_and_in_envelopes(tree):
    outcome = read_json(tree)
    assert sides(outcome) == CELLS
    assert (outcome.findings, outcome.skipped, len(outcome.decks)) == ((), (), 1)


def test_several_names_and_several_senses_have_a_card_each():
    senses = [{"definition": "a bag of sap"}, {"definition": "a space in a cell"}]
    records = [{"word": "vacuole", "meanings": senses}, {"word": ["flagella", "flagellum"], "definition": "a whip"}]
    assert sides(read_json(records)) == [
        ("vacuole", "a bag of sap"),
        ("vacuole", "a space in a cell"),
        ("flagella", "a whip"),
        ("flagellum", "a whip"),
    ]


@pytest.mark.parametrize(("key", "value"), [("lang", "text"), ("language", "value"), ("@language", "@value")])
def test_texts_that_name_their_language_belong_to_names_in_it(key, value):
    names = [{key: "en", value: "vacuole"}, {key: "de", value: "Vakuole"}, {key: "fr", value: "vacuole"}]
    texts = [{key: "de", value: "ein Raum in der Zelle"}, {key: "en", value: "a space in a cell"}]
    assert sides(read_json([{"term": names, "definition": texts}])) == [
        ("vacuole", "a space in a cell"),
        ("Vakuole", "ein Raum in der Zelle"),
    ]


def test_numbered_senses_have_a_card_each():
    assert sides(read_json([{"term": "vacuole", "definition": {"1": "a space", "2": "a bag of sap"}}] * 3))[:2] == [
        ("vacuole", "a space"),
        ("vacuole", "a bag of sap"),
    ]


def test_the_lines_of_a_text_are_one_text():
    assert sides(read_json([{"term": "vacuole", "definition": ["a space", "in a cell"]}])) == [
        ("vacuole", "a space\nin a cell")
    ]


def test_what_is_not_clearly_a_text_is_a_finding_that_names_its_place_and_the_row():
    records = [RECORDS[0], *({"term": term, "definition": {"fr": text, "de": "…"}} for term, text in CELLS[1:])]
    outcome = read_json(records)
    assert [(finding.kind, finding.detail, finding.show_offers()) for finding in outcome.findings] == [
        (
            "nested_sides",
            "cells.json: 2 of 3 records have no clear text on a side; definition of record 2 is an object with fr, de",
            '`cells.json,,,,,,,"term,definition.fr"` reads these (3 cards: '
            + ", ".join(f"«{t}» -> «{d[:40]}»" for t, d in CELLS[:2])
            + ")",
        )
    ]
    assert (len(sides(outcome)), outcome.skipped) == (1, (("record 2", "no_text"), ("record 3", "no_text")))
    assert sides(read_json(records, "term,definition.fr")) == CELLS


def test_of_several_languages_on_one_side_english_is_read():
    assert sides(read_json([{"term": term, "definition": {"de": "…", "en": text}} for term, text in CELLS])) == CELLS


def test_the_choices_of_a_quiz_are_no_definitions():
    outcome = read_json([{"question": "What is it?", "answers": ["a cell", "a bone"], "right": 1}] * 3)
    assert (sides(outcome), kinds(outcome)) == ([], ["nested_sides"])
    assert "answers of record 1 is a list of 2" in outcome.findings[0].detail


@pytest.mark.parametrize(
    "tree",
    [
        {"key": {"type": "string", "minLength": 1}, "value": {"type": "string", "minLength": 0}},
        {"term": ["a", "b"], "definition": ["c"]},
        {"term": [], "definition": []},
        {"term": {"a": 1}, "definition": {"b": 2}},
        [["term", "definition"], ["a"]],
        [[]],
    ],
)
def test_trees_that_hold_no_columns(tree):
    outcome = read_json(tree)
    assert (outcome.decks, kinds(outcome)) == ((), ["unknown_format"])


@pytest.mark.parametrize("inner", ["[" * 900 + "]" * 900, '{"text":' * 900 + '""' + "}" * 900])
def test_a_side_nested_deeply_is_no_crash(inner):
    assert not sides(read("x", f'[{{"term": "a", "definition": {inner}}}]'.encode()))


def test_many_names_times_many_senses_are_no_cards():
    outcome = read_json([{"terms": ["a"] * 1_000, "definitions": ["b"] * 999}])
    assert (sides(outcome), kinds(outcome)) == ([], ["nested_sides"])


def test_records_under_ids_are_named_by_their_names():
    """A name that may mean anything is enough beside a definition; the key is an id."""
    tree = {"st_1": {"name": "PDCA", "def": "plan, do, check, act", "set": 1}, "st_2": {"name": "BCP", "def": "a plan"}}
    assert sides(read("terms.json", json.dumps(tree).encode())) == [("PDCA", "plan, do, check, act"), ("BCP", "a plan")]


def test_texts_by_their_language_belong_to_the_name_in_it():
    pairs = [("Zelle", "ein Baustein"), ("cell", "a part of a body")]
    record = {"term": {"de": "Zelle", "en": "cell"}, "definition": {"de": "ein Baustein", "en": "a part of a body"}}
    assert sides(read_json([record, *RECORDS])) == [*pairs, *CELLS]


def test_the_name_of_a_file_tells_that_its_keys_hold_entries():
    tree = {term: {"name": term, "description": text} for term, text in CELLS}
    assert sides(read("_data/glossary.json", json.dumps(tree).encode())) == CELLS
    assert kinds(read("_data/parts.json", json.dumps(tree).encode())) == ["unknown_format"]
    assert sides(read("glossary.json", json.dumps(dict(CELLS[:2])).encode())) == CELLS[:2]


def test_the_other_languages_of_a_text_are_named():
    tree = [{"term": term, "definition": {"en": text, "de": f"{text}!", "fr": ""}} for term, text in CELLS]
    outcome = read_json(tree)
    assert (sides(outcome), outcome.decks[0].unread) == (CELLS, ("definition.de",))


def test_a_record_with_a_blank_text_is_no_card():
    tree = [*RECORDS, {"term": "nucleus", "definition": ""}]
    outcome = read_json(tree)
    assert (sides(outcome), outcome.skipped) == (CELLS, (("record 4", "no_text"),))


def test_parts_of_a_mapping_are_decks_and_almost_all_records_name_their_sides():
    more = {f"bone {n}": f"the part {n} of a leg, as it is drawn" for n in range(3)}
    parts = read_json({"Cells": dict(CELLS), "Bones": more})
    assert (sides(parts), [deck.title for deck in parts.decks]) == ([*CELLS, *more.items()], ["Cells", "Bones"])
    named = {f"k{n}": {"short": f"bone {n}", "long": f"the part {n} of a leg"} for n in range(12)}
    outcome = read("glossary.json", json.dumps({**named, "k": {"short": "B"}}).encode())
    assert (len(sides(outcome)), outcome.skipped) == (12, (("record 13", "no_sides"),))


def test_the_key_is_the_name_where_few_records_have_one_by_its_language():
    terms = {term: {"definition": text, **({"en_US": "x"} if at else {"context": "y"})} for at, (term, text) in NAMED}
    assert sides(read_json({"meta": {"version": "1"}, "terms": terms})) == CELLS
