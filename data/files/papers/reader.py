"""Papers from files, plain or gzip, without empty ones and duplicates."""

import gzip
import io
import itertools
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar, cast

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from data.console.errors import InputError
from data.console.messages import progress, quantity, say
from data.console.paths import existing_file
from data.files.deadline import DeadlineError, deadline
from data.files.folders import find_files
from data.files.papers import texts, workbooks
from data.files.papers.clean import CleanFile
from data.files.papers.exporters import FIELDS
from data.files.papers.files import PARQUET, Columns, UnknownKindError, read, signature
from data.files.workbooks import OLD, ZIP

T = TypeVar("T")

SCHEMA = pa.schema([(field, pa.string()) for field in (*FIELDS, "file", "row")])
"""`row` is the paper's place: the file's name and the number of its record, from 1."""

MAX_LOST = 0.05
"""Of the records of a file; more are a finding."""
NO_TEXT, UNREADABLE = "no_text", "unreadable"

PROCESSOR_SECONDS = 300.0
"""Of the processor, for one batch of a file's papers (at most 5,000 of them); BibTeX, the slowest, takes a tenth."""


SAMPLED, BEGINNING = 50, 300
"""Papers per batch whose beginnings are kept, and characters of each."""


@dataclass(frozen=True, kw_only=True)
class Screened:
    """A batch of a file's papers: those that count, and the others (columns id, reason, detail)."""

    file: str
    kept: pa.RecordBatch
    rejects: pd.DataFrame


