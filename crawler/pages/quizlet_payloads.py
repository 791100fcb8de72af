"""Where quizlet.com's pages hold their cards: four generations of embedded JSON, all converted to the current form.

The current form of an item: `{"id", "rank", "isDeleted", "cardSides": [{"label", "media": [{"type", …}]}]}`.
"""

import json
import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from crawler.pages import html

Json = Mapping[str, Any]

TEXT, IMAGE, VIDEO, AUDIO, SHAPE = 1, 2, 3, 4, 5
"""The site's numbers of the kinds of media."""
_ASSIGNMENT = re.compile(r'window\.Quizlet\["(setPageData|assistantModeData|cardsModeData|setPasswordData)"\]\s*=\s*')


@dataclass(frozen=True, kw_only=True)
class Payload:
    """The embedded data of one set page."""

    about: Json
    """The site's object for the set: id, title, numTerms, defLang, parentId, …; empty where the page has none."""
    items: tuple[Json, ...]
    """The cards in the current form."""


class UnreadableError(ValueError):
    """A page whose data is not where any known generation has it; the message says what the page has instead."""


class LockedError(ValueError):
    """A page that requires a set's password."""


def find_payload(text: str) -> Payload:
    """The data of a set page or a study page of any known generation.

    Raises LockedError for a set behind a password, UnreadableError where no known data is found.
    """
    embedded = html.parse(text).xpath('//script[@id="__NEXT_DATA__"]/text()').get()
    if embedded is not None:
        return _today(_parse(embedded))
    values = dict(_assignments(text))
    if "setPasswordData" in values:
        raise LockedError
    for value in values.values():
        return _until_2023(value)
    raise UnreadableError("no embedded data of a known form")


def _parse(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as fault:
        raise UnreadableError(f"embedded data that is not JSON ({fault})") from fault


def _assignments(text: str) -> Iterator[tuple[str, Any]]:
    """Name and value of each `window.Quizlet["…"] = {…}`."""
    decoder = json.JSONDecoder()
    for match in _ASSIGNMENT.finditer(text):
        try:
            yield match[1], decoder.raw_decode(text, match.end())[0]
        except (ValueError, RecursionError) as fault:
            raise UnreadableError(f"{match[1]} that is not JSON ({fault})") from fault


def _today(data: Any) -> Payload:
    """`__NEXT_DATA__`, since 2022: the state is an object or, since 2023, a string of JSON."""
    state = dig(data, "props", "pageProps", "dehydratedReduxStateKey")
    if isinstance(state, str):
        state = _parse(state)
    study = dig(state, "studyModesCommon", "studiableData")
    about = (
        dig(state, "setPage", "set")
        or dig(study, "studiableContainer")
        or dig(state, "studyModesCommon", "studiableContainer")
    )
    terms = dig(state, "setPage", "termIdToTermsMap")
    items = dig(study, "studiableItems")
    if isinstance(items, list) and (items or not terms):
        return _payload(about, items)
    if isinstance(terms, Mapping):
        return _payload(about, _from_terms(terms, about))
    raise UnreadableError("__NEXT_DATA__ without cards")


def _until_2023(value: Any) -> Payload:
    """setPageData (until 2021), and the data of study pages: normalised in 2020, nested from 2022."""
    about = next((value[name] for name in ("set", "studyable", "studiableContainer") if dig(value, name)), None)
    nested, flat, terms = (dig(value, name) for name in ("studiableDocumentData", "studiableData", "termIdToTermsMap"))
    if isinstance(terms, Mapping):
        return _payload(about, _from_terms(terms, about))
    for name in ("studiableItems", "studiableItem"):
        if isinstance(dig(nested, name), list):
            return _payload(about or dig(nested, "studiableContainer"), nested[name])
    if isinstance(dig(flat, "studiableItems"), list):
        return _payload(about or dig(flat, "studiableContainer"), _from_lists(flat))
    raise UnreadableError("embedded data without cards")


def _payload(about: Any, items: Iterable[Any]) -> Payload:
    return Payload(about=about if isinstance(about, Mapping) else {}, items=tuple(objects(items)))


def _from_terms(terms: Json, about: Any) -> list[Json]:
    """The flat cards of a set page until 2023, a map to be sorted by rank.

    They do not say which of them refer to a diagram, so in a set with a diagram all of them are taken to.
    """
    ranked = in_order(objects(terms.values()))
    shapes = [{"label": "location", "media": [{"type": SHAPE}]}] if dig(about, "hasDiagrams") else []
    return [
        {
            "id": term.get("id"),
            "rank": term.get("rank"),
            "isDeleted": term.get("isDeleted"),
            "cardSides": [*_flat_sides(term), *shapes],
        }
        for term in ranked
    ]


def _flat_sides(term: Json) -> list[Json]:
    def recorded(name: str) -> list[Json]:
        speech = term.get(name)
        return [{"type": AUDIO}] if isinstance(speech, str) and "/tts/" not in speech else []

    picture: list[Json] = [{"type": IMAGE}] if term.get("_imageUrl") else []
    word = [{"type": TEXT, "plainText": term.get("word")}, *recorded("_wordAudioUrl")]
    definition = [{"type": TEXT, "plainText": term.get("definition")}, *recorded("_definitionAudioUrl"), *picture]
    return [{"label": "word", "media": word}, {"label": "definition", "media": definition}]


def _from_lists(data: Json) -> list[Json]:
    """The normalised form of 2020: items, sides and media in three lists, joined by ids."""
    media: dict[str, list[Json]] = defaultdict(list)
    for medium in objects(data.get("studiableMediaConnections")):
        text = medium.get("text")
        content = text if isinstance(text, Mapping) else {}
        media[str(medium.get("connectionModelId"))].append({**content, "type": medium.get("mediaType")})
    sides: dict[str, list[Json]] = defaultdict(list)
    for side in objects(data.get("studiableCardSides")):
        found = {"label": side.get("label"), "media": media[str(side.get("id"))]}
        sides[str(side.get("studiableItemId"))].append(found)
    return [{**item, "cardSides": sides[str(item.get("id"))]} for item in objects(data.get("studiableItems"))]


def in_order(items: Iterable[Json]) -> list[Json]:
    """The items by rank; those without one keep their order, after the others."""
    return sorted(items, key=lambda item: item["rank"] if isinstance(item.get("rank"), int) else sys.maxsize)


def dig(value: Any, *path: str) -> Any:
    """The value at the end of a path of keys; None where the path breaks off."""
    for key in path:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value


def objects(values: Any) -> list[Json]:
    """The JSON objects among the values; none where `values` is not a list."""
    if isinstance(values, str | Mapping) or not isinstance(values, Iterable):
        return []
    return [value for value in values if isinstance(value, Mapping)]
