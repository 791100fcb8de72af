"""A labelled data set from wherever it is: a store, the published files, a release, other people's files of pairs."""

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from data.console.errors import InputError, TableError
from data.contract import register
from data.contract.tables.labels import Labels, Splits
from data.contract.tables.pairs import Pairs
from data.contract.vocabulary import RULE, SILVER
from data.grouping.dealing import SplitRule, split
from data.labelled import corpora, releases
from data.labelled.frame import COLUMNS, INTEGERS
from data.labelled.label_set import PUBLISHED, SCHEME, LabelSet
from data.labelled.pairs import LabelledPairs
from data.labelled.snapshot import Snapshot
from data.storage.store import Store
from data.texts.identity import file_digest

WRITTEN_BY = {RULE: "generation recombine", SILVER: "generation silver"}
"""The commands that write labels by methods without votes."""


@dataclass(frozen=True, kw_only=True)
class OfDataset:
    """The flags of a command that reads labelled pairs: from a store, or from another data set."""

    store: Path = field(default_factory=Store.default_path)
    """The folder of the tables."""

    dataset: Path | None = None
    """In place of the store: a release, PARADE's published files, or a file or folder of pairs."""

    label_set: LabelSet = field(default_factory=LabelSet)

    @property
    def place(self) -> Path:
        """What is read: the data set, else the store."""
        return self.dataset or self.store

    def open(self) -> "Source":
        """The data set; raises InputError or TableError if there is none or it cannot be used."""
        return open_source(self.place, self.label_set)


@dataclass(frozen=True, kw_only=True)
class Source:
    """A data set and where it comes from."""

    kind: str
    """store, published, release or pairs."""
    path: Path
    pairs: LabelledPairs
    """The pairs, with the synonyms that the split was made with."""
    scheme: str
    tables: list[dict[str, Any]]
    """What was read: tables with versions, files with digests."""
    release: releases.Release | None = None
    """The whole release that the data set is from, if it is from one."""

    @property
    def flags(self) -> tuple[str, Path]:
        """The flag that names the data set, as `OfDataset` takes it."""
        return "--store" if self.kind == "store" else "--dataset", self.path


def open_source(path: Path, label_set: LabelSet) -> Source:
    """The data set at `path`; raises InputError or TableError if there is none or it cannot be used."""
    if path.is_dir() and any(Store(path).exists(table) for table in register.TABLES):
        return _checked(_open_store(path, label_set))
    return _checked(_split_again(_open_files(path), label_set))


def _open_store(path: Path, label_set: LabelSet) -> Source:
    store = Store(path)
    missing = [
        name
        for name in label_set.campaigns
        if store.read(Labels, ["pair_id"], campaign=name, method=label_set.method, further=False).empty
    ]
    if missing:
        raise TableError(
            f"{path}, table labels",
            expected=f"labels of the campaign {missing[0]!r} by the method {label_set.method!r}",
            found="none",
            remedy=f"run `python -m {WRITTEN_BY.get(label_set.method, 'annotation adjudicate')}` first",
        )
    return Source(
        kind="store",
        path=path,
        pairs=Snapshot(store).labelled(label_set),
        scheme=label_set.store_scheme,
        tables=[{"table": name, "version": version} for name, version in store.inputs(Labels, Pairs, Splits).items()],
    )


def _open_files(path: Path) -> Source:
    if (path / releases.CHECKSUMS).is_file():
        return _open_release(path)
    frame, files = corpora.load(path)
    kind = "pairs" if frame["entity"].isna().all() else "published"
    tables = [{"table": file.name, "digest": file_digest(file)} for file in files]
    return Source(kind=kind, path=path, pairs=LabelledPairs(frame), scheme=PUBLISHED, tables=tables)


def _open_release(path: Path) -> Source:
    release = releases.read(path)
    frame = release.tables["pairs"]
    if "first" not in frame:
        raise InputError(
            path,
            expected="a release with texts",
            found="ids only",
            remedy="add the texts with `python -m analysis.restore` first",
        )
    return Source(
        kind="release",
        path=path,
        pairs=LabelledPairs(frame[COLUMNS].astype(INTEGERS), release.facts.synonyms, release.language),
        scheme=PUBLISHED,
        release=release,
        tables=[
            {"table": name, "digest": digest} for name, digest in releases.digests(path).items() if "data/" in name
        ],
    )


def _split_again(source: Source, label_set: LabelSet) -> Source:
    """The data set with the split that the label set names."""
    if label_set.scheme in (None, PUBLISHED):
        return source
    if label_set.scheme != SCHEME:
        raise InputError(
            "--scheme", expected=f"{PUBLISHED} or {SCHEME}", found=label_set.scheme, remedy="give one of those"
        )
    pairs = source.pairs
    dealt = split(pairs.frame, SplitRule(), pairs.synonyms, pairs.language)
    return replace(source, pairs=replace(pairs, frame=pairs.frame.assign(split=dealt["split"])), scheme=SCHEME)


def _checked(source: Source) -> Source:
    frame = source.pairs.frame
    repeated = frame["pair_id"].duplicated()
    if source.kind != "pairs" and repeated.any():
        pair = frame[repeated].iloc[0]
        raise TableError(
            source.path,
            expected="each pair once",
            found=f"the pair {pair['pair_id']} ({pair['first'][:40]!r}, {pair['second'][:40]!r}) in two rows",
            remedy="remove one of them",
        )
    return source


def need_splits(source: Source) -> Source:
    """The data set if its pairs are in at least two splits; raises TableError if they are not."""
    present = sorted(source.pairs.frame["split"].dropna().unique())
    if len(present) < 2:
        remedy = "run `python -m analysis.splits` first" if source.kind == "store" else f"give --scheme {SCHEME}"
        raise TableError(
            source.path,
            expected=f"pairs in at least two splits of the scheme {source.scheme!r}",
            found=f"pairs in {present[0]} only" if present else "no pair in any",
            remedy=remedy,
        )
    return source
