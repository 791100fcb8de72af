"""The demo site over real sockets: every page shape, the paging trap, the refusals, a clean stop."""

import json
import re
import socket
import threading
from collections import defaultdict
from collections.abc import Iterator
from urllib.parse import urlsplit

import httpx
import pytest

from demo.card_site.decks import SiteDeck, read_decks
from demo.card_site.pages import WALL
from demo.card_site.webapi import PER_PAGE_CAP
from demo.making.paper_fragments import TERMS
from demo.site import DemoSite

SET_LINK = re.compile(r"^/(?:[a-z]{2}(?:-[a-z]{2})?/)?(\d{8,10})(?:/|$)")
DECKS = read_decks()


@pytest.fixture(scope="module")
def site() -> Iterator[DemoSite]:
    with DemoSite() as running:
        yield running


@pytest.fixture(scope="module")
def client(site: DemoSite) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=site.url, trust_env=False) as browser:
        yield browser


def get_items(client: httpx.Client, number: int, **query: str | int) -> httpx.Response:
    fixed = {"filters[studiableContainerId]": number, "filters[studiableContainerType]": 1}
    return client.get("/webapi/3.9/studiable-item-documents", params=fixed | query)


def redux(text: str) -> dict:
    found = re.search(r'<script id="__NEXT_DATA__" type="application/json">(.*?)</script>', text, re.DOTALL)
    state = json.loads(found[1])["props"]["pageProps"]["dehydratedReduxStateKey"]
    assert isinstance(state, str)
    return json.loads(state)


def assigned(text: str, key: str) -> dict:
    found = re.search(rf'window\.Quizlet\["{key}"\] = (.*?); QLoad\("Quizlet\.{key}"\);', text, re.DOTALL)
    return json.loads(found[1])


def cards_of(items: list[dict]) -> list[tuple[str, str]]:
    """(word, definition) of studiable items: sides by label, media by type, nothing by position."""
    texts = [
        {
            side["label"]: next((m["plainText"] for m in side["media"] if m["type"] == 1), None)
            for side in item["cardSides"]
        }
        for item in items
    ]
    return [(sides["word"], sides["definition"]) for sides in texts]


def written(deck: SiteDeck) -> list[tuple[str, str]]:
    return [(card.word, card.definition) for card in deck.shown]


def decks_of(*generations: str) -> list[SiteDeck]:
    return [deck for deck in DECKS.values() if deck.generation in generations and deck.shown and not deck.behaviour]


@pytest.mark.parametrize("deck", decks_of("2026"), ids=lambda deck: str(deck.id))
def test_page_of_today_is_json_in_a_string_with_recommended_sets_beside_the_cards(client, deck):
    state = redux(client.get(deck.path).text)
    assert state["setPage"]["set"]["id"] == deck.id
    assert state["setPage"]["set"]["numTerms"] == len(deck.shown)
    assert cards_of(state["studyModesCommon"]["studiableData"]["studiableItems"]) == written(deck)
    assert deck.id not in [other["set"]["id"] for other in state["setPage"]["recommendedSets"]]
    assert all(other["preview"]["studiableItems"] for other in state["setPage"]["recommendedSets"])


@pytest.mark.parametrize("deck", decks_of("2019", "2020"), ids=lambda deck: str(deck.id))
def test_pages_of_2019_hold_a_map_and_a_normalised_list(client, deck):
    by_id = assigned(client.get(deck.path).text, "setPageData")["termIdToTermsMap"]
    assert [(t["word"], t["definition"]) for t in sorted(by_id.values(), key=lambda t: t["rank"])] == written(deck)
    key = "assistantModeData" if deck.generation == "2019" else "cardsModeData"
    data = assigned(client.get(f"/{deck.id}/flashcards").text, key)["studiableData"]
    text_of = {m["connectionModelId"]: m["text"]["plainText"] for m in data["studiableMediaConnections"]}
    sides = defaultdict(dict)
    for side in data["studiableCardSides"]:
        sides[side["studiableItemId"]][side["label"]] = text_of[side["id"]]
    found = [(sides[i["id"]]["word"], sides[i["id"]]["definition"]) for i in data["studiableItems"]]
    assert found == written(deck)


