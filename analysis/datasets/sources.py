"""A labelled data set from wherever it lies: a store, the published files, a release, other people's files of pairs."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pandas as pd

from analysis.config import PUBLISHED, SCHEME, LabelSet, SplitRule
from analysis.datasets import releases
from analysis.splitting import entities
from analysis.splitting.split import split
from data.errors import InputError, TableError
from data.identity import file_digest
from data.labelled import corpora, parade
from data.labelled import frame as datasets
from data.store import Store
from data.tables import register
from data.tables.labels import Labels, Splits
from data.tables.pairs import Pairs


@dataclass(frozen=True, kw_only=True)
class Source:
    """A data set and where it comes from."""

    kind: str
    """store, published, release or pairs."""
    path: Path
    frame: pd.DataFrame
    """In the form of `data.labelled.frame`."""
    scheme: str
    synonyms: entities.Synonyms
    """Those that the split was made with."""
    tables: list[dict[str, Any]]
    """What was read: tables with versions, files with digests."""


def open_source(path: Path, label_set: LabelSet) -> Source:
    """The data set at `path`; raises InputError or TableError where there is none or it cannot be used."""
    if path.is_dir() and any(Store(path).exists(table) for table in register.TABLES):
        return _checked(_open_store(path, label_set))
    return _checked(_split_anew(_open_files(path), label_set))


def _open_store(path: Path, label_set: LabelSet) -> Source:
    store = Store(path)
    scheme = label_set.store_scheme
    labels = store.read(Labels, campaign=label_set.campaign, method=label_set.method)
    if labels.empty:
        raise TableError(
            f"{path}, table labels",
            expected=f"labels of the campaign {label_set.campaign!r} by the method {label_set.method!r}",
            found="none",
            remedy="run `python -m annotation adjudicate` first",
        )
    splits = store.read(Splits, scheme=scheme)
    last = store.manifest(Splits, scheme=scheme)
    return Source(
        kind="store",
        path=path,
        frame=datasets.from_tables(labels, store.read(Pairs), splits),
        scheme=scheme,
        synonyms=(last or {"config": {}})["config"].get("synonyms", {}),
        tables=[{"table": name, "version": version} for name, version in store.inputs(Labels, Pairs, Splits).items()],
    )


def _open_files(path: Path) -> Source:
    if (path / "checksums.txt").is_file():
        return _open_release(path)
    if path.is_dir() and any(path.glob("PARADE_*.txt*")):
        kind, files = "published", [parade.find(path, name) for name in parade.SPLITS]
        frame = datasets.from_released(parade.read(path))
    else:
        kind, files = "pairs", corpora.find(path)
        frame = corpora.read(files)
    tables = [{"table": file.name, "digest": file_digest(file)} for file in files]
    return Source(kind=kind, path=path, frame=frame, scheme=PUBLISHED, synonyms={}, tables=tables)


def _open_release(path: Path) -> Source:

    release = releases.read(path)
    pairs = release.tables["pairs"]
    if "first" not in pairs:
        raise InputError(
            path, expected="a release with texts", found="ids alone", remedy="put them in with `analysis.restore` first"
        )
    return Source(
        kind="release",
        path=path,
        frame=pairs[datasets.COLUMNS].astype(datasets.INTEGERS),
        scheme=PUBLISHED,
        synonyms=release.facts["synonyms"],
        tables=[
            {"table": name, "digest": digest} for name, digest in releases.digests(path).items() if "data/" in name
        ],
    )


def _split_anew(source: Source, label_set: LabelSet) -> Source:
    """The data set with the split that was asked for."""
    if label_set.scheme in (None, PUBLISHED):
        return source
    if label_set.scheme != SCHEME:
        raise InputError(
            "--scheme", expected=f"{PUBLISHED} or {SCHEME}", found=label_set.scheme, remedy="name one of those"
        )
    rows = split(source.frame, SplitRule())
    return replace(source, frame=source.frame.assign(split=rows["split"]), scheme=SCHEME)


def _checked(source: Source) -> Source:
    twice = source.frame["pair_id"].duplicated()
    if source.kind != "pairs" and twice.any():
        pair = source.frame[twice].iloc[0]
        raise TableError(
            source.path,
            expected="each pair once",
            found=f"the pair {pair['pair_id']} ({pair['first'][:40]!r}, {pair['second'][:40]!r}) in two rows",
            remedy="take one of them out",
        )
    return source


def need_splits(source: Source) -> Source:
    """The data set, if its pairs are in at least two splits; raises TableError where they are not."""
    present = sorted(source.frame["split"].dropna().unique())
    if len(present) < 2:
        remedy = "run `python -m analysis.splits` first" if source.kind == "store" else f"give --scheme {SCHEME}"
        raise TableError(
            source.path,
            expected=f"pairs in at least two splits of the scheme {source.scheme!r}",
            found=f"pairs in {present[0]} alone" if present else "no pair in any",
            remedy=remedy,
        )
    return source
