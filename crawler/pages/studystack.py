"""studystack.com: set pages with a table of all cards, the delimited and the JSON export, lists of a category's sets.

What we know about the site dates from 2010 to 2019. We know no address for searching, so sets come from a list or a
category. Rows may have more than two cells: the first is the front, the last is the back.
"""

import json
import re
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from crawler.cards.outcome import Card, Deck, Finding, Outcome, gather
from crawler.cards.texts import is_too_long, read_title, split_lines
from crawler.pages import html
from crawler.pages.refusals import is_challenge, is_sign_in
from data.texts.markup import looks_like_html, plain_text

LICENCE_NOTE = "studystack.com: user content, no open licence; the texts belong to their authors"
DELIMITER = "|"
LISTED = 25
"""Sets on a full page of a category's list."""
_LISTING = "/servlet/categoryStackListJson"
_EXPORT = "/servlet/simpledelim"
_NUMBER = re.compile(r"(\d{1,12})")
_SET_PATH = re.compile(r"^(?:/flashcard-)?(\d{1,12})/?$")
_SITE_NAME = re.compile(r"(?: ?Flashcards?)?(?: ?[-|])? ?StudyStack$", re.IGNORECASE)
"""At the end of a title whose white space is folded."""


# -- addresses, relative to the site


def set_address(set_id: str) -> str:
    """The address of a set's page."""
    return f"/flashcard-{set_id}"


def set_of(address: str) -> str | None:
    """The number of a set, from the address of its page or of its export, or as given; None for anything else."""
    parts = html.split_address(address)
    match = _SET_PATH.match(parts.path)
    if parts.path == _EXPORT:
        match = _NUMBER.fullmatch(parse_qs(parts.query).get("studyStackId", [""])[0])
    return match[1] if match else None


def set_page(name: str) -> str | None:
    """The address of a set's page, from the address of its page or of its export, or from its number."""
    set_id = set_of(name)
    return set_address(set_id) if set_id else None


def export_address(set_id: str) -> str:
    """The address of a set's delimited export."""
    return f"{_EXPORT}?{urlencode({'studyStackId': set_id, 'delimiter': DELIMITER})}"


def listing_address(category: int, page: int) -> str:
    """The address of a page (from 1) of the list of a category's sets."""
    return f"{_LISTING}?{urlencode({'sortOrder': 'stars', 'categoryId': category, 'page': page})}"


def listing_of(address: str) -> tuple[int, int]:
    """The category and the page of a `listing_address`."""
    query = parse_qs(urlsplit(address).query)
    return int(query["categoryId"][0]), int(query["page"][0])


# -- pages


def read_listing(content: bytes) -> tuple[list[str], Outcome]:
    """The numbers of the sets on a page of a category's list, and what is wrong with the page."""
    tree = _json(content)
    if not isinstance(tree, list):
        kind = "blocked" if is_challenge(content) else "changed_markup"
        return [], Outcome(findings=(Finding(kind=kind, detail="no list of sets"),))
    ids = [str(row["id"]) for row in tree if isinstance(row, dict) and str(row.get("id", "")).isdecimal()]
    if tree and not ids:
        return [], Outcome(findings=(Finding(kind="changed_markup", detail="a list of sets without their numbers"),))
    return list(dict.fromkeys(ids)), Outcome()


def read_set(content: bytes, set_id: str) -> Outcome:
    """The set on its page. Findings: `changed_markup` (no table of cards), `private` (a form to sign in), `blocked`."""
    page = html.parse(html.decode(content))
    rows = [row.xpath("./td | ./th").getall() for row in page.css("#theTable tr")]
    title = _SITE_NAME.sub("", read_title(page.xpath("string(//title)").get("")))
    cells = [(f"row {number}", cells) for number, cells in enumerate(rows, 1) if cells]
    if cells:
        return _deck(set_id, title, cells)
    forms = page.xpath("//form[.//input[@type='password']]/@action").getall()
    kind = "blocked" if is_challenge(content) else "private" if any(map(is_sign_in, forms)) else "changed_markup"
    return Outcome(findings=(Finding(kind=kind, detail="no table of cards"),))


def read_saved(content: bytes, address: str) -> Outcome:
    """The set on a saved page, as `read_set`; the number is taken from the page's address, or empty."""
    return read_set(content, set_of(address) or "")


def read_export(content: bytes, set_id: str, title: str = "") -> Outcome:
    """The set's delimited export: one card per line, split at its first delimiter.

    A line without a delimiter is skipped (`no_separator`); a delimiter within the front cannot be recognised. A
    response in HTML is `blocked` or `changed_markup`.
    """
    text = content.decode("utf-8-sig", "replace")
    if text.lstrip()[:1] == "<":
        kind = "blocked" if is_challenge(content) else "changed_markup"
        return Outcome(findings=(Finding(kind=kind, detail="the export answers with a page"),))
    lines = [(f"row {number}", line) for number, line in enumerate(split_lines(text), 1) if line.strip()]
    return _deck(set_id, title, [(name, line.split(DELIMITER, 1)) for name, line in lines])


def read_saved_json(tree: Any) -> Outcome | None:
    """The set in a saved JSON export, `{"data": [[front, …, back], …]}`, without an id; None for any other value."""
    data = tree.get("data") if isinstance(tree, dict) else None
    rows = enumerate(data, 1) if isinstance(data, list) else ()
    cells = [(f"row {n}", [cell for cell in row if isinstance(cell, str)]) for n, row in rows if isinstance(row, list)]
    return _deck("", "", cells) if cells else None


def _deck(set_id: str, title: str, rows: list[tuple[str, list[str]]]) -> Outcome:
    cards, skipped = gather((name, _card(cells)) for name, cells in rows)
    deck = Deck(set_id=set_id, title=title, cards=cards, licence_note=LICENCE_NOTE)
    return Outcome(decks=(deck,), skipped=skipped)


def _card(cells: list[str]) -> Card | str:
    """The card of a row's first and last cell."""
    if len(cells) < 2:
        return "no_separator"
    if is_too_long(cells[0], cells[-1]):
        return "too_long"
    (front, front_media), (back, back_media) = (
        plain_text(side) if looks_like_html(side) or side.startswith("<") else (side.strip(), ())
        for side in (cells[0], cells[-1])
    )
    if not front and not front_media:
        return "empty_front"
    return Card(front=front, back=back, position=0, media=tuple(sorted({*front_media, *back_media})))


def _json(content: bytes) -> Any:
    try:
        return json.loads(content)
    except (ValueError, RecursionError):
        return None
