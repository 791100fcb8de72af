"""Manners on real connections to 127.0.0.1: rules, waits, refusals, and no way out of the site."""

import gzip
from dataclasses import replace

import pytest
from scrapy import Request
from scrapy.exceptions import IgnoreRequest

from crawler.commands.crawl import Command
from crawler.ledger.ledger import Ledger, SourcePage
from crawler.middlewares import SameOrigin
from data.console.commands import run
from tests.crawler.tools import crawling
from tests.crawler.tools.crawling import cards, crawl
from tests.crawler.tools.local_site import Answer, LocalSite
from tests.crawler.tools.quizlet_pages import item, next_page

ENVIRONMENT = crawling.environment()
CHALLENGE = b'<title>Just a moment...</title><form id="challenge-form" action="/"></form>'
SEARCH = "/search?query=hash+table&type=sets&page="


def results(*ids):
    links = "".join(f'<a href="/{number}/x-flash-cards/">{number}</a>' for number in ids)
    return Answer(body=f"<a href='/'>home</a>{links}".encode())


@pytest.mark.sweep
def test_searches_that_find_nothing_at_all_are_not_taken_for_an_empty_site(terms):
    with LocalSite({SEARCH + "1": results()}) as site:
        done = crawl_site(site, terms)
    assert done.returncode == 1
    assert "none of 1 search found a set" in done.stderr
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
    "robots",
    [
        pytest.param(Answer(body=CHALLENGE, status=403), id="403"),
        pytest.param(Answer(body=b"<html>hello</html>"), id="a web page", marks=pytest.mark.sweep),
    ],
)
def test_where_no_rules_come_nothing_is_asked(terms, robots):
    with LocalSite({SEARCH + "1": results(500000001)}, robots=robots) as site:
        done = crawl_site(site, terms)
    assert set(site.asked) == {"/robots.txt"}
    assert done.returncode == 1
    assert "/robots.txt" in done.stderr.splitlines()[-1]
    assert "0 pages done, 0 to be asked again, 1 not asked yet" in done.stdout


@pytest.mark.sweep
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


@pytest.mark.sweep
def test_no_form_of_redirect_leads_out_of_the_site(tmp_path, monkeypatch):
    """Other hosts are never asked, not even for their rules, and the cookie goes to the exact origin alone."""
    ways = ["///{0}/x/", "//{0}/x/", "http://{0}/x/", "////{0}/x/", "/\\{0}/x/", "\\\\{0}/x/", "https:///{0}/x/"]
    ways += ["/\t/{0}/x/", "ht\ttp://{0}/x/", "http://127.0.0.1@{0}/x/", "HTTP:{0}/x/", "http:\\\\{0}/x/", " //{0}/x/"]
    ways += ["http://\uff11\uff12\uff17.0.0.1:{1}/x/", "http://127.1:{1}/x/", "http://[::ffff:127.0.0.1]:{1}/x/"]
    with LocalSite({}) as elsewhere:
        other = elsewhere.url.removeprefix("http://")
        others = (other, other.replace("127.0.0.1", "localhost"))
        targets = [way.format(other, other.rpartition(":")[2]) for way in ways for other in others]
        refresh = f'<meta http-equiv="refresh" content="0; url={elsewhere.url}/x/"><base href="{elsewhere.url}/">'
        numbers = range(500000001, 500000001 + len(targets))
        routes = {
            f"/{number}/": Answer(status=302, headers={"Location": target.encode().decode("latin-1")})
            for number, target in zip(numbers, targets, strict=True)
        }
        first, second, third = (500000900 + n for n in range(3))
        routes |= {
            f"/{first}/": Answer(body=refresh.encode(), headers={"Refresh": f"0; url={elsewhere.url}/x/"}),
            f"/{second}/": Answer(status=302, headers={"Location": f"/{second}/hop/"}),
            f"/{second}/hop/": Answer(status=302, headers={"Location": f"//{other}/x/"}),
            f"/{third}/": Answer(status=302, headers={"Location": f"/{third}/a\tb/", "Refresh": f"0;{elsewhere.url}"}),
        }
        (tmp_path / "sets.txt").write_text("".join(f"{n}\n" for n in (*numbers, first, second, third)))
        monkeypatch.setattr(crawling, "environment", lambda: {**ENVIRONMENT, "PARADE_QUIZLET_COOKIE": "session=s3cr3t"})
        with LocalSite(routes) as site:
            sets = f"sets={tmp_path / 'sets.txt'}"
            crawl("quizlet", "-a", "terms=any", "-a", sets, "-a", f"site={site.url}", store=tmp_path / "store")
        assert elsewhere.asked == []
    assert {f"/{number}/" for number in (*numbers, first, second, third)} <= set(site.asked)
    assert f"/{second}/hop/" in site.asked
    assert {headers.get("Cookie") for headers in site.headers} == {"session=s3cr3t", None}
    assert all(headers.get("Cookie") for path, headers in zip(site.asked, site.headers, strict=True) if path[1] == "5")


@pytest.mark.parametrize("key", ["2/123456789/", "//localhost/1/", "@127.0.0.1/1/"])
def test_a_ledger_whose_pages_are_elsewhere_is_refused(tmp_path, key, capsys):
    with Ledger(tmp_path / "store" / "ledgers" / "quizlet.sqlite") as ledger:
        ledger.ask([SourcePage(kind="set", key=key)])
    (tmp_path / "sets.txt").write_text("500000001\n")
    arguments = ["--terms", "any", "--sets", str(tmp_path / "sets.txt"), "--site", "http://127.0.0.1:910"]
    main = Command().main_of("quizlet")
    assert run(main, prog="scrapy crawl quizlet", args=[*arguments, "--store", str(tmp_path / "store")]) == 2
    assert "that is not a path on its site" in capsys.readouterr().err


def test_no_request_leaves_the_site_wherever_it_comes_from():
    guard = SameOrigin("https://quizlet.com")
    assert guard.process_request(Request("https://quizlet.com/1/")) is None
    for url in (
        "https://quizlet.com.evil.example/1/",
        "http://quizlet.com/1/",
        "https://quizlet.com:8443/",
        "https://x/",
    ):
        with pytest.raises(IgnoreRequest, match=r"is not a page of https://quizlet\.com"):
            guard.process_request(Request(url))


@pytest.mark.sweep
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
