"""Cards as the site's JSON: studiable items, their three side numberings, sets and older card maps."""

import json
from collections.abc import Iterable
from typing import Any

from demo.card_site.decks import TIMESTAMP, SiteCard, SiteDeck

Json = dict[str, Any]
SIDE_IDS = {
    "api": {"word": 1, "definition": 2, "location": 3},
    "page": {"word": 0, "definition": 1, "location": 2},
}
"""Two of the numberings of `sideId`; in the third, `long`, it is an opaque number of sixteen digits."""


def item_id(deck: SiteDeck, position: int) -> int:
    return deck.id * 100 + position


def side_id(numbering: str, item: int, label: str) -> int:
    if numbering == "long":
        return 1_000_000_000_000_000 + item * 10 + SIDE_IDS["api"][label]
    return SIDE_IDS[numbering][label]


def text_medium(text: str, language: str, *, rich: bool = False) -> Json:
    speech = f"/tts/{language}.mp3?v=14&b=aGFzaA&s=abcd1234" if text and len(text) < 60 else None
    document = {"type": "doc", "content": [{"type": "paragraph", "content": [_rich_text(text)]}]}
    return {
        "type": 1,
        "plainText": text,
        "languageCode": language,
        "ttsUrl": speech,
        "ttsSlowUrl": f"{speech}&speed=70" if speech else None,
        "richText": document if rich else None,
    }


def _rich_text(text: str) -> Json:
    return {
        "type": "text",
        "text": text,
        "marks": [{"type": "b"}, {"type": "bgY", "attrs": {"class": "bgY"}}],
    }


def image_medium(name: str) -> Json:
    return {"type": 2, "code": name, "url": f"/images/{name}_m.png", "width": 500, "height": 334}


def shape_medium(corners: list[list[int]]) -> Json:
    geometry = {"type": "Polygon", "coordinates": [corners]}
    return {"type": 5, "shape": json.dumps({"type": "Feature", "properties": {}, "geometry": geometry})}


def media_of(deck: SiteDeck, card: SiteCard) -> dict[str, list[Json]]:
    word = [text_medium(card.word, deck.wordLang)]
    definition = [text_medium(card.definition, card.lang or deck.defLang, rich=card.rich)]
    if card.word_image:
        word.append(image_medium(card.word_image))
    if card.image:
        definition.insert(0 if card.image_first else 1, image_medium(card.image))
    if card.audio:
        definition.append({"type": 4, "url": f"/audio/{card.audio}.mp3"})
    return {"word": word, "definition": definition} | (
        {"location": [shape_medium(card.location)]} if card.location else {}
    )


def studiable_item(deck: SiteDeck, position: int, numbering: str) -> Json:
    card, item = deck.terms[position], item_id(deck, position)
    sides = [
        {"sideId": side_id(numbering, item, label), "label": label, "distractors": [], "media": media}
        for label, media in media_of(deck, card).items()
    ]
    return {
        "id": item,
        "studiableContainerType": 1,
        "studiableContainerId": deck.id,
        "type": 2,
        "rank": None if deck.rank_null else position,
        "creatorId": deck.creatorId,
        "timestamp": TIMESTAMP,
        "lastModified": TIMESTAMP,
        "isDeleted": card.deleted,
        "cardSides": sides[::-1] if deck.swapped else sides,
    }


def studiable_items(deck: SiteDeck, numbering: str) -> list[Json]:
    """All items of the set, deleted ones included, as in the JSON resource."""
    return [studiable_item(deck, position, numbering) for position in range(len(deck.terms))]


def shown_items(deck: SiteDeck, numbering: str, *, limit: int | None = None) -> list[Json]:
    """The items that a page shows: no deleted ones, at most `limit`."""
    return [item for item in studiable_items(deck, numbering) if not item["isDeleted"]][:limit]


def normalised(deck: SiteDeck) -> Json:
    """The studiableData of 2020: items, sides and media in three lists joined by ids; rank is null."""
    items = shown_items(deck, "long")
    sides = [(item, side) for item in items for side in item["cardSides"]]
    return {
        "studiableItems": [{"id": item["id"], "type": 2, "rank": None} for item in items],
        "studiableCardSides": [
            {"id": side["sideId"], "studiableItemId": item["id"], "label": side["label"]} for item, side in sides
        ],
        "studiableMediaConnections": list(_connections(side for _, side in sides)),
    }


def _connections(sides: Iterable[Json]) -> Iterable[Json]:
    for side in sides:
        for medium in side["media"]:
            kind = {1: "text", 2: "image", 4: "audio", 5: "diagramShape"}[medium["type"]]
            yield {
                "connectionModelId": side["sideId"],
                "connectionType": 5,
                "mediaType": medium["type"],
                kind: {key: value for key, value in medium.items() if key != "type"},
            }


def term_map(deck: SiteDeck) -> Json:
    """The flat cards of the set pages until 2023: a map by id, to be sorted by rank."""
    pairs = [(item_id(deck, position), card) for position, card in enumerate(deck.terms) if not card.deleted]
    return {str(item): _flat_term(deck, item, card) for item, card in pairs[::-1]}


def _flat_term(deck: SiteDeck, item: int, card: SiteCard) -> Json:
    return {
        "id": item,
        "setId": deck.id,
        "rank": item - item_id(deck, 0),
        "word": card.word,
        "definition": card.definition,
        "_imageUrl": f"/images/{card.image}_m.png" if card.image else None,
        "_wordAudioUrl": None,
        "_definitionAudioUrl": f"/audio/{card.audio}.mp3" if card.audio else None,
    }


def set_object(deck: SiteDeck) -> Json:
    return {
        "id": deck.id,
        "timestamp": TIMESTAMP,
        "lastModified": TIMESTAMP,
        "publishedTimestamp": TIMESTAMP,
        "creatorId": deck.creatorId,
        "wordLang": deck.wordLang,
        "defLang": deck.defLang,
        "title": deck.title,
        "passwordUse": deck.behaviour == "password",
        "passwordEdit": False,
        "accessType": deck.accessType,
        "description": deck.description,
        "numTerms": deck.num_terms,
        "hasImages": deck.hasImages,
        "parentId": deck.parentId,
        "hasDiagrams": deck.hasDiagrams,
        "_webUrl": deck.path,
        "mcqCount": 0,
        "purchasableType": 0,
    }


def creator_object(deck: SiteDeck) -> Json:
    return {"id": deck.creatorId, "username": f"author_{deck.creatorId}", "_imageUrl": None}
