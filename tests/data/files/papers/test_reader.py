"""Papers from files of every kind, and bad input in one line."""

import gzip
import json
from collections import Counter

import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest

from data.console.errors import InputError
from data.files.papers import clean
from data.files.papers.exporters import FIELDS
from data.files.papers.files import Columns
from data.files.papers.reader import Summary, distinct, read_papers

PAPERS = [
    {"id": "a1", "title": "Hash tables, revisited", "abstract": "We study\nhash tables.", "year": 1999, "venue": "V"},
    {"id": "a2", "title": 'On "trees"', "abstract": None, "year": 2001, "venue": "W"},
]
ROWS = [
    tuple(None if paper[field] is None else " ".join(str(paper[field]).split()) for field in FIELDS[:5])
    for paper in PAPERS
]


def read(path, *mapping):
    table = pa.Table.from_batches(read_papers([path], Columns.parse(mapping)))
    return [tuple(row[field] for field in FIELDS[:5]) for row in table.to_pylist()]


def write_json_lines(path, papers=PAPERS):
    path.write_text("".join(json.dumps(paper) + "\n\n" for paper in papers))
    return path


def packed(path):
    target = path.with_name(path.name + ".gz")
    target.write_bytes(gzip.compress(path.read_bytes()))
    return target


def test_json_lines_csv_and_parquet_plain_and_gzip(tmp_path):
    frame = pd.DataFrame(PAPERS)
    lines = write_json_lines(tmp_path / "papers.jsonl")
    for name, separator in (("papers.csv", ","), ("papers.tsv", "\t"), ("papers.txt", ";")):
        frame.to_csv(tmp_path / name, index=False, sep=separator)
    frame.to_parquet(tmp_path / "papers.parquet")
    tables = [tmp_path / name for name in ("papers.csv", "papers.tsv", "papers.txt")]
    for path in (lines, packed(lines), *tables, packed(tables[0]), tmp_path / "papers.parquet"):
        assert read(path) == ROWS, path


def test_a_byte_order_mark_is_no_part_of_the_first_column(tmp_path):
    (tmp_path / "a.csv").write_bytes("\ufefftitle,id\nHeaps,7\n".encode())
    (tmp_path / "a.jsonl").write_bytes('\ufeff{"title": "Heaps", "id": 7}\n'.encode())
    for path in tmp_path.iterdir():
        assert read(path) == [("7", "Heaps", None, None, None)]


def test_columns_are_mapped(tmp_path):
    frame = pd.DataFrame({"Title": ["Heaps"], "Abs": ["About heaps."], "when": [2000]})
    frame.to_csv(tmp_path / "a.csv", index=False)
    frame.to_json(tmp_path / "a.jsonl", orient="records", lines=True)
    for path in tmp_path.iterdir():
        assert read(path, "title=Title", "abstract=Abs") == [(None, "Heaps", "About heaps.", None, None)]


@pytest.mark.parametrize(
    ("name", "content", "mapping", "message"),
    [
        ("none.jsonl", None, [], "none.jsonl: expected a file of papers, found nothing there"),
        (
            "a.csv",
            b"Titel,Abstract\nHeaps,x\n",
            [],
            "expected a column for the title, found the columns Titel, Abstract",
        ),
        ("a.csv", b"title\nHeaps\n", ["abstract=Abs"], "expected a column 'Abs' for the abstract"),
        (
            "a.jsonl",
            b'{"Titel": "x", "abstract": "y"}\n',
            [],
            "expected a column for the title, found the columns Titel",
        ),
        ("a.jsonl", b"", [], "found nothing"),
        ("a.parquet", b"PAR1 torn", [], "expected to read it to its end"),
        ("a.jsonl", b"{}", ["name=x"], "--columns: expected field=COLUMN"),
        ("a.jsonl", b"{}", ["title"], "--columns: expected field=COLUMN"),
    ],
)
def test_bad_input_is_named_in_one_line(tmp_path, name, content, mapping, message):
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(InputError) as fault:
        read(path, *mapping)
    assert message in str(fault.value)
    assert "\n" not in str(fault.value)


def test_half_a_character_or_no_number_costs_no_paper(tmp_path):
    (tmp_path / "a.jsonl").write_text('{"title": "a \\ud83d tree", "abstract": NaN, "year": 1999.0}\n')
    assert read(tmp_path / "a.jsonl") == [(None, "a ? tree", None, "1999", None)]


@pytest.mark.parametrize(
    "form", ['{"title": "Heaps", "pages": 7}\n{"title": "Next"}', '[{"title": "Heaps", "pages": 7}]']
)
def test_a_number_longer_than_python_reads_stops_nothing(tmp_path, form):
    (tmp_path / "a.json").write_text(form.replace("7", "7" * 10_000))
    assert next(paper[1] for paper in read(tmp_path / "a.json")) == "Heaps"


