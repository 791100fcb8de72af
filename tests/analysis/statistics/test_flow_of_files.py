"""Files that gave no card, in the flow from papers to splits."""

import pandas as pd

from analysis.datasets.ratings import read_rated
from analysis.statistics import funnel
from data.contract.stages import UNREAD
from data.contract.tables.definitions import Cards
from data.contract.tables.labels import Labels
from data.labelled.label_set import LabelSet
from data.labelled.sources import read_store
from data.storage.manifest import Manifest
from data.storage.store import Store
from tests.analysis.conftest import STAGES

MADE = Manifest(stage="test")


def trace(store: Store) -> list[funnel.Step]:
    pairs = read_store(store, LabelSet())
    return funnel.trace(store, LabelSet(), pairs, {}, {"main": read_rated(store, "main", pairs.question)})


def test_unanimous_labels_are_counted_by_their_number_of_votes(store: Store) -> None:
    for write in STAGES.values():
        write(store)
    labels = store.read(Labels, campaign="main", method="majority")
    n_votes = labels["n_votes"].mask(labels.index == labels.index[labels["votes"] == 0][0], 2)
    store.replace(Labels, labels.assign(n_votes=n_votes), MADE, campaign="main", method="majority")
    (step,) = (step for step in trace(store) if step["table"] == "labels")
    n_all = int((labels["stratum"] == "unanimous").sum())
    assert step["details"] | {"unanimous in 2 votes": 1, "unanimous in 3 votes": n_all - 1} == step["details"]
    assert n_all > 1


def test_files_without_a_card_are_named_before_the_cards_and_are_none_of_them(store: Store) -> None:
    rows = [("file:a/b%20c.png", "unknown_format"), ("file:a/d.tsv#reversed_cards", "reversed_cards")]
    pages = pd.DataFrame(rows, columns=["id", "reason"]).assign(detail="")
    store.reject(UNREAD, pages, Manifest(stage="crawler.files"), part="files")
    steps = {step["step"]: step for step in trace(store)}
    assert [*steps].index("decks") == [*steps].index("cards") - 1
    assert steps["decks"]["details"] == {"not read": 1, "not read: a/b c.png": 1}
    assert steps["decks"]["rejects"] == {"unknown_format": 1, "reversed_cards": 1}
    assert steps["cards"]["rejects"] == {}


def test_of_a_file_that_was_read_again_the_last_cards_count(store: Store) -> None:
    STAGES["cards"](store)
    cards = store.read(Cards)
    later = cards.iloc[:1].assign(card_id="again", fetched_at=cards["fetched_at"].max() + pd.Timedelta(days=1))
    store.append(Cards, later, MADE)
    (step,) = (step for step in trace(store) if step["step"] == "cards")
    n_same = int((cards["url"] == later["url"].iloc[0]).sum())
    assert (step["rows"], step["details"]["fetches"]) == (len(cards) - n_same + 1, len(cards) + 1)
