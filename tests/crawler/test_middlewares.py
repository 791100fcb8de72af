"""Manners: what counts as a no, how long to wait, who is told who we are; on real connections to 127.0.0.1."""

import gzip
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.cards.outcome import Finding, Outcome
from crawler.ledger.ledger import Ledger
from crawler.pages.refusals import is_challenge, refusal, retry_after, robots_refusal
from crawler.spiders.politeness import NO_WAITING, Patience, check_site, is_loopback, pace
from data.errors import InputError
from tests.crawler.crawling import cards, crawl
from tests.crawler.local_site import Answer, LocalSite
from tests.crawler.pages.test_quizlet import item, next_page

CHALLENGE = b'<title>Just a moment...</title><form id="challenge-form" action="/"></form>'
NOW = datetime(2026, 11, 20, 12, 0, 0, tzinfo=UTC)


# -- what is a no


@pytest.mark.parametrize(
    ("status", "body", "location", "kind"),
    [
        (200, CHALLENGE, "", None),
        (403, CHALLENGE, "", "blocked"),
        (503, CHALLENGE, "", "blocked"),
        (429, b"", "", "blocked"),
        (403, b"This set is private", "", "private"),
        (401, b"", "", "private"),
        (404, CHALLENGE, "", "gone"),
        (410, b"", "", "gone"),
        (500, b"", "", "server_error"),
        (418, b"", "", "unexpected_status"),
        (302, b"", "/login?next=/1/", "private"),
        (302, b"", "https://quizlet.com/gb/sign-up", "private"),
        (301, b"", "https://elsewhere.example/1/", "redirected"),
        (301, b"", "https://elsewhere.example/logins/", "redirected"),
    ],
)
def test_the_kinds_of_no(status, body, location, kind):
    found = refusal(status, body, location)
    assert (found.kind if found else None) == kind


def test_what_a_plain_403_means_depends_on_the_page():
    assert refusal(403, b"", forbidden="blocked").kind == "blocked"
    assert refusal(404, b"", forbidden="blocked", missing="changed_markup").kind == "changed_markup"


@pytest.mark.parametrize(
    "page",
    [
        CHALLENGE,
        b"<TITLE>Captcha Challenge...</TITLE>",
        b"<p>Enable JavaScript and cookies to continue</p>",
        b"<title>Attention Required! | Cloudflare</title>",
        b'<div class="px-captcha-container"></div>',
    ],
)
def test_challenges_are_known_by_their_body(page):
    assert is_challenge(page)


@pytest.mark.parametrize(
    "page", [b"", b"<title>CAPTCHA flashcards</title><p>just a moment</p>", b"x" * 5000 + CHALLENGE]
)
def test_a_page_that_talks_of_challenges_is_none(page):
    assert not is_challenge(page)


# -- robots.txt


@pytest.mark.parametrize(
    ("status", "body", "refuses"),
    [
        (200, b"User-agent: *\nDisallow:\n", False),
        (200, b"", False),
        (404, b"<html>not found</html>", False),
        (410, b"", False),
        (200, b"  <!DOCTYPE html><title>Welcome</title>", True),
        (200, b"Just a line: checking your browser", True),
        (403, CHALLENGE, True),
        (401, b"", True),
        (429, b"", True),
        (500, b"", True),
        (503, b"User-agent: *\nDisallow:\n", True),
        (302, b"", True),
    ],
)
def test_only_rules_or_their_absence_allow(status, body, refuses):
    assert (robots_refusal(status, body) is not None) == refuses


# -- waiting


@given(st.integers(0, 10**9))
def test_retry_after_in_seconds(seconds):
    assert retry_after(f" {seconds} ", NOW) == seconds


@given(st.integers(-(10**6), 10**6))
def test_retry_after_as_a_date_counts_from_now_and_never_below_zero(seconds):
    assert retry_after(format_datetime(NOW + timedelta(seconds=seconds), usegmt=True), NOW) == max(0, seconds)


@pytest.mark.parametrize("value", ["", "soon", "-5", "1.5", "٣", "Wed, 99 Nov 2026 00:00:00 GMT"])
def test_a_retry_after_that_names_no_time(value):
    assert retry_after(value, NOW) is None


