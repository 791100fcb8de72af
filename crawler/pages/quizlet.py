"""quizlet.com: search pages, set pages of four generations, and the JSON resource with a set's cards.

What we know about the site's markup dates from 2016 to 2026, not all of it equally certain. Sides are told apart by
their label and media by their type, never by position. A page is believed only if it says that it shows the set that
was requested.
"""

import re
from dataclasses import replace
from typing import Any
from urllib.parse import parse_qs, quote_plus, urlsplit

from parsel import Selector

from crawler.cards.outcome import Card, Deck, Finding, Outcome
from crawler.cards.texts import read_title
from crawler.pages import html
from crawler.pages.quizlet_items import LICENCE_NOTE, read_cards, read_resource, set_of_items
from crawler.pages.quizlet_payloads import Json, LockedError, Payload, UnreadableError, dig, find_payload
from crawler.pages.refusals import is_challenge

_SET_PATH = re.compile(r"^(?:/[a-z]{2}(?:-[a-z]{2})?)?/(\d{5,12})(?:/[^/]+)?(?:/starred)?/?$")
_TITLE = re.compile(r"^Flashcards |( Flashcards)? \| Quizlet$")


# -- addresses, relative to the site


def search_address(term: str, page: int) -> str:
    """The address of a page (from 1) of the sets found for a term."""
    return f"/search?query={quote_plus(term)}&type=sets&page={page}"


def search_of(address: str) -> tuple[str, int]:
    """The term and the page of a `search_address`."""
    query = parse_qs(urlsplit(address).query)
    return query["query"][0], int(query["page"][0])


def set_address(set_id: str) -> str:
    """The address of a set's page."""
    return f"/{set_id}/"


def set_of(address: str) -> str | None:
    """The id in the path of a set page or study page; None for other pages.

    The id is the first segment of digits after an optional locale: slugs and user names hold digits, too.
    """
    match = _SET_PATH.match(html.split_address(address).path)
    return match[1] if match else None


def set_page(name: str) -> str | None:
    """The address of a set's page, from the address of any of its pages or of its items, or from its number."""
    set_id = set_of(name) or set_of_items(name) or set_of(f"/{name}")
    return set_address(set_id) if set_id else None


# -- pages


def read_search(content: bytes, url: str) -> tuple[list[str], Outcome]:
    """The ids of the sets that a page of results links to, each once, and what is wrong with the page.

    Links are read because their form has been stable, while the markup of the rows has not. `url` is the address of the
    page. A page without any link is not a page of results.
    """
    links = html.local_links(html.parse(html.decode(content)), url)
    ids = list(dict.fromkeys(filter(None, map(set_of, links))))
    if ids or (links and not is_challenge(content)):
        return ids, Outcome()
    kind = "blocked" if is_challenge(content) else "changed_markup"
    return [], Outcome(findings=(Finding(kind=kind, detail="not a page of results"),))


def read_set(content: bytes, set_id: str) -> Outcome:
    """The set on its page or one of its study pages.

    Embedded data is read first; the rows of the visible page only where there is none, with the finding
    `changed_markup`. Other findings: `private` (a password is required), `wrong_set` (another set), `blocked`.
    """
    return _read_page(html.decode(content), set_id)


def read_saved(content: bytes, address: str) -> Outcome:
    """The set on a saved page, as `read_set`; the id is the one in the page's data, or empty.

    Fewer cards than the page announces are the finding `truncated`: the rest cannot be asked for.
    """
    del address  # the data is the better witness: study pages and set pages have different addresses
    outcome = _read_page(html.decode(content), None)
    short = [deck for deck in outcome.decks if len(deck.cards) + len(outcome.skipped) < (deck.declared or 0)]
    missing = tuple(
        Finding(kind="truncated", detail=f"{len(deck.cards)} of {deck.declared} cards on the page") for deck in short
    )
    return replace(outcome, findings=(*outcome.findings, *missing))


def read_saved_json(tree: Any) -> Outcome | None:
    """The cards in a saved page of the JSON resource (`quizlet_items.read_resource`); None for any other value."""
    return read_resource(tree) if isinstance(dig(tree, "responses"), list) else None


def _read_page(text: str, set_id: str | None) -> Outcome:
    """The set on a page; with None as id, whatever set it shows."""
    try:
        payload = find_payload(text)
    except LockedError:
        return _only(Finding(kind="private", detail="the set requires a password"))
    except UnreadableError as fault:
        return _read_rows(text, set_id or "", str(fault))
    shown = payload.about.get("id")
    if set_id not in (None, str(shown)):
        return _only(Finding(kind="wrong_set", detail=f"the page shows set {shown}"))
    return _from_payload(payload, set_id or (str(shown) if shown else ""))


def is_short(page: Outcome) -> bool:
    """Whether to request the set's JSON: its page was not understood, or has fewer cards than it announces."""
    unread = any(finding.kind in ("changed_markup", "wrong_set") for finding in page.findings)
    return unread or any(len(deck.cards) < (deck.declared or 0) for deck in page.decks)


def announced(page: Outcome, set_id: str) -> Deck:
    """What a page says about its set, without the cards; only the id where nothing on it can be trusted."""
    empty = Deck(set_id=set_id, title="", cards=(), licence_note=LICENCE_NOTE)
    return next((replace(deck, cards=()) for deck in page.decks), empty)


def _from_payload(payload: Payload, set_id: str) -> Outcome:
    about = payload.about
    language, parent = _text(about, "defLang"), about.get("parentId")
    read = read_cards(payload.items, language=language or None)
    deck = Deck(
        set_id=set_id,
        title=read_title(_text(about, "title")),
        cards=read.decks[0].cards,
        copied_from=str(parent) if parent else None,
        licence_note=LICENCE_NOTE,
        declared=number if isinstance(number := about.get("numTerms"), int) else None,
    )
    return replace(read, decks=(deck,))


def _read_rows(text: str, set_id: str, fault: str) -> Outcome:
    """The visible cards; sides are paired within a row, since a side may hold nothing but a picture."""
    page = html.parse(text)
    rows = page.css(".SetPageTerms-term, .SetPageTermsList-term")
    cards = [card for position, row in enumerate(rows) if (card := _read_row(row, position))]
    if not cards:
        kind = "blocked" if is_challenge(text.encode()) else "changed_markup"
        return _only(Finding(kind=kind, detail=fault))
    title = _TITLE.sub("", read_title(page.xpath("string(//title)").get("")))
    deck = Deck(set_id=set_id, title=title, cards=tuple(cards), licence_note=LICENCE_NOTE)
    return Outcome(decks=(deck,), findings=(Finding(kind="changed_markup", detail=fault),))


def _read_row(row: Selector, position: int) -> Card | None:
    sides = row.css('[data-testid="set-page-term-card-side"], [data-testid="set-page-card-side"], .SetPageTerm-side')
    if len(sides) != 2:
        return None
    front, back = ("\n".join(side.css(".TermText").xpath(".//text()").getall()).strip() for side in sides)
    languages = sides[1].css(".TermText").re(r'class="[^"]*\blang-([A-Za-z-]+)')
    return Card(
        front=front,
        back=back,
        position=position,
        media=("image",) if row.css("img, .SetPageTerm-image") else (),
        language=next(iter(languages), None),
    )


def _text(about: Json, name: str) -> str:
    value = about.get(name)
    return value if isinstance(value, str) else ""


def _only(finding: Finding) -> Outcome:
    return Outcome(findings=(finding,))
