"""quizlet.com's items as cards, and the JSON resource that lists a set's items page by page."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, Literal
from urllib.parse import parse_qs, urlencode

from crawler.cards.outcome import FINAL, UNHEARD, Card, Deck, Finding, Outcome
from crawler.cards.texts import is_too_long
from crawler.pages import html
from crawler.pages.quizlet_payloads import AUDIO, IMAGE, SHAPE, TEXT, VIDEO, Json, dig, in_order, objects
from crawler.pages.refusals import is_challenge, refusal

LICENCE_NOTE = "quizlet.com: user content, no open licence; the texts belong to their authors"
_CONTAINER = "filters[studiableContainerId]"
PAGE_ITEMS = 500
"""Items requested at a time; the site may return fewer without saying so."""
RESOURCE = "/webapi/3.4/studiable-item-documents"
_MEDIA = {IMAGE: "image", VIDEO: "video", AUDIO: "audio", SHAPE: "diagram"}
_ERRORS = {401: "private", 403: "private", 404: "gone", 410: "gone"}


def read_cards(items: Iterable[Json], *, start: int = 0, language: str | None = None) -> Outcome:
    """One nameless deck with the cards of the items, in their order from position `start`, and what was skipped.

    Deleted items are skipped, as are items without a known side; if all of them are, the markup has changed.
    `language` is the set's, for definitions that do not declare theirs.
    """
    cards: list[Card] = []
    skipped: list[tuple[str, str]] = []
    for item in in_order(items):
        sides = {str(side.get("label")): objects(side.get("media")) for side in objects(item.get("cardSides"))}
        if item.get("isDeleted"):
            skipped.append((str(item.get("id")), "deleted_item"))
        elif not sides.keys() & {"word", "definition"}:
            skipped.append((str(item.get("id")), "unknown_item"))
        elif is_too_long(*(_text(media) for media in sides.values())):
            skipped.append((str(item.get("id")), "too_long"))
        else:
            cards.append(_card(sides, start + len(cards), language))
    changed = not cards and any(reason == "unknown_item" for _, reason in skipped)
    findings = (Finding(kind="changed_markup", detail="items without a known side"),) if changed else ()
    deck = Deck(set_id="", title="", cards=tuple(cards), licence_note=LICENCE_NOTE)
    return Outcome(decks=(deck,), skipped=tuple(skipped), findings=findings)


def _card(sides: dict[str, list[Json]], position: int, language: str | None) -> Card:
    """The card of an item's media by side: text media are its text, all others are named; speech does not count."""
    definition = sides.get("definition", [])
    kinds = {_MEDIA.get(_number(medium), "unknown") for medium in chain(*sides.values()) if medium.get("type") != TEXT}
    return Card(
        front=_text(sides.get("word", [])),
        back=_text(definition),
        position=position,
        media=tuple(sorted(kinds | ({"diagram"} if "location" in sides else set()))),
        language=next(
            (code for medium in definition if isinstance(code := medium.get("languageCode"), str) and code), language
        ),
    )


def _number(medium: Json) -> int:
    kind = medium.get("type")
    return kind if isinstance(kind, int) else -1


def _text(media: Iterable[Json]) -> str:
    texts = [medium.get("plainText") for medium in media if medium.get("type") == TEXT]
    return "\n".join(text for text in texts if isinstance(text, str) and text)


NOTHING_THERE = frozenset({"gone", "private"})
"""Kinds of findings by which the JSON has nothing for a set."""


@dataclass(frozen=True, kw_only=True)
class Walk:
    """How far the pages of a set's JSON have been read."""

    deck: Deck
    """The set as its page describes it, without cards."""
    page: int | None = 1
    """The page to request next; None at the end."""
    token: str | None = None
    """What page 1 returned, to be sent from page 2 on."""
    seen: frozenset[str] = frozenset()
    """Ids of the items read so far, including deleted ones."""
    n_cards: int = 0

    @property
    def address(self) -> str:
        """The address of the page to request, relative to the site."""
        query = {
            _CONTAINER: self.deck.set_id,
            "filters[studiableContainerType]": 1,
            "perPage": PAGE_ITEMS,
            "page": self.page,
        }
        return f"{RESOURCE}?{urlencode(query | ({'pagingToken': self.token} if self.token else {}))}"


def set_of_items(address: str) -> str | None:
    """The id of the set whose items an address lists (`Walk.address`); None for other addresses."""
    parts = html.split_address(address)
    number = parse_qs(parts.query).get(_CONTAINER, [""])[0]
    return number if parts.path == RESOURCE and number.isdecimal() else None


