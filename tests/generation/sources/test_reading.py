"""Files that are not what the flag names: one clear line each, whatever their bytes."""

import gzip
import json

import pytest

from data.console.errors import InputError
from data.files.papers.reader import Summary
from generation.sources.reading import parse_columns, read_lines, read_papers

SENTENCES = ["The doctor gave the nurse a bag.", "The nurse thanked the doctor."]


def whole(texts):
    return [[text] if text else [] for text in texts]


def read(path, *mapping, licence=None):
    seen = Summary()
    frames = read_papers([path], parse_columns(mapping), licence, whole, seen)
    return [row[:3] + row[4:] for frame in frames for row in frame.itertuples(index=False, name=None)], [*seen.lines()]


def test_a_damaged_archive_is_refused_at_its_line(tmp_path):
    path = tmp_path / "torn.gz"
    packed = gzip.compress("\n".join(SENTENCES * 40).encode())
    path.write_bytes(packed[: len(packed) // 2] + b"\x00\xff" * 100)
    with pytest.raises(InputError, match=r"torn.gz, line \d+: expected a text file.* in UTF-8, found damaged gzip"):
        list(read_lines(path, None))


@pytest.mark.parametrize(
    ("name", "content", "found"),
    [
        ("papers.jsonl", json.dumps({"id": 1, "abstract": SENTENCES[0]}) + "\n", "JSON"),
        ("texts.csv", f'text\n"{SENTENCES[0]}"\n', "a table"),
    ],
)
def test_records_are_no_sentences(tmp_path, name, content, found):
    path = tmp_path / name
    path.write_text(content)
    with pytest.raises(InputError, match=rf"line 1: expected a sentence, found {found}: .*; give papers by --papers"):
        list(read_lines(path, None))


def test_lines_lose_their_markup(tmp_path, capsys):
    path = tmp_path / "lines.txt"
    path.write_text("A stack is a pile.\nA <i>stack</i> &amp; a **pile**.\n![a pile](pile.png)\n")
    (frame,) = read_lines(path, None)
    assert frame[["source_id", "text"]].values.tolist() == [["1", "A stack is a pile."], ["2", "A stack & a pile."]]
    assert capsys.readouterr().out == f"{path}: markup dropped from 2 lines, the first line 2\n"


PAPERS = {
    "a.bib": "@article{smith, title={On stacks}, abstract={A {\\em stack} is a pile.}}\n@book{b, title={On queues}}\n",
    "a.ris": "TY  - JOUR\nID  - smith\nTI  - On stacks\nAB  - A stack is a pile.\nER  -\nTY  - BOOK\nTI  - On queues\n",
    "a.csv": "id,title,abstract\nsmith,On stacks,A stack is a pile.\njones,On queues,[No abstract available]\n",
}


@pytest.mark.parametrize("name", PAPERS)
def test_papers_of_any_form_give_their_abstracts_and_what_lacks_one_is_said(tmp_path, name):
    (tmp_path / name).write_text(PAPERS[name])
    rows, said = read(tmp_path / name, licence="CC0")
    assert rows == [("smith", 0, "A stack is a pile.", "CC0")]
    assert said == [
        f"2 records found in {name}", "2 of 2 papers count", "1 of them have a title but no abstract",
    ]  # fmt: skip


def test_a_paper_keeps_its_own_licence_and_one_without_an_id_is_named_by_its_row(tmp_path):
    papers = [{"abstract": "A pile.", "license": "CC BY"}, {"id": 7, "abstract": "A row."}, {"id": 8, "abstract": None}]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(paper) + "\n" for paper in papers) + "torn\n")
    rows, said = read(tmp_path / "a.jsonl", licence="CC0")
    assert rows == [("a.jsonl row 1", 0, "A pile.", "CC BY"), ("7", 0, "A row.", "CC0")]
    assert "2 of 4 papers count, 1 no_text, 1 unreadable" in said


def test_abstracts_are_needed_and_titles_are_not(tmp_path, capsys):
    path = tmp_path / "a.csv"
    path.write_text("title,Zusammenfassung\nOn stacks,A pile.\n")
    assert read(path) == (
        [],
        ["1 record found in a.csv", "1 of 1 papers count", "1 of them have a title but no abstract"],
    )
    shown = capsys.readouterr().out
    assert "a.csv: expected a column for the abstract, found the columns title, Zusammenfassung; map it with" in shown
    assert read(path, "abstract=Zusammenfassung")[0] == [("a.csv row 1", 0, "A pile.", None)]
    path.write_text("abstract\tid\nA pile.\t5\n")
    assert read(path)[0] == [("5", 0, "A pile.", None)]
