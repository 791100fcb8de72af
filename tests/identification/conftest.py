"""Fixtures of the room's tests."""

from collections.abc import Iterator

import pandas as pd
import pytest

from data.contract.tables.labels import Labels, Splits
from data.contract.tables.pairs import Pairs
from data.storage.manifest import Manifest
from data.storage.store import Store
from data.texts.identity import definition_id, pair_id
from tests.identification.world import sentences


@pytest.fixture(scope="session", autouse=True)
def _one_thread() -> Iterator[None]:
    """Let torch compute on one thread: several processes test at a time, and small networks gain nothing by more."""
    try:
        import torch
    except ImportError:
        yield
        return
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture
def ready_store(store: Store) -> Store:
    """A store of twelve entities with labelled and split pairs, and unlabelled pairs."""
    rows = sentences(140, 3)
    rows["entity"] = [f"entity {number % 12}" for number in range(len(rows))]
    for side in ("first", "second"):
        rows[f"{side}_id"] = [definition_id(*row) for row in rows[["entity", side]].itertuples(index=False)]
    rows["pair_id"] = [pair_id(*ids) for ids in rows[["first_id", "second_id"]].itertuples(index=False)]
    manifest = Manifest(stage="clustering")
    pairs = rows.drop(columns="binary").assign(generator="paper", cluster=0, similarity=0.5, overlap=0.1, rank=0)
    pairs = pairs.assign(selection="every-pair", parents=[[]] * len(rows))
    store.replace(Pairs, pairs, manifest, generator="paper")
    labels = rows.iloc[:120][["pair_id", "binary"]].assign(campaign="main", method="majority", n_votes=3)
    labels = labels.assign(votes=labels["binary"] * 3, scores=[[0, 0, 0, 3]] * 120, posterior=pd.NA)
    labels = labels.assign(stratum="unanimous", decided_by="majority")
    store.replace(Labels, labels, manifest, campaign="main", method="majority")
    order = rows.iloc[:120]["entity"].str.split().str[1].astype(int)
    splits = pd.DataFrame({"pair_id": rows.iloc[:120]["pair_id"], "group": rows.iloc[:120]["entity"]})
    splits["split"] = ["train" if n < 7 else "validation" if n < 10 else "test" for n in order]
    store.replace(Splits, splits.assign(scheme="by-entity"), manifest, scheme="by-entity")
    return store
