"""The pages in a real browser, from a server of their own, while the store is written."""

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import HTTPRedirectHandler, Request, build_opener

import pandas as pd
import pytest

from data.console.errors import InputError
from data.contract.tables.campaign import Ratings
from data.contract.tables.pairs import Pairs
from data.guidance.commands.look import Arguments as Look
from data.guidance.commands.look import main
from data.storage.manifest import Manifest
from data.storage.store import Store
from tests.analysis.conftest import STAGES
from tests.axe import serious_faults
from tests.campaign import ROOT
from tests.data.guidance.made_rows import SENTENCE, add_all

pytestmark = pytest.mark.sweep
sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
PATIENCE = 120_000
"""Milliseconds: on a busy machine a page may take long to load; no test is about time."""

needs_browser = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine")


@dataclass
class Shown:
    """A store and where its pages are."""

    store: Store
    address: str

    def ask(self, path: str, **headers: str) -> tuple[int, dict[str, str], str]:
        """Status, headers and body of the answer; redirects are not followed."""
        request = Request(self.address + path, headers=headers, method=headers.pop("method", "GET"))
        try:
            with build_opener(_Stay()).open(request) as answer:
                return answer.status, dict(answer.headers), answer.read().decode()
        except HTTPError as refusal:
            return refusal.code, dict(refusal.headers), refusal.read().decode()


class _Stay(HTTPRedirectHandler):
    def redirect_request(self, *_: object) -> None:
        return None


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shown]:
    """The pages of a campaign, served by the command itself."""
    store = Store(tmp_path_factory.mktemp("look") / "store")
    for write in STAGES.values():
        write(store)
    add_all(store)
    words = [sys.executable, "-m", "data", "look", "--store", str(store.root), "--port", "0", "--per-hour", "15"]
    with subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        address = next(line.strip() for line in server.stdout if line.startswith("http://"))
        found = Shown(store, address.rstrip("/"))
        try:
            wait_until(lambda: found.ask("/models")[0] == 200)
            yield found
        finally:
            server.send_signal(2)
        assert "Traceback" not in server.stdout.read(), "a wrong address is no fault"
        assert server.wait(60) == 0


def wait_until(is_so: Callable[[], bool]) -> None:
    """Wait for it, a minute at most."""
    for _ in range(600):
        if is_so():
            return
        threading.Event().wait(0.1)
    raise AssertionError("it has not come about")


def all_pages(shown: Shown) -> list[str]:
    """The addresses that the navigation of the pages names, one pair and one annotator."""
    pair = shown.store.read(Pairs, ["pair_id"])["pair_id"].iloc[0]
    tables = ("pairs", "ratings", "definitions", "cards", "rejects")
    made = ["/game", "/game?campaign=game", "/models", "/attacks", "/generated"]
    own = ["/", "/annotators", "/dropped", "/tables", "/campaign/main", f"/pair/{pair}", "/annotator/main/a02"]
    return own + made + [f"/store/{table}" for table in tables]


def test_every_page_says_that_ratings_are_simulated_and_loads_nothing_from_elsewhere(shown: Shown) -> None:
    for path in all_pages(shown):
        status, headers, body = shown.ask(path)
        assert (path, status) == (path, 200)
        assert "Simulated: 11 ratings were made by programs" in body
        assert "default-src 'none'" in headers["content-security-policy"]
        assert headers["cache-control"] == "no-store"


def test_only_this_machine_is_answered_and_nothing_is_written(shown: Shown) -> None:
    assert shown.ask("/", Host="parade.example")[0] == 421
    assert shown.ask("/", method="POST")[0] == 405
    for path in ("/-/settings", "/-/databases.json", "/-/static/app.css", "/store.db", "/store", "/_internal", "/x"):
        assert (path, shown.ask(path)[0]) == (path, 404)
    assert shown.ask("/store/pairs.json?_where=1=1&_size=1")[0] in (400, 403)
    assert shown.ask("/pair/nothing")[0] == 404


def test_every_row_of_a_table_has_a_page(shown: Shown) -> None:
    """Also where its key takes several columns, of which some are null."""
    for table in ("ratings", "cards", "quality", "labels", "rejects"):
        link = shown.ask(f"/store/{table}")[2].partition("type-pk")[2].split('"', 3)[2]
        assert (link, shown.ask(link)[0]) == (link, 200)