@pytest.mark.parametrize("deck", decks_of("2022", "2022-singular"), ids=lambda deck: str(deck.id))
def test_pages_of_2022_hold_a_map_and_a_nested_list(client, deck):
    by_id = redux(client.get(deck.path).text)["setPage"]["termIdToTermsMap"]
    assert [(t["word"], t["definition"]) for t in sorted(by_id.values(), key=lambda t: t["rank"])] == written(deck)
    singular = deck.generation == "2022-singular"
    data = assigned(client.get(f"/{deck.id}/flashcards").text, "cardsModeData" if singular else "assistantModeData")
    assert data["studiableData"] is None
    nested = data["studiableDocumentData"]["studiableItem" if singular else "studiableItems"]
    assert cards_of(nested) == written(deck)


@pytest.mark.parametrize("form", ["/{}/", "/{}", "/{}/any-slug-2019-flash-cards/", "/gb/{}/x/", "/pt-br/{}/x/?new"])
def test_a_set_answers_under_every_form_of_its_address(client, form):
    assert redux(client.get(form.format(611001001)).text)["setPage"]["set"]["id"] == 611001001


def test_dom_rows_pair_word_and_definition(client):
    text = client.get("/611001001/").text
    assert text.count('data-testid="set-page-term-card-side"') == 2 * len(DECKS[611001001].shown)
    assert text.count('class="SetPageTermsList-term"') == len(DECKS[611001001].shown)


def test_paging_trap(client):
    deck = DECKS[613001009]
    first = get_items(client, deck.id, perPage=200).json()["responses"][0]
    assert first["paging"]["perPage"] == PER_PAGE_CAP
    assert first["paging"]["total"] == len(deck.terms) > PER_PAGE_CAP
    assert get_items(client, deck.id, perPage=200, page=2).status_code == 400
    second = get_items(client, deck.id, perPage=200, page=2, pagingToken=first["paging"]["token"])
    items = first["models"]["studiableItem"] + second.json()["responses"][0]["models"]["studiableItem"]
    assert cards_of(items) == written(deck)


def test_a_token_is_on_the_only_page_too(client):
    paging = get_items(client, 611001001).json()["responses"][0]["paging"]
    assert paging["total"] <= paging["perPage"]
    assert paging["token"]


@pytest.mark.parametrize("query", [{"page": 0}, {"perPage": "many"}, {"page": "-1"}])
def test_bad_paging_is_refused_in_the_envelope(client, query):
    reply = get_items(client, 611001001, **query)
    assert reply.status_code == reply.json()["responses"][0]["error"]["code"] == 400


def test_json_has_three_side_numberings_and_odd_orders(client):
    numberings = set()
    for number in (611001001, 611001002, 611001003):
        sides = get_items(client, number).json()["responses"][0]["models"]["studiableItem"][0]["cardSides"]
        numberings.add(len(str(sides[0]["sideId"])) * 10 + sides[0]["sideId"] % 2)
    assert len(numberings) == 3
    edited = get_items(client, 619000022).json()["responses"][0]["models"]["studiableItem"]
    assert sum(item["isDeleted"] for item in edited) == 3
    assert {item["rank"] for item in edited} == {None}
    assert edited[0]["cardSides"][0]["label"] == "definition"
    pictures = get_items(client, 619000017).json()["responses"][0]["models"]["studiableItem"]
    kinds = {tuple(m["type"] for m in side["media"]) for item in pictures for side in item["cardSides"]}
    assert {(1,), (1, 2), (2, 1), (1, 4)} <= kinds
    diagram = get_items(client, 619000018).json()["responses"][0]["models"]["studiableItem"]
    assert [side["label"] for side in diagram[0]["cardSides"]] == ["word", "definition", "location"]
    assert json.loads(diagram[0]["cardSides"][2]["media"][0]["shape"])["type"] == "Feature"


