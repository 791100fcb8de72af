"""Parquet files of others, whose rows may take far more memory than their bytes."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pyarrow.types as kinds

ROWS_AT_ONCE = 4096
SMALL_TABLE_BYTES = 64 * 2**20
MAX_EXPANSION = 200
"""Rows of more than SMALL_TABLE_BYTES bytes take at most this multiple of their files' bytes: ids hardly compress."""
SIZE_RULE = f"rows of at most {SMALL_TABLE_BYTES // 2**20} MB in memory, or {MAX_EXPANSION} times their files"


def fits(paths: Sequence[Path]) -> bool:
    """Whether the rows of all the files keep to SIZE_RULE; found without more memory than they may take.

    Raises what Arrow raises for a file that is damaged.
    """
    most = max(SMALL_TABLE_BYTES, MAX_EXPANSION * sum(path.stat().st_size for path in paths))
    total = 0
    for path in paths:
        for n_bytes in _weigh_file(path, most):
            total += n_bytes
            if total > most:
                return False
    return True


def read_rows(path: Path) -> list[dict[str, Any]]:
    """The rows of a file that `fits`, as plain values by the names of their columns."""
    rows: list[dict[str, Any]] = pq.read_table(path).to_pylist()
    return rows


def _weigh_file(path: Path, most: int) -> Iterator[int]:
    """The bytes of some of the rows after others. A text that repeats is kept once meanwhile, and counted each time."""
    with pq.ParquetFile(path) as file:
        meta = file.metadata
    stated = sum(meta.row_group(number).total_byte_size for number in range(meta.num_row_groups))
    if stated > most:
        yield stated
        return
    columns = [meta.schema.column(number) for number in range(meta.num_columns)]
    texts = [column.path for column in columns if column.physical_type == "BYTE_ARRAY"]
    with pq.ParquetFile(path, read_dictionary=texts) as file:
        for batch in file.iter_batches(ROWS_AT_ONCE):
            yield sum(map(_weigh, batch.columns))


def _weigh(values: pa.Array) -> int:
    if kinds.is_dictionary(values.type):
        lengths = pc.binary_length(values.dictionary.cast(pa.large_binary()))
        return int(values.nbytes) + int(pc.sum(lengths.take(values.indices)).as_py() or 0)
    if kinds.is_list(values.type) or kinds.is_large_list(values.type):
        return 8 * len(values) + _weigh(values.flatten())
    if kinds.is_struct(values.type):
        return sum(map(_weigh, values.flatten()))
    return int(values.nbytes)
