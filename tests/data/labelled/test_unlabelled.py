"""Files of pairs without labels."""

from pathlib import Path

import pytest

from data.console.errors import InputError, ParadeError
from data.labelled import unlabelled


@pytest.mark.parametrize(("name", "tab"), [("p.tsv", "\t"), ("p.csv", ",")])
def test_pairs_get_an_id_of_their_texts_or_keep_their_own(
    tmp_path: Path, name: str, tab: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / name
    path.write_text(tab.join(["first", "second"]) + "\n" + f"a b{tab}c\n" * 2 + f"c{tab}a b\n", "utf-8")
    found = unlabelled.read(path)
    assert found[["first", "second"]].values.tolist() == [["a b", "c"]]
    assert capsys.readouterr().out == "2 of 3 rows left out: repeated\n"
    noted = tmp_path / f"noted{name}"
    noted.write_text(tab.join(["first", "second", "Source", "Note"]) + f"\na{tab}b{tab}c{tab}d\n", "utf-8")
    unlabelled.read(noted)
    assert capsys.readouterr().out == f"{noted}: not read: Source, Note\n"
    path.write_text(tab.join(["Question1", "question2 ", "Pair_ID"]) + "\n" + f"a{tab}b{tab}x\n", "utf-8")
    assert unlabelled.read(path).to_dict("records") == [{"pair_id": "x", "first": "a", "second": "b"}]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("left\tright\na\tb\n", "expected a header with .* or first and second, found left right"),
        ("first\tsecond\na\t \n", "row 1 below the header: expected two texts, found an empty one"),
        ("first\tsecond\na\tb\tc\td\te\n\tb\tc\td\te\tf\n", "expected a file of pairs|expected two texts"),
        (b"first\tsecond\n\xff\tb\n", "expected a file of pairs"),
        ("", "expected a file of pairs"),
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
