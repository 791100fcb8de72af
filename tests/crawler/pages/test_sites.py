"""The registered sites: their rows are whole, their pages safe to read, and a site is known everywhere by its row."""

import subprocess
import sys
import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scrapy.settings import Settings
from scrapy.spiderloader import SpiderLoader

from crawler.cards.outcome import Outcome
from crawler.commands.arguments import CategoryArguments, SearchArguments, arguments_of, cookie_variable
from crawler.commands.crawl import Command
from crawler.formats.reading import read
from crawler.ledger.ledger import Ledger
from crawler.pages import cram, quizlet, studystack
from crawler.pages.quizlet_items import Walk
from crawler.pages.sites import SITES
from crawler.spiders.base import SiteSpider
from data.console.commands import run
from tests.crawler.imaginary.row import ROW
from tests.crawler.tools.card_sites import CARDS, cram_json, cram_page, cram_table, stack_export, stack_page
from tests.crawler.tools.crawling import ROOT, cards, environment
from tests.crawler.tools.local_site import Answer, LocalSite

PAGE = (
    b'<!DOCTYPE html><html><head><link rel="canonical" href="https://imaginary.example/deck/7"></head>'
    b'<body><pre class="imaginary">stack = last in, first out\nqueue = first in, first out</pre></body></html>'
)
TEXTS = [("queue", "first in, first out"), ("stack", "last in, first out")]


@pytest.fixture
def imaginary(monkeypatch):
    monkeypatch.setitem(SITES, ROW.name, ROW)


def test_every_row_has_a_spider_of_its_name():
    loader = SpiderLoader.from_settings(Settings({"SPIDER_MODULES": ["crawler.spiders"]}))
    assert all(issubclass(loader.load(name), SiteSpider) for name in SITES)
    assert {*SITES, "files", "glossary"} == set(loader.list())


@pytest.mark.parametrize("site", SITES.values(), ids=list(SITES))
def test_a_row_is_whole_and_has_the_flags_of_what_its_pages_can_do(site):
    form = arguments_of(site)
    assert site.address == site.address.rstrip("/")
    assert "no open licence" in site.pages.LICENCE_NOTE
    assert form(sets=None).site == site.address
    assert issubclass(form, SearchArguments) == hasattr(site.pages, "search_address")
    assert issubclass(form, CategoryArguments) == hasattr(site.pages, "listing_address")
    assert cookie_variable(site.name) in form.__doc__


def test_a_row_alone_makes_a_page_of_the_site_a_deck(imaginary):
    (deck,) = read("page.html", PAGE).decks
    assert deck.set_id == "7"
    assert sorted((card.front, card.back) for card in deck.cards) == TEXTS


def test_a_row_alone_makes_preview_and_command_know_the_site(imaginary, tmp_path, capsys):
    (tmp_path / "page.html").write_bytes(PAGE)
    command, store = Command(), ("--store", str(tmp_path / "store"))
    arguments = ["--path", str(tmp_path), "--preview", "yes", *store]
    assert run(command.main_of("files"), prog="scrapy crawl files", args=arguments) == 0
    assert "2 cards in 1 of 1 file" in capsys.readouterr().out
    assert "|imaginary|" in command.syntax()
    assert run(command.main_of("imaginary"), prog="scrapy crawl imaginary", args=["--help"]) == 0
    assert "Read flashcards from imaginary.example" in capsys.readouterr().out
    assert run(command.main_of("imaginary"), prog="x", args=["--contact", "a@b.org", "--terms", "any", *store]) == 2
    assert "expected -a sets=FILE, found no set to read" in capsys.readouterr().err


@pytest.mark.sweep
def test_a_row_alone_makes_the_site_a_source(tmp_path):
    (tmp_path / "sets.txt").write_text("https://imaginary.example/deck/7\n")
    store = tmp_path / "store"
    with LocalSite({"/deck/7": Answer(body=PAGE)}) as site:
        arguments = [f"site={site.url}", f"sets={tmp_path / 'sets.txt'}", "terms=any"]
        flags = [part for argument in arguments for part in ("-a", argument)]
        command = [sys.executable, "-m", "tests.crawler.imaginary.row", "crawl", "imaginary", *flags]
        done = subprocess.run(
            [*command, "--store", str(store)], cwd=ROOT, env=environment(), capture_output=True, text=True, check=False
        )
    assert done.returncode == 0, done.stderr
    table = cards(store)
    assert sorted(zip(table["front"], table["back"], strict=True)) == TEXTS
    assert set(table["source"]) == {"imaginary"}
    with Ledger(store / "ledgers" / "imaginary.sqlite") as ledger:
        assert ledger.counts() == {"done": 1}


# -- pages of registered sites: any bytes give cards or a named finding, addresses are read strictly

CRAM_PAGE = cram_page(cram_table(CARDS), cram_json(CARDS), declared=3)
STACK_PAGE = stack_page(CARDS)
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


def damage(content, data):
    changed = bytearray(content)
    for _ in range(data.draw(st.integers(0, 5))):
        at = data.draw(st.integers(0, len(changed)))
        changed[at : at + data.draw(st.integers(0, 30))] = data.draw(st.binary(max_size=8))
    return bytes(changed) or b"x"


@pytest.mark.parametrize("name", READERS)
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


@given(st.text(min_size=1, max_size=30).filter(str.strip), st.integers(1, 99))
def test_a_search_address_tells_its_term_and_page(term, page):
    assert cram.search_of(cram.search_address(term, page)) == (term, page)


@pytest.mark.parametrize("shape", [cram_table, cram_json])
def test_a_cram_card_with_a_side_that_is_too_long_is_skipped_by_name(shape):
    outcome = cram.read_set(cram_page(shape([("a", "b"), ("c", "x" * 100_001), ("d", "e")])), "9000001")
    assert [card.front for card in outcome.decks[0].cards] == ["a", "d"]
    assert [card.position for card in outcome.decks[0].cards] == [0, 1]
    assert outcome.skipped == (("card 2", "too_long"),)
    assert outcome.findings == ()


@pytest.mark.parametrize("address", ["http://[", "https://[a]/1/", "//["])
def test_half_an_address_names_no_set(address):
    page = f"<html><head><link rel='canonical' href='{address}'></head></html>".encode()
    for site in SITES.values():
        assert site.pages.set_page(address) is None
        assert site.pages.read_saved(page, address).findings


@pytest.mark.parametrize("mark", ["\u2028", "\x85", "\x0b", "\x0c"])
def test_rare_line_ends_tear_no_card_of_an_export(mark):
    content = f"stack|a pile{mark}of things\r\nqueue|a line\n"
    outcome = studystack.read_export(content.encode(), "7")
    assert [(card.front, card.back) for card in outcome.decks[0].cards] == [
        ("stack", f"a pile{mark}of things"), ("queue", "a line"),
    ]  # fmt: skip
    assert outcome.skipped == ()
