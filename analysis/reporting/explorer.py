"""All pairs of a data set as the search on the page reads them, each with its cards and sources; pure.

The page has one object: `entities`, `texts`, `splits` (lists of distinct values); `pairs`, one row per pair: pair_id,
index of its entity, of its first and its second text, of its split (-1: none), votes, n_votes, label (-1: undecided),
overlap (-1: not defined), and the indexes of its two definitions in `cards` (-1: unknown); `cards`, one list per
definition of source, address, set, minute, licence; `lineage`: why there are none, or null.
"""

import json
from typing import Any

import pandas as pd

from data.grouping.entities import name_pairs
from data.labelled.dataset import Dataset

CARD = ["source", "url", "set_title", "fetched_at", "licence"]


def collect(pairs: Dataset, provenance: pd.DataFrame | None = None) -> dict[str, Any]:
    """The object of the page; `provenance`: definition_id and the columns CARD."""
    frame = pairs.frame
    entity, entities = pd.factorize(name_pairs(frame).astype(object).fillna(""))
    text, texts = pd.factorize(pd.concat([frame["first"], frame["second"]]).astype(object))
    split, splits = pd.factorize(frame["split"].astype(object))
    places, cards = _cards(provenance)
    columns = [
        frame["pair_id"].tolist(),
        entity.tolist(),
        text[: len(frame)].tolist(),
        text[len(frame) :].tolist(),
        split.tolist(),
        *(frame[name].fillna(-1).astype("int64").tolist() for name in ("votes", "n_votes", "binary")),
        [round(float(overlap), 3) for overlap in pairs.overlap.fillna(-1)],
        *([places.get(definition, -1) for definition in frame[f"{side}_id"]] for side in ("first", "second")),
    ]
    return {
        "entities": list(entities),
        "texts": list(texts),
        "splits": list(splits),
        "pairs": [list(row) for row in zip(*columns, strict=True)],
        "cards": cards,
        "lineage": None if cards else "The cards behind these texts are unknown.",
    }


def _cards(provenance: pd.DataFrame | None) -> tuple[dict[str, int], list[list[list[str]]]]:
    """The index of each definition in the list of cards, and that list."""
    if provenance is None or provenance.empty:
        return {}, []
    times = pd.to_datetime(provenance["fetched_at"]).dt.strftime("%Y-%m-%d %H:%M")
    rows = provenance.assign(fetched_at=times).sort_values(["definition_id", "fetched_at", "url"])
    plain = rows[["definition_id", *CARD]].astype(object)
    grouped: dict[str, list[list[str]]] = {}
    for definition, *card in plain.where(plain.notna(), "").to_numpy().tolist():
        grouped.setdefault(definition, []).append([str(cell) for cell in card])
    return {definition: place for place, definition in enumerate(grouped)}, list(grouped.values())


def embed(content: dict[str, Any]) -> str:
    """The object as JSON that is safe within a page: without `<`, `>` and `&`."""
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
