"""The published files, read and written."""

import gzip
from pathlib import Path

import pandas as pd
import pytest

from data.console.errors import InputError, TableError
from data.contract.vocabulary import SPLITS
from data.labelled import parade

HEADER = "\t".join(parade.HEADER)
ROW = '3\t1\thash table\tmaps "keys\tfinds a value  by its key'


def write(folder: Path, row: str = ROW, header: str = HEADER) -> Path:
    for split in SPLITS:
        (folder / f"PARADE_{split}.txt").write_text(f"{header}\n{row}\n", encoding="utf-8")
    return folder


def test_quotes_and_double_spaces_are_text(tmp_path: Path) -> None:
    frame = parade.read(write(tmp_path))
    assert frame["split"].tolist() == list(SPLITS)
    assert frame["first"].iloc[0] == 'maps "keys'
    assert frame["second"].iloc[0] == "finds a value  by its key"
    assert frame["votes"].tolist() == [3, 3, 3]


def test_writing_gives_the_same_bytes_back(tmp_path: Path) -> None:
    source = write(tmp_path)
    copies = parade.write(parade.read(source), tmp_path / "copy")
    for copy in copies:
        assert copy.read_bytes() == (source / copy.name).read_bytes()


def test_gzip_is_read(tmp_path: Path) -> None:
    write(tmp_path)
    for path in list(tmp_path.glob("*.txt")):
        (tmp_path / (path.name + ".gz")).write_bytes(gzip.compress(path.read_bytes()))
        path.unlink()
    assert len(parade.read(tmp_path)) == 3


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"PARADE_train\.txt"):
        parade.read(tmp_path)


@pytest.mark.parametrize(
    ("row", "header", "message"),
    [
        (ROW.replace("3\t1", "5\t1"), HEADER, "line 2: expected votes to be one of 0, 1, 2, 3, found '5'"),
        (ROW.replace("3\t1", "3\t2"), HEADER, "binary to be one of 0, 1"),
        ("3\t1\tdata mining\ta text\n", HEADER, "line 2: expected second to be a text, found nothing"),
        ("3\t1\tdata mining\t \ta text\n", HEADER, "line 2: expected first to be a text, found nothing"),
        (ROW, HEADER.replace("Entity", "Name"), "found Four-class labels, Binary labels, Name"),
    ],
)
def test_wrong_rows_and_columns_are_named(tmp_path: Path, row: str, header: str, message: str) -> None:
    with pytest.raises(TableError, match=message):
        parade.read(write(tmp_path, row, header))


def test_the_published_files(shared_data: Path) -> None:
    frame = parade.read(shared_data / "parade")
    assert len(frame) == 10_182
    assert frame["votes"].value_counts().sort_index().tolist() == [2359, 3045, 2951, 1827]
    assert (frame["binary"] == (frame["votes"] >= 2)).all()
    assert isinstance(frame, pd.DataFrame)