def test_filters_have_addresses_and_give_csv_and_json(shown: Shown) -> None:
    status, headers, _ = shown.ask("/store/pairs?label=&_search=hash&split=")
    assert (status, headers["Location"]) == (302, "/store/pairs?_search=hash")
    rows = json.loads(shown.ask("/store/pairs.json?label=paraphrase&_shape=array")[2])
    everything = json.loads(shown.ask("/store/pairs.json?_shape=array")[2])
    assert {row["label"] for row in rows} == {"paraphrase"}
    assert len(rows) == sum(row["label"] == "paraphrase" for row in everything) == 6
    by_person = json.loads(shown.ask("/store/pairs.json?annotators__arraycontains=a01&_shape=array")[2])
    assert len(by_person) == 11
    apart = json.loads(shown.ask("/store/pairs.json?spread__gte=2&_shape=array")[2])
    assert len(apart) == sum((row["spread"] or 0) >= 2 for row in everything) > 0
    csv = shown.ask("/store/ratings.csv?annotator=a02&_size=max")[2]
    assert len(csv.splitlines()) == 12


def test_a_pair_shows_its_ratings_cards_and_the_command_that_takes_it_down(shown: Shown) -> None:
    pair = shown.store.read(Pairs).iloc[0]
    body = shown.ask(f"/pair/{pair['pair_id']}")[2]
    for text in ("a01", "a02", "a03", "majority", "Deck", "licence: none stated", "simulated", "<mark>"):
        assert text in body
    assert f"python -m data takedown --texts {pair['first_id']} {pair['second_id']} --store" in body


def test_a_game_shows_what_each_player_reached_and_earns(shown: Shown) -> None:
    body = shown.ask("/game?campaign=game")[2]
    assert "1 <small>of 2 judged, 50%</small>" in body
    assert "at 1 sentence<" in body
    assert "0.80 <small>of it 0.60 bonus</small>" in body
    assert '<a href="/game?campaign=game&amp;player=a01#attempts">a01</a>' in body
    assert "refused: copy" in body
    kept = shown.ask("/game?campaign=game&outcome=same")[2]
    assert SENTENCE not in kept.partition('id="attempts"')[2]  # its words are marked
    assert "<b>1</b> row" in kept
    assert "<mark>sends each key</mark>" in kept
    assert shown.ask("/game?campaign=game&player=a02&outcome=submitted")[2].count("No attempt is like this.") == 1
    assert "python -m paraphrase_game collect --store" in body
    assert shown.ask("/game?campaign=none")[0] == 404
    opened = shown.ask("/game")[2]
    assert "2 players have an account" in opened
    assert "No attempt has been collected yet." in opened
    assert "python -m annotation game collect --campaign later --store" in opened
    assert shown.ask("/game?player=&outcome=same")[1]["Location"] == "/game?outcome=same"


def test_a_model_is_shown_on_the_test_split_and_on_every_set_with_intervals(shown: Shown) -> None:
    status, _, body = shown.ask("/models?model=frozen:small")
    assert status == 200
    for text in ("On the test split", "frozen:small", "3 <small>in", "paper", " to ", "/store/predictions?run_id="):
        assert text in body
    assert "No labelled pair has a score here" in shown.ask("/models?set=none")[2]


def test_an_attack_shows_the_texts_before_and_after_and_how_many_misled(shown: Shown) -> None:
    body = shown.ask("/attacks")[2]
    assert "50% <small>(9% to 91%)</small>" in body
    assert "<ins>&lt;b&gt;</ins>" in body
    assert "<ins><b></ins>" not in body
    assert "<b>2</b> rows" in body
    assert "<b>1</b> row" in shown.ask("/attacks?outcome=stuck")[2]
    assert "No pair is like this." in shown.ask("/attacks?outcome=stuck&label=0")[2]


def test_generated_texts_are_beside_their_sources_and_what_was_left_out_has_its_reason(shown: Shown) -> None:
    body = shown.ask("/generated?generator=swaps")[2]
    assert "a map from <mark>buckets</mark> to <mark>keys</mark>" in body
    assert "too likely" in body
    dropped = shown.ask("/dropped")[2]
    assert f'<td class="text example">{SENTENCE}</td>' in dropped
    rows = json.loads(shown.ask("/store/rejects.json?stage=generation.swap.swaps&_shape=array")[2])
    assert [row["text"] for row in rows] == [SENTENCE]


