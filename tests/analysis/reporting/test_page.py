"""The page in a real Chromium: no outside resource, keys, print, no text cut off."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from analysis import report, splits
from data.storage.store import Store
from tests.axe import serious_faults

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]

PATIENCE = 120_000
"""Milliseconds: on a busy machine a page may take long to load; no test is about time."""

pytestmark = [pytest.mark.sweep, pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine")]


@pytest.fixture(scope="module")
def browser() -> Iterator["sync_api.Browser"]:
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def address(whole_campaign: Store, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Where the page of the whole campaign, splits and all, lies."""
    folder = tmp_path_factory.mktemp("page")
    store = Store(shutil.copytree(whole_campaign.root, folder / "store"))
    splits.main(splits.Arguments(store=store.root))
    report.main(report.Arguments(store=store.root, out=folder))
    return (folder / "report.html").as_uri()


@pytest.fixture
def page(browser: "sync_api.Browser", address: str) -> Iterator["sync_api.Page"]:
    context = browser.new_context(viewport={"width": 1100, "height": 900})
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    page.requests = []
    page.complaints = []
    page.on("request", lambda request: page.requests.append(request.url))
    page.on("console", lambda message: page.complaints.append(message.text))
    page.goto(address)
    yield page
    context.close()


def test_the_page_requests_nothing_but_itself_and_the_browser_does_not_complain(page: "sync_api.Page") -> None:
    assert page.requests == [page.url]
    assert page.complaints == []


def test_a_simulated_campaign_is_the_first_thing_on_the_page(page: "sync_api.Page") -> None:
    warning, title = page.get_by_role("alert"), page.get_by_role("heading", level=1)
    assert "1 simulated annotator." in warning.inner_text()
    assert warning.bounding_box()["y"] < title.bounding_box()["y"] < 400


def test_every_section_is_reached_with_the_keyboard(page: "sync_api.Page") -> None:
    reached = set()
    for _ in range(15):
        page.keyboard.press("Tab")
        reached.add(page.evaluate("document.activeElement.getAttribute('href')"))
    links = page.locator("nav a").evaluate_all("links => links.map(link => link.getAttribute('href'))")
    assert len(links) == 13
    assert set(links) <= reached
    for link in links:
        assert page.locator(link).locator("h2").count() == 1
    page.locator("nav a").last.focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**#tables")
    sync_api.expect(page.get_by_role("heading", name="Tables shown")).to_be_in_viewport()


def test_figures_and_tables_have_captions_for_readers_who_cannot_see_them(page: "sync_api.Page") -> None:
    assert page.locator("figure").count() == 4
    assert page.locator("figure:not(:has(figcaption))").count() == 0
    assert page.locator("main > section > .scroll > table:not(:has(caption))").count() == 0
    assert page.locator("svg text", has_text="non-paraphrases (").count() == 1
    ids = page.evaluate("[...document.querySelectorAll('[id]')].map(one => one.id)")
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize("width", [360, 800, 1400])
def test_nothing_is_wider_than_the_screen(page: "sync_api.Page", width: int) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_the_page_prints_with_all_sections_and_without_the_navigation(page: "sync_api.Page") -> None:
    page.emulate_media(media="print")
    assert not page.locator("nav").is_visible()
    assert page.get_by_role("heading", name="Tables shown").is_visible()
    assert page.pdf(format="A4").startswith(b"%PDF")


