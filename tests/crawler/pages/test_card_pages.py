"""cram.com's and studystack.com's pages: any bytes give cards or a named finding; addresses are read strictly."""

import time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from crawler.cards.outcome import Outcome
from crawler.commands.arguments import arguments_of, read_starts
from crawler.formats.reading import read
from crawler.ledger.ledger import Page
from crawler.pages import cram, quizlet, studystack
from crawler.pages.quizlet_items import Walk
from crawler.pages.sites import SITES
from data.errors import InputError
from tests.crawler.card_sites import CARDS, STACKS, TEXTS, cram_json, cram_page, cram_table, stack_export, stack_page

CRAM_PAGE = cram_page(cram_table(CARDS), cram_json(CARDS), declared=3)
STACK_PAGE = stack_page(CARDS)
STACK_JSON = b'{"data": [["a", "b"], ["c", "hint", "d"]]}'
QuizletArguments = arguments_of(SITES["quizlet"])
READERS = {
    "cram set": (cram.read_set, CRAM_PAGE),
    "stack set": (studystack.read_set, STACK_PAGE),
    "stack export": (studystack.read_export, stack_export(CARDS)),
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


@pytest.mark.parametrize(
    ("pages", "name", "address"),
    [
        (cram, "https://www.cram.com/flashcards/os-basics-9000001?x=1", "/flashcards/os-basics-9000001"),
        (cram, "9000001", None),
        (studystack, "1001", "/flashcard-1001"),
        (studystack, "https://www.studystack.com/flashcard-1001", "/flashcard-1001"),
        (studystack, studystack.export_address("1001"), "/flashcard-1001"),
        (studystack, "/servlet/simpledelim?studyStackId=x", None),
        (studystack, studystack.listing_address(7, 1), None),
        (quizlet, "500000001", "/500000001/"),
        (quizlet, "https://quizlet.com/de/500000001/karteikarten/", "/500000001/"),
        (quizlet, Walk(deck=quizlet.announced(Outcome(), "500000001")).address, "/500000001/"),
        (quizlet, "/webapi/3.4/sets/500000001", None),
        (quizlet, "/search?query=500000001", None),
    ],
)
def test_a_set_s_page_follows_from_every_address_of_its_cards(pages, name, address):
    assert pages.set_page(name) == address
    assert address is None or pages.set_page(address) == address


@pytest.mark.parametrize(
    "line", ["no set", "https://www.cram.com/flashcards/a-9000001", "http://[bad", "https://quizlet.com/search"]
)
def test_a_line_that_names_no_set_of_the_site_is_refused_by_its_number(tmp_path, line):
    listed = tmp_path / "sets.txt"
    listed.write_text(f"500000001\n\n{line}\n", "utf-8")
    with pytest.raises(InputError, match=r"sets.txt line 3: expected a set of https://quizlet.com, found"):
        read_starts(QuizletArguments(sets=listed, store=tmp_path), quizlet)


def test_named_sets_are_read_without_a_search(tmp_path):
    listed = tmp_path / "sets.txt"
    listed.write_text("500000001\n", "utf-8")
    named = Page(kind="set", key="/500000001/")
    assert read_starts(QuizletArguments(sets=listed, store=tmp_path), quizlet) == [named]
    (tmp_path / "terms.txt").write_text("hash table\n", "utf-8")
    both = QuizletArguments(sets=listed, search=str(tmp_path / "terms.txt"), store=tmp_path)
    assert read_starts(both, quizlet) == [named, Page(kind="search", key=quizlet.search_address("hash table", 1))]


@given(st.text(min_size=1, max_size=30).filter(str.strip), st.integers(1, 99))
def test_a_search_address_tells_its_term_and_page(term, page):
    assert cram.search_of(cram.search_address(term, page)) == (term, page)


def test_saved_pages_and_json_are_read_from_files():
    for content, set_id in ((CRAM_PAGE, "9000001"), (STACK_PAGE, "saved.html")):
        outcome = read("saved.html", content)
        assert (sides(outcome), [deck.set_id for deck in outcome.decks]) == (TEXTS, [set_id])
    assert sides(read("a.json", STACK_JSON)) == [("a", "b"), ("c", "d")]
    assert [one.kind for one in read("a.html", STACKS["1003"]).findings] == ["unknown_format"]
