"""Sites in the page shapes of cram.com and studystack.com, with decks of our own writing."""

import html
import json
from urllib.parse import parse_qs, urlencode, urlsplit

from tests.crawler.tools.local_site import Answer

CARDS = [
    ("hash table", "maps keys to values by an array and a hash function"),
    ("stack &amp; heap", "two regions of memory<br>of one <b>process</b>"),
    ("R &lt; S", "an order &amp;quot;between&amp;quot; relations"),
]
TEXTS = [
    ("hash table", "maps keys to values by an array and a hash function"),
    ("stack & heap", "two regions of memory\nof one process"),
    ("R < S", "an order &quot;between&quot; relations"),
]
IMAGE = '<img src="/images/front.png" alt="">'
CHALLENGE = Answer(body=b'<title>Just a moment...</title><form id="challenge-form"></form>', status=403)


# -- Cram


def cram_table(cards):
    rows = "".join(
        f'<tr><td class="audio"></td><td><div class="front_text card_text">{front}</div></td>'
        f'<td><div class="back_text card_text">{back}</div></td></tr>'
        for front, back in cards
    )
    return f'<table class="flashCardsListingTable" id="flashCardsListingTable">{rows}</table>'


def cram_json(cards, *, listed=False):
    questions = [
        {"@type": "Question", "name": front, "acceptedAnswer": {"@type": "Answer", "text": back}}
        for front, back in cards
    ]
    quiz = {"@context": "https://schema.org", "@type": "Quiz", "name": "OS basics", "hasPart": questions}
    text = json.dumps([{"@type": "BreadcrumbList"}, quiz] if listed else quiz).replace("</", "<\\/")
    return f'<script type="application/ld+json">{text}</script>'


def cram_page(*parts, declared=None, set_id="9000001"):
    count = "" if declared is None else f"<span>{declared} Cards in this Set</span>"
    canonical = f'<link rel="canonical" href="https://www.cram.com/flashcards/os-basics-{set_id}">'
    head = f"<!DOCTYPE html><html><head><title>OS basics Flashcards - Cram.com</title>{canonical}</head>"
    return f"{head}<body><h1>OS basics</h1>{count}{''.join(parts)}</body></html>".encode()


CRAM_SETS = {
    "table-only-9000001": cram_page(cram_table(CARDS), declared=3),
    "json-only-9000002": cram_page(cram_json(CARDS), declared=3, set_id="9000002"),
    "json-list--9000003": cram_page(cram_json(CARDS, listed=True), set_id="9000003"),
    "disagreeing-9000004": cram_page(cram_table(CARDS[:2]), cram_json(CARDS), declared=3),
    "short-9000005": cram_page(cram_table(CARDS), declared=1000),
    "pictures-9000006": cram_page(cram_table([(IMAGE, "a picture"), *CARDS]), declared=4),
    "captcha-9000007": cram_page(cram_table([("captcha", "Just a moment: checking your browser"), *CARDS]), declared=4),
    "blocked-9000008": CHALLENGE,
    "private-9000009": Answer(status=403, body=b"Forbidden"),
    "gone-9000010": Answer(status=404, body=b"Not found"),
    "changed-9000011": b"<!DOCTYPE html><html><body><div class='s1q0b356'>cards</div></body></html>",
    "empty-9000012": cram_page(cram_table([]), declared=0),
}
PER_PAGE = 5


def cram_routes():
    """Search pages of five results (three of them for any term but `nothing`), and the sets."""
    pages = {f"/flashcards/{slug}": _answer(body) for slug, body in CRAM_SETS.items()}
    return pages | {"/search": _cram_search}


def _cram_search(target):
    query = parse_qs(urlsplit(target).query)
    number = int(query.get("page", ["1"])[0])
    fields = [query[f"search_in[{at}]"][0] for at in range(4)]
    assert (fields, query["image_filter"]) == (["title", "body", "subject", "username"], ["exclude_imgs"])
    slugs = [] if query["query"] == ["nothing"] else list(CRAM_SETS)[(number - 1) * PER_PAGE : number * PER_PAGE]
    items = "".join(
        f'<li><div class="info"><h3><a itemprop="significantLinks" href="/flashcards/{slug}">{slug}</a></h3></div>'
        f'<a href="/flashcards/games/jewel/{slug}">play</a></li>'
        for slug in slugs
    )
    links = '<a href="/flashcards/create">Create</a><a href="https://www.facebook.com/flashcards/x-1234567">f</a>'
    body = f'<html><body>{links}<div id="searchResults"><ul>{items}</ul></div></body></html>'
    return Answer(body=body.encode())


# -- StudyStack


def stack_page(rows, title="OS basics"):
    cells = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    head = f"<html><head><title>{title} Flashcards - StudyStack</title></head>"
    return f'{head}<body><table id="theTable">{cells}</table></body></html>'.encode()


def stack_export(cards):
    return "\r\n".join("|".join(card) for card in cards).encode()


STACKS = {
    "1001": stack_page(CARDS),
    "1002": stack_page([(front, "noun", back) for front, back in CARDS]),
    "1003": b"<html><body><div>new markup</div></body></html>",
    "1004": CHALLENGE,
    "1005": b"<html><form action='/login'><input type='password'></form></html>",
    "1006": b"<html><body><div>new markup</div></body></html>",
    "1007": stack_page([(IMAGE, "a picture"), ("captcha", "Just a moment"), ("", "nothing"), ("alone",)]),
}
EXPORTS = {"1003": stack_export([("pipe", "a | b"), ("stack", "last in, first out")]) + b"\nno delimiter\n"}
FILLING = [str(number) for number in range(2001, 2022)]


def stack_routes():
    """The sets, their exports, and category 7: a full page of 25 sets and one with three."""
    listed = [*STACKS, *FILLING]
    pages = {f"/flashcard-{set_id}": _answer(body) for set_id, body in STACKS.items()}
    pages |= {f"/flashcard-{set_id}": _answer(stack_page([(f"term {set_id}", "a text")])) for set_id in FILLING}
    exports = {
        f"/servlet/simpledelim?{urlencode({'studyStackId': set_id, 'delimiter': '|'})}": Answer(
            body=body, type="text/plain"
        )
        for set_id, body in EXPORTS.items()
    }

    def listing(target):
        number = int(parse_qs(urlsplit(target).query)["page"][0])
        found = [{"id": int(one), "stackName": html.escape(one)} for one in listed[(number - 1) * 25 : number * 25]]
        return Answer(body=json.dumps(found).encode(), type="application/json")

    return pages | exports | {"/servlet/categoryStackListJson": listing}


def _answer(body):
    return body if isinstance(body, Answer) else Answer(body=body)
