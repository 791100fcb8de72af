"""Labelled pairs that others published, as pairs and labels of the store: what a control arm is compared with."""

from pathlib import Path

import pandas as pd

from annotation.campaign.campaign import Campaign
from data.console.errors import InputError
from data.contract.rows import label_rows, pair_rows
from data.contract.tables.labels import Labels
from data.contract.tables.pairs import Pairs
from data.contract.vocabulary import PUBLISHED
from data.grouping.entities import ENTITIES
from data.measures.ballots import stratify
from data.recorded.languages import followed
from data.storage.manifest import Manifest
from data.texts.similarity import jaccard


def read_published(path: Path) -> tuple[pd.DataFrame, int]:
    """The pairs at `path` with a label, in the form of `data.labelled.dataset`, and how many pairs were left out.

    Left out are those without a label, and those that are there twice: in two splits, or with two labels.
    """
    from data.labelled.label_set import LabelSet
    from data.labelled.sources import open_dataset

    frame = open_dataset(path, LabelSet()).frame
    usable = frame["binary"].notna() & ~frame["pair_id"].duplicated(keep=False)
    return frame[usable].reset_index(drop=True), int((~usable).sum())


def write_published(campaign: Campaign, frame: pd.DataFrame, manifest: Manifest) -> None:
    """Write these pairs under a generator of the campaign's name, and their labels as the campaign's."""
    store, name = campaign.store, campaign.name
    language = followed(store, Pairs)
    texts = frame[["pair_id", *ENTITIES, "first_id", "second_id", "first", "second"]]
    overlap = jaccard(frame["first"].to_list(), frame["second"].to_list(), language).set_axis(frame.index)
    rows = pair_rows(texts, generator=name, cluster=0, overlap=overlap, selection=PUBLISHED)
    store.replace(Pairs, rows, manifest, generator=name)
    labels = frame[["pair_id", "votes", "n_votes", "binary"]]
    votes, n_votes = (labels[column].to_numpy("int64") for column in ("votes", "n_votes"))
    strata = stratify((votes == 0) | (votes == n_votes), n_votes)
    labels = label_rows(labels, campaign=name, method=PUBLISHED, stratum=strata, decided_by=PUBLISHED)
    store.replace(Labels, labels, manifest, campaign=name, method=PUBLISHED)


def require_new(campaign: Campaign) -> None:
    """Raises InputError where the campaign, or a generator, has this name already for pairs of its own."""
    written = campaign.store.read(Pairs, columns=["selection"], generator=campaign.name)
    if campaign.is_planned or not (written["selection"] == PUBLISHED).all():
        raise InputError(
            "--dataset",
            expected="a campaign for this data set alone",
            found=f"{campaign.name}, which has pairs of its own",
            remedy="give it a name, as in --campaign mrpc",
        )
