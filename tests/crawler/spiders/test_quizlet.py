"""scrapy crawl quizlet against the demo site, in processes of its own, killed and started again."""

import shutil
import signal
import subprocess
import threading
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from crawler.commands.crawl import Command
from crawler.ledger.harvest import harvest
from crawler.ledger.ledger import Ledger, SourcePage
from crawler.pages.quizlet import set_of
from crawler.terms.lists import TermList
from data.console.commands import run
from data.contract.tables.definitions import Cards
from data.contract.tables.removals import Rejects
from data.storage.store import Store
from data.texts.identity import card_id
from data.texts.languages.en import ENGLISH
from demo.site import DemoSite
from tests.crawler.tools.crawling import cards, crawl, rejects, start

KILLS = 2
"""In one run; every seed has other moments."""
ANY = TermList(name="any", terms=None, language=ENGLISH, inputs={})
TERMS = ["hash table", "binary tree", "linked list", "operating system", "race condition", "virtual memory", "captcha"]
TERMS += ["foreign key", "design pattern", "neural network", "packet switching", "garbage collection", "unit test"]


@dataclass(frozen=True, kw_only=True)
class Crawled:
    site: DemoSite
    store: Path
    terms: Path
    code: int
    out: str
    err: str


def write_terms(folder, terms):
    path = folder / "terms.txt"
    path.write_text("\n".join([*terms, "", f"  {terms[0]} "]), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def crawled(tmp_path_factory):
    """An uninterrupted crawl, and its site, still up."""
    folder = tmp_path_factory.mktemp("crawled")
    terms, store = write_terms(folder, TERMS), folder / "store"
    with DemoSite() as site:
        done = crawl("quizlet", "-a", f"terms={terms}", "-a", f"site={site.url}", store=store)
        yield Crawled(site=site, store=store, terms=terms, code=done.returncode, out=done.stdout, err=done.stderr)


def ledger_of(store):
    return Ledger(store / "ledgers" / "quizlet.sqlite")


def pages_done(store):
    with ledger_of(store) as ledger:
        pages = ledger.pages()
    return set(pages.loc[pages["state"] == "done", "key"])


@pytest.mark.sweep
def test_every_card_of_every_set_found_is_in_the_ledger(crawled):
    with ledger_of(crawled.store) as ledger:
        found = ledger.cards()
        sets = {int(set_id) for set_id in ledger.linked(searches(ledger))}
    closed = {619000001, 619000002, 619000003, 619000004, 619000005, 619000006, 619000007, 619000008}
    for set_id in sets - closed:
        deck = crawled.site.decks[set_id]
        rows = found[found["set_id"] == str(set_id)]
        assert list(zip(rows["front"], rows["back"], strict=True)) == [
            (card.word, card.definition) for card in deck.shown
        ]
        assert set(rows["copied_from"].dropna()) == ({str(deck.parentId)} if deck.parentId else set())
    assert not found["set_id"].isin([str(one) for one in closed]).any()
    assert len(sets) > 30


def searches(ledger):
    pages = ledger.pages()
    return [SourcePage(kind="search", key=key) for key in pages.loc[pages["kind"] == "search", "key"]]


def test_rows_in_are_rows_out_and_rejects(crawled):
    with ledger_of(crawled.store) as ledger:
        n_read = len(ledger.cards())
    table, rejected = cards(crawled.store), rejects(crawled.store, "quizlet")
    assert n_read == len(table) + rejected["front_is_no_term"]
    assert set(table["term"]) <= set(TERMS)
    counts = Store(crawled.store).manifest(Rejects, stage="crawler", part="quizlet")["counts"]
    rejected = Store(crawled.store).read(Rejects, stage="crawler", part="quizlet")["reason"].value_counts().to_dict()
    assert counts["rows_out"] == len(table)
    assert counts["rows_in"] == len(table) + sum(rejected.values()) == len(table) + sum(counts["rejects"].values())


def test_cards_carry_their_provenance(crawled):
    row = Store(crawled.store).read(Cards, set_id="619000011").iloc[0]
    assert row["url"] == f"{crawled.site.url}/619000011/"
    assert row["card_id"] == card_id("quizlet", "619000011", row["front"], row["back"], 0)
    assert (row["source"], row["copied_from"], row["language"]) == ("quizlet", "611001001", "en")
    assert "no open licence" in row["licence_note"]
    assert len(row["body_sha256"]) == 64
    assert row["set_title"] == crawled.site.decks[619000011].title


def test_no_author_is_stored(crawled):
    files = [path.read_bytes() for path in crawled.store.rglob("*") if path.is_file()]
    assert not any(b"author_6900" in content for content in files)


def test_findings_are_listed_with_their_addresses_and_end_in_1(crawled):
    assert crawled.code == 1
    told = crawled.err.splitlines()[-1]
    for kind in ("private", "blocked", "changed_markup", "wrong_set", "truncated", "gone"):
        if kind in rejects(crawled.store, "quizlet"):
            assert f" {kind}" in told
    assert "next: python -m crawler.definitions --store" in crawled.out
    assert f"wrong_set: {crawled.site.url}/611002002/ (the page shows set 611003001)" in crawled.out


@pytest.mark.sweep
def test_the_second_run_asks_only_for_what_is_left_and_adds_nothing(crawled):
    before, n_asked, done = cards(crawled.store), len(crawled.site.requests), pages_done(crawled.store)
    again = crawl("quizlet", "-a", f"terms={crawled.terms}", "-a", f"site={crawled.site.url}", store=crawled.store)
    asked = {path for path, _ in crawled.site.requests[n_asked:]}
    assert not asked & done
    assert asked >= {"/robots.txt", "/619000001/"}
    assert again.returncode == 1
    assert cards(crawled.store).equals(before)


def wait_until(condition, process, *, seconds=240):
    """Wait for the condition, or for the end of the process."""
    deadline = time.monotonic() + seconds
    while not condition() and process.poll() is None:
        assert time.monotonic() < deadline
        time.sleep(0.01)


class HoldingSite(DemoSite):
    """The demo site, which keeps one page back: a crawl cannot end before it is killed."""

    def __init__(self, held):
        super().__init__()
        self.held, self.released = held, threading.Event()

    def answer(self, target):
        if target == self.held:
            self.released.wait()
        return super().answer(target)


@pytest.mark.sweep
def test_a_crawl_killed_at_random_moments_ends_as_one_that_was_not(crawled, tmp_path, chance):
    """Kills come after a random number of further pages; what was done before a kill is never asked again."""
    terms, store = write_terms(tmp_path, TERMS), tmp_path / "store"
    complete = pages_done(crawled.store)
    longest = max(1, len(complete) // (KILLS + 1))
    done: set[str] = set()
    with HoldingSite(max(filter(set_of, complete))) as site:
        arguments = ("quizlet", "-a", f"terms={terms}", "-a", f"site={site.url}")
        for _ in range(KILLS):
            before = len(site.requests)
            process = start(*arguments, store=store)
            wait_until(lambda before=before: len(site.requests) > before + 1, process)
            enough = len(done) + chance.randint(0, longest)
            wait_until(lambda enough=enough: len(pages_done(store)) >= enough, process)
            process.send_signal(signal.SIGKILL)
            assert process.wait() == -signal.SIGKILL
            assert not {path for path, _ in site.requests[before:]} & done
            done = pages_done(store)
        site.released.set()
        before = len(site.requests)
        last = crawl(*arguments, store=store)
    assert not {path for path, _ in site.requests[before:]} & done
    assert done
    require_same(crawled, store, last)


def require_same(crawled, store, last):
    assert last.returncode == crawled.code
    assert cards(store).equals(cards(crawled.store))
    assert rejects(store, "quizlet") == rejects(crawled.store, "quizlet")


@pytest.fixture
def small_disk(tmp_path):
    """A disk of 600 kB of its own, and how to make it larger."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=600k", "tmpfs", str(folder)]
    if shutil.which("mount") is None or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("a file system of its own can only be mounted by root")
    yield folder, lambda: subprocess.run(["mount", "-o", "remount,size=64m", str(folder)], check=True)
    subprocess.run(["umount", str(folder)], check=True)


@pytest.mark.sweep
def test_a_full_disk_is_one_line_and_loses_nothing(crawled, small_disk, tmp_path):
    folder, enlarge = small_disk
    terms, store = write_terms(tmp_path, TERMS), folder / "store"
    with DemoSite() as site:
        arguments = ("quizlet", "-a", f"terms={terms}", "-a", f"site={site.url}")
        full = crawl(*arguments, store=store)
        assert full.returncode == 2, full.stderr
        assert "Traceback" not in full.stderr
        assert full.stderr.splitlines()[-1].startswith("error: ")
        assert "expected a disk with room to write on" in full.stderr
        assert "run the same command again" in full.stderr
        enlarge()
        done, n_asked = pages_done(store), len(site.requests)
        last = crawl(*arguments, store=store)
    assert done
    assert not {path for path, _ in site.requests[n_asked:]} & done
    require_same(crawled, store, last)


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("n_asked", "says"),
    [
        pytest.param(40, "10 requests in a row and is left alone (silence counts)", id="between pages"),
        pytest.param(70, "unreachable", id="while sets' JSON is walked"),
    ],
)
def test_a_site_that_is_gone_for_a_while_loses_nothing(crawled, tmp_path, n_asked, says):
    terms, store = write_terms(tmp_path, TERMS), tmp_path / "store"
    with DemoSite() as site:
        port = int(site.url.rpartition(":")[2])
        arguments = ("quizlet", "-a", f"terms={terms}", "-a", f"site={site.url}")
        process = start(*arguments, store=store, output=subprocess.PIPE)
        wait_until(lambda: len(site.requests) >= n_asked, process)
    _, errors = process.communicate()
    assert process.returncode == 1
    assert says in errors.decode()
    assert "Traceback" not in errors.decode()
    done = pages_done(store)
    with DemoSite(port=port) as site:
        last = crawl(*arguments, store=store)
    assert done
    assert not {path for path, _ in site.requests} & done
    require_same(crawled, store, last)


# -- bad input


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (
            ["--terms", "nowhere.txt"],
            "expected `table`, `any` or a file with one term per line, found nothing there; check the path",
        ),
        (
            [],
            "expected a table of terms, found none; run `python -m crawler.terminology`, or give -a terms=FILE or",
        ),
        (
            ["--site", "quizlet"],
            "site: expected an address like https://quizlet.com, found 'quizlet'; give -a site=URL",
        ),
        (["--site", "https://quizlet.com"], "contact: expected an e-mail address"),
        (
            ["--terms", "any", "--search", "any"],
            "expected `table` or a file with one term per line, found 'any'",
        ),
    ],
)
def test_bad_input_is_one_line_and_2_and_leaves_nothing(tmp_path, capsys, monkeypatch, arguments, line):
    monkeypatch.delenv("PARADE_CONTACT", raising=False)
    site = [] if "--site" in arguments else ["--site", "http://127.0.0.1:9"]
    given = ["--store", str(tmp_path / "store"), *site, *arguments]
    code = run(Command().main_of("quizlet"), prog="scrapy crawl quizlet", args=given)
    errors = capsys.readouterr().err.splitlines()
    assert code == 2
    assert len(errors) == 1
    assert errors[0].startswith("error: ")
    assert line in errors[0]
    assert not (tmp_path / "store").exists()


def test_an_empty_list_and_one_that_is_no_text_are_bad_input(tmp_path, capsys):
    for content in (b"\n  \n", b"\xff\xfe\x00"):
        path = tmp_path / "terms.txt"
        path.write_bytes(content)
        arguments = ["--store", str(tmp_path / "store"), "--site", "http://127.0.0.1:9", "--terms", str(path)]
        assert run(Command().main_of("quizlet"), prog="scrapy crawl quizlet", args=arguments) == 2
        assert "expected" in capsys.readouterr().err


def test_a_store_in_use_and_another_site_s_ledger_are_bad_input(tmp_path, capsys):
    terms, store = write_terms(tmp_path, TERMS), Store(tmp_path / "store")
    arguments = ["--store", str(store.root), "--terms", str(terms), "--site", "http://127.0.0.1:9"]
    with store.lock("crawl-quizlet"):
        assert run(Command().main_of("quizlet"), prog="scrapy crawl quizlet", args=arguments) == 2
    assert "a run in progress" in capsys.readouterr().err
    with ledger_of(store.root) as ledger:
        ledger.bind("https://quizlet.com")
    assert run(Command().main_of("quizlet"), prog="scrapy crawl quizlet", args=arguments) == 2
    assert "found a crawl of a site on this machine" in capsys.readouterr().err


def test_a_misspelt_argument_ends_the_process_with_2(tmp_path):
    done = crawl("quizlet", "-a", "trems=any", store=tmp_path / "store")
    assert done.returncode == 2
    assert "trems" in done.stderr
    assert not (tmp_path / "store").exists()


# -- terms


def test_later_terms_need_no_new_request(crawled, tmp_path):
    """With `any` every front is a term: the ledger's cards suffice."""
    with ledger_of(crawled.store) as ledger:
        store = Store(tmp_path / "store")
        found = harvest(store, ledger, "quizlet", ANY)
        n_read = len(ledger.cards())
    assert found.n_new == n_read - found.rejects.get("empty_front", 0)
    assert "front_is_no_term" not in found.rejects
    with ledger_of(crawled.store) as ledger:
        assert harvest(store, ledger, "quizlet", ANY).n_new == 0
