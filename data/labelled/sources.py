"""A labelled data set from wherever it is: a store, the published files, a release, other people's files of pairs."""

from dataclasses import dataclass, field, replace
from pathlib import Path

import pandas as pd

from data.console.errors import InputError, TableError
from data.console.paths import Address
from data.contract.tables.labels import Labels, Splits
from data.contract.tables.pairs import Pairs
from data.contract.vocabulary import RULE, SILVER
from data.grouping.dealing import SplitRule, split
from data.grouping.entities import ENTITIES
from data.labelled import corpora, releases
from data.labelled.dataset import COLUMNS, INTEGERS, Dataset, from_tables, unlabelled
from data.labelled.label_set import PUBLISHED, SCHEME, LabelSet
from data.recorded.languages import followed
from data.recorded.names import read_names
from data.recorded.plans import Plans, read_plans
from data.storage import kept_overlap
from data.storage.store import Store
from data.texts.identity import file_digest

WRITTEN_BY = {RULE: "generation recombine", SILVER: "generation silver"}
"""The commands that write labels by methods without votes."""
PROPOSED = ["generator", "pair_id", *ENTITIES, "first_id", "second_id", "selection"]
"""The columns of `pairs` that say where a pair is from."""


@dataclass(frozen=True, kw_only=True)
class OfDataset:
    """The flags of a command that reads labelled pairs: from a store, or from another data set."""

    store: Address = field(default_factory=Store.default_address)
    """Where the tables are: a folder, or an address such as s3://bucket/store."""

    dataset: Path | None = None
    """In place of the store: a release, PARADE's published files, or a file or folder of pairs."""

    label_set: LabelSet = field(default_factory=LabelSet)

    @property
    def place(self) -> Address:
        """What is read: the data set, else the store."""
        return self.dataset or self.store

    def open(self) -> Dataset:
        """The data set; raises InputError or TableError if there is none or it cannot be used."""
        return open_dataset(self.place, self.label_set)


def open_dataset(path: Address, label_set: LabelSet) -> Dataset:
    """The data set at `path`; raises InputError or TableError if there is none or it cannot be used."""
    if isinstance(path, str) or (path.is_dir() and Store(path).tables()):
        return _checked(_open_store(path, label_set))
    return _checked(_split_again(_open_files(path), label_set))


def _open_store(path: Address, label_set: LabelSet) -> Dataset:
    store = Store(path)
    missing = [
        name
        for name in label_set.campaigns
        if not store.distinct(Labels, "method", campaign=name, method=label_set.method, further=False)
    ]
    if missing:
        raise without_labels(store, missing[0], label_set.method)
    return read_store(store, label_set)


def without_labels(store: Store, campaign: str, method: str) -> TableError:
    """The error of a campaign that has no labels by the method: the remedy is one that it has, else to make some."""
    others = sorted(store.distinct(Labels, "method", campaign=campaign, further=False) - {method})
    command = WRITTEN_BY.get(method, f"annotation adjudicate --campaign {campaign}")
    return TableError(
        f"{store.address}, table labels",
        expected=f"labels of the campaign {campaign!r} by the method {method!r}",
        found=f"labels by {', '.join(others)}" if others else "none",
        remedy=f"give --method {others[0]}" if others else f"run `python -m {command}` first",
    )


def read_store(store: Store, label_set: LabelSet) -> Dataset:
    """The pairs of a store that have a label; all its pairs, without labels, as long as none has one.

    The overlap of their texts is known from then on, if the store keeps it.
    """
    kept_overlap.recall(store)
    every = pd.concat([store.read(Labels, campaign=name, method=label_set.method) for name in label_set.campaigns])
    labels = every[~every["further"]].drop_duplicates("pair_id", keep="last", ignore_index=True)
    pairs, splits, plans = store.read(Pairs), store.read(Splits, scheme=label_set.store_scheme), read_plans(store)
    return Dataset(
        from_tables(labels, pairs, splits) if len(labels) else unlabelled(pairs),
        synonyms=store.config(Splits, scheme=label_set.store_scheme).get("synonyms", {}),
        names=read_names(store),
        language=followed(store, Pairs),
        selections=_find_selections(plans, labels, pairs),
        kind="store",
        path=store.address,
        scheme=label_set.store_scheme,
        question=plans.question(label_set.campaigns[-1]),
        plans=plans,
        tables={"labels": every, "pairs": pairs[PROPOSED], "splits": splits},
        versions=[{"table": name, "version": version} for name, version in store.inputs(Labels, Pairs, Splits).items()],
    )