def test_truncated_resource_announces_more_than_it_gives(client):
    first = get_items(client, 619000009).json()["responses"][0]
    assert (first["paging"]["total"], len(first["models"]["studiableItem"])) == (12, 9)
    token = first["paging"]["token"]
    second = get_items(client, 619000009, page=2, pagingToken=token).json()["responses"][0]
    assert second["models"]["studiableItem"] == []


def test_odd_payloads(client):
    other = redux(client.get("/611002002/").text)
    assert other["setPage"]["set"]["id"] == 611003001
    with pytest.raises(json.JSONDecodeError):
        redux(client.get("/611003002/").text)
    walled = redux(client.get("/613001009/").text)
    assert len(walled["studyModesCommon"]["studiableData"]["studiableItems"]) == WALL
    assert walled["setPage"]["set"]["numTerms"] == len(DECKS[613001009].shown) > WALL
    script = re.search(r'id="__NEXT_DATA__" type="application/json">(.*?)</script>', client.get("/611001002/").text)
    state = json.loads(script[1])["props"]["pageProps"]["dehydratedReduxStateKey"]
    assert state["setPage"]["set"]["id"] == 611001002
    changed = client.get("/619000008/").text
    assert "__NEXT_DATA__" not in changed
    assert "TermText" not in changed


@pytest.mark.parametrize(
    ("number", "page", "resource", "text"),
    [
        (619000001, 403, 403, "private"),
        (619000002, 200, 403, "setPasswordData"),
        (619000003, 404, 404, "not found"),
        (619000004, 410, 410, "deleted"),
        (619000005, 200, 200, "Captcha Challenge"),
        (619000006, 403, 403, "challenge-form"),
        (619000007, 302, 403, ""),
        (619000099, 404, 404, "not found"),
    ],
)
def test_refusals(client, number, page, resource, text):
    reply = client.get(f"/{number}/")
    assert reply.status_code == page
    assert text in reply.text
    assert get_items(client, number).status_code == resource


def test_blocks_answer_html_where_json_was_asked_for(client):
    for number in (619000005, 619000006, 611005002):
        assert get_items(client, number).headers["Content-Type"].startswith("text/html")
    assert redux(client.get("/611005002/").text)["setPage"]["set"]["id"] == 611005002


def test_too_many_requests_once():
    with DemoSite() as site:
        replies = [httpx.get(f"{site.url}/611004002/", trust_env=False) for _ in range(2)]
        assert [reply.status_code for reply in replies] == [429, 200]
        assert replies[0].headers["Retry-After"] == "1"
        assert site.requests == [("/611004002/", 429), ("/611004002/", 200)]


def test_calm_site_serves_every_open_set_plainly():
    refusing = {"private", "password", "missing", "gone", "login"}
    with DemoSite(blocks=False, faults=False) as site, httpx.Client(base_url=site.url, trust_env=False) as client:
        for deck in site.decks.values():
            if deck.behaviour not in refusing:
                assert client.get(deck.path).status_code == 200
                paging = get_items(client, deck.id).json()["responses"][0]["paging"]
                assert paging["total"] == len(deck.terms)


def test_robots_allow(client):
    reply = client.get("/robots.txt")
    assert reply.headers["Content-Type"].startswith("text/plain")
    assert "Disallow: /login" in reply.text


def result_links(text: str) -> list[str]:
    return [urlsplit(href).path for href in re.findall(r'href="(/[^"]*)"', text)]


def search(client: httpx.Client, query: str) -> set[int]:
    """Ids of all sets that the search lists, page by page until one shows none."""
    found: set[int] = set()
    for page in range(1, 100):
        text = client.get("/search", params={"query": query, "type": "sets", "page": page}).text
        ids = {int(match[1]) for path in result_links(text) if (match := SET_LINK.match(path))}
        if not ids:
            return found
        assert not ids & found
        found |= ids
    raise AssertionError("the search never ends")


