"""quizlet.com's pages of all generations give the same cards; what cannot be read is a named finding."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.cards.outcome import Deck, Finding, Outcome
from crawler.pages import quizlet
from crawler.pages.quizlet_items import Walk, read_cards, read_items, reconcile
from demo.card_site import pages
from demo.card_site.decks import read_decks
from demo.card_site.studiable import studiable_items
from demo.card_site.webapi import failure, studiable_documents
from tests.crawler.tools.quizlet_pages import item, media, next_page

DECKS = read_decks()
ORDINARY = [deck for deck in DECKS.values() if not deck.behaviour and deck.shown]
OTHERS = ORDINARY[:2]


def reply(items, *, total=None, page=1, token="T"):
    paging = {"total": len(items) if total is None else total, "page": page, "perPage": 500, "token": token}
    return json.dumps({"responses": [{"models": {"studiableItem": items}, "paging": paging}], "error": None}).encode()


def walk_of(set_id="500000001", **more):
    return Walk(deck=Deck(set_id=set_id, title="T", cards=(), **more))


def only_card(*sides):
    return read_cards([item(1, "", "", sides=list(sides))]).decks[0].cards[0]


def side(label, *contents):
    return {"sideId": 7, "label": label, "media": list(contents)}


def texts(outcome):
    return [(card.front, card.back) for deck in outcome.decks for card in deck.cards]


def kinds(outcome):
    return [finding.kind for finding in outcome.findings]


def written(deck):
    return [(card.word, card.definition) for card in deck.shown]


# -- addresses


@pytest.mark.parametrize(
    ("address", "set_id"),
    [
        ("/500000001/", "500000001"),
        ("/500000001", "500000001"),
        ("/500000001/data-structures-flash-cards/", "500000001"),
        ("/500000001/100-words-2024-flash-cards/?funnelUUID=0d3e&i=12&x=1jqY", "500000001"),
        ("/gb/500000001/data-structures-flash-cards/", "500000001"),
        ("/pt-br/500000001/estruturas-cartoes/", "500000001"),
        ("/500000001/flashcards?new", "500000001"),
        ("/500000001/learn/starred", "500000001"),
        ("https://quizlet.com/de/500000001/karteikarten/", "500000001"),
        ("/", None),
        ("/2024/features/live", None),
        ("/user/cs-500000001/folders/500000002", None),
        ("/topic/computer-science/500000001/", None),
        ("/explanations/textbook-solutions/structures-9780000000000", None),
        ("/join/500000001x", None),
    ],
)
def test_the_id_is_the_first_segment_of_digits_after_the_locale(address, set_id):
    assert quizlet.set_of(address) == set_id


@given(st.text(min_size=1).filter(lambda text: text.strip()), st.integers(1, 99))
def test_a_search_address_tells_its_term_and_page(term, page):
    term = term.encode("utf-8", "replace").decode()
    assert quizlet.search_of(quizlet.search_address(term, page)) == (term, page)


def test_links_of_a_page_of_results_are_sets_of_this_site_once_each():
    page = b"""<a href="/500000001/a-flash-cards/">1</a><a href="/gb/500000001/a/?x=1">again</a>
      <a href="/500000002/flashcards">2</a>
      <a href="https://quizlet.com/fr/500000003/b/">3</a><a href="https://example.org/500000004/c/">other site</a>
      <a href="/topic/500000005/x/y/">topic</a><a href="http://[bad">bad</a><a name="no link">none</a>"""
    ids, outcome = quizlet.read_search(page, "https://quizlet.com/search?query=a&type=sets&page=1")
    assert ids == ["500000001", "500000002", "500000003"]
    assert outcome == Outcome()


@pytest.mark.parametrize(
    ("page", "kind"),
    [
        (b"<title>Captcha Challenge...</title>", "blocked"),
        (b"<title>Just a moment...</title><a href='/'>home</a>", "blocked"),
        (b"<div id='root'></div>", "changed_markup"),
        (b"", "changed_markup"),
    ],
)
def test_a_page_that_lists_no_results_is_not_taken_for_no_results(page, kind):
    ids, outcome = quizlet.read_search(page, "https://quizlet.com/search")
    assert (ids, kinds(outcome)) == ([], [kind])


def test_no_results_are_no_finding():
    page = (
        b"<title>captcha Flashcards and Study Sets | Quizlet</title><nav><a href='/topic/x/'>x</a></nav><p>no sets</p>"
    )
    assert quizlet.read_search(page, "https://quizlet.com/search") == ([], Outcome())


# -- the generations


@pytest.mark.parametrize("generation", sorted(pages.GENERATIONS))
@pytest.mark.parametrize("study", [False, True], ids=["set page", "study page"])
def test_every_generation_gives_the_cards_of_the_deck(generation, study):
    shape = pages.GENERATIONS[generation][study]
    for deck in ORDINARY:
        outcome = quizlet.read_set(shape(deck, OTHERS).encode(), str(deck.id))
        assert texts(outcome) == written(deck), (deck.id, generation)
        assert not outcome.findings
        assert outcome.decks[0].title == deck.title
        assert outcome.decks[0].declared == len(deck.shown)
        assert [card.position for card in outcome.decks[0].cards] == list(range(len(deck.shown)))


@pytest.mark.parametrize("generation", sorted(pages.GENERATIONS))
def test_pure_text_is_what_has_text_alone(generation):
    for deck in ORDINARY:
        outcome = quizlet.read_set(pages.GENERATIONS[generation][0](deck, OTHERS).encode(), str(deck.id))
        for card, made in zip(outcome.decks[0].cards, deck.shown, strict=True):
            flat = generation in ("2019", "2020") or generation.startswith("2022")
            if not (flat and made.word_image):  # the flat cards of those years do not tell of a picture on the word
                assert (card.media == ()) == (made.pure_text and not (flat and deck.hasDiagrams)), (deck.id, card)


def test_copies_name_their_original_and_definitions_their_language():
    about = {"id": 500000001, "title": "T", "numTerms": 2, "parentId": 400000009, "defLang": "es"}
    told = item(2, "b", "B", sides=[side("word", media(1, "b")), side("definition", media(1, "B", language="de"))])
    silent = item(1, "a", "A", sides=[side("word", media(1, "a")), side("definition", media(1, "A", language=""))])
    deck = quizlet.read_set(next_page(about, [silent, told]), "500000001").decks[0]
    assert deck.copied_from == "400000009"
    assert [card.language for card in deck.cards] == ["es", "de"]
    assert "no open licence" in deck.licence_note


@pytest.mark.parametrize("as_text", [True, False], ids=["state is text", "state is an object"])
def test_todays_state_is_read_as_text_and_as_object(as_text):
    page = next_page({"id": 500000001, "title": "T", "numTerms": 1}, [item(1, "a", "A")], as_text=as_text)
    assert texts(quizlet.read_set(page, "500000001")) == [("a", "A")]


def test_the_skeleton_without_items_falls_short_of_what_it_announces():
    outcome = quizlet.read_set(next_page({"id": 500000001, "title": "T", "numTerms": 1}, []), "500000001")
    assert quizlet.is_short(outcome)
    assert not quizlet.is_short(quizlet.read_set(next_page({"id": 500000001, "numTerms": 0}, []), "500000001"))


# -- items


def test_sides_go_by_label_whatever_their_order_and_number():
    card = only_card(side("definition", media(1, "maps keys")), side("word", media(1, "hash table")))
    assert (card.front, card.back, card.media) == ("hash table", "maps keys", ())


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        ({"type": 2, "url": "x"}, "image"),
        ({"type": 3}, "video"),
        ({"type": 4, "url": "x"}, "audio"),
        ({"type": 5, "shape": "{}"}, "diagram"),
        ({"type": 9}, "unknown"),
        ({"type": [1]}, "unknown"),
        ({}, "unknown"),
    ],
)
@pytest.mark.parametrize("first", [True, False])
def test_media_go_by_type_wherever_they_are(content, kind, first):
    contents = [content, media(1, "text")] if first else [media(1, "text"), content]
    card = only_card(side("word", media(1, "w")), side("definition", *contents))
    assert (card.back, card.media) == ("text", (kind,))
    assert only_card(side("word", content), side("definition", media(1, "d"))).media == (kind,)


def test_a_location_makes_a_diagram_and_speech_makes_nothing():
    located = only_card(side("word", media(1, "w")), side("definition", media(1, "")), side("location", {"type": 5}))
    assert (located.front, located.back, located.media) == ("w", "", ("diagram",))
    assert only_card(side("word", media(1, "w", ttsUrl="/tts/en.mp3")), side("definition", media(1, "d"))).media == ()


def test_ranks_order_and_missing_ranks_keep_the_order():
    ranked = [item(1, "b", "", rank=1), item(2, "a", "", rank=0)]
    assert [front for front, _ in texts(read_cards(ranked))] == ["a", "b"]
    assert [front for front, _ in texts(read_cards([item(1, "b", ""), item(2, "a", "")]))] == ["b", "a"]


def test_deleted_and_unknown_items_are_skipped_by_name():
    items = [
        item(1, "a", "A"),
        item(2, "b", "B", isDeleted=True),
        item(3, "", "", sides=[side("front", media(1, "x"))]),
    ]
    outcome = read_cards(items)
    assert texts(outcome) == [("a", "A")]
    assert outcome.skipped == (("2", "deleted_item"), ("3", "unknown_item"))
    assert kinds(outcome) == []
    assert kinds(read_cards(items[2:])) == ["changed_markup"]


# -- the JSON resource


@pytest.mark.parametrize("n", [0, 1, 19, 20, 21, 40, 206, 1000, 1001, 2300])
def test_the_walk_reads_all_items_though_the_site_gives_fewer_at_a_time(n):
    items = [item(number, f"w{number}", f"d{number}", rank=number) for number in range(n)]
    pages_of = [items[start : start + 20] for start in range(0, max(n, 1), 20)]
    walk, fronts, positions = walk_of(), [], []
    while walk.page is not None:
        outcome, walk = read_items(reply(pages_of[walk.page - 1], total=n, page=walk.page), 200, walk)
        fronts += [front for front, _ in texts(outcome)]
        positions += [card.position for card in outcome.decks[0].cards]
        assert not outcome.findings
    assert fronts == [f"w{number}" for number in range(n)]
    assert positions == list(range(n))


def test_the_token_of_page_1_goes_along_from_page_2_on():
    assert "pagingToken" not in walk_of().address
    _, walk = read_items(reply([item(1, "a", "A")], total=2, token="t/1="), 200, walk_of())
    assert walk.address.endswith("&page=2&pagingToken=t%2F1%3D")
    assert "filters%5BstudiableContainerId%5D=500000001&filters%5BstudiableContainerType%5D=1" in walk.address


def test_a_total_that_grows_on_the_way_is_walked_to_its_end():
    walk, fronts = walk_of(), []
    for number, total in enumerate([2, 3, 3], 1):
        outcome, walk = read_items(reply([item(number, f"w{number}", "d")], total=total, page=number), 200, walk)
        fronts += [front for front, _ in texts(outcome)]
    assert (fronts, walk.page) == (["w1", "w2", "w3"], None)


def test_an_empty_page_ends_the_walk_short_of_the_total():
    _, walk = read_items(reply([item(1, "a", "A")], total=3), 200, walk_of())
    outcome, walk = read_items(reply([], total=3, page=2), 200, walk)
    assert (walk.page, kinds(outcome)) == (None, ["truncated"])


def test_repeated_items_count_once_and_a_page_of_repeats_ends_the_walk():
    first, walk = read_items(reply([item(1, "a", "A"), item(2, "b", "B")], total=9), 200, walk_of())
    second, walk = read_items(reply([item(2, "b", "B"), item(3, "c", "C")], total=9), 200, walk)
    third, walk = read_items(reply([item(1, "a", "A")], total=9), 200, walk)
    assert [front for one in (first, second, third) for front, _ in texts(one)] == ["a", "b", "c"]
    assert walk.page is None


def test_without_a_total_the_walk_ends_with_an_empty_page():
    content = json.dumps({"responses": [{"models": {"studiableItem": [item(1, "a", "A")]}}]}).encode()
    _, walk = read_items(content, 200, walk_of())
    assert walk.page == 2
    outcome, walk = read_items(b'{"responses": [{"models": {"studiableItem": []}}]}', 200, walk)
    assert (walk.page, kinds(outcome)) == (None, [])


@pytest.mark.parametrize(
    ("content", "status", "kind"),
    [
        (json.dumps(failure(404, "not_found", "x")).encode(), 404, "gone"),
        (json.dumps(failure(403, "private", "x")).encode(), 403, "private"),
        (json.dumps(failure(400, "invalid_paging_token", "x")).encode(), 400, "server_error"),
        (b'{"error": {"code": 404}}', 404, "gone"),
        (b"<title>Captcha Challenge...</title>", 200, "blocked"),
        (b'<form id="challenge-form">', 403, "blocked"),
        (b"", 403, "blocked"),
        (b"<html>Internal error</html>", 500, "server_error"),
        (b"", 200, "changed_markup"),
        (b"[]", 200, "changed_markup"),
        (b'{"responses": []}', 200, "changed_markup"),
        (b'{"responses": [{"models": {"studiableItem": null}}]}', 200, "changed_markup"),
        (b"[" * 100_000, 200, "changed_markup"),
        (reply([item(1, "a", "A", studiableContainerId=9)]), 200, "wrong_set"),
    ],
)
def test_what_is_no_list_of_items_ends_the_walk_with_its_name(content, status, kind):
    outcome, walk = read_items(content, status, walk_of())
    assert (kinds(outcome), texts(outcome), walk.page) == ([kind], [], None)


def test_the_demo_decks_come_whole_out_of_the_json():
    for deck in ORDINARY:
        walk, found, skipped = walk_of(str(deck.id)), [], []
        while walk.page is not None:
            query = {"perPage": "500", "page": str(walk.page), "pagingToken": walk.token or ""}
            status, value = studiable_documents(deck, query)
            outcome, walk = read_items(json.dumps(value).encode(), status, walk)
            found += texts(outcome)
            skipped += outcome.skipped
        assert found == written(deck)
        assert len(skipped) == len(deck.terms) - len(deck.shown)


# -- pages that are not what was asked for


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b'<script>window.Quizlet["setPasswordData"] = {"setId": 1}; QLoad("x");</script>', "private"),
        (next_page({"id": 400000000, "numTerms": 1}, [item(1, "a", "A")]), "wrong_set"),
        (next_page({}, [item(1, "a", "A")]), "wrong_set"),
        (b"<title>Captcha Challenge...</title>", "blocked"),
        (b"<html><body>24 terms</body></html>", "changed_markup"),
        (b'<script id="__NEXT_DATA__">{"props": {}}</script>', "changed_markup"),
        (b'<script id="__NEXT_DATA__">{"props": </script>', "changed_markup"),
        (b'<script>window.Quizlet["setPageData"] = {"set": {"id": 500000001</script>', "changed_markup"),
        (b'<script>window.Quizlet["setPageData"] = {"set": {"id": 500000001}};</script>', "changed_markup"),
        (b"", "changed_markup"),
        (b"\x00\xff\xfe", "changed_markup"),
    ],
)
def test_a_page_without_the_set_is_a_finding_and_gives_no_card(content, kind):
    outcome = quizlet.read_set(content, "500000001")
    assert (kinds(outcome), texts(outcome)) == ([kind], [])


def test_cards_about_challenges_are_no_challenge():
    page = next_page({"id": 500000001, "numTerms": 1}, [item(1, "captcha", "checking your browser, just a moment")])
    page = b"<title>Captcha Challenge | Quizlet</title><i>enable javascript and cookies</i>" + page
    outcome = quizlet.read_set(page, "500000001")
    assert (kinds(outcome), len(texts(outcome))) == ([], 1)


@pytest.mark.parametrize("period", sorted(pages.ROW_CLASSES))
def test_visible_rows_are_the_last_resort_and_a_finding(period):
    for deck in ORDINARY:
        page = pages.document(deck.title, pages.rows(deck, period)).encode()
        outcome = quizlet.read_set(page, str(deck.id))
        assert kinds(outcome) == ["changed_markup"]
        assert outcome.decks[0].title == deck.title
        flat = [(" ".join(front.split()), " ".join(back.split())) for front, back in texts(outcome)]
        assert flat == [(" ".join(front.split()), " ".join(back.split())) for front, back in written(deck)]
        for card, made in zip(outcome.decks[0].cards, deck.shown, strict=True):
            assert (card.media == ("image",)) == bool(made.image or made.word_image)


# -- page and JSON together


def deck_with(n, declared=None):
    cards = read_cards([item(number, f"w{number}", "d") for number in range(n)]).decks[0].cards
    return Outcome(decks=(Deck(set_id="1", title="T", cards=cards, declared=declared),))


def finding(kind):
    return Outcome(findings=(Finding(kind=kind, detail="x"),))


BLOCKED, GONE, CHANGED, WRONG, SILENT = map(finding, ("blocked", "gone", "changed_markup", "wrong_set", "unreachable"))
SETTLED = {
    "a wall": (deck_with(7, 30), [deck_with(20, 30), deck_with(10, 30)], (0, 30, [], False)),
    "a wall, JSON blocked": (deck_with(7, 30), [BLOCKED], (7, 0, ["blocked", "truncated"], True)),
    "blocked midway": (deck_with(7, 30), [deck_with(20, 30), BLOCKED], (0, 20, ["blocked", "truncated"], True)),
    "a wall, and silence": (deck_with(7, 30), [SILENT], (0, 0, ["truncated", "unreachable"], True)),
    "silence midway": (CHANGED, [deck_with(20), SILENT], (0, 0, ["changed_markup", "unreachable"], True)),
    "a wall, no JSON": (deck_with(7, 30), [GONE], (7, 0, ["truncated"], False)),
    "both short": (deck_with(9, 12), [deck_with(9, 12), finding("truncated")], (9, 0, ["truncated"], False)),
    "another set's page": (WRONG, [deck_with(8)], (0, 8, ["wrong_set"], False)),
    "another set's page, no JSON": (WRONG, [GONE], (0, 0, ["wrong_set"], True)),
    "an unread page, an empty set": (CHANGED, [deck_with(0)], (0, 0, ["changed_markup"], False)),
    "an unread page, JSON blocked": (CHANGED, [BLOCKED], (0, 0, ["blocked", "changed_markup"], True)),
}


@pytest.mark.parametrize(("page", "parts", "expected"), SETTLED.values(), ids=SETTLED)
def test_the_fuller_of_page_and_json_is_kept(page, parts, expected):
    kept, kept_parts, again = reconcile(page, parts)
    found = sorted(kind for one in (kept, *kept_parts) for kind in kinds(one))
    assert (len(texts(kept)), sum(len(texts(one)) for one in kept_parts), found, again) == expected


# -- any bytes

NAMES = [
    *("set", "id", "title", "numTerms", "parentId", "studiableItems", "studiableItem", "termIdToTermsMap", "rank"),
    *("cardSides", "label", "media", "type", "plainText", "isDeleted", "word", "definition", "studiableData", "props"),
    *("studiableDocumentData", "studyModesCommon", "setPage", "pageProps", "dehydratedReduxStateKey", "text", "models"),
    *("studiableCardSides", "studiableMediaConnections", "responses", "paging", "total", "error", "code"),
]
JSONS = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 10**12) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(NAMES),
            inner,
            max_size=5,
        )
    ),
    max_leaves=25,
)


def readable(outcome):
    return bool(outcome.decks) != bool(outcome.findings) or kinds(outcome) == ["changed_markup"]


@given(st.binary(max_size=200), JSONS, JSONS, st.sampled_from(["setPageData", "assistantModeData", "cardsModeData"]))
def test_any_bytes_give_cards_or_a_finding(content, value, items, name):
    script = f'<script>window.Quizlet["{name}"] = {json.dumps(value)};</script>'.encode()
    embedded = next_page(value, items)
    for page in (content, script, embedded, content + embedded, embedded[: len(embedded) // 2] + content):
        assert readable(quizlet.read_set(page, "500000001"))
    for page in (content, json.dumps(value).encode(), reply([value, *(items if isinstance(items, list) else [])])):
        outcome, _ = read_items(page, 200, walk_of())
        assert outcome.decks or outcome.findings
    quizlet.read_search(content, "https://quizlet.com/search")


@given(
    st.sampled_from(ORDINARY),
    st.sampled_from(sorted(pages.GENERATIONS)),
    st.integers(0, 10**9),
    st.integers(0, 400),
    st.binary(max_size=8),
)
def test_a_damaged_page_gives_cards_or_a_finding(deck, generation, start, length, patch):
    page = pages.GENERATIONS[generation][0](deck, OTHERS).encode()
    start %= len(page)
    assert readable(quizlet.read_set(page[:start] + patch + page[start + length :], str(deck.id)))


def test_items_of_deleted_cards_are_only_in_the_json():
    deck = DECKS[619000022]
    outcome = read_cards(studiable_items(deck, "api"))
    assert len(outcome.skipped) == 3
    assert texts(outcome) == written(deck)
