"""Papers from files, plain or gzip, and which of them count."""

import gzip
import io
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, cast

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from crawler.paper_files import FIELDS, Columns, choose_reader
from data.console import existing_file, progress

SCHEMA = pa.schema([(field, pa.string()) for field in (*FIELDS, "row")])
"""`row` is the paper's place: file name and number of its line or row, from 1."""


def read_papers(paths: Sequence[Path], columns: Columns) -> pa.Table:
    """The papers of all files in their order, with the columns of SCHEMA, all text; what a paper lacks is null.

    Raises InputError with the line or row of the first thing that cannot be read.
    """
    batches = [
        batch for path in paths for batch in progress(_read_file(path, columns), label=path.name, unit="batches")
    ]
    return pa.Table.from_batches(batches, schema=SCHEMA)


def distinct(papers: pa.Table) -> tuple[pa.Table, pd.DataFrame]:
    """The papers that count, and the others with their reasons (columns id, reason, detail; id is the row).

    `no_text`: neither title nor abstract; `same_id`, `same_title`: an earlier paper has the same id, or the same
    title after lower-casing and dropping all but letters and digits.
    """
    frame = papers.select(["id", "row"]).to_pandas(types_mapper=pd.ArrowDtype)
    titles = pc.replace_substring_regex(pc.utf8_lower(papers["title"]), r"[^\p{L}\p{N}]+", "")
    frame["title"] = pd.Series(titles.to_pandas(types_mapper=pd.ArrowDtype)).replace("", pd.NA)
    text = pc.binary_join_element_wise(papers["title"], papers["abstract"], "", null_handling="replace")
    frame["reason"] = None
    empty = (pc.utf8_length(pc.utf8_trim_whitespace(text)).to_pandas() == 0).to_numpy()
    frame.loc[empty, "reason"] = "no_text"
    for column in ("id", "title"):
        left = frame[frame["reason"].isna() & frame[column].notna()]
        frame.loc[left.index[left[column].duplicated()], "reason"] = f"same_{column}"
    dropped = frame[frame["reason"].notna()]
    rejects = pd.DataFrame({"id": dropped["row"], "reason": dropped["reason"], "detail": dropped["id"]})
    return papers.filter(pa.array(frame["reason"].isna())), rejects


def _read_file(path: Path, columns: Columns) -> Iterator[pa.RecordBatch]:
    existing_file(path, "a file of papers")
    n_rows = 0
    with path.open("rb") as packed:
        is_gzip = packed.peek(2)[:2] == b"\x1f\x8b"
        file = io.BufferedReader(cast(Any, gzip.GzipFile(fileobj=packed) if is_gzip else packed))
        for batch in choose_reader(path, file)(path, file, columns):
            rows = pa.array(f"{path.name} row {row}" for row in range(n_rows + 1, n_rows + len(batch) + 1))
            n_rows += len(batch)
            yield pa.RecordBatch.from_arrays([*batch.columns, rows], schema=SCHEMA)
