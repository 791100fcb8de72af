"""Set and study pages in the shapes that the site has used since 2019; one function per shape, which returns text."""

import json
from collections.abc import Callable, Sequence
from html import escape
from typing import Any

from demo.card_site.decks import SiteCard, SiteDeck
from demo.card_site.studiable import (
    Json,
    creator_object,
    normalised,
    set_object,
    shown_items,
    studiable_items,
    term_map,
)

WALL = 7
"""Cards that a walled page shows (as in 2023, logged out)."""

ROW_CLASSES = {
    "2019": ("SetPageTerms-termsList", "SetPageTerms-term", ""),
    "2022": ("SetPageTerms-termsList", "SetPageTerms-term", "set-page-card-side"),
    "2026": ("SetPageTermsList", "SetPageTermsList-term", "set-page-term-card-side"),
}
"""Period -> class of the list, class of a row, data-testid of a side."""


def in_script(value: object) -> str:
    """JSON that is safe inside a script element."""
    return json.dumps(value, ensure_ascii=False).replace("<", "\\u003c")


def document(title: str, body: str) -> str:
    return (
        '<!DOCTYPE html><html lang="en-us"><head><meta charset="utf-8">'
        f"<title>{escape(title)} Flashcards | Quizlet</title></head><body>{body}</body></html>"
    )


def term_text(text: str, language: str) -> str:
    lines = "<br>".join(escape(line) for line in text.split("\n"))
    return f'<span class="TermText notranslate lang-{language}">{lines}</span>' if text else ""


def side_content(card: SiteCard, text: str, side: str, language: str) -> str:
    name = card.image if side == "definition" else card.word_image
    picture = f'<img class="SetPageTerm-image" src="/images/{name}_m.png">' if name else ""
    written = term_text(text, language)
    return picture + written if card.image_first else written + picture


def row(deck: SiteDeck, card: SiteCard, period: str) -> str:
    _, row_class, testid = ROW_CLASSES[period]
    sides = (("word", card.word, deck.wordLang), ("definition", card.definition, card.lang or deck.defLang))
    cells = [side_content(card, text, side, language) for side, text, language in sides]
    if testid:
        inner = "".join(f'<div data-testid="{testid}">{cell}</div>' for cell in cells)
    else:
        inner = "".join(
            f'<div class="SetPageTerm-side"><a class="SetPageTerm-{side}Text">{cell}</a></div>'
            for (side, _, _), cell in zip(sides, cells, strict=True)
        )
    return f'<div aria-label="Term" class="{row_class}">{inner}</div>'


def rows(deck: SiteDeck, period: str, limit: int | None = None) -> str:
    shown = "".join(row(deck, card, period) for card in deck.shown[:limit])
    return (
        f'<h1>{escape(deck.title)}</h1><span class="s1q0b356">Terms in this set ({deck.num_terms})</span>'
        f'<section class="{ROW_CLASSES[period][0]}">{shown}</section>'
    )


def qload(key: str, value: object) -> str:
    """The script of the years until 2023: one assignment and one call."""
    return (
        f'<script>(function(){{window.Quizlet["{key}"] = {in_script(value)}; '
        f'QLoad("Quizlet.{key}");}}).call(this)</script>'
    )


def next_data(deck: SiteDeck, state: object) -> str:
    """The script element of the pages since 2022, whatever the form of `state`."""
    value = {
        "props": {"pageProps": {"canonicalUrl": deck.path, "dehydratedReduxStateKey": state}},
        "page": "/[setId]/[[...slug]]",
        "query": {"setId": str(deck.id)},
        "buildId": "demo",
    }
    return f'<script id="__NEXT_DATA__" type="application/json">{in_script(value)}</script>'


def recommended(decks: Sequence[SiteDeck]) -> list[Json]:
    """Other sets as in pages of today, with their own items: never the page's cards."""
    return [
        {"set": set_object(deck), "preview": {"studiableItems": shown_items(deck, "api", limit=2)}} for deck in decks
    ]


def redux_state(deck: SiteDeck, others: Sequence[SiteDeck], limit: int | None = None) -> Json:
    return {
        "siteNav": {},
        "login": {"isLoggedIn": False},
        "setPage": {
            "recommendedSets": recommended(others),
            "set": set_object(deck),
            "creator": creator_object(deck),
        },
        "studyModesCommon": {
            "studiableData": {
                "studiableItems": shown_items(deck, "page", limit=limit),
                "studiableContainer": set_object(deck),
                "setIdToDiagramImage": diagram_images(deck),
            }
        },
    }


