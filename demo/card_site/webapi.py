"""The JSON resources of the site: a set's cards, page by page, its metadata, and errors, in one envelope."""

from collections.abc import Mapping
from hashlib import blake2b

from demo.card_site.decks import SiteDeck
from demo.card_site.studiable import SIDE_IDS, Json, creator_object, set_object, studiable_items

PER_PAGE_CAP = 20
"""A larger perPage is silently lowered to this; the reply echoes the value used."""
NUMBERINGS = (*SIDE_IDS, "long")


def envelope(models: Json, paging: Json | None = None) -> Json:
    return {"responses": [{"models": models, "paging": paging, "validationErrors": []}], "error": None}


def failure(code: int, identifier: str, message: str) -> Json:
    error = {"message": message, "identifier": identifier, "code": code}
    return {"responses": [{"models": {}, "error": error}], "error": error}


def paging_token(deck: SiteDeck) -> str:
    """A set's token: on each of its pages, even if there is only one; required from page 2 on."""
    return "T0k." + blake2b(str(deck.id).encode(), digest_size=12).hexdigest()


def positive(query: Mapping[str, str], name: str, default: int) -> int | None:
    """The value of a parameter; None if it is not a positive number."""
    value = query.get(name, str(default))
    return int(value) if value.isascii() and value.isdigit() and int(value) > 0 else None


def studiable_documents(deck: SiteDeck, query: Mapping[str, str]) -> tuple[int, Json]:
    """Status and reply of studiable-item-documents for a set."""
    page, per_page = positive(query, "page", 1), positive(query, "perPage", PER_PAGE_CAP)
    if page is None or per_page is None:
        return 400, failure(400, "invalid_parameter", "page and perPage must be positive numbers")
    if page > 1 and query.get("pagingToken") != paging_token(deck):
        return 400, failure(400, "invalid_paging_token", "pagingToken of page 1 is required")
    per_page = min(per_page, PER_PAGE_CAP)
    items = studiable_items(deck, NUMBERINGS[deck.id % len(NUMBERINGS)])
    paging = {
        "total": max(len(items), deck.num_terms),
        "page": page,
        "perPage": per_page,
        "token": paging_token(deck),
    }
    return 200, envelope({"studiableItem": items[(page - 1) * per_page : page * per_page]}, paging)


def set_metadata(deck: SiteDeck) -> tuple[int, Json]:
    """Status and reply of sets/<id>: no cards."""
    return 200, envelope({"set": [set_object(deck)], "user": [creator_object(deck)]})