@given(st.text(max_size=40))
def test_any_retry_after_is_a_time_or_none(value):
    seconds = retry_after(value, NOW)
    assert seconds is None or seconds >= 0


# -- patience


def outcome(kind):
    return Outcome(findings=(Finding(kind=kind, detail=""),)) if kind else Outcome()


@pytest.mark.parametrize(
    ("kinds", "over"),
    [
        (["blocked", "server_error", "unreachable"], True),
        (["private"] * 3, True),
        (["blocked", "blocked", None, "blocked", "blocked"], False),
        (["blocked", "blocked", "gone", "blocked"], False),
        (["changed_markup"] * 9, False),
    ],
)
def test_patience_ends_with_three_refusals_in_a_row(kinds, over):
    patience = Patience(3)
    assert any(patience.is_over(outcome(kind)) for kind in kinds) == over


# -- who asks whom


@pytest.mark.parametrize("site", ["http://127.0.0.1:8000", "http://localhost", "http://[::1]:80"])
def test_this_machine_is_asked_without_waiting_and_without_contact(site):
    assert is_loopback(site)
    assert pace(site, "") == NO_WAITING


def test_another_machine_is_told_whom_to_write_to_and_is_not_hurried():
    assert pace("https://quizlet.com", "me@example.org") == {
        "USER_AGENT": "parade-builder (research crawler; me@example.org)"
    }


@pytest.mark.parametrize("site", ["https://quizlet.com", "http://127.0.0.1.example.org", "http://10.0.0.1"])
@pytest.mark.parametrize("contact", ["", "nobody"])
def test_another_machine_is_not_asked_without_contact(site, contact):
    with pytest.raises(InputError, match=r"^contact: expected .*; give -a contact=MAIL or set PARADE_CONTACT$"):
        pace(site, contact)


@pytest.mark.parametrize(
    "site",
    [
        "",
        "quizlet.com",
        "ftp://quizlet.com",
        "https://",
        "https://quizlet.com/search",
        "https://q.com?x=1",
        "http://[",
        "http://h:99999",
    ],
)
def test_what_is_no_site(site):
    with pytest.raises(InputError, match=r"^site: expected"):
        check_site(site)


def test_a_final_slash_does_not_matter():
    assert check_site("https://quizlet.com/") == check_site("https://quizlet.com") == "https://quizlet.com"


# -- on the wire

SEARCH = "/search?query=hash+table&type=sets&page="


def results(*ids):
    links = "".join(f'<a href="/{number}/x-flash-cards/">{number}</a>' for number in ids)
    return Answer(body=f"<a href='/'>home</a>{links}".encode())


def test_searches_that_find_nothing_at_all_are_not_taken_for_an_empty_site(terms):
    with LocalSite({SEARCH + "1": results()}) as site:
        done = crawl_site(site, terms)
    assert done.returncode == 1
    assert "none of 1 searches found a set" in done.stderr
    assert site.asked == ["/robots.txt", SEARCH + "1"]


def good(set_id):
    page = next_page({"id": set_id, "title": "T", "numTerms": 1}, [item(set_id, "hash table", f"d{set_id}")])
    return Answer(body=page)


@pytest.fixture
def terms(tmp_path):
    path = tmp_path / "terms.txt"
    path.write_text("hash table\n")
    return path


def crawl_site(site, terms, *options):
    return crawl("quizlet", "-a", f"terms={terms}", "-a", f"site={site.url}", *options, store=terms.parent / "store")


def findings(terms):
    with Ledger(terms.parent / "store" / "ledgers" / "quizlet.sqlite") as ledger:
        found = ledger.findings()
        return {
            url.rsplit(":", 1)[1].split("/", 1)[1]: kind for url, kind in zip(found["url"], found["kind"], strict=True)
        }, ledger.counts()


