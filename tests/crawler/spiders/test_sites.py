"""scrapy crawl cram and studystack against local sites in their page shapes."""

import pytest

from crawler.ledger.ledger import Ledger
from data.store import Store
from data.tables.definitions import Cards
from tests.crawler import crawling
from tests.crawler.card_sites import FILLING, TEXTS, cram_routes, stack_routes
from tests.crawler.crawling import cards, crawl, rejects
from tests.crawler.local_site import LocalSite

ENVIRONMENT = crawling.environment()
COOKIE = "session=s3cr3t-of-mine; other=1"


@pytest.fixture(scope="module")
def crammed(tmp_path_factory):
    """The Cram-like site crawled twice with the operator's own session: site, store, results, size of the first"""
    folder = tmp_path_factory.mktemp("cram")
    (folder / "terms.txt").write_text("hash table\nnothing\n")
    store, cookie = folder / "store", pytest.MonkeyPatch()
    cookie.setattr(crawling, "environment", lambda: {**ENVIRONMENT, "PARADE_CRAM_COOKIE": COOKIE})
    with LocalSite(cram_routes()) as site:
        arguments = ("cram", "-a", f"site={site.url}", "-a", f"search={folder}/terms.txt", "-a", "terms=any")
        first = crawl(*arguments, store=store)
        n_asked = len(site.asked)
        second = crawl(*arguments, store=store)
        yield site, store, first, second, n_asked
    cookie.undo()


def sets(store):
    table = cards(store)
    return {
        set_id: list(zip(rows.sort_values("position")["front"], rows.sort_values("position")["back"], strict=True))
        for set_id, rows in table.groupby("set_id")
    }


def test_cram_s_sets_are_read_from_table_or_json(crammed):
    _, store, first, _, _ = crammed
    found = sets(store)
    assert first.returncode == 1, first.stderr
    for set_id in range(9000001, 9000007):  # of 9000006, the front that is a picture alone names no term
        assert found[str(set_id)] == TEXTS, set_id
    assert ("captcha", "Just a moment: checking your browser") in found["9000007"]
    assert found.keys() == {f"900000{n}" for n in range(1, 8)}


def test_cram_s_findings_are_named(crammed):
    _, store, first, _, _ = crammed
    found = rejects(store, "crawler.cram")
    assert found == {
        "sides_disagree": 1, "truncated": 1, "blocked": 1, "private": 1,
        "gone": 1, "changed_markup": 1, "empty_front": 1,
    }  # fmt: skip
    assert "3 of 1000 cards" in first.stdout


def test_cram_is_searched_page_by_page_and_only_what_failed_is_asked_again(crammed):
    site, _, _, second, n_asked = crammed
    searches = [path for path in site.asked if path.startswith("/search")]
    assert len(searches) == 4 + 1  # pages 1 to 4 of one term, the last one without a set; one page of the other
    again = [path for path in site.asked[n_asked:] if path != "/robots.txt"]
    assert {path.rpartition("-")[2] for path in again} == {"9000008", "9000009", "9000011"}
    assert "0 new in" in second.stdout


def test_the_cookie_goes_to_the_site_and_nowhere_else(crammed):
    site, store, first, second, _ = crammed
    sent = [
        headers.get("Cookie") for path, headers in zip(site.asked, site.headers, strict=True) if path != "/robots.txt"
    ]
    assert set(sent) == {COOKIE}
    secret = b"s3cr3t"
    assert not any(secret in path.read_bytes() for path in store.rglob("*") if path.is_file())
    assert "s3cr3t" not in first.stdout + first.stderr + second.stdout + second.stderr


def test_authors_licence_and_provenance(crammed):
    _, store, _, _, _ = crammed
    row = Store(store).read(Cards, set_id="9000001").iloc[0]
    assert (row["source"], row["set_title"]) == ("cram", "OS basics")
    assert "no open licence" in row["licence_note"]
    assert row["url"].endswith("/flashcards/table-only-9000001")


def test_studystack_reads_a_list_and_a_category_and_falls_back_on_the_export(tmp_path):
    store, listed = tmp_path / "store", tmp_path / "sets.txt"
    listed.write_text("1001\nhttps://www.studystack.com/flashcard-1002\n\n")
    with LocalSite(stack_routes()) as site:
        arguments = (
            "studystack",
            "-a",
            f"site={site.url}",
            "-a",
            "category=7",
            "-a",
            f"sets={listed}",
            "-a",
            "terms=any",
        )
        done = crawl(*arguments, store=store)
        assert sum("categoryStackListJson" in path for path in site.asked) == 2
        assert len(site.asked) == len(set(site.asked))
    assert done.returncode == 1, done.stderr
    found = sets(store)
    assert found["1001"] == found["1002"] == TEXTS
    assert found["1003"] == [("pipe", "a | b"), ("stack", "last in, first out")]
    assert found["1007"] == [("captcha", "Just a moment")]
    assert found.keys() == {"1001", "1002", "1003", "1007", *FILLING}
    assert rejects(store, "crawler.studystack") == {
        "changed_markup": 2, "blocked": 1, "private": 1, "no_separator": 2, "empty_front": 2, "gone": 1,
    }  # fmt: skip
    with Ledger(store / "ledgers" / "studystack.sqlite") as ledger:
        pages = ledger.pages().set_index("key")["state"]
    failed = {"/flashcard-1004", "/flashcard-1005", "/flashcard-1006"}
    assert set(pages.index[pages == "failed"]) == failed


def test_a_site_that_refuses_is_left_alone_and_the_operator_is_told_what_to_bring(tmp_path):
    listed = tmp_path / "sets.txt"
    listed.write_text("\n".join(str(number) for number in range(1, 40)))
    refused = {f"/flashcard-{number}": stack_routes()["/flashcard-1004"] for number in range(1, 40)}
    with LocalSite(refused) as site:
        arguments = ("studystack", "-a", f"site={site.url}", "-a", f"sets={listed}", "-a", "terms=any")
        done = crawl(*arguments, store=tmp_path / "store")
        assert len([path for path in site.asked if path.startswith("/flashcard")]) < 25
    assert done.returncode == 1
    assert "refused 10 requests in a row and is left alone (silence counts)" in done.stderr
    assert "their export as text (.txt)" in done.stdout
