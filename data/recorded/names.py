"""The names of entities as people read them, beside the normalised ones that join and split."""

from collections.abc import Mapping

import pandas as pd

from data.console.errors import TableError
from data.contract.tables.definitions import Definitions
from data.storage.store import Store


def read_names(store: Store) -> Mapping[str, str]:
    """Entity -> its name as people write it, where the store's definitions know it (their column `written`)."""
    return _read(store, None)


def read_names_at(store: Store, at: pd.Timestamp) -> Mapping[str, str]:
    """As `read_names`, with the names that the entities had at that time, where the store still knows them."""
    earlier = (made["version"] for made in store.history(Definitions) if made["at"] <= at.timestamp() * 1000)
    version = next(earlier, None)
    try:
        return {**_read(store, None), **_read(store, version)}
    except TableError:
        return _read(store, None)


def _read(store: Store, version: int | None) -> dict[str, str]:
    rows = store.read(Definitions, ["entity", "written"], version).dropna().drop_duplicates("entity")
    return dict(zip(rows["entity"], rows["written"], strict=True))