def _find_selections(plans: Plans, labels: pd.DataFrame, pairs: pd.DataFrame) -> dict[str, str]:
    """By pair_id, how it was chosen: by the generator that its campaign was planned with, where that is known."""
    generators = {name: plan["generator"] for name, plan in plans.latest.items()}
    planned = labels[["pair_id"]].assign(generator=labels["campaign"].map(generators).astype("str"))
    rows = pairs[["generator", "pair_id", "selection"]].astype("str")
    several = rows[rows.duplicated("pair_id", keep=False)]
    found = pd.concat([rows, several.merge(planned, on=["generator", "pair_id"])])
    return dict(zip(found["pair_id"], found["selection"], strict=True))


def _open_files(path: Path) -> Dataset:
    if (path / releases.CHECKSUMS).is_file():
        return _open_release(path)
    frame, files = corpora.load(path)
    kind = "pairs" if frame["entity"].isna().all() else "published"
    versions = [{"table": file.name, "digest": file_digest(file)} for file in files]
    return Dataset(frame, kind=kind, path=path, versions=versions)


def _open_release(path: Path) -> Dataset:
    release = releases.read(path)
    frame = release.tables["pairs"]
    if "first" not in frame:
        raise InputError(
            path,
            expected="a release with texts",
            found="ids only",
            remedy="add the texts with `python -m analysis.restore` first",
        )
    return Dataset(
        frame[COLUMNS].astype(INTEGERS),
        release.facts.synonyms,
        release.language,
        names=release.facts.names,
        kind="release",
        path=path,
        question=release.question,
        release=release,
        versions=[
            {"table": name, "digest": digest} for name, digest in releases.digests(path).items() if "data/" in name
        ],
    )


def _split_again(dataset: Dataset, label_set: LabelSet) -> Dataset:
    """The data set with the split that the label set names."""
    if label_set.scheme in (None, PUBLISHED):
        return dataset
    if label_set.scheme != SCHEME:
        raise InputError(
            "--scheme", expected=f"{PUBLISHED} or {SCHEME}", found=label_set.scheme, remedy="give one of those"
        )
    dealt = split(dataset.frame, SplitRule(), dataset.synonyms, dataset.language)
    return replace(dataset, frame=dataset.frame.assign(split=dealt["split"]), scheme=SCHEME)


def _checked(dataset: Dataset) -> Dataset:
    frame = dataset.frame
    repeated = frame["pair_id"].duplicated()
    if dataset.kind != "pairs" and repeated.any():
        pair = frame[repeated].iloc[0]
        raise TableError(
            dataset.path,
            expected="each pair once",
            found=f"the pair {pair['pair_id']} ({pair['first'][:40]!r}, {pair['second'][:40]!r}) in two rows",
            remedy="remove one of them",
        )
    return dataset


def need_splits(dataset: Dataset) -> Dataset:
    """The data set if its pairs are in at least two splits; raises TableError if they are not."""
    present = sorted(dataset.frame["split"].dropna().unique())
    if len(present) < 2:
        remedy = "run `python -m analysis.splits` first" if dataset.kind == "store" else f"give --scheme {SCHEME}"
        raise TableError(
            dataset.path,
            expected=f"pairs in at least two splits of the scheme {dataset.scheme!r}",
            found=f"pairs in {present[0]} only" if present else "no pair in any",
            remedy=remedy,
        )
    return dataset
