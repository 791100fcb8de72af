"""What every page says at its top if some of the ratings behind it are simulated."""

from collections.abc import Sequence
from dataclasses import replace

import pandas as pd

from analysis.datasets import base_campaigns
from analysis.datasets.ratings import read_ballots
from data.contract.tables.campaign import Annotators
from data.contract.vocabulary import SIMULATED
from data.labelled.dataset import Dataset
from data.labelled.label_set import LabelSet
from data.measures.ballots import of_release
from data.storage.store import Store


def warn(ballots: pd.DataFrame) -> str | None:
    """The warning; None if no rating is simulated. `ballots`: annotator, role and state."""
    ratings = ballots[ballots["state"] == "scored"]
    simulated = ratings[ratings["role"] == SIMULATED]
    if simulated.empty:
        return None
    n = simulated["annotator"].nunique()
    return (
        f"Simulated labels: {len(simulated):,} of {len(ratings):,} ratings were made by {n:,} simulated "
        f"annotator{'s' if n > 1 else ''}. They show that the pipeline works; nothing here says what experts think."
    )


def find(store: Store, campaigns: Sequence[str]) -> str | None:
    """The warning for the labels of these campaigns of a store."""
    if not campaigns:
        return None
    people = store.read(Annotators, ["campaign", "annotator", "role"]).drop_duplicates()
    people = people[people["role"] == SIMULATED]
    ratings = pd.concat([read_ballots(store, name).assign(campaign=name) for name in campaigns])
    return warn(ratings.merge(people, on=["campaign", "annotator"], how="left"))


def find_in(dataset: Dataset, label_set: LabelSet) -> str | None:
    """The warning for a data set, wherever it is from."""
    if dataset.release is not None:
        ratings = dataset.release.tables.get("ratings")
        return None if ratings is None else warn(of_release(ratings))
    return find_in_store(Store(dataset.path), label_set) if dataset.kind == "store" else None


def find_in_store(store: Store, label_set: LabelSet) -> str | None:
    """The warning for the labels of a store, including a set that rests on other campaigns."""
    sets = [replace(label_set, campaigns=(name,)) for name in label_set.campaigns]
    below = [name for one in sets for name in base_campaigns.base_config(store, one).get("campaigns") or ()]
    return find(store, [*label_set.campaigns, *below])
