"""Files of pairs without labels."""

import json
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from data.console.errors import InputError, ParadeError
from data.labelled import unlabelled
from data.texts.identity import definition_id
from tests.workbooks import workbook


@pytest.mark.parametrize(("name", "tab"), [("p.tsv", "\t"), ("p.csv", ",")])
def test_pairs_get_an_id_of_their_texts_or_keep_their_own(
    tmp_path: Path, name: str, tab: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / name
    path.write_text(tab.join(["first", "second"]) + "\n" + f"a b{tab}c\n" * 2 + f"c{tab}a b\n", "utf-8")
    found = unlabelled.read(path)
    assert found[["first", "second"]].values.tolist() == [["a b", "c"]]
    assert capsys.readouterr().out == f"{path}: 2 of 3 rows left out: 2 repeated\n"
    noted = tmp_path / f"noted{name}"
    noted.write_text(tab.join(["first", "second", "Source", "Note"]) + f"\na{tab}b{tab}c{tab}d\n", "utf-8")
    unlabelled.read(noted)
    assert capsys.readouterr().out == f"{noted}: not read: Source, Note\n"
    for ids, expected in ((["7", "8"], ["7", "8"]), (["7", "7"], [])):
        path.write_text(
            tab.join(["first", "second", "ID"]) + "\n" + "".join(f"a{n}{tab}b{tab}{n}\n" for n in ids), "utf-8"
        )
        assert [name for name in unlabelled.read(path)["pair_id"] if len(name) < 9] == expected
    path.write_text(tab.join(["Question1", "question2 ", "Pair_ID"]) + "\n" + f"a{tab}b{tab}x\n", "utf-8")
    assert unlabelled.read(path)[["pair_id", "first", "second"]].values.tolist() == [["x", "a", "b"]]


def test_people_are_shown_no_text_twice_and_rows_keep_their_entities_and_ids(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "p.csv"
    rows = ["7,tree,a,b,", "8,tree,a,b,bush", "9,,a,b,", "10,tree,b,a,tree", "11,tree,a,a,", "12,tree,a,,"]
    path.write_text("\n".join(["ID,Entity,Text 1,Text 2,Second entity", *rows]), "utf-8")
    found = unlabelled.read(path, to_judge=True)
    said = f"{path}: 3 of 6 rows left out: 1 without two texts, 1 with one text twice, 1 repeated\n"
    assert capsys.readouterr().out == said
    kept = found[["id", "entity", "second_entity"]].astype(object)
    assert kept.where(kept.notna(), None).values.tolist() == [
        ["7", "tree", None],
        ["8", "tree", "bush"],
        ["9", None, None],
    ]
    assert found["pair_id"].is_unique
    assert found["first_id"].tolist()[0] == definition_id("tree", "a")
    assert unlabelled.read(path)["pair_id"].tolist() == ["7", "8", "9", "10", "11"]


def test_markup_leaves_the_texts_and_a_pair_has_one_id(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "p.csv"
    rows = ["_Magma_ is <b>molten</b> rock,rock &amp; melt", "R&notation a*b*c,f(x) = $a_1 * b_1$", "\\emph{a} b,a b"]
    path.write_text("\n".join(["first,second", *rows]), "utf-8")
    texts = [["Magma is molten rock", "rock & melt"], ["R&notation a*b*c", "f(x) = $a_1 * b_1$"]]
    found = unlabelled.read(path, to_judge=True)
    assert found[["first", "second"]].values.tolist() == texts
    assert found["first_id"].tolist()[0] == definition_id("", "Magma is molten rock")
    assert capsys.readouterr().out == (
        f"{path}: markup dropped from 3 texts, such as '_Magma_ is <b>molten</b> rock': now 'Magma is molten rock'\n"
        f"{path}: 1 of 3 rows left out: 1 with one text twice\n"
    )
    assert unlabelled.read(path)["pair_id"].tolist()[:2] == found["pair_id"].tolist()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("left\tright\na\tb\n", "expected two columns of texts, such as first and second, .* found left right"),
        ("text1,text2,note1,note2\na,b,c,d\n", "expected two columns of texts, .* found text1 text2 note1 note2"),
        ("first\tsecond\na\t \n", "expected a row with two texts, found none"),
        ("first\tsecond\na\tb\tc\td\te\n\tb\tc\td\te\tf\n", "line 3: expected at most 5 cells, as before, found 6"),
        ("first\tsecond\na\tb\tc\n", "expected 2 cells in a row, as in the header, found 3"),
        ("first\tsecond\nстол и стул\tстул и стол\n".encode("cp1251"), "expected a file of pairs in UTF-8"),
        ("", "expected a table of pairs"),
    ],
)
def test_other_files_are_refused(tmp_path: Path, content: str | bytes, message: str) -> None:
    path = tmp_path / "p.tsv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(ParadeError, match=message):
        unlabelled.read(path)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="expected a file of pairs, found nothing there"):
        unlabelled.read(tmp_path / "none.tsv")


