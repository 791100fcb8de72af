"""What is known of a text that was taken down: its digest, in the table of tombstones, so that crawls pass it by."""

from collections.abc import Iterable

import pandas as pd

from data.contract.tables.removals import Tombstones
from data.contract.vocabulary import SOURCE, TEXT
from data.storage.store import Store
from data.texts import words
from data.texts.identity import digest


def text_digest(text: str) -> str:
    """The digest that identifies a text once it is gone; case, spaces and Unicode forms make no difference."""
    return digest(TEXT, words.merge_key(text))


def withheld(store: Store) -> frozenset[str]:
    """The digests of all texts that were taken down."""
    return frozenset(store.distinct(Tombstones, "id", kind=TEXT))


def withheld_sources(store: Store) -> frozenset[str]:
    """The papers (`papers:ID`), files, decks and sentences of a game that were taken down."""
    return frozenset(store.distinct(Tombstones, "id", kind=SOURCE))


def are_withheld(texts: Iterable[str], digests: frozenset[str]) -> list[bool]:
    """Whether each of the texts was taken down, by the digests that `withheld` returns."""
    return [bool(digests) and text_digest(text) in digests for text in texts]


def holds(frame: pd.DataFrame, texts: frozenset[str]) -> "pd.Series[bool]":
    """Whether the front or back of each card is one of the texts, given by their digests."""
    if not texts:
        return pd.Series(False, frame.index)
    found = {text: text_digest(text) in texts for text in pd.concat([frame["front"], frame["back"]]).unique()}
    return frame["front"].map(found).astype(bool) | frame["back"].map(found).astype(bool)
