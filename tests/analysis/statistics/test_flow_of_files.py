"""Files that gave no card, in the flow from papers to splits."""

import pandas as pd

from analysis.statistics import funnel
from data.contract.stages import UNREAD
from data.labelled.label_set import LabelSet
from data.storage.manifest import Manifest
from data.storage.store import Store


def test_files_without_a_card_are_named_before_the_cards_and_are_none_of_them(store: Store) -> None:
    rows = [("file:a/b%20c.png", "unknown_format"), ("file:a/d.tsv#reversed_cards", "reversed_cards")]
    pages = pd.DataFrame(rows, columns=["id", "reason"]).assign(detail="")
    store.reject(UNREAD, pages, Manifest(stage="crawler.files"), part="files")
    steps = {step["step"]: step for step in funnel.trace(store, LabelSet(), {})}
    assert [*steps].index("decks") == [*steps].index("cards") - 1
    assert steps["decks"]["details"] == {"not read": 1, "not read: a/b c.png": 1}
    assert steps["decks"]["rejects"] == {"unknown_format": 1, "reversed_cards": 1}
    assert steps["cards"]["rejects"] == {}
