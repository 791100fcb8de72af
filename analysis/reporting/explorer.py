"""The pairs of a data set as the search on the page reads them, each with its cards and sources; pure.

All pairs, or as many, drawn at random, as the page has room for (LARGEST).

The page has one object: `entities`, `texts`, `splits` (lists of distinct values); `pairs`, one row per pair: pair_id,
index of its entity, of its first and its second text, of its split (-1: none), votes, n_votes, label (-1: undecided),
overlap (-1: not defined), the indexes of its two definitions in `cards` (-1: unknown), and if the data set has ratings
a list of annotator, answer, comment and whether it was replaced (1); `cards`, one list per definition of source,
address, set, minute, licence; `lineage`: why there are none, or null.
"""

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from data.grouping.entities import name_pairs
from data.labelled.dataset import Dataset

Said = list[list[str | int]]

CARD = ["source", "url", "set_title", "fetched_at", "licence"]

LARGEST = 4_000_000
"""The most bytes that the object has within the page."""
SMALLEST = 64
"""The bytes that a pair takes beside its texts: its id and ten numbers."""

Provenance = Callable[["pd.Series[str]"], pd.DataFrame]
"""Ids of definitions -> their cards: definition_id and the columns CARD."""


def collect(
    pairs: Dataset, provenance: Provenance | None = None, ratings: pd.DataFrame | None = None, seed: int = 1
) -> dict[str, Any]:
    """The object of the page, of at most LARGEST bytes.

    `ratings`: see `Content.ratings`. Where not all pairs fit, `seed` draws those that do.
    """
    drawn = np.random.default_rng(seed).permutation(len(pairs))[: LARGEST // SMALLEST]
    content = _collect(pairs, drawn, provenance, ratings)
    while (size := len(embed(content).encode())) > LARGEST and len(drawn):
        drawn = drawn[: int(0.9 * len(drawn) * LARGEST / size)]
        content = _collect(pairs, drawn, provenance, ratings)
    return content


def _collect(
    pairs: Dataset, rows: NDArray[np.int64], provenance: Provenance | None, ratings: pd.DataFrame | None
) -> dict[str, Any]:
    """The object of the pairs in some rows."""
    rows = np.sort(rows)
    frame = pairs.frame.iloc[rows]
    said = None if ratings is None or ratings.empty else _said(ratings[ratings["pair_id"].isin(frame["pair_id"])])
    entity, entities = pd.factorize(name_pairs(frame, pairs.names).astype(object).fillna(""))
    text, texts = pd.factorize(pd.concat([frame["first"], frame["second"]]).astype(object))
    split, splits = pd.factorize(frame["split"].astype(object))
    places, cards = _cards(provenance, frame)
    columns = [
        frame["pair_id"].tolist(),
        entity.tolist(),
        text[: len(frame)].tolist(),
        text[len(frame) :].tolist(),
        split.tolist(),
        *(frame[name].fillna(-1).astype("int64").tolist() for name in ("votes", "n_votes", "binary")),
        [round(float(overlap), 3) for overlap in pairs.overlap.iloc[rows].fillna(-1)],
        *([places.get(definition, -1) for definition in frame[f"{side}_id"]] for side in ("first", "second")),
        *([] if said is None else [[said.get(pair, []) for pair in frame["pair_id"]]]),
    ]
    return {
        "entities": list(entities),
        "texts": list(texts),
        "splits": list(splits),
        "pairs": [list(row) for row in zip(*columns, strict=True)],
        "cards": cards,
        "lineage": None if cards else "The cards behind these texts are unknown.",
    }


def _said(ratings: pd.DataFrame) -> dict[str, Said]:
    """By pair, who answered what, with which comment, and whether it was replaced."""
    found: dict[str, Said] = {}
    columns = (ratings[name].astype(object) for name in ("pair_id", "annotator", "score", "comment", "replaced_in"))
    for pair, who, score, comment, replaced in zip(*columns, strict=True):
        answer = "no score" if pd.isna(score) else int(score)
        is_plain = pd.isna(comment) and pd.isna(replaced)
        more = [] if is_plain else ["" if pd.isna(comment) else comment, int(not pd.isna(replaced))]
        found.setdefault(pair, []).append([who, answer, *more])
    return found


def _cards(provenance: Provenance | None, frame: pd.DataFrame) -> tuple[dict[str, int], list[list[list[str]]]]:
    """The index of each definition of the pairs in the list of cards, and that list."""
    cards = provenance(pd.concat([frame["first_id"], frame["second_id"]])) if provenance else pd.DataFrame()
    if cards.empty:
        return {}, []
    times = pd.to_datetime(cards["fetched_at"]).dt.strftime("%Y-%m-%d %H:%M")
    rows = cards.assign(fetched_at=times).sort_values(["definition_id", "fetched_at", "url"])
    plain = rows[["definition_id", *CARD]].astype(object)
    grouped: dict[str, list[list[str]]] = {}
    for definition, *card in plain.where(plain.notna(), "").to_numpy().tolist():
        grouped.setdefault(definition, []).append([str(cell) for cell in card])
    return {definition: place for place, definition in enumerate(grouped)}, list(grouped.values())


def embed(content: dict[str, Any]) -> str:
    """The object as JSON that is safe within a page: without `<`, `>` and `&`."""
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