def test_search_has_two_markups_duplicates_and_links_to_no_set(client):
    texts = [
        client.get("/search", params={"query": "hash table", "type": "sets", "page": page}).text for page in (1, 2)
    ]
    assert sum("SearchResultsPage-result" in text for text in texts) == 1
    paths = result_links(texts[0])
    ids = [match[1] for path in paths if (match := SET_LINK.match(path))]
    assert len(ids) == 2 * len(set(ids)) == 20
    assert any(not SET_LINK.match(path) for path in paths)
    assert "/gb/" in texts[0]
    assert "funnelUUID" in texts[0]


def test_search_without_results(client):
    assert search(client, "zebra crossing") == set()
    assert search(client, "mobile devices") == set()
    assert search(client, "") == set()


def fetched_cards(client: httpx.Client, number: int) -> list[dict]:
    """Items of a set from the JSON resource, else from the page; none where both are refused."""
    items: list[dict] = []
    query: dict[str, str | int] = {}
    reply = get_items(client, number)
    while reply.headers["Content-Type"] == "application/json" and reply.status_code == 200:
        answer = reply.json()["responses"][0]
        found = answer["models"]["studiableItem"]
        items += found
        if not found or len(items) >= answer["paging"]["total"]:
            return items
        query = {"page": answer["paging"]["page"] + 1, "pagingToken": answer["paging"]["token"]}
        reply = get_items(client, number, **query)
    page = client.get(f"/{number}/").text
    return redux(page)["studyModesCommon"]["studiableData"]["studiableItems"] if "__NEXT_DATA__" in page else []


@pytest.mark.sweep
def test_enough_definitions_are_reachable_through_search():
    """At least 40 entities with five or more usable definitions: English, pure text, at most 30 words."""
    foreign = {card.definition for deck in DECKS.values() for card in deck.terms if card.written_in != "en"}
    terms = [term for term, (_, n, _) in TERMS.items() if n > 20]
    entity_of = {form: term for term in terms for form in (term, TERMS[term][0])}
    usable: dict[str, set[str]] = defaultdict(set)
    with DemoSite() as site, httpx.Client(base_url=site.url, trust_env=False) as client:
        numbers = set().union(*(search(client, term) for term in terms))
        for number in sorted(numbers):
            if client.get(f"/{number}/").status_code == 429:
                assert client.get(f"/{number}/").status_code == 200
            for item in fetched_cards(client, number):
                media = [m["type"] for side in item["cardSides"] for m in side["media"]]
                if item["isDeleted"] or set(media) != {1}:
                    continue
                ((front, back),) = cards_of([item])
                entity = entity_of.get(" ".join(front.lower().split()))
                if entity and back not in foreign and 0 < len(back.split()) <= 30:
                    usable[entity].add(" ".join(back.lower().split()))
    full = {entity: texts for entity, texts in usable.items() if len(texts) >= 5}
    assert len(full) >= 40
    assert sum(map(len, full.values())) >= 400


def test_stop_leaves_no_thread_and_frees_the_port():
    before = set(threading.enumerate())
    with socket.socket() as idle, DemoSite() as site:
        idle.connect(("127.0.0.1", urlsplit(site.url).port))
        idle.sendall(b"GET / HTTP/1.1\r\n")
        assert httpx.get(f"{site.url}/", trust_env=False).status_code == 200
    assert set(threading.enumerate()) == before
    with pytest.raises(httpx.ConnectError):
        httpx.get(f"{site.url}/", trust_env=False)


def test_two_sites_share_nothing():
    with DemoSite() as one, DemoSite() as other:
        httpx.get(f"{one.url}/robots.txt", trust_env=False)
        assert one.requests == [("/robots.txt", 200)]
        assert other.requests == []
