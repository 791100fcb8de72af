"""A pair's origin: its two definitions, the cards that hold them, where and when those were fetched."""

from dataclasses import dataclass

import pandas as pd

from data import licences
from data.errors import InputError
from data.store import Store
from data.tables.definitions import Cards, Definitions, Licences, Sightings
from data.tables.labels import Labels
from data.tables.pairs import Pairs


@dataclass(frozen=True, kw_only=True)
class Lineage:
    """What is known of a pair."""

    pairs: pd.DataFrame
    """The pair's rows: one per generator that proposed it."""
    definitions: pd.DataFrame
    """Its two definitions, rows of the table `definitions`."""
    cards: pd.DataFrame
    """The cards that hold them, with definition_id, licence and credit: one row per fetch."""
    labels: pd.DataFrame
    """The pair's labels, if it has any."""


def trace(store: Store, pair_id: str) -> Lineage:
    """The origin of the pair whose id begins with `pair_id`. Raises InputError unless there is exactly one."""
    pairs = store.read(Pairs)
    pairs = pairs[pairs["pair_id"].str.startswith(pair_id)]
    if pairs["pair_id"].nunique() != 1:
        raise InputError(
            f"pair {pair_id}",
            expected="the beginning of exactly one pair_id",
            found=f"{pairs['pair_id'].nunique()} such pairs in {store.path(Pairs)}",
            remedy="take an id from `python -m data export pairs --out pairs.csv`",
        )
    ids = pd.concat([pairs["first_id"], pairs["second_id"]]).unique().tolist()
    definitions = store.read(Definitions)
    sightings = store.read(Sightings)
    cards = store.read(Cards).merge(sightings[sightings["definition_id"].isin(ids)], on="card_id")
    decks = licences.of_decks(cards, store.read(Licences))
    cards = cards.merge(decks[[*licences.DECK, "licence", "credit"]], on=licences.DECK)
    return Lineage(
        pairs=pairs,
        definitions=definitions[definitions["definition_id"].isin(ids)],
        cards=cards.sort_values(["definition_id", "fetched_at", "card_id"]),
        labels=store.read(Labels, pair_id=pairs["pair_id"].iloc[0]),
    )