@dataclass(kw_only=True)
class Summary:
    """Figures about the papers, gathered as they pass."""

    n_without_abstract: int = 0
    years: set[str] = field(default_factory=set)
    venues: set[str] = field(default_factory=set)
    rejects: list[pd.DataFrame] = field(default_factory=list)
    found: Counter[str] = field(default_factory=Counter)
    """File -> records found in it."""
    lost: Counter[str] = field(default_factory=Counter)
    """File -> records of which no title and no abstract could be read."""
    dropped: Counter[str] = field(default_factory=Counter)
    """File -> control characters dropped from its texts."""
    texts: list[str] = field(default_factory=list)
    """Beginnings of papers, evenly spaced, to find their language."""

    @property
    def n_kept(self) -> int:
        """Papers that count."""
        return self.found.total() - sum(map(len, self.rejects))

    def watch(self, batches: Iterable[Screened]) -> Iterator[pa.RecordBatch]:
        """The papers that count, after adding them to the summary."""
        for batch in batches:
            self.found[batch.file] += len(batch.kept) + len(batch.rejects)
            self.lost[batch.file] += int(batch.rejects["reason"].isin([NO_TEXT, UNREADABLE]).sum())
            self.n_without_abstract += batch.kept["abstract"].null_count
            self.years.update(pc.unique(batch.kept["year"].drop_null()).to_pylist())
            self.venues.update(pc.unique(batch.kept["venue"].drop_null()).to_pylist())
            self.rejects.append(batch.rejects)
            self._take_sample(batch.kept)
            yield batch.kept

    def _take_sample(self, papers: pa.RecordBatch) -> None:
        some = papers.take(pa.array(range(0, len(papers), max(1, len(papers) // SAMPLED)), pa.int64()))
        for title, abstract in zip(some["title"].to_pylist(), some["abstract"].to_pylist(), strict=True):
            self.texts.append(f"{title or ''} {abstract or ''}"[:BEGINNING])

    def lines(self) -> Iterator[str]:
        """A few lines for a person to read."""
        reasons = (
            pd.concat([rejects["reason"] for rejects in self.rejects]) if self.rejects else pd.Series(dtype=object)
        )
        span = f", {min(self.years)} to {max(self.years)}" if self.years else ""
        venues = f", {quantity(len(self.venues), 'venue')}" if self.venues else ""
        dropped = "".join(f", {n:,} {reason}" for reason, n in reasons.value_counts().items())
        where = next(iter(self.found)) if len(self.found) == 1 else quantity(len(self.found), "file")
        yield f"{quantity(self.found.total(), 'record')} found in {where}"
        yield f"{self.n_kept:,} of {self.found.total():,} papers count{span}{venues}{dropped}"
        if self.n_without_abstract:
            yield f"{self.n_without_abstract:,} of them have a title but no abstract"
        for name, n_dropped in (+self.dropped).items():
            yield f"{quantity(n_dropped, 'control character')} dropped from {name}"

    def losses(self) -> dict[str, list[int]]:
        """File -> records lost and found, where more than MAX_LOST of them are lost."""
        return {
            name: [n_lost, self.found[name]]
            for name, n_lost in self.lost.items()
            if n_lost > MAX_LOST * self.found[name]
        }


def name_losses(losses: Mapping[str, Sequence[int]]) -> str:
    """What a person should know about files of which many records are lost, and can do."""
    files = "; ".join(
        f"{n_lost:,} of {n_found:,} records of {name} ({n_lost / n_found:.0%})"
        for name, (n_lost, n_found) in losses.items()
    )
    return (
        f"neither title nor abstract could be read from {files}: export these again, as RIS, "
        "BibTeX or CSV with abstracts, or take them out of the file"
    )


def find_papers(paths: Sequence[Path]) -> tuple[Path, ...]:
    """The files that are named, and those below the folders that are named, without hidden ones.

    Raises InputError where there is none.
    """
    return tuple(dict.fromkeys(file for path in paths for file in (find_files(str(path)) if path.is_dir() else [path])))


def read_papers(
    paths: Sequence[Path], columns: Columns, dropped: Counter[str] | None = None
) -> Iterator[pa.RecordBatch]:
    """The papers of all files in order, in batches with the columns of SCHEMA; a missing field is null.

    `dropped` counts the control characters that the texts of each file lack. Raises InputError with the place of the
    first thing that cannot be read. Of the files below a folder, those that hold no papers are left out, with
    a line on the screen; one must be left.
    """
    counts = Counter[str]() if dropped is None else dropped
    files = find_papers(paths)
    labels, n_read = _label(files), 0
    for path in files:
        batches = iter(progress(_read_file(path, labels[path], columns, counts), label=labels[path], unit="batches"))
        try:
            first = next(batches, None)
        except UnknownKindError as fault:
            if path in paths:
                raise
            say(f"left out: {fault}")
            continue
        n_read += 1
        yield from itertools.chain([] if first is None else [first], batches)
    if not n_read:
        raise InputError(
            paths[0],
            expected="a file of papers",
            found=f"none among {quantity(len(files), 'file')}",
            remedy="name the files",
        )
    columns.require_seen(paths[0])


def _label(paths: Sequence[Path]) -> dict[Path, str]:
    """The names of the files; where two have the same, their places below the folder that holds all."""
    if len({path.name for path in paths}) == len(paths):
        return {path: path.name for path in paths}
    whole = [path.resolve() for path in paths]
    root = os.path.commonpath([path.parent for path in whole])
    return {path: place.relative_to(root).as_posix() for path, place in zip(paths, whole, strict=True)}


def distinct(batches: Iterable[pa.RecordBatch]) -> Iterator[Screened]:
    """The papers that count, and the others with their reasons (`id` is the row, `detail` the paper's id).

    `no_text`: neither title nor abstract; `unreadable`: not even an id; `same_title`: another paper has the same title
    after lower-casing and dropping all but letters and digits, and counts: the first one with an abstract, else the
    first one; `same_id`: without a title, and an earlier paper of the file has the same id. Titles without an abstract
    wait for the end; of all others only hashes are kept in memory.
    """
    seen: set[int] = set()
    waiting: list[pa.RecordBatch] = []
    for batch in batches:
        is_title_alone = pc.and_(pc.is_null(batch["abstract"]), pc.is_valid(batch["title"]))
        alone = batch.filter(is_title_alone)
        if len(alone):
            waiting.append(alone)
        if len(alone) < len(batch):
            yield _screen(batch.filter(pc.invert(is_title_alone)) if len(alone) else batch, seen)
    yield from (_screen(batch, seen) for batch in waiting)


def _screen(batch: pa.RecordBatch, seen: set[int]) -> Screened:
    """The papers of a batch that count beside those whose names are `seen`, to which theirs are added."""
    words = pc.replace_substring(pc.utf8_lower(batch["title"]), " ", "")  # what is left takes the expression less time
    titles = pc.replace_substring_regex(words, r"[^\p{L}\p{N}]+", "").to_pylist()
    empty = pc.and_(pc.is_null(batch["title"]), pc.is_null(batch["abstract"])).to_pylist()
    rows = zip(titles, batch["id"].to_pylist(), empty, strict=True)
    file = batch["file"][0].as_py()
    reasons = [
        _reason(title or (id_ and f"{file}\0{id_}"), bool(title), is_empty, seen) for title, id_, is_empty in rows
    ]
    dropped = pd.Series(reasons, dtype=object).notna().to_numpy()
    columns = {"id": batch["row"], "reason": pa.array(reasons, pa.string()), "detail": batch["id"]}
    rejects = pd.DataFrame({name: values.to_numpy(False)[dropped] for name, values in columns.items()}, dtype=object)
    return Screened(file=file, kept=batch.filter(pa.array(~dropped)) if dropped.any() else batch, rejects=rejects)


def _reason(name: str | None, has_title: bool, is_empty: bool, seen: set[int]) -> str | None:
    """Why the paper does not count; None if it does, and then a hash of its name is added to `seen`.

    By its name a paper is known again: its title, else its id within its file.
    """
    if is_empty:
        return NO_TEXT if name else UNREADABLE
    if not name:
        return None
    key = hash(name)
    if key in seen:
        return "same_title" if has_title else "same_id"
    seen.add(key)
    return None


def _read_file(path: Path, label: str, columns: Columns, dropped: Counter[str]) -> Iterator[pa.RecordBatch]:
    existing_file(path, "a file of papers")
    n_rows = 0
    with path.open("rb") as packed:
        is_gzip = packed.peek(2)[:2] == b"\x1f\x8b"
        file = io.BufferedReader(cast(Any, gzip.GzipFile(fileobj=packed) if is_gzip else packed))
        kind, clean = signature(path, file), None
        if kind in (ZIP, OLD):
            records = workbooks.read(path, file, columns)
        else:
            clean = None if kind == PARQUET else CleanFile(file)
            records = read(path, io.BufferedReader(clean) if clean else file, columns)
        for papers, n_dropped in _in_time(path, map(texts.free, records)):
            dropped[label] += n_dropped
            if not len(papers):
                continue
            numbers = pa.array(range(n_rows + 1, n_rows + len(papers) + 1)).cast(pa.string())
            names = pa.repeat(pa.scalar(label), len(papers))
            n_rows += len(papers)
            rows = pc.binary_join_element_wise(names, numbers, " row ")
            yield pa.RecordBatch.from_arrays([*papers.columns, names, rows], schema=SCHEMA)
        dropped[label] += clean.n_dropped if clean else 0


def _in_time(path: Path, batches: Iterator[T]) -> Iterator[T]:
    """The batches. Raises InputError where the next one takes too long, whatever the file holds."""
    while True:
        try:
            with deadline(PROCESSOR_SECONDS):
                batch = next(batches, None)
        except DeadlineError as fault:
            raise InputError(
                path,
                expected=f"papers that can be read in {PROCESSOR_SECONDS:.0f} seconds",
                found="some that take longer",
                remedy="split the file, and leave out the part that is too slow",
            ) from fault
        if batch is None:
            return
        yield batch
