"""A stranger's rows, read from Parquet and checked against the tables of a release."""

from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pyarrow.types as kinds

from data.console.errors import TableError
from data.contract.validation import check_rows
from data.contract.vocabulary import BELOW_RULE, FLAGS, SPLITS
from data.files import parquet
from data.labelled.release_tables import MAX_COUNT, TABLES, TEXTS, arrow_schema


def read_rows(path: Path, *, without_text: bool) -> pa.Table:
    """The rows of a Parquet file; raises TableError where they are none of the table that its name says."""
    name = "pairs" if path.stem in SPLITS else path.stem
    try:
        file = pq.ParquetFile(path)
        _require_columns(name, file.schema_arrow, path, without_text=without_text)
        _require_bounded(name, path)
        rows = file.read()
        rows.validate(full=True)
    except (OSError, ValueError, pa.ArrowException) as fault:
        raise differs(path, "a Parquet file", f"{type(fault).__name__}: {fault}".splitlines()[0][:120]) from fault
    require_valid(name, rows, path, without_text=without_text)
    return rows


def require_valid(name: str, rows: pa.Table, where: Path, *, without_text: bool) -> pd.DataFrame:
    """The rows as a frame; raises TableError where a column, a type, a value or a key is not the table's."""
    _require_columns(name, rows.schema, where, without_text=without_text)
    for field in rows.schema:
        _require_finite(rows[field.name].combine_chunks(), field, where)
    frame: pd.DataFrame = rows.to_pandas(types_mapper=pd.ArrowDtype)
    _, fault = check_rows(TABLES[name], frame, TEXTS.get(name, ()) if without_text else ())
    if fault is not None:
        raise differs(where, *fault)
    _require_laws(name, frame, where)
    return frame


def _require_columns(name: str, schema: pa.Schema, where: Path, *, without_text: bool) -> None:
    """Raises TableError where the columns or their types are not the table's."""
    expected = arrow_schema(name, without_text=without_text)
    for place in range(max(len(expected), len(schema))):
        ours = expected.field(place) if place < len(expected) else None
        theirs = schema.field(place) if place < len(schema) else None
        if ours is None or theirs is None or (ours.name, ours.type) != (theirs.name, theirs.type):
            raise differs(where, _describe(ours), _describe(theirs))


def _require_bounded(name: str, path: Path) -> None:
    """Raises TableError where the rows would fill the memory, and at the first that have the same key twice."""
    if not parquet.fits([path]):
        raise differs(path, parquet.SIZE_RULE, "more")
    key = TABLES[name].key_columns()
    for batch in pq.ParquetFile(path).iter_batches(parquet.ROWS_AT_ONCE, columns=key) if key else ():
        if batch.select(key).to_pandas().duplicated().any():
            raise differs(path, "each key once", "one twice")


def _describe(field: pa.Field | None) -> str:
    return "no more columns" if field is None else f"a column {field.name} of type {field.type}"[:120]


def _require_finite(values: Any, field: pa.Field, where: Path) -> None:
    """Raises TableError for a number that is none, and for a list that holds nothing."""
    if kinds.is_floating(field.type) and not pc.all(pc.is_finite(values)).as_py() and len(values) > values.null_count:
        raise differs(where, f"finite numbers in {field.name}", "others")
    if kinds.is_list(field.type) and values.flatten().null_count:
        raise differs(where, f"lists without nulls in {field.name}", "a null")


def _require_laws(name: str, frame: pd.DataFrame, where: Path) -> None:
    """Raises TableError where the values of a row contradict one another."""
    if name == "pairs":
        unlabelled = frame["binary"].isna() & (frame["decided_by"] != BELOW_RULE).fillna(True)
        if unlabelled.any() and frame["binary"].notna().any():  # where no answer is a vote, no pair has a label here
            raise differs(where, f"a label of every pair that is not decided by {BELOW_RULE}", "none")
        if (frame["votes"] > frame["n_votes"]).any():
            raise differs(where, "votes of at most n_votes", "more")
        counts = frame["scores"].dropna()
        if len({*map(len, counts)}) > 1 or any(
            min(row, default=0) < 0 or max(row, default=0) > MAX_COUNT for row in counts
        ):
            raise differs(where, "scores to be as many counts in each row", "others")
    if name in ("pairs", "labels"):
        sums = [float(sum(row)) if len(row) and min(row) >= 0 else 0.0 for row in frame["posterior"].dropna()]
        if not all(abs(total - 1) < 1e-6 for total in sums):
            raise differs(where, "posteriors to be probabilities whose sum is 1", "others")
    if name in ("ratings", "campaign_ratings") and not {flag for flags in frame["flags"] for flag in flags} <= set(
        FLAGS
    ):
        raise differs(where, f"flags among {', '.join(FLAGS)}", "others")


def differs(where: Path, expected: str, found: str) -> TableError:
    """The error for a file that is not what `analysis.release` writes."""
    return TableError(where, expected=expected, found=found, remedy="ask the publisher for the release again")
