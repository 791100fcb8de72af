"""The registry: its rows are whole, and a site that does not exist is known everywhere by its row alone."""

import subprocess
import sys

import pytest
from scrapy.settings import Settings
from scrapy.spiderloader import SpiderLoader

from crawler.commands.arguments import CategoryArguments, SearchArguments, arguments_of, cookie_variable
from crawler.commands.crawl import Command
from crawler.formats.reading import read
from crawler.ledger.ledger import Ledger
from crawler.pages.sites import SITES
from crawler.spiders.base import SiteSpider
from data.console import run
from tests.crawler.crawling import ROOT, cards, environment
from tests.crawler.imaginary.row import ROW
from tests.crawler.local_site import Answer, LocalSite

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
    assert "2 cards of 1 files" in capsys.readouterr().out
    assert "|imaginary|" in command.syntax()
    assert run(command.main_of("imaginary"), prog="scrapy crawl imaginary", args=["--help"]) == 0
    assert "Read flashcards from imaginary.example" in capsys.readouterr().out
    assert run(command.main_of("imaginary"), prog="x", args=["--contact", "a@b.org", "--terms", "any", *store]) == 2
    assert "expected -a sets=FILE, found no set to read" in capsys.readouterr().err


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
