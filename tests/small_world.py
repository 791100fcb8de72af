"""Twenty pairs of definitions of our own, on cards under a licence; no two entities have a word in common."""

import pandas as pd

from data.contract.tables.definitions import Cards, Definitions, Sightings
from data.contract.tables.pairs import Pairs
from data.storage.manifest import Manifest
from data.storage.store import Store
from data.texts.identity import definition_id, pair_id

MADE_BY_TEST = Manifest(stage="crawler.definitions")
ENTITIES = (
    "anchor", "basket", "candle", "dragon", "engine", "forest", "garden", "hammer", "island", "jacket", "kettle",
    "ladder", "magnet", "needle", "orange", "pepper", "quiver", "ribbon", "saddle", "timber",
)  # fmt: skip
MARKS = (
    "umbrella", "violin", "walnut", "copper", "zipper", "blanket", "carpet", "dolphin", "emerald", "falcon", "glacier",
    "harvest", "indigo", "jungle", "kitten", "lantern", "marble", "nectar", "oyster", "pebble",
)  # fmt: skip


def fill(store: Store) -> None:
    """Write the pairs and everything before them into an empty store."""
    texts = [
        (name, f"a {name} which holds {mark} {2 * place}", f"some {mark} kept beside its {name} {2 * place + 1}")
        for place, (name, mark) in enumerate(zip(ENTITIES, MARKS, strict=True))
    ]
    sides = [(name, text, definition_id(name, text)) for name, *both in texts for text in both]
    definitions = pd.DataFrame(sides, columns=["entity", "text", "definition_id"])
    counts = {"n_words": definitions["text"].str.split().map(len), "n_cards": 1, "n_sources": 1, "verbatim": None}
    store.replace(Definitions, definitions.assign(**counts), MADE_BY_TEST)
    ids = definitions["definition_id"]
    store.replace(Sightings, pd.DataFrame({"definition_id": ids, "card_id": "card of " + ids}), MADE_BY_TEST)
    cards = pd.DataFrame({"card_id": "card of " + ids, "front": definitions["entity"], "back": definitions["text"]})
    at = pd.Timestamp("2026-01-01", tz="UTC")
    deck = {"source": "files", "url": "file:deck.tsv", "set_id": "deck.tsv", "set_title": "Deck", "fetched_at": at}
    nothing = dict.fromkeys(("language", "media", "copied_from"))
    cards = cards.assign(**deck, **nothing, position=range(len(cards)), term=cards["front"], body_sha256="0" * 64)
    store.append(Cards, cards.assign(licence_note="CC BY 4.0"), MADE_BY_TEST)
    rows = [
        {
            "generator": "recommended",
            "pair_id": pair_id(definition_id(name, first), definition_id(name, second)),
            "entity": name,
            "first_id": definition_id(name, first),
            "second_id": definition_id(name, second),
            "first": first,
            "second": second,
            "cluster": 0,
            "similarity": 0.5,
            "overlap": 0.25,
            "rank": rank,
            "selection": "every-pair",
            "parents": [],
        }
        for rank, (name, first, second) in enumerate(texts)
    ]
    store.replace(Pairs, pd.DataFrame(rows), Manifest(stage="clustering"), generator="recommended")
