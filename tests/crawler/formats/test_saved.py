"""Pages and JSON that a person saved from a browser."""

import json

from crawler.formats.reading import read
from demo.card_site import pages
from demo.card_site.decks import read_decks
from demo.card_site.webapi import studiable_documents
from tests.crawler.tools.card_sites import CARDS, STACKS, TEXTS, cram_json, cram_page, cram_table, stack_page
from tests.crawler.tools.decks import kinds, sides

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


def test_saved_pages_and_json_are_read_from_files():
    cram = cram_page(cram_table(CARDS), cram_json(CARDS), declared=3)
    for content, set_id in ((cram, "9000001"), (stack_page(CARDS), "saved.html")):
        outcome = read("saved.html", content)
        assert (sides(outcome), [deck.set_id for deck in outcome.decks]) == (TEXTS, [set_id])
    assert sides(read("a.json", b'{"data": [["a", "b"], ["c", "hint", "d"]]}')) == [("a", "b"), ("c", "d")]
    assert [one.kind for one in read("a.html", STACKS["1003"]).findings] == ["unknown_format"]