def read_items(content: bytes, status: int, walk: Walk) -> tuple[Outcome, Walk]:
    """The cards of the requested page, and how to go on.

    The last page has a token too, so the walk ends when all announced items have been seen, or with a page that adds
    none. An error ends it with a finding.
    """
    try:
        finding, items, paging = _open_envelope(json.loads(content), walk.deck.set_id)
    except (ValueError, RecursionError):
        finding, items, paging = _refusal(content, status), [], None
    if finding:
        return Outcome(findings=(finding,)), replace(walk, page=None)
    fresh = [item for item in items if str(item.get("id")) not in walk.seen]
    seen = walk.seen | {str(item.get("id")) for item in fresh}
    read = read_cards(fresh, start=walk.n_cards)
    total, token = dig(paging, "total"), dig(paging, "token")
    cards = read.decks[0].cards
    missing = isinstance(total, int) and len(seen) < total
    done = not (fresh and (missing or total is None))
    if done and missing:
        ends = Finding(kind="truncated", detail=f"the JSON resource ends after {len(seen)} of {total} items")
        read = replace(read, findings=(*read.findings, ends))
    onward = replace(
        walk,
        page=None if done else (walk.page or 0) + 1,
        token=walk.token or (token if isinstance(token, str) else None),
        seen=seen,
        n_cards=walk.n_cards + len(cards),
    )
    return replace(read, decks=(replace(walk.deck, cards=cards),)), onward


def read_resource(reply: Any) -> Outcome:
    """The cards of a page of the JSON resource that a person saved; the set's id is the items', or empty.

    Findings: as in `read_items`; `truncated` where the page holds fewer items than the set has.
    """
    finding, items, paging = _open_envelope(reply, None)
    if finding:
        return Outcome(findings=(finding,))
    sets = {str(item["studiableContainerId"]) for item in items if item.get("studiableContainerId")}
    read, total = read_cards(items), dig(paging, "total")
    deck = replace(read.decks[0], set_id=next(iter(sets), ""))
    if len(sets) > 1:
        return Outcome(findings=(Finding(kind="wrong_set", detail=f"items of {len(sets)} sets"),))
    if isinstance(total, int) and len(items) < total:
        short = Finding(kind="truncated", detail=f"{len(items)} of {total} items; save the other pages too")
        read = replace(read, findings=(*read.findings, short))
    return replace(read, decks=(deck,))


def _refusal(content: bytes, status: int) -> Finding:
    """What an answer that is no JSON says."""
    kind = "blocked" if is_challenge(content) else "changed_markup"
    other = Finding(kind=kind, detail="the JSON resource answers with something else")
    return refusal(status, content, forbidden="blocked") or other


def _open_envelope(reply: Any, set_id: str | None) -> tuple[Finding | None, list[Json], Any]:
    """What is wrong with a reply, its items, and its paging."""
    first = next(iter(objects(dig(reply, "responses"))), {})
    error = dig(first, "error") or dig(reply, "error")
    if error:
        code = dig(error, "code")
        kind = _ERRORS.get(code, "server_error") if isinstance(code, int) else "server_error"
        return Finding(kind=kind, detail=f"the JSON resource answers {code} {dig(error, 'identifier')}"), [], None
    listed = dig(first, "models", "studiableItem")
    if not isinstance(listed, list):
        return Finding(kind="changed_markup", detail="the JSON resource lists no items"), [], None
    items = objects(listed)
    if set_id and any(str(item.get("studiableContainerId", set_id)) != set_id for item in items):
        return Finding(kind="wrong_set", detail="the JSON resource answers with another set's items"), [], None
    return None, items, dig(first, "paging")


def reconcile(page: Outcome, parts: Sequence[Outcome]) -> tuple[Outcome, list[Outcome], bool]:
    """What to keep of a set's page and of its JSON, and whether to request the set again in a later run.

    A set with fewer cards than it announces is `truncated`. JSON that has nothing for a set whose page exists is not a
    finding.
    """
    announced = next((deck.declared for deck in page.decks if deck.declared is not None), None)
    n_page, n_parts = _n_cards([page]), _n_cards(parts)
    complete = not any(part.findings for part in parts) if announced is None else max(n_page, n_parts) >= announced
    parts = [_without_findings(part, NOTHING_THERE) for part in parts]
    kinds = {finding.kind for outcome in (page, *parts) for finding in outcome.findings}
    kept = _choose(page, n_page, n_parts, broken_off=not complete and not kinds.isdisjoint(UNHEARD))
    if kept != "page":
        page = _without_cards(page)
    if kept != "JSON":
        parts = [_without_cards(part) for part in parts]
    if announced is not None and not complete and "truncated" not in kinds:
        short = Finding(kind="truncated", detail=f"{max(n_page, n_parts)} of {announced} cards")
        page = replace(page, findings=(*page.findings, short))
    return page, parts, not complete and bool(kinds - FINAL)


def _choose(page: Outcome, n_page: int, n_parts: int, *, broken_off: bool) -> Literal["page", "JSON", "neither"]:
    """Whose cards are kept: the source with more; in a tie the page, unless it has findings.

    Neither's where the site stopped answering before the end: they will come again, perhaps in other words.
    """
    if broken_off:
        return "neither"
    if n_page == n_parts:
        return "JSON" if page.findings else "page"
    return "page" if n_page > n_parts else "JSON"


def _without_cards(outcome: Outcome) -> Outcome:
    return replace(outcome, decks=(), skipped=())


def _without_findings(outcome: Outcome, kinds: frozenset[str]) -> Outcome:
    return replace(outcome, findings=tuple(finding for finding in outcome.findings if finding.kind not in kinds))


def _n_cards(outcomes: Iterable[Outcome]) -> int:
    return sum(len(deck.cards) for outcome in outcomes for deck in outcome.decks)
