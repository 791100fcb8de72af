"""Tables that people write by hand or with a spreadsheet."""

import csv
from io import StringIO
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.console.errors import InputError
from data.files.sheets import Sheet, read_sheet, whole_numbers


def read(folder: Path, text: str) -> Sheet:
    path = folder / "sheet.csv"
    path.write_text(text, encoding="utf-8", newline="")
    return read_sheet(path, "a CSV file", remedy="correct it")


CELLS = st.text(st.sampled_from('ab ,;\t"\n'), max_size=6).map(str.strip)


@given(st.lists(st.tuples(CELLS, CELLS).filter(any), max_size=5), st.sampled_from(",;\t"), st.booleans(), st.data())
def test_what_a_spreadsheet_writes_is_read_as_it_was(
    tmp_path_factory: pytest.TempPathFactory,
    cells: list[tuple[str, str]],
    separator: str,
    is_stated: bool,
    data: st.DataObject,
) -> None:
    content = StringIO(newline="")
    end = data.draw(st.sampled_from(["\n", "\r\n"]))
    writer = csv.writer(content, delimiter=separator, lineterminator=end, quoting=csv.QUOTE_ALL)
    writer.writerows([("one", "two"), *cells])
    text = (f"sep={separator}{end}" if is_stated else "") + content.getvalue()
    sheet = read(tmp_path_factory.getbasetemp(), text)
    assert [*sheet.rows.columns] == ["one", "two"]
    assert [*sheet.rows.itertuples(index=False, name=None)] == cells


@pytest.mark.parametrize("rows", ["a,1,\nb,2,\n", "a,1,,  ,\nb,2\n", "\na,1\n,\nb,2\n"])
def test_empty_cells_after_the_last_column_and_empty_rows_change_nothing(tmp_path: Path, rows: str) -> None:
    sheet = read(tmp_path, "name,n\n" + rows)
    assert sheet.rows.to_numpy().tolist() == [["a", "1"], ["b", "2"]]


def test_headers_are_read_in_any_case(tmp_path: Path) -> None:
    assert [*read(tmp_path, "Name, N \na,1\n").rows.columns] == ["name", "n"]
    with pytest.raises(InputError, match="columns name, found name, name"):
        read(tmp_path, "name,Name\na,1\n").require_columns(["name"])


def test_whole_numbers_are_read_as_programs_write_them() -> None:
    cells = pd.Series(["3", " 3.0", "3.00 ", "", "3.5", "v3.0", "-1.0", "1,0", "1,000"], dtype="str")
    assert whole_numbers(cells).tolist() == ["3", "3", "3", "", "3.5", "v3.0", "-1", "1", "1,000"]


def test_rows_know_their_lines_and_missing_cells_are_empty(tmp_path: Path) -> None:
    sheet = read(tmp_path, 'name,n\n\n"a\nb",1\nc\n')
    assert sheet.rows.index.tolist() == [4, 5]
    assert sheet.rows.to_numpy().tolist() == [["a\nb", "1"], ["c", ""]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name,n\na,1\nb,2,Doe\n", "sheet.csv, line 3: expected at most 2 cells, as in the header, found 3"),
        ("name,n\nJane,Doe,1\nJoe,Public,2\n", "line 2: expected at most 2 cells"),
        ("", "expected a CSV file, found nothing"),
        ('name,n\n"a,1\n', "unexpected end of data"),
    ],
)
def test_a_wrong_table_is_one_line_of_where_and_what(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError) as refusal:
        read(tmp_path, text)
    assert message in str(refusal.value)


@pytest.mark.parametrize("header", ["name", "name,n,n", "name,n,other"])
def test_missing_repeated_and_unknown_columns_are_refused(tmp_path: Path, header: str) -> None:
    with pytest.raises(InputError, match=f"columns name, n and none but name, n, found {header.replace(',', ', ')}"):
        read(tmp_path, header + "\na\n").require_columns(["name", "n"], known=["name", "n"])