@pytest.mark.parametrize(
    "robots", [Answer(body=CHALLENGE, status=403), Answer(body=b"<html>hello</html>")], ids=["403", "a web page"]
)
def test_where_no_rules_come_nothing_is_asked(terms, robots):
    with LocalSite({SEARCH + "1": results(500000001)}, robots=robots) as site:
        done = crawl_site(site, terms)
    assert set(site.asked) == {"/robots.txt"}
    assert done.returncode == 1
    assert "/robots.txt" in done.stderr.splitlines()[-1]
    assert "0 pages done, 0 to be asked again, 1 not asked yet" in done.stdout


def test_a_site_that_refuses_is_left_alone_and_asked_again_by_the_next_run(terms):
    sets = range(500000001, 500000041)
    blocked = Answer(body=CHALLENGE, status=403)
    routes = {SEARCH + "1": results(*sets), SEARCH + "2": results(), **{f"/{n}/": blocked for n in sets}}
    with LocalSite(routes) as site:
        done = crawl_site(site, terms, "-s", "REFUSALS_MAX=4")
        assert done.returncode == 1
        assert "refused 4 requests in a row" in done.stderr
        refused, _ = findings(terms)
        assert set(refused.values()) == {"blocked"}
        assert len(refused) < len(sets)
        site.routes |= {f"/{n}/": good(n) for n in sets}
        again = crawl_site(site, terms)
    assert again.returncode == 0, again.stderr
    assert len(cards(terms.parent / "store")) == len(sets)
    assert site.asked.count(SEARCH + "1") == 1


def test_an_afternoon_with_a_difficult_site(terms):
    """One crawl meets a wait, a way out of the site, a way to the login, a page without end, and a dead line."""
    slow = Answer(status=429, headers={"Retry-After": "2"})
    with LocalSite({}) as elsewhere:
        routes = {
            SEARCH + "1": results(*range(500000001, 500000012)),
            SEARCH + "2": results(),
            "/500000001/": [slow, good(500000001)],
            "/500000002/": Answer(status=302, headers={"Location": elsewhere.url + "/500000002/"}),
            "/500000003/": Answer(status=302, headers={"Location": "/login"}),
            "/500000004/": Answer(status=301, headers={"Location": "/500000004/slug-flash-cards/"}),
            "/500000004/slug-flash-cards/": good(500000004),
            "/500000005/": Answer(body=b" " * (8 * 2**20 + 1)),
            "/500000006/": Answer(status=302, headers={"Location": "/500000006/"}),
            "/500000007/": [Answer(status=503, headers={"Retry-After": "nonsense"}), good(500000007)],
            "/500000008/": Answer(body=b"cut off", headers={"Content-Length": "99"}),
            "/500000009/": good(500000009),
            "/500000010/": Answer(body=gzip.compress(bytes(2**25)), headers={"Content-Encoding": "gzip"}),
            "/500000011/": replace(good(500000011), type="text/html; charset=utf-16"),
        }
        with LocalSite(
            routes, robots=Answer(body=b"User-agent: parade-builder\nDisallow: /500000009/\n", type="text/plain")
        ) as site:
            options = (
                "DOWNLOAD_DELAY=0.02",
                "CONCURRENT_REQUESTS_PER_DOMAIN=1",
                "RETRY_AFTER_DEFAULT=0.1",
                "RETRY_TIMES=1",
            )
            done = crawl_site(site, terms, *(part for one in options for part in ("-s", one)))
    found, counts = findings(terms)
    assert found == {
        "500000002/": "redirected",
        "500000003/": "private",
        "500000005/": "too_large",
        "500000006/": "not_followed",
        "500000008/": "unreachable",
        "500000009/": "disallowed",
        "500000010/": "too_large",
    }
    assert done.returncode == 1
    assert elsewhere.asked == []
    assert not {"/login", "/500000009/"} & set(site.asked)
    assert sorted(cards(terms.parent / "store")["set_id"]) == ["500000001", "500000004", "500000007", "500000011"]
    assert counts == {"done": 6, "failed": 7}
    assert site.asked.count("/500000001/") == 2
    waited = site.asked.index("/500000001/")
    assert site.times[waited + 1] - site.times[waited] >= 2
    assert {one.get("User-Agent") for one in site.headers} == {"parade-builder (research crawler)"}
    assert not any("Cookie" in one or "Referer" in one for one in site.headers)
