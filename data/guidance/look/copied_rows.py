"""The tables as the browser's copy has them: their columns and rows, without what is hidden or private."""

from collections.abc import Mapping
from itertools import combinations

import pandas as pd

from data.contract import licences
from data.contract.base import Table
from data.contract.tables.campaign import (
    Acceptances,
    Annotators,
    Documents,
    Openings,
    Ratings,
    SimulatedTruth,
    Worked,
)
from data.contract.tables.definitions import Cards, Definitions, Licences
from data.contract.tables.game import Attempts, Prompts
from data.contract.tables.generated import GeneratedTexts, Sentences
from data.contract.tables.pairs import Pairs
from data.contract.tables.removals import Rejects
from data.grouping.entities import ENTITIES, name_entities
from data.guidance.look import joined
from data.guidance.status import name_stages
from data.recorded.names import read_names
from data.recorded.played import latest_attempts
from data.storage.store import Store
from data.texts.identity import pair_id

HIDDEN: frozenset[type[Table]] = frozenset({Acceptances, Documents, Openings, SimulatedTruth, Worked, Licences})
"""The tables that are not copied; licences are beside the cards."""

PRIVATE: Mapping[type[Table], tuple[str, ...]] = {Annotators: ("areas",)}
"""The columns that are not copied: for the lead's own use."""

ADDED: Mapping[type[Table], Mapping[str, str]] = {
    Pairs: joined.PAIRS,
    Ratings: joined.RATINGS,
    Cards: {
        "licence": "the deck's licence as the lead states it, else as the source does",
        "credit": "the name to credit, as the lead states it",
    },
    Rejects: {"text": "what it said: a card or definition with its name, a pair's texts; empty for files and papers"},
    Attempts: {"sentence": "the sentence that it rewrites"},
    GeneratedTexts: {"source": "the text that it was made from"},
}
"""The columns that a table has in the copy alone, and what they mean."""

Texts = tuple[tuple[type[Table], tuple[str, ...], str], ...]
SOURCES_OF_TEXTS: Texts = (
    (Definitions, ("definition_id", "text"), ""),
    (GeneratedTexts, ("text_id", "text"), ""),
    (Sentences, ("sentence_id", "text"), ""),
    (Prompts, ("prompt_id", "text"), ""),
)
"""What others are made from: the columns of the id and of the texts, and what is put between two of these."""
TEXTS: Texts = (
    *SOURCES_OF_TEXTS,
    (Pairs, ("pair_id", "first", "second"), " | "),
    (Cards, ("card_id", "front", "back"), ": "),
    (Definitions, ("definition_id", "entity", "text"), ": "),
)
"""What a row that was dropped may have been; the last one that has its id counts."""
MOST_OF_ENTITY = 300
"""Of an entity with more definitions, pairs of the others are not named."""

SOURCES: Mapping[type[Table], tuple[type[Table], ...]] = {
    Ratings: joined.OF_RATINGS,
    Pairs: joined.OF_PAIRS,
    Cards: (Cards, Licences),
    Rejects: (Rejects, Cards, Definitions, Pairs, Sentences, GeneratedTexts, Prompts),
    Prompts: (Prompts, Definitions),
    Attempts: (Attempts, Prompts),
    GeneratedTexts: (GeneratedTexts, Sentences, Definitions, Prompts),
}
"""The tables of the store that a copied table is made of, where it is not its own alone."""


def columns_of(table: type[Table]) -> dict[str, str]:
    """Each column of the copied table and what it means."""
    own: dict[str, str] = {}
    for name, spec in table.columns().items():
        if name not in PRIVATE.get(table, ()):
            own[name] = spec.meaning.replace("`", "")
    return own | dict(ADDED.get(table, {}))


def read_rows(store: Store, table: type[Table], ratings: pd.DataFrame) -> pd.DataFrame:
    """The rows of a table as they are copied; `ratings`: of `join_ratings`, for the pairs."""
    rows = joined.join_pairs(store, ratings) if table is Pairs else ratings if table is Ratings else store.read(table)
    if table in (Pairs, Ratings, Prompts):
        names = read_names(store)
        rows = rows.assign(**{one: name_entities(rows[one], names) for one in ENTITIES if one in rows})
    if table is Cards:
        decks = licences.of_decks(rows, store.read(Licences))
        rows = rows.merge(decks[[*licences.DECK, *ADDED[Cards]]], on=licences.DECK, how="left")
        rows = rows[["front", "back", *rows.columns.drop(["front", "back"])]]
    if table is Rejects:
        texts = _texts(store, TEXTS)
        unknown = {*rows.loc[rows["stage"] == "clustering", "id"]} - {*texts}
        rows["stage"] = name_stages(rows)
        rows.insert(2, "text", rows["id"].map(texts | _pair_texts(store, unknown)))
        rows = rows.drop(columns=["part", "method", "control"])
    if table is Attempts:
        rows = latest_attempts(rows)
        rows.insert(5, "sentence", rows["prompt_id"].map(_texts(store, SOURCES_OF_TEXTS[-1:])))
    if table is GeneratedTexts:
        rows.insert(2, "source", rows["source_id"].map(_texts(store, SOURCES_OF_TEXTS)))
    return rows.drop(columns=list(PRIVATE.get(table, ())))


def _texts(store: Store, kinds: Texts) -> dict[str, str]:
    """What the texts of these kinds say, by id."""
    texts: dict[str, str] = {}
    for table, columns, mark in kinds:
        rows = store.read(table, [*columns]).drop_duplicates(columns[0])
        if "entity" in rows:
            rows["entity"] = name_entities(rows["entity"], read_names(store))
        ids, *parts = joined.lists(rows, *columns)
        texts |= {one: mark.join(str(part or "") for part in said) for one, *said in zip(ids, *parts, strict=True)}
    return texts


def _pair_texts(store: Store, wanted: set[str]) -> dict[str, str]:
    """The two definitions of each of these pairs of one entity that is no row of `pairs`."""
    if not wanted:
        return {}
    definitions = store.read(Definitions, ["definition_id", "entity", "text"])
    found: dict[str, str] = {}
    for _, some in definitions.groupby("entity"):
        rows = list(zip(*joined.lists(some.head(MOST_OF_ENTITY), "definition_id", "text"), strict=True))
        for (first, text), (second, other) in combinations(rows, 2):
            if (pair := pair_id(first, second)) in wanted:
                found[pair] = f"{text} | {other}"
    return found


def key_of(table: type[Table]) -> list[str]:
    """The column that tells the copied rows apart; none where it takes several, of which some may be null."""
    key = {Attempts: ["attempt_id"], Ratings: ["assignment_id"]}.get(table, table.key_columns())
    return key if len(key) == 1 else []