DAMAGED = {
    "raw.jsonl": b'{"title": "Heaps\x02", "abstract": "a\x1f caf\xe9\tand"}\n{"title": "Next"}\n',
    "escaped.jsonl": b'{"title": "Heaps\\u0002", "abstract": "a\\u001f caf\\u00e9\\tand"}\n{"title": "Next"}\n',
    "list.json": b'[{"title": "Heaps\x02", "abstract": "a\x1f caf\xe9\tand"}, {"title": "Next"}]',
    "latin.csv": b'title,abstract\n"Heaps\x02","a\x1f caf\xe9\tand"\nNext,\n',
    "utf-16.csv": 'title,abstract\n"Heaps\x02","a\x1f café\tand"\nNext,\n'.encode("utf-16"),
    "a.ris": b"TY  - JOUR\nTI  - Heaps\x02\nAB  - a\x1f caf\xe9\tand\nER  - \n\nTY  - JOUR\nTI  - Next\nER  - \n",
    "a.bib": b"@a{a, title={Heaps\x02}, abstract={a\x1f caf\xe9\tand}}\n@a{b, title={Next}}\n",
    "a.xml": b"<PubmedArticleSet><PubmedArticle><Article><ArticleTitle>Heaps\x02</ArticleTitle><Abstract><AbstractText>"
    b"a\x1f caf\xe9\tand</AbstractText></Abstract></Article></PubmedArticle><PubmedArticle><Article><ArticleTitle>Next"
    b"</ArticleTitle></Article></PubmedArticle></PubmedArticleSet>",
    "latin.xml": b"<?xml version='1.0' encoding='ISO-8859-1'?><PubmedArticleSet><PubmedArticle><Article>"
    b"<ArticleTitle>Heaps\x02</ArticleTitle>"
    b"<Abstract><AbstractText>a\x1f caf\xe9\tand</AbstractText></Abstract></Article></PubmedArticle>"
    b"<PubmedArticle><Article><ArticleTitle>Next</ArticleTitle></Article></PubmedArticle></PubmedArticleSet>",
}


def read_counted(path):
    """Title and abstract on one line, and the number of characters dropped."""
    dropped = Counter()
    papers = pa.Table.from_batches(read_papers([path], Columns.parse([]), dropped)).to_pylist()
    return [(paper["title"], " ".join((paper["abstract"] or "").split())) for paper in papers], dropped[path.name]


@pytest.mark.parametrize("name", DAMAGED)
def test_control_characters_and_other_encodings_cost_no_paper(tmp_path, name):
    (tmp_path / name).write_bytes(DAMAGED[name])
    (tmp_path / f"{name}.gz").write_bytes(gzip.compress(DAMAGED[name]))
    for path in (tmp_path / name, tmp_path / f"{name}.gz"):
        assert read_counted(path) == ([("Heaps", "a café and"), ("Next", "")], 2)


@pytest.mark.parametrize("mark", ["ä", "栈", "𝛼"])
def test_a_character_may_lie_across_the_parts_in_which_a_file_is_read(tmp_path, monkeypatch, mark):
    monkeypatch.setattr(clean, "_CHUNK_BYTES", 3)
    (tmp_path / "a.csv").write_text(f"\ufefftitle\nx{mark * 20}\n", "utf-8")
    assert [row[1] for row in read(tmp_path / "a.csv")] == [f"x{mark * 20}"]


def test_parquet_is_cleaned_too(tmp_path):
    table = pa.table({"title": ["Heaps\x02", None], "abstract": ["a\x1f b", "c"]})
    pyarrow.parquet.write_table(table, tmp_path / "a.parquet")
    assert read_counted(tmp_path / "a.parquet") == ([("Heaps", "a b"), (None, "c")], 2)


def test_a_torn_gzip_is_named(tmp_path):
    lines = "".join(json.dumps({"title": f"paper {n} {n * 7919 % 104729}"}) + "\n" for n in range(2000))
    (tmp_path / "a.jsonl.gz").write_bytes(gzip.compress(lines.encode())[:-100])
    with pytest.raises(InputError, match=r"expected to read it to its end, found Compressed file ended"):
        read(tmp_path / "a.jsonl.gz")


def test_a_paper_counts_once(tmp_path):
    papers = [
        {"id": "1", "title": "Hash Tables", "abstract": "a"},
        {"id": "2", "title": "hash-tables!", "abstract": "b"},
        {"id": "1", "title": "Other", "abstract": "c"},
        {"title": "Other", "abstract": None},
        {"id": "5", "title": " ", "abstract": ""},
        {"title": "", "abstract": "About sets."},
        {"title": None, "abstract": "About bags."},
        {"title": "Third"},
    ]
    path = write_json_lines(tmp_path / "a.jsonl", papers)
    batches = [part for batch in read_papers([path], Columns.parse([])) for part in (batch.slice(0, 3), batch.slice(3))]
    screened = list(distinct(batches))
    kept = pa.Table.from_batches([one.kept for one in screened])
    rejects = pd.concat([one.rejects for one in screened])
    assert kept["title"].to_pylist() == ["Hash Tables", "Other", None, None, "Third"]
    assert sorted(zip(rejects["id"], rejects["reason"], strict=True)) == [
        ("a.jsonl row 2", "same_title"),
        ("a.jsonl row 4", "same_title"),
        ("a.jsonl row 5", "no_text"),
    ]
    assert kept.num_rows + len(rejects) == len(papers)


