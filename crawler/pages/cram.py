"""cram.com: search pages, and set pages that carry all cards twice, as a table and as JSON-LD.

What we know about the site's markup dates from 2013 to 2026. The table has priority; where the two disagree, the one
with as many cards as the page declares is used, and the disagreement is a finding.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from parsel import Selector

from crawler.cards.outcome import Card, Deck, Finding, Outcome, gather
from crawler.cards.texts import is_too_long, read_title
from crawler.pages import html
from crawler.pages.refusals import is_challenge
from data.texts.markup import looks_like_html, plain_text

LICENCE_NOTE = "cram.com: user content, no open licence; the texts belong to their authors"
_SET_PATH = re.compile(r"^/flashcards/(?!games/|create\b)[^/]*?(\d{3,12})/?$")
_DECLARED = re.compile(r"(?<![\d,])([\d,]{1,12}) Cards? in this Set", re.IGNORECASE)
_FIELDS = ("title", "body", "subject", "username")


# -- addresses, relative to the site


def search_address(term: str, page: int) -> str:
    """The address of a page (from 1) of the sets found for a term in titles and cards, without sets with pictures."""
    fields = [(f"search_in[{at}]", field) for at, field in enumerate(_FIELDS)]
    query = [("query", term), *fields, ("image_filter", "exclude_imgs"), ("period", "any"), ("page", page)]
    return f"/search?{urlencode(query)}"


def search_of(address: str) -> tuple[str, int]:
    """The term and the page of a `search_address`."""
    query = parse_qs(urlsplit(address).query)
    return query["query"][0], int(query["page"][0])


def set_address(key: str) -> str:
    """The address of a set's page: its key is its path, since the id alone leads nowhere."""
    return key


def set_of(address: str) -> str | None:
    """The id at the end of the path of a set's page; None for other paths."""
    match = _SET_PATH.match(html.split_address(address).path)
    return match[1] if match else None


def set_page(name: str) -> str | None:
    """The path of a set's page, from its address; None for anything else."""
    return html.split_address(name).path if set_of(name) else None


# -- pages


def read_search(content: bytes, url: str) -> tuple[list[str], Outcome]:
    """The paths of the sets that a page of results links to, each set once, and what is wrong with the page.

    `url` is the address of the page. A page without any link is not a page of results.
    """
    links = html.local_links(html.parse(html.decode(content)), url)
    found = {set_id: urlsplit(link).path for link in reversed(links) if (set_id := set_of(link))}
    if found or (links and not is_challenge(content)):
        return list(reversed(found.values())), Outcome()
    kind = "blocked" if is_challenge(content) else "changed_markup"
    return [], Outcome(findings=(Finding(kind=kind, detail="not a page of results"),))


def read_set(content: bytes, set_id: str) -> Outcome:
    """The set on its page.

    Findings: `changed_markup` (neither table nor JSON-LD), `sides_disagree` (they hold different cards),
    `truncated` (fewer cards than the page declares), `blocked`. A card with a side that is too long is skipped
    (`too_long`).
    """
    page = html.parse(html.decode(content))
    both = [gather(entries) for entries in (_read_table(page), _read_questions(page))]
    declared = _declared(page)
    if not any(map(any, both)) and declared != 0:
        kind = "blocked" if is_challenge(content) else "changed_markup"
        return Outcome(findings=(Finding(kind=kind, detail="neither a table of cards nor JSON-LD"),))
    (rows, _), (questions, _) = both
    fits = [(cards, skipped) for cards, skipped in both if cards and len(cards) + len(skipped) == declared]
    cards, skipped = next(iter(fits), both[0] if any(both[0]) else both[1])
    title = read_title(page.xpath("string(//h1)").get("")) or read_title(page.xpath("string(//title)").get(""))
    deck = Deck(set_id=set_id, title=title, cards=cards, licence_note=LICENCE_NOTE, declared=declared)
    findings = tuple(_compare(rows, questions, len(cards) + len(skipped), declared))
    return Outcome(decks=(deck,), skipped=skipped, findings=findings)


def read_saved(content: bytes, address: str) -> Outcome:
    """The set on a saved page, as `read_set`; the id is taken from the page's address, or empty."""
    return read_set(content, set_of(address) or "")


def _compare(rows: Sequence[Card], questions: Sequence[Card], n_cards: int, declared: int | None) -> Iterator[Finding]:
    if rows and questions and [_sides(card) for card in rows] != [_sides(card) for card in questions]:
        detail = f"the table has {len(rows)} cards, the JSON-LD {len(questions)}, not all of them the same"
        yield Finding(kind="sides_disagree", detail=detail)
    if declared is not None and n_cards < declared:
        yield Finding(kind="truncated", detail=f"{n_cards} of {declared} cards")


def _sides(card: Card) -> tuple[str, str]:
    return " ".join(card.front.split()), " ".join(card.back.split())


def _read_table(page: Selector) -> list[tuple[str, Card | str]]:
    rows = page.css("table.flashCardsListingTable tr, #flashCardsListingTable tr")
    sides = [(row.css(".front_text").get(), row.css(".back_text").get()) for row in rows]
    return _entries((str(front), str(back)) for front, back in sides if front and back)


def _read_questions(page: Selector) -> list[tuple[str, Card | str]]:
    """The cards of the JSON-LD, an object or a list of objects; the site has changed its type over time."""
    for script in page.xpath('//script[@type="application/ld+json"]/text()').getall():
        try:
            data = json.loads(script)
        except (ValueError, RecursionError):
            continue
        for thing in data if isinstance(data, list) else [data]:
            parts = thing.get("hasPart") if isinstance(thing, Mapping) else None
            if isinstance(parts, list):
                questions = [part for part in parts if isinstance(part, Mapping) and part.get("@type") == "Question"]
                return _entries((_text(part, "name"), _answer(part)) for part in questions)
    return []


def _answer(question: Mapping[str, Any]) -> str:
    answer = question.get("acceptedAnswer")
    answer = answer[0] if isinstance(answer, list) and answer else answer
    return _text(answer, "text") if isinstance(answer, Mapping) else ""


def _text(part: Mapping[str, Any], name: str) -> str:
    value = part.get(name)
    return value if isinstance(value, str) else ""


def _entries(sides: Iterable[tuple[str, str]]) -> list[tuple[str, Card | str]]:
    """The cards of all sides, each with its number."""
    return [(f"card {number}", _card(*both)) for number, both in enumerate(sides, 1)]


def _card(front: str, back: str) -> Card | str:
    """A card of two sides of HTML, or the reason there is none."""
    if is_too_long(front, back):
        return "too_long"
    (front, front_media), (back, back_media) = (
        plain_text(side) if looks_like_html(side) else (side.strip(), ()) for side in (front, back)
    )
    media = tuple(sorted({*front_media, *back_media}))
    return Card(front=front, back=back, position=0, media=media)


def _declared(page: Selector) -> int | None:
    texts = page.xpath("//body//text()[not(ancestor::script)]").getall()
    match = _DECLARED.search(" ".join(" ".join(texts).split()))
    return int(match[1].replace(",", "")) if match and match[1].strip(",") else None
