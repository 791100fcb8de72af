"""Pairs of a generated text: their overlap is the generator's doing and says nothing about what they mean."""

import pandas as pd

from data.contract.tables.generated import GeneratedTexts
from data.measures.agreement import Mask
from data.storage.store import Store


def hold_generated(pairs: pd.DataFrame, store: Store) -> Mask:
    """Whether either text of each pair (first_id, second_id) was generated."""
    ids = store.read(GeneratedTexts, columns=["text_id"])["text_id"]
    return (pairs["first_id"].isin(ids) | pairs["second_id"].isin(ids)).to_numpy(bool)