def test_of_papers_with_one_title_the_first_with_an_abstract_counts(tmp_path):
    lists = write_json_lines(
        tmp_path / "a.jsonl", [{"title": "On Stacks"}, {"title": "On heaps"}, {"title": "on heaps"}]
    )
    whole = write_json_lines(
        tmp_path / "b.jsonl", [{"title": "On stacks", "abstract": text} for text in ("A pile.", "B")]
    )
    screened = list(distinct(read_papers([lists, whole], Columns.parse([]))))
    kept = [(row["row"], row["abstract"]) for one in screened for row in one.kept.to_pylist()]
    assert kept == [("b.jsonl row 1", "A pile."), ("a.jsonl row 2", None)]
    rejects = pd.concat([one.rejects for one in screened])
    assert dict(zip(rejects["id"], rejects["reason"], strict=True)) == dict.fromkeys(
        ("b.jsonl row 2", "a.jsonl row 1", "a.jsonl row 3"), "same_title"
    )


def test_a_folder_means_its_papers(tmp_path, capsys):
    folder = tmp_path / "papers"
    for name, text in {
        "a.csv": "title,abstract\nOn stacks,A pile.\n",
        "more/a.csv": "title,abstract\nOn queues,A row.\n",
        "more/b.jsonl": '{"title": "On heaps"}\n',
        "more/.hidden.csv": "title\nOn nothing\n",
        "README.md": "# Papers\n\nWhere they are from.\n",
        "logo.png": "\x89PNG\r\n\x1a\n\0\0",
        "index.tsv": "path\tcount\na.csv\t1\n",
        "about.json": '{\n  "files": 3\n}\n',
        "ids.json": "[1, 2]",
        "page.html": "<html>",
        "letter.txt": "Dear reader,\n\nhere, as promised, are the papers, and more.\n",
    }.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    rows = pa.Table.from_batches(read_papers([folder], Columns.parse([]))).to_pylist()
    assert {row["title"]: row["row"] for row in rows} == {
        "On stacks": "a.csv row 1",
        "On queues": "more/a.csv row 1",
        "On heaps": "more/b.jsonl row 1",
    }
    out = capsys.readouterr().out
    assert out.count("left out: ") == 7
    others = ("README.md", "logo.png", "index.tsv", "about.json", "ids.json", "page.html", "letter.txt")
    assert all(name in out for name in others)
    assert "found a text that begins with 'path\\tcount'; export it again as one of these, or map its columns" in out
    with pytest.raises(InputError, match="README"):
        list(read_papers([folder / "a.csv", folder / "README.md"], Columns.parse([])))


def test_a_batch_of_papers_that_were_there_before_adds_nothing(tmp_path):
    for name in ("a.csv", "b.csv"):
        (tmp_path / name).write_text("title,abstract\nOn stacks,A pile.\n")
    seen = Summary()
    papers = pa.Table.from_batches(seen.watch(distinct(read_papers([tmp_path], Columns.parse([])))))
    assert papers["title"].to_pylist() == ["On stacks"]
    assert seen.texts == ["On stacks A pile."]


def test_a_folder_without_papers_is_bad_input(tmp_path):
    (tmp_path / "README.md").write_text("# No papers\n")
    with pytest.raises(InputError, match="expected a file of papers, found none among 1 file"):
        list(read_papers([tmp_path], Columns.parse([])))


def test_a_torn_line_is_one_reject(tmp_path):
    rows = "".join(f'{{"title": "On stack {n}"}}\n' for n in range(6000))
    (tmp_path / "a.jsonl").write_text(rows + "torn\n")
    seen = Summary()
    assert sum(map(len, seen.watch(distinct(read_papers([tmp_path], Columns.parse([])))))) == 6000
    assert pd.concat(seen.rejects).to_dict("records") == [
        {"id": "a.jsonl row 6001", "reason": "unreadable", "detail": None}
    ]
    assert seen.losses() == {}


def test_a_table_of_a_folder_whose_title_is_not_known_is_not_left_out(tmp_path):
    (tmp_path / "a.jsonl").write_text('{"title": "On stacks"}\n')
    (tmp_path / "b.txt").write_text("Titel;Abstract\nOn queues;A row.\n")
    with pytest.raises(InputError, match=r"b.txt: expected a column for the title, .* --columns title=COLUMN"):
        list(read_papers([tmp_path], Columns.parse([])))
    rows = pa.Table.from_batches(read_papers([tmp_path], Columns.parse(["title=Titel"]))).to_pylist()
    assert [row["title"] for row in rows] == ["On stacks", "On queues"]


@pytest.mark.parametrize("n_bytes", [12, 60])
def test_a_torn_package_in_a_folder_is_not_left_out(tmp_path, n_bytes):
    (tmp_path / "a.jsonl").write_text('{"title": "On stacks"}\n')
    (tmp_path / "b.csv.gz").write_bytes(
        gzip.compress(b"title\n" + b"".join(b"On %d\n" % n for n in range(99)))[:n_bytes]
    )
    with pytest.raises(InputError, match="expected to read"):
        list(read_papers([tmp_path], Columns.parse([])))