def test_the_pages_follow_the_store_while_it_is_written(shown: Shown) -> None:
    before = json.loads(shown.ask("/version")[2])["copied"]
    rows = shown.store.read(Ratings).drop_duplicates("assignment_id")
    later = rows.head(1).assign(submitted_at=pd.Timestamp.now("UTC"), comment="Now I see it.")
    shown.store.append(Ratings, later, Manifest(stage="annotation.collect", part="main"))
    changed = threading.Event()
    for _ in range(600):
        if json.loads(shown.ask("/version")[2])["copied"] != before:
            break
        changed.wait(0.1)
    rated = json.loads(shown.ask("/store/ratings.json?comment__notnull=1&_shape=array")[2])
    assert [row["comment"] for row in rated] == ["Now I see it."]
    home = shown.ask("/")[2]
    assert "1 answer has a comment" in home
    notes = home.partition("Worth a look")[2].partition("</section>")[0]
    assert notes.count("<li><b>") == notes.count("<li><b><a href=") > 0


def test_a_wait_between_collections_runs_watch_beside(store: Store, tmp_path: Path) -> None:
    """Without a server `watch` ends at once, and the pages go on without it."""
    with pytest.raises(InputError, match="none planned"):
        main(Look(store=store.root, port=0, collect_every="5m"))
    for write in STAGES.values():
        write(store)
    words = [sys.executable, "-m", "data", "look", "--store", str(store.root), "--port", "0", "--collect-every", "1s"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    with subprocess.Popen(words, cwd=ROOT, text=True, **pipes) as server:
        assert server.stdout is not None
        address, has_ended = "", False
        for line in server.stdout:
            address = line.strip() if line.startswith("http://") else address
            has_ended = has_ended or "server start" in line
            if address and has_ended:
                break
        status = Shown(store, address.rstrip("/")).ask("/campaign/main")[0]
        server.send_signal(2)
        assert server.wait(60) == 0
    assert has_ended
    assert status == 200


STAND_IN = """
import time
from pathlib import Path
log = Path("log").open("a", buffering=1)
print("began", file=log)
for _ in range(2):
    try:
        time.sleep(3 if _ else 600)
    except KeyboardInterrupt:
        print("interrupted", file=log)
print("ended", file=log)
"""


@pytest.fixture
def watch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What a program in place of `annotation watch`, which takes its time to end, logs of its signals."""
    (tmp_path / "annotation").mkdir()
    (tmp_path / "annotation" / "__init__.py").touch()
    (tmp_path / "annotation" / "__main__.py").write_text(STAND_IN)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    return tmp_path / "log"


def ignore(signals: tuple[signal.Signals, ...]) -> None:
    for one in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(one, signal.SIG_IGN if one in signals else signal.SIG_DFL)


@pytest.mark.parametrize("ignored", [(), (signal.SIGINT,)], ids=["in a terminal", "in a script, with &"])
@pytest.mark.parametrize(("ending", "to_all"), [(signal.SIGINT, True), (signal.SIGTERM, False), (signal.SIGHUP, False)])
def test_watch_ends_with_the_pages_and_is_told_once(
    ending: signal.Signals, to_all: bool, ignored: tuple[signal.Signals, ...], shown: Shown, watch: Path
) -> None:
    words = [sys.executable, "-m", "data", "look", "--store", str(shown.store.root), "--port", "0"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    command = [*words, "--collect-every", "1s"]
    began = {"cwd": watch.parent, "start_new_session": True, "preexec_fn": lambda: ignore(ignored)}
    with subprocess.Popen(command, **began, **pipes) as pages:
        assert pages.stdout is not None
        while not pages.stdout.readline().startswith("http://"):
            pass
        while not watch.exists():
            threading.Event().wait(0.1)
        (os.killpg if to_all else os.kill)(pages.pid, ending)  # ctrl-C in a terminal reaches all of its processes
        pages.communicate()
    assert watch.read_text().split() == ["began", "interrupted", "ended"]


def test_a_port_that_is_taken_is_said_in_one_line_before_watch_begins(
    shown: Shown, watch: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    port = int(shown.address.rpartition(":")[2])
    monkeypatch.chdir(watch.parent)
    with pytest.raises(InputError, match=f"--port {port}"):
        main(Look(store=shown.store.root, port=port, collect_every="1s"))
    assert not watch.exists()


@pytest.fixture(scope="module")
def browser() -> Iterator["sync_api.Browser"]:
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


def open_page(browser: "sync_api.Browser", width: int = 1366, scheme: str = "light") -> "sync_api.Page":
    context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme)
    context.set_default_timeout(PATIENCE)
    return context.new_page()


@needs_browser
def test_a_browser_asks_no_one_else_and_does_not_complain(shown: Shown, browser: "sync_api.Browser") -> None:
    page, asked, complaints = open_page(browser), [], []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: complaints.append(message.text))
    for path in all_pages(shown):
        page.goto(shown.address + path)
    assert [url for url in asked if not url.startswith((shown.address, "data:"))] == []
    assert complaints == []


@needs_browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_page_is_wider_than_a_telephone_in_either_scheme(
    shown: Shown, browser: "sync_api.Browser", scheme: str
) -> None:
    page = open_page(browser, width=390, scheme=scheme)
    for path in all_pages(shown):
        page.goto(shown.address + path)
        assert (path, page.evaluate("document.documentElement.scrollWidth")) == (path, 390)
        assert page.evaluate("""[...document.querySelectorAll('.scroll')].every(
            part => part.classList.contains('wide') == part.scrollWidth > part.clientWidth)"""), path
    page.goto(shown.address + "/annotators")
    hint = page.evaluate("getComputedStyle(document.querySelector('.scroll'), '::before').content")
    assert hint.startswith('"More columns: scroll sideways')
    page.goto(shown.address + "/store/pairs")
    search = page.evaluate("getComputedStyle(document.querySelector('.filters .wide'), '::before').content")
    assert search == "none"
    back = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (back == "rgb(255, 255, 255)") == (scheme == "light")


@needs_browser
def test_a_table_has_room_for_texts_and_breaks_no_id(shown: Shown, browser: "sync_api.Browser") -> None:
    page = open_page(browser)
    page.goto(shown.address + "/store/rejects")
    assert page.locator("td.col-text").first.bounding_box()["width"] >= 256
    heights = page.locator("td code").evaluate_all("codes => codes.map(code => code.getBoundingClientRect().height)")
    assert max(heights) < 30
    assert "rowid" not in page.locator("table").inner_text(), "a number that SQLite gave each row"


@needs_browser
@pytest.mark.parametrize(("width", "scheme"), [(1366, "light"), (1366, "dark"), (390, "light"), (390, "dark")])
def test_axe_finds_nothing_serious(shown: Shown, browser: "sync_api.Browser", width: int, scheme: str) -> None:
    page = open_page(browser, width=width, scheme=scheme)
    found = []
    for path in all_pages(shown):
        page.goto(shown.address + path)
        found += [(path, *fault) for fault in serious_faults(page)]
    assert found == []


@needs_browser
def test_two_people_look_at_once_while_the_store_is_written(shown: Shown, browser: "sync_api.Browser") -> None:
    pages, faults = [open_page(browser) for _ in range(2)], []
    for page in pages:
        page.on("response", lambda answer: faults.append(answer.url) if answer.status >= 400 else None)
        page.goto(shown.address + "/")
    before = json.loads(shown.ask("/version")[2])["copied"]
    rows = shown.store.read(Ratings).drop_duplicates("assignment_id")
    shown.store.append(Ratings, rows.assign(submitted_at=pd.Timestamp.now("UTC")), Manifest(stage="test"))
    for _ in range(200):
        for page, path in zip(pages, ("/store/pairs?_search=hash", "/store/ratings?annotator=a01"), strict=True):
            page.goto(shown.address + path)
            assert "No rows" not in page.locator("main").inner_text()
        if json.loads(shown.ask("/version")[2])["copied"] != before:
            break
    assert json.loads(shown.ask("/version")[2])["copied"] != before
    assert faults == []


@needs_browser
def test_a_pair_is_searched_and_opened_with_the_keyboard(shown: Shown, browser: "sync_api.Browser") -> None:
    page = open_page(browser)
    page.goto(shown.address + "/")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_url("**/store/pairs")
    page.get_by_label("search").focus()
    page.keyboard.type("hash")
    page.keyboard.press("Enter")
    page.wait_for_url("**_search=hash*")
    page.locator("ul.pairs a").first.focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/pair/*")
    assert page.get_by_role("heading", level=1).inner_text() == "hash table"


@needs_browser
def test_the_campaign_loads_itself_again(shown: Shown, browser: "sync_api.Browser") -> None:
    page = open_page(browser)
    page.goto(shown.address + "/")
    before = page.locator("body").get_attribute("data-copied")
    rows = shown.store.read(Ratings).drop_duplicates("assignment_id")
    later = rows.head(2).assign(submitted_at=pd.Timestamp.now("UTC"))
    shown.store.append(Ratings, later, Manifest(stage="annotation.collect", part="main"))
    page.wait_for_function("before => document.body.dataset.copied !== before", arg=before)
    sync_api.expect(page.get_by_text("New answers were last collected")).to_be_visible()
