"""cram.com's and studystack.com's pages: any bytes give cards or a named finding; addresses are read strictly."""

import time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from crawler.cards import Outcome
from crawler.formats.reading import read
from crawler.pages import cram, studystack
from tests.crawler.card_sites import CARDS, STACKS, TEXTS, cram_json, cram_page, cram_table, stack_export, stack_page

CRAM_PAGE = cram_page(cram_table(CARDS), cram_json(CARDS), declared=3)
STACK_PAGE = stack_page(CARDS)
READERS = {
    "cram set": (cram.read_set, CRAM_PAGE),
    "stack set": (studystack.read_set, STACK_PAGE),
    "stack export": (studystack.read_export, stack_export(CARDS)),
    "stack json": (studystack.read_json, b'{"data": [["a", "b"], ["c", "hint", "d"]]}'),
}
LISTS = {
    "cram search": (
        lambda content: cram.read_search(content, "http://x/search")[1],
        b'<a href="/flashcards/a-1234567">',
    ),
    "stack listing": (lambda content: studystack.read_listing(content)[1], b'[{"id": 7, "stackName": "x"}]'),
}


def sides(outcome: Outcome):
    return [(card.front, card.back) for deck in outcome.decks for card in deck.cards]


def damage(content, data):
    changed = bytearray(content)
    for _ in range(data.draw(st.integers(0, 5))):
        at = data.draw(st.integers(0, len(changed)))
        changed[at : at + data.draw(st.integers(0, 30))] = data.draw(st.binary(max_size=8))
    return bytes(changed) or b"x"


@pytest.mark.parametrize("name", READERS)
@settings(max_examples=60)
@given(data=st.data())
def test_damaged_pages_give_cards_or_findings(name, data):
    reader, content = READERS[name]
    started = time.process_time()
    outcome = reader(damage(content, data), "7")
    assert time.process_time() - started < 2
    assert outcome.decks or outcome.findings
    assert all(deck.set_id == "7" and deck.licence_note for deck in outcome.decks)


@pytest.mark.parametrize("name", [*READERS, *LISTS])
@given(content=st.binary(max_size=400))
@example(content=b"{}")  # which parsel takes for JSON if it may choose
def test_any_bytes_raise_nothing(name, content):
    reader = READERS[name][0] if name in READERS else None
    outcome = reader(content, "7") if reader else LISTS[name][0](content)
    assert isinstance(outcome, Outcome)


@pytest.mark.parametrize("name", LISTS)
@given(data=st.data())
def test_damaged_lists_raise_nothing(name, data):
    assert isinstance(LISTS[name][0](damage(LISTS[name][1], data)), Outcome)


@pytest.mark.parametrize(
    ("address", "set_id"),
    [
        ("/flashcards/os-basics-9000001", "9000001"),
        ("https://www.cram.com/flashcards/os-basics-2-9000001?x=1", "9000001"),
        ("/flashcards/ends-with-dash--9000001", "9000001"),
        ("/flashcards/games/jewel/os-basics-9000001", None),
        ("/flashcards/create", None),
        ("/flashcards/no-number", None),
        ("/user/9000001", None),
    ],
)
def test_a_cram_set_s_id_is_at_the_end_of_its_path(address, set_id):
    assert cram.set_of(address) == set_id


@given(st.text(min_size=1, max_size=30).filter(str.strip), st.integers(1, 99))
def test_a_search_address_tells_its_term_and_page(term, page):
    assert cram.search_of(cram.search_address(term, page)) == (term, page)


def test_saved_pages_and_json_are_read_from_files():
    for content, set_id in ((CRAM_PAGE, "9000001"), (STACK_PAGE, "saved.html")):
        outcome = read("saved.html", content)
        assert (sides(outcome), [deck.set_id for deck in outcome.decks]) == (TEXTS, [set_id])
    assert sides(read("a.json", READERS["stack json"][1])) == [("a", "b"), ("c", "d")]
    assert [one.kind for one in read("a.html", STACKS["1003"]).findings] == ["unknown_format"]
