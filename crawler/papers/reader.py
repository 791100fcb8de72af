"""Papers from files, plain or gzip, without empty ones and duplicates."""

import gzip
import hashlib
import io
import itertools
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from crawler.cards.deadline import DeadlineError, deadline
from crawler.formats.files import find_files
from crawler.papers.clean import CleanFile, clean_column
from crawler.papers.files import FIELDS, Columns, UnknownKindError, choose_reader, is_parquet
from data.console.errors import InputError
from data.console.messages import progress, quantity, say
from data.console.paths import existing_file

SCHEMA = pa.schema([(field, pa.string()) for field in (*FIELDS, "row")])
"""`row` is the paper's place: the file's name and the number of its row, from 1."""

SECONDS = 300.0
"""Of the processor, for one batch of a file's papers (at most 5,000 of them); BibTeX, the slowest, takes a tenth."""


SAMPLED, BEGINNING = 50, 300
"""Papers per batch whose beginnings are kept, and characters of each."""


@dataclass(frozen=True, kw_only=True)
class Screened:
    """A batch of papers: those that count, and the others (columns id, reason, detail)."""

    kept: pa.RecordBatch
    rejects: pd.DataFrame


@dataclass(kw_only=True)
class Summary:
    """Figures about the papers, gathered as they pass."""

    n_kept: int = 0
    n_without_abstract: int = 0
    years: set[str] = field(default_factory=set)
    venues: set[str] = field(default_factory=set)
    rejects: list[pd.DataFrame] = field(default_factory=list)
    dropped: Counter[str] = field(default_factory=Counter)
    """File -> control characters dropped from its texts."""
    texts: list[str] = field(default_factory=list)
    """Beginnings of papers, evenly spaced, to find their language."""

    def watch(self, batches: Iterable[Screened]) -> Iterator[pa.RecordBatch]:
        """The papers that count, after adding them to the summary."""
        for batch in batches:
            self.n_kept += len(batch.kept)
            lengths = pc.utf8_length(pc.fill_null(batch.kept["abstract"], ""))
            self.n_without_abstract += len(batch.kept) - (pc.sum(pc.greater(lengths, 0)).as_py() or 0)
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
        yield f"{self.n_kept:,} of {self.n_kept + len(reasons):,} papers count{span}{venues}{dropped}"
        if self.n_without_abstract:
            yield f"{self.n_without_abstract:,} of them have a title but no abstract"
        for name, n_dropped in (+self.dropped).items():
            yield f"{quantity(n_dropped, 'control character')} dropped from {name}"


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


def _label(paths: Sequence[Path]) -> dict[Path, str]:
    """The names of the files; where two have the same, their places below the folder that holds all."""
    if len({path.name for path in paths}) == len(paths):
        return {path: path.name for path in paths}
    whole = [path.resolve() for path in paths]
    root = os.path.commonpath([path.parent for path in whole])
    return {path: place.relative_to(root).as_posix() for path, place in zip(paths, whole, strict=True)}


def distinct(batches: Iterable[pa.RecordBatch]) -> Iterator[Screened]:
    """The papers that count, and the others with their reasons (`id` is the row, `detail` the paper's id).

    `no_text`: neither title nor abstract; `same_id`, `same_title`: an earlier paper has the same id, or the same
    title after lower-casing and dropping all but letters and digits. Only digests of ids and titles are kept in memory.
    """
    seen: dict[str, set[bytes]] = {"id": set(), "title": set()}
    for batch in batches:
        titles = pc.replace_substring_regex(pc.utf8_lower(batch["title"]), r"[^\p{L}\p{N}]+", "").to_pylist()
        text = pc.binary_join_element_wise(batch["title"], batch["abstract"], "", null_handling="replace")
        empty = pc.equal(pc.utf8_length(pc.utf8_trim_whitespace(text)), 0).to_pylist()
        rows = zip(batch["id"].to_pylist(), titles, empty, strict=True)
        reasons = [_reason(id_, title, is_empty, seen) for id_, title, is_empty in rows]
        dropped = pd.Series(reasons, dtype=object).notna().to_numpy()
        columns = {"id": batch["row"], "reason": pa.array(reasons, pa.string()), "detail": batch["id"]}
        rejects = pd.DataFrame(
            {name: values.to_numpy(False)[dropped] for name, values in columns.items()}, dtype=object
        )
        yield Screened(kept=batch.filter(pa.array(~dropped)), rejects=rejects)


def _reason(id_: str | None, title: str | None, is_empty: bool, seen: dict[str, set[bytes]]) -> str | None:
    """Why the paper does not count; None if it does, and then its id and title are added to `seen`."""
    if is_empty:
        return "no_text"
    named = {name: value.encode() for name, value in (("id", id_), ("title", title)) if value}
    digests = {name: hashlib.blake2b(value, digest_size=8).digest() for name, value in named.items()}
    same = next((f"same_{name}" for name, value in digests.items() if value in seen[name]), None)
    if same is None:
        for name, value in digests.items():
            seen[name].add(value)
    return same


def _read_file(path: Path, label: str, columns: Columns, dropped: Counter[str]) -> Iterator[pa.RecordBatch]:
    existing_file(path, "a file of papers")
    n_rows = 0
    with path.open("rb") as packed:
        is_gzip = packed.peek(2)[:2] == b"\x1f\x8b"
        file = io.BufferedReader(cast(Any, gzip.GzipFile(fileobj=packed) if is_gzip else packed))
        clean = None if is_parquet(path, file) else CleanFile(file)
        text = file if clean is None else io.BufferedReader(clean)
        for batch in _in_time(path, choose_reader(path, text)(path, text, columns)):
            rows = pa.array(f"{label} row {row}" for row in range(n_rows + 1, n_rows + len(batch) + 1))
            n_rows += len(batch)
            fields, n_dropped = zip(*map(clean_column, batch.columns), strict=True)
            dropped[label] += sum(n_dropped)
            yield pa.RecordBatch.from_arrays([*fields, rows], schema=SCHEMA)
        dropped[label] += clean.n_dropped if clean else 0


def _in_time(path: Path, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The batches. Raises InputError where the next one takes too long, whatever the file holds."""
    while True:
        try:
            with deadline(SECONDS):
                batch = next(batches, None)
        except DeadlineError as fault:
            raise InputError(
                path,
                expected=f"papers that can be read in {SECONDS:.0f} seconds",
                found="some that take longer",
                remedy="split the file, and leave out the part that is too slow",
            ) from fault
        if batch is None:
            return
        yield batch
