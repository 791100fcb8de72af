"""Parquet files of a few kilobytes whose rows would fill the memory are found before they are read."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from data.files.parquet import SMALL_TABLE_BYTES, fits

MEGABYTE = 2**20


def repeated(n: int, length: int) -> pa.Array:
    return pa.DictionaryArray.from_arrays(pa.array([0] * n, pa.int32()), pa.array(["x" * length]))


COLUMNS = {
    "a text that each row repeats": lambda: repeated(50_000, MEGABYTE),
    "a list of texts that repeat": lambda: pa.ListArray.from_arrays([0, 1, 50_000], repeated(50_000, MEGABYTE)),
    "one long text": lambda: pa.array(["x" * (SMALL_TABLE_BYTES + 1)]),
    "equal numbers": lambda: pa.array([7] * (SMALL_TABLE_BYTES // 8 + 1)),
}


@pytest.mark.parametrize("name", COLUMNS)
def test_a_small_file_of_many_bytes_does_not_fit(name: str, tmp_path: Path) -> None:
    path = tmp_path / "bomb.parquet"
    pq.write_table(pa.table({"column": COLUMNS[name]()}), path, compression="zstd", store_schema=False)
    assert path.stat().st_size < SMALL_TABLE_BYTES // 200
    assert not fits([path])


def test_small_files_fit_and_together_they_count_together(tmp_path: Path) -> None:
    path = tmp_path / "whole.parquet"
    rows = {"text": ["a", None, "b"] * 1000, "list": [["a"], [], None] * 1000, "number": range(3000)}
    pq.write_table(pa.table(rows), path)
    assert fits([path])
    assert fits([])
    pq.write_table(pa.table({"number": [7] * (SMALL_TABLE_BYTES // 16 + 1)}), path, compression="zstd")
    assert fits([path])
    assert not fits([path, path])