def diagram_images(deck: SiteDeck) -> Json:
    image = {"code": "diagram", "url": f"/images/diagram_{deck.id}_m.png", "width": 500, "height": 334}
    return {str(deck.id): image} if deck.hasDiagrams else {}


def set_page_data(deck: SiteDeck, others: Sequence[SiteDeck]) -> str:
    value = {
        "set": set_object(deck),
        "creator": creator_object(deck),
        "termIdToTermsMap": term_map(deck),
        "relatedSets": [set_object(other) for other in others],
    }
    return document(deck.title, rows(deck, "2019") + qload("setPageData", value))


def term_map_page(deck: SiteDeck, others: Sequence[SiteDeck]) -> str:
    value = {
        "set": set_object(deck),
        "creator": creator_object(deck),
        "termIdToTermsMap": term_map(deck),
        "recommendedSets": [set_object(other) for other in others],
    }
    return document(deck.title, rows(deck, "2022") + next_data(deck, json.dumps({"setPage": value})))


def next_page(deck: SiteDeck, others: Sequence[SiteDeck]) -> str:
    state = json.dumps(redux_state(deck, others), ensure_ascii=False)
    return document(deck.title, rows(deck, "2026") + next_data(deck, state))


def next_object_page(deck: SiteDeck, others: Sequence[SiteDeck]) -> str:
    return document(deck.title, rows(deck, "2026") + next_data(deck, redux_state(deck, others)))


def walled_page(deck: SiteDeck, others: Sequence[SiteDeck]) -> str:
    state = json.dumps(redux_state(deck, others, WALL), ensure_ascii=False)
    wall = '<div class="l150nly7">Sign up and see the remaining cards. It is free!</div>'
    return document(deck.title, rows(deck, "2026", WALL) + wall + next_data(deck, state))


def malformed_page(deck: SiteDeck, others: Sequence[SiteDeck]) -> str:
    script = next_data(deck, json.dumps(redux_state(deck, others), ensure_ascii=False))
    cut = script[: len(script) // 2] + "</script>"
    return document(deck.title, rows(deck, "2026") + cut)


def changed_page(deck: SiteDeck, others: Sequence[SiteDeck]) -> str:
    """A shape not seen so far: no known payload, no known row."""
    cards = "".join(
        f'<article class="q9x1"><p>{escape(card.word)}</p><p>{escape(card.definition)}</p></article>'
        for card in deck.shown
    )
    links = "".join(f'<a href="{other.path}">{escape(other.title)}</a>' for other in others)
    pushed = in_script([1, f"{deck.num_terms} terms"])
    body = f"<h1>{escape(deck.title)}</h1><p>{deck.num_terms} terms</p>{cards}{links}"
    return document(deck.title, f"{body}<script>self.__next_f.push({pushed})</script>")


def password_page(deck: SiteDeck, _: Sequence[SiteDeck]) -> str:
    form = '<div id="SetPasswordTarget"><form method="post"><input type="password" name="password"></form></div>'
    return document(deck.title, form + qload("setPasswordData", {"setId": deck.id, "title": deck.title}))


def _study_page(deck: SiteDeck, key: str, value: dict[str, Any]) -> str:
    body = f'<h1>{escape(deck.title)}</h1><div data-testid="Card">{row(deck, deck.shown[0], "2022")}</div>'
    title = f"Flashcards {deck.title}"
    return document(title, body + qload(key, {"set": set_object(deck), **value}))


def study_normalised(deck: SiteDeck, key: str) -> str:
    return _study_page(deck, key, {"studiableData": normalised(deck), "studiableDocumentData": None})


def study_nested(deck: SiteDeck, key: str, name: str = "studiableItems") -> str:
    items = [item for item in studiable_items(deck, "long") if not item["isDeleted"]]
    nested = {name: items, "setIdToDiagramImage": diagram_images(deck)}
    return _study_page(deck, key, {"studiableData": None, "studiableDocumentData": nested})


Page = Callable[[SiteDeck, Sequence[SiteDeck]], str]

GENERATIONS: dict[str, tuple[Page, Page]] = {
    "2019": (set_page_data, lambda deck, _: study_normalised(deck, "assistantModeData")),
    "2020": (set_page_data, lambda deck, _: study_normalised(deck, "cardsModeData")),
    "2022": (term_map_page, lambda deck, _: study_nested(deck, "assistantModeData")),
    "2022-singular": (term_map_page, lambda deck, _: study_nested(deck, "cardsModeData", "studiableItem")),
    "2026": (next_page, next_page),
}
"""Generation -> shape of the set page, shape of the study pages."""
