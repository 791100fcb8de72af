"""Papers in workbooks of Excel."""

import contextlib
import io
import zipfile

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from data.console.errors import InputError
from data.files import workbooks
from data.files.papers.files import Columns, UnknownKindError
from data.files.papers.reader import read_papers
from tests.workbooks import OLD, workbook


def write(path, **sheets):
    path.write_bytes(workbook(**sheets))
    return path


def read(path):
    papers = [paper for batch in read_papers([path], Columns.parse([])) for paper in batch.to_pylist()]
    return [(paper["id"], paper["title"], paper["abstract"], paper["year"]) for paper in papers]


def test_all_sheets_of_papers_are_read_below_what_lies_above_their_headers(tmp_path):
    included = [
        ["Search of 1 May"], [], ["Key", "Title", "Year", "Abstract"],
        [1.0, "On stacks", 1999, 'A "pile",\nof things.'], [None, "On queues", None, None],
    ]  # fmt: skip
    excluded = [["title", "abstract"], ["On heaps", "A heap."]]
    path = write(tmp_path / "a.xlsx", notes=[["Nothing"]], included=included, excluded=excluded, empty=[])
    assert read(path) == [
        ("1", "On stacks", 'A "pile", of things.', "1999"),
        (None, "On queues", None, None),
        (None, "On heaps", "A heap.", None),
    ]


def test_rows_are_as_wide_as_the_sheet_without_empty_cells_at_its_right(tmp_path):
    """An empty name in a header would hide that the row names columns."""
    path = write(
        tmp_path / "a.xlsx", papers=[["title", "abstract", "year", " "], ["On stacks"], ["On heaps", "A heap."]]
    )
    ((name, content),) = workbooks.read_sheets(path.read_bytes())
    assert (name, content.decode()) == ("papers", "title,abstract,year\nOn stacks,,\nOn heaps,A heap.,\n")


def test_a_workbook_of_before_2007_is_read(tmp_path):
    assert read(OLD) == [
        ("W1", "On stacks", 'A "pile", of things.', "1999"),
        (None, "On queues – naïve ones", None, None),
    ]


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(0, OLD.stat().st_size - 1), st.binary(min_size=1, max_size=8), st.integers(512, OLD.stat().st_size))
def test_a_damaged_one_is_read_or_named(tmp_path, place, put, length):
    content = OLD.read_bytes()
    (tmp_path / "a.xls").write_bytes((content[:place] + put + content[place + len(put) :])[:length])
    with contextlib.suppress(InputError):
        read(tmp_path / "a.xls")


def test_what_is_no_workbook_of_papers_is_left_out_of_a_folder(tmp_path, capsys):
    write(tmp_path / "sums.xlsx", sums=[["path", "count"], ["a", 1]])
    write(tmp_path / "empty.xlsx", sums=[])
    (tmp_path / "old.xls").write_bytes(workbooks.OLD + bytes(99))
    with zipfile.ZipFile(tmp_path / "letter.docx", "w") as parts:
        parts.writestr("word/document.xml", "<x/>")
    for path in tmp_path.iterdir():
        with pytest.raises(UnknownKindError):
            read(path)
    (tmp_path / "a.csv").write_text("title\nOn stacks\n")
    assert [row[1] for row in read(tmp_path)] == ["On stacks"]
    assert capsys.readouterr().out.count("left out: ") == 4


def test_a_damaged_workbook_and_one_that_unpacks_to_too_much_are_named(tmp_path, monkeypatch):
    path = write(tmp_path / "a.xlsx", papers=[["title"], ["On stacks"]])
    content = path.read_bytes()
    parts = zipfile.ZipFile(io.BytesIO(content))
    with zipfile.ZipFile(tmp_path / "torn.xlsx", "w") as torn:
        for part in parts.namelist():
            torn.writestr(part, parts.read(part)[: 300 if "sheet1" in part else None])
    for damaged in (content[: len(content) // 2], (tmp_path / "torn.xlsx").read_bytes()):
        path.write_bytes(damaged)
        with pytest.raises(InputError, match=r"a.xlsx: expected a whole workbook, found .*; save it again, or as CSV"):
            read(path)
    path.write_bytes(content)
    monkeypatch.setattr(workbooks, "MAX_UNPACKED_BYTES", 2**20 // 2**10)
    with pytest.raises(InputError, match=r"found .* MB, unpacked, where at most .* are read; save it again, or as CSV"):
        read(path)
