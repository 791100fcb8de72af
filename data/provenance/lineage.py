"""A pair's origin: its texts, what they were made from, and the cards that hold those, with place and time."""

from dataclasses import dataclass

import pandas as pd

from data.console.errors import InputError
from data.contract import licences
from data.contract.tables.definitions import Cards, Definitions, Licences, Sightings
from data.contract.tables.generated import GeneratedTexts, Sentences
from data.contract.tables.labels import Labels
from data.contract.tables.pairs import Pairs
from data.provenance.descent import made_for
from data.storage.store import Store


@dataclass(frozen=True, kw_only=True)
class Lineage:
    """What is known of a pair."""

    pairs: pd.DataFrame
    """The pair's rows: one per generator that proposed it."""
    definitions: pd.DataFrame
    """The definitions among its texts and those that they were made from: rows of the table `definitions`."""
    generated: pd.DataFrame
    """How its texts were made, step by step back to their sources: rows of the table `generated_texts`."""
    sentences: pd.DataFrame
    """The sentences that they were made from: rows of the table `sentences`."""
    cards: pd.DataFrame
    """The cards that hold the definitions, with definition_id, licence and credit: one row per fetch."""
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
    generated = made_for([*pairs["first_id"], *pairs["second_id"]], store.read(GeneratedTexts))
    ids = [*pairs["first_id"], *pairs["second_id"], *generated["source_id"]]
    definitions, sentences = store.read(Definitions), store.read(Sentences)
    sightings = store.read(Sightings)
    cards = store.read(Cards).merge(sightings[sightings["definition_id"].isin(ids)], on="card_id")
    decks = licences.of_decks(cards, store.read(Licences))
    cards = cards.merge(decks[[*licences.DECK, "licence", "credit"]], on=licences.DECK)
    return Lineage(
        pairs=pairs,
        definitions=definitions[definitions["definition_id"].isin(ids)],
        generated=generated,
        sentences=sentences[sentences["sentence_id"].isin(ids)],
        cards=cards.sort_values(["definition_id", "fetched_at", "card_id"]),
        labels=store.read(Labels, pair_id=pairs["pair_id"].iloc[0]),
    )