PAIRS = [('a "b", c', "ä d"), ("e", "f; g")]


def _json_lines(rows: list[dict[str, object]]) -> str:
    return "\n".join(json.dumps(row) for row in rows) + "\n"


FORMS: dict[str, Callable[[list[dict[str, object]]], bytes | str]] = {
    "lines of JSON": _json_lines,
    "a list": json.dumps,
    "a list within a response": lambda rows: json.dumps({"version": 1, "data": {"pairs": rows, "authors": ["a", "b"]}}),
    "rows by id": lambda rows: json.dumps({str(number): row for number, row in enumerate(rows)}),
    "columns": lambda rows: pd.DataFrame(rows).to_json(orient="columns"),
    "lists of columns": lambda rows: json.dumps(pd.DataFrame(rows).to_dict("list")),
    "Parquet": lambda rows: pd.DataFrame(rows).to_parquet(),
    "a workbook": lambda rows: workbook(pairs=[[*rows[0]], *([*row.values()] for row in rows)]),
    "UTF-16": lambda rows: pd.DataFrame(rows).to_csv(index=False).encode("utf-16"),
    "Windows-1252": lambda rows: pd.DataFrame(rows).to_csv(index=False, sep=";").encode("cp1252"),
    "semicolons": lambda rows: pd.DataFrame(rows).to_csv(index=False, sep=";"),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("names", [("first", "second"), ("Text 1", "Text 2"), ("phrase_a", "phrase_b")])
def test_a_table_may_come_in_any_form(tmp_path: Path, form: str, names: tuple[str, str]) -> None:
    content = FORMS[form]([{"ID": number} | dict(zip(names, pair, strict=True)) for number, pair in enumerate(PAIRS)])
    path = tmp_path / "pairs"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    assert [*unlabelled.read(path)[["first", "second"]].itertuples(index=False, name=None)] == PAIRS


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            {"train": [{"first": "a", "second": "b"}], "test": [{"first": "c", "second": "d"}]},
            "found 2: train, test; save",
        ),
        ({"a": {"rows": [{"first": "a"}]}, "b": {"rows": [{"first": "c"}]}}, "found 2: a.rows, b.rows; save"),
        ({"train": {"first": ["a"], "second": ["b"]}, "test": {"first": ["c"], "second": ["d"]}}, "2: train, test"),
        ([["a", "b"]], "expected one table, found none"),
        ({"first": ["a", "b"], "second": ["c"]}, "expected one table, found none"),
    ],
)
def test_json_without_one_table_is_refused(tmp_path: Path, content: object, message: str) -> None:
    path = tmp_path / "pairs.json"
    path.write_text(json.dumps(content))
    with pytest.raises(InputError, match=message):
        unlabelled.read(path)


def test_one_line_of_json_is_a_row(tmp_path: Path) -> None:
    path = tmp_path / "pairs.jsonl"
    path.write_text(_json_lines([{"first": "a", "second": "b", "meta": {"id": 1}}]))
    assert len(unlabelled.read(path)) == 1


def test_a_damaged_line_of_json_is_named(tmp_path: Path) -> None:
    path = tmp_path / "pairs.jsonl"
    path.write_text(_json_lines([{"first": "a", "second": "b"}]) + '\n{"first": "c", \n')
    with pytest.raises(InputError, match="line 3: expected an object, as before"):
        unlabelled.read(path)