def test_pairs_are_found_by_words_entity_label_votes_and_overlap(page: "sync_api.Page") -> None:
    status, found = page.locator("#found-status"), page.locator("#found .pair")
    sync_api.expect(status).to_have_text("11 of 11 pairs, 11 shown")
    page.get_by_label("Entity").fill("Hash Tab")
    sync_api.expect(status).to_have_text("3 of 11 pairs, 3 shown")
    assert set(found.locator("header b").all_inner_texts()) == {"hash table"}
    page.get_by_label("Words or pair id").fill("function KEYS")
    shown = found.locator(".texts").all_inner_texts()
    assert shown
    assert all("keys are sent to buckets by a function" in text for text in shown)
    page.get_by_role("button", name="Clear").click()
    sync_api.expect(status).to_have_text("11 of 11 pairs, 11 shown")
    page.get_by_label("Label").select_option("paraphrase")
    sync_api.expect(found.locator(".tag.no")).to_have_count(0)
    page.get_by_label("Votes").select_option("2 of 3")
    assert set(found.locator("header span:nth-of-type(2)").all_inner_texts()) == {"2 of 3 votes"}
    page.get_by_role("button", name="Clear").click()
    page.get_by_label("Overlap from").fill("0.99")
    sync_api.expect(status).to_have_text("0 of 11 pairs")


def test_a_pair_is_traced_with_the_keyboard_to_its_answers_cards_sources_and_licences(page: "sync_api.Page") -> None:
    page.get_by_label("Words or pair id").fill("shows pages of the web")
    first = page.locator("#found .pair")
    sync_api.expect(first).to_have_count(1)
    first.locator("summary").focus()
    page.keyboard.press("Enter")
    back = first.locator("details")
    sync_api.expect(back.locator("li")).to_have_count(5)
    for words in ("Answers a01: ", "files · “Deck” · fetched 2026-11-01 09:00 UTC · file:deck", "no licence stated"):
        assert words in back.inner_text().replace("\n", " "), words
    assert page.complaints == []


def test_texts_of_cards_never_become_markup(browser: "sync_api.Browser", tmp_path: Path) -> None:
    nasty = "</script><script>document.title='broken'</script><b>&amp;"
    rows = "".join(f"{nasty} {n}\tplain text {n}\t{n % 2}\n" for n in range(4))
    (tmp_path / "train.tsv").write_text("sentence1\tsentence2\tlabel\n" + rows, encoding="utf-8")
    report.main(report.Arguments(dataset=tmp_path / "train.tsv", out=tmp_path / "out"))
    page = browser.new_page()
    page.set_default_timeout(PATIENCE)
    page.goto((tmp_path / "out" / "report.html").as_uri())
    sync_api.expect(page.locator("#found .pair")).to_have_count(4)
    assert nasty in page.locator("#found .pair .texts").first.inner_text()
    assert "broken" not in page.title()
    page.close()


def test_the_search_prints_its_results_without_its_controls(page: "sync_api.Page") -> None:
    page.get_by_label("Entity").fill("graph theory")
    page.emulate_media(media="print")
    assert not page.locator("#search").is_visible()
    assert page.locator("#found .pair").count() == 1
    assert page.locator("#found .pair").is_visible()


def test_a_filter_has_an_address(page: "sync_api.Page", browser: "sync_api.Browser") -> None:
    page.locator("#search input[name=text]").fill("hash")
    page.locator("#search select[name=label]").select_option("1")
    found = page.locator("#found-status").inner_text()
    assert page.url.endswith("#explorer?text=hash&label=1")
    other = browser.new_page()
    other.goto(page.url)
    assert other.locator("#found-status").inner_text() == found
    assert other.locator("#search input[name=text]").input_value() == "hash"
    other.locator("#search button[type=reset]").click()
    other.wait_for_url("**#explorer")
    other.close()


def test_the_page_begins_with_three_sentences_and_pairs_come_early(page: "sync_api.Page") -> None:
    sentences = re.split(r"(?<=\.) ", page.locator(".summary").inner_text())
    assert [sentence.split()[0] for sentence in sentences] == ["Of", "Two", "The"]
    assert page.locator("#explorer").bounding_box()["y"] < 8000


@pytest.mark.parametrize(("width", "scheme"), [(1366, "light"), (1366, "dark"), (390, "light"), (390, "dark")])
def test_axe_finds_nothing_serious(browser: "sync_api.Browser", address: str, width: int, scheme: str) -> None:
    page = browser.new_page(viewport={"width": width, "height": 800}, color_scheme=scheme)
    page.goto(address)
    assert serious_faults(page) == []
    page.close()
