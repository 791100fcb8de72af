"""The names of entities as people read them, beside the normalised ones that join and split."""

from collections.abc import Mapping

from data.contract.tables.definitions import Definitions
from data.storage.store import Store


def read_names(store: Store) -> Mapping[str, str]:
    """Entity -> its name as people write it, where the store's definitions know it (their column `written`)."""
    rows = store.read(Definitions, columns=["entity", "written"]).dropna().drop_duplicates("entity")
    return dict(zip(rows["entity"], rows["written"], strict=True))
