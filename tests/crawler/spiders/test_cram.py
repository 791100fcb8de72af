"""`scrapy crawl cram` against a local site in its page shapes."""

import pytest

from data.contract.tables.definitions import Cards
from data.storage.store import Store
from tests.crawler.tools import crawling
from tests.crawler.tools.card_sites import TEXTS, cram_routes
from tests.crawler.tools.crawling import crawl, rejects, sets
from tests.crawler.tools.local_site import LocalSite

pytestmark = pytest.mark.sweep

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
    found = rejects(store, "cram")
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
