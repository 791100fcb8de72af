"""CrowdAnki decks."""

import json

import pytest

from crawler.formats.reading import read

FIELDS = [{"name": "Back", "ord": 1}, {"name": "Front", "ord": 0}]
BASIC = {
    "crowdanki_uuid": "m1",
    "type": 0,
    "flds": FIELDS,
    "tmpls": [{"ord": 0, "qfmt": "{{Front}}", "afmt": "{{Back}}"}],
}
CLOZE = BASIC | {"crowdanki_uuid": "m2", "type": 1}
UNNAMED = BASIC | {
    "crowdanki_uuid": "m3",
    "flds": [{"name": "Zweites", "ord": 1}, {"name": "Erstes", "ord": 0}],
    "tmpls": [{"ord": 0, "qfmt": "{{Zweites}}", "afmt": "{{FrontSide}}"}],
}


def note(guid, model, *fields):
    return {"__type__": "Note", "guid": guid, "note_model_uuid": model, "fields": list(fields)}


def deck(name, *notes, children=(), models=()):
    return {
        "__type__": "Deck",
        "name": name,
        "notes": list(notes),
        "children": list(children),
        "note_models": list(models),
    }


def test_nested_decks_share_models_and_a_note_counts_once():
    inner = deck("Trees", note("g3", "m3", "a tree", "heap"), note("g1", "m1", "stack", "a pile"))
    outer = deck("Structures", note("g2", "m2", "{{c1::x}}", ""), note("g4", "m9", "a", "b"), children=[inner])
    models = [BASIC, CLOZE, UNNAMED]
    content = json.dumps(deck("Computing", note("g1", "m1", "stack", "a <b>pile</b>"), children=[outer], models=models))
    outcome = read("decks/deck.json", content.encode())
    assert [(card.front, card.back) for card in outcome.decks[0].cards] == [("stack", "a pile"), ("heap", "a tree")]
    assert outcome.skipped == (("g2", "cloze"), ("g4", "unknown_note_type"))
    assert (outcome.decks[0].title, outcome.decks[0].set_id) == ("Computing", "decks/deck.json")


@pytest.mark.parametrize(
    "tree",
    [
        deck("x", {"guid": "g"}),
        deck("x", note("g", "m1", "a", "b") | {"fields": 3}),
        deck("x", models=[{"crowdanki_uuid": "m1"}]),
        deck("x", models=[BASIC | {"tmpls": []}]),
        deck("x", models=[BASIC | {"flds": [{"ord": None, "name": "a"}]}]),
    ],
)
def test_a_deck_without_what_it_needs_is_a_finding(tree):
    outcome = read("deck.json", json.dumps(tree).encode())
    assert not outcome.decks
    assert [finding.kind for finding in outcome.findings] == ["corrupt_deck"]
