"""Labelled pairs of texts as other data sets publish them, plain or gzip.

MRPC, QQP (as published, and in the split of Wang et al. 2017), PAWS and GLUE, Twitter-URL, PIT-2015, APT, Le-Wi-Di,
PARADE, and any table (delimited text, JSON, Excel, Parquet) with two columns of texts and one of labels.
"""

import re
from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from data.console.errors import InputError, TableError
from data.console.messages import quantity, say
from data.contract.vocabulary import SPLITS
from data.files.sheets import name_unread, read_table
from data.grouping.entities import ENTITIES, of_side
from data.labelled import parade
from data.labelled.dataset import COLUMNS, INTEGERS, from_published
from data.labelled.forms import paws
from data.labelled.forms.cells import LABELS, NO_LABEL, SPLIT, as_labels, read_named
from data.labelled.forms.headless import find_judged, find_reader, read_judged
from data.texts.identity import pair_id, text_id

SPLIT_OF = {
    "train": "train", "dev": "validation", "val": "validation", "valid": "validation", "validation": "validation",
    "test": "test",
}  # fmt: skip

ENDINGS = (".txt", ".tsv", ".csv", ".json", ".jsonl", ".xlsx", ".xls", ".parquet", ".data")


def load(path: Path) -> tuple[pd.DataFrame, list[Path]]:
    """The data set at `path`, in the form of `data.labelled.dataset`, and its files: PARADE's folder, or as found by
    `find`."""
    if path.is_dir() and any(path.glob("PARADE_*.txt*")):
        return from_published(parade.read(path)), [parade.find(path, name) for name in SPLITS]
    files = find(path)
    return read(files), files


def find(path: Path) -> list[Path]:
    """The files of pairs at `path`: the file itself, those in the folder, or those whose names begin with it.

    If some of their names contain the name of a split, only those count, and a line names the others. Raises InputError
    if there is none.
    """
    if path.is_file():
        return [path]
    folder, start = (path, "") if path.is_dir() else (path.parent, path.name)
    named = [file for file in sorted(folder.glob("*")) if file.name.startswith(start)]
    files = [file for file in named if file.name.removesuffix(".gz").endswith(ENDINGS)]
    if not files:
        raise InputError(
            path,
            expected=f"a store, a release, or files of pairs ({', '.join(ENDINGS)}, plain or .gz)",
            found="none of these" if path.is_dir() else "no such file or folder",
            remedy="check the path",
        )
    chosen = [file for file in files if _split_of(file.name)] or files
    if unread := name_unread(file.name for file in files if file not in chosen):
        say(f"{path}: {unread}")
    return chosen


def read(paths: list[Path]) -> pd.DataFrame:
    """The pairs of all files as `data.labelled.dataset` has them, split by their column `split` or the files' names.

    Rows without two texts, with the same text twice outside the training split (as in PAWS, Zhang et al. 2019, section
    4, footnote 6), and repeated rows are left out, with a line per file that says how many. Raises TableError if a file
    has no known form or a label is unknown.
    """
    parts = {path: _read_file(path) for path in paths}
    frame = pd.concat(parts.values(), ignore_index=True)
    frame = with_ids(frame.reindex(columns=[*dict.fromkeys([*frame.columns, *ENTITIES])]))
    empty = (frame[["first", "second"]] == "").any(axis="columns")
    alike = ~empty & (frame["first"] == frame["second"]) & (frame["split"] != "train").fillna(True)
    repeated = ~(empty | alike) & frame.duplicated(["pair_id", "split", "binary"])
    left_out = {"without two texts": empty, "with one text twice": alike, "repeated": repeated}
    end = 0
    for path, part in parts.items():
        start, end = end, end + len(part)
        say_left_out(path, {kind: rows[start:end] for kind, rows in left_out.items()})
    frame = frame[~(empty | alike | repeated)]
    return frame.reindex(columns=COLUMNS).astype(INTEGERS).reset_index(drop=True)


def say_left_out(path: Path, left_out: Mapping[str, "pd.Series[bool]"]) -> None:
    """Say how many of the file's rows are left out, if any are: which ones, by the reason."""
    rows = pd.DataFrame(left_out)
    counts = rows.sum()
    if counts.any():
        why = ", ".join(f"{count:,} {kind}" for kind, count in counts[counts > 0].items())
        say(f"{path}: {counts.sum():,} of {quantity(len(rows), 'row')} left out: {why}")


def _split_of(name: str) -> str | None:
    """The split that a name such as `dev.tsv` or `Test` says; None for none."""
    parts = re.split(r"[^a-z]+", name.lower())
    return next((SPLIT_OF[part] for part in parts if part in SPLIT_OF), None)


def _read_file(path: Path) -> pd.DataFrame:
    if judged := find_judged(path):
        rows = read_judged(judged, path)
    else:
        text = read_table(path, "pairs of texts")
        rows = (find_reader(text) or read_named)(text, path)
    if rows.empty:
        raise TableError(path, expected="at least one pair", found="none", remedy="remove the file from the folder")
    return _checked(_with_split(rows, path).assign(parents=paws.trace_parents(rows, path)), path)


def _with_split(rows: pd.DataFrame, path: Path) -> pd.DataFrame:
    """The rows with the name of their split; raises TableError for one that is none."""
    if SPLIT not in rows:
        return rows.assign(split=_split_of(path.name))
    names = rows[SPLIT].str.strip()
    splits = names.map({name: _split_of(name) for name in names.unique()}).astype(object)
    if (wrong := names[splits.isna() & (names != "")]).any():
        where, expected = f"{path}, row {wrong.index[0] + 1}", "train, validation (dev, valid) or test as the split"
        raise TableError(where, expected=expected, found=repr(wrong.iloc[0]), remedy="correct or remove the column")
    return rows.assign(split=splits.where(splits.notna(), None))


def with_ids(pairs: pd.DataFrame) -> pd.DataFrame:
    """The pairs (first, second, entity, second_entity) with first_id, second_id and pair_id, made of their content."""
    pairs = pairs.astype(dict.fromkeys(ENTITIES, "str"))
    ids = {
        side: [text_id(text, entity) for text, entity in zip(pairs[side], of_side(pairs, side).fillna(""), strict=True)]
        for side in ("first", "second")
    }
    return pairs.assign(
        first_id=ids["first"], second_id=ids["second"], pair_id=list(map(pair_id, ids["first"], ids["second"]))
    )


def _checked(rows: pd.DataFrame, path: Path) -> pd.DataFrame:
    labels = as_labels(rows["binary"])
    missing = labels.isin(NO_LABEL)
    labels = labels.mask(missing)
    wrong = rows["binary"][labels.notna() & ~labels.isin(LABELS)]
    if len(wrong):
        all_wrong = len(wrong) == labels.notna().sum()
        raise TableError(
            f"{path}, row {wrong.index[0] + 1}",
            expected="a label of 0 or 1",
            found=repr(wrong.iloc[0]),
            remedy="write 1 for a paraphrase and 0 for none" if all_wrong else "correct the row",
        )
    if missing.any():
        say(f"{missing.sum():,} of {quantity(len(rows), 'row')} of {path} have no label (nothing, or -1)")
    stripped = {side: rows[side].str.strip() for side in ("first", "second")}
    return rows.assign(**stripped, binary=pd.to_numeric(labels).astype("Int64"))
