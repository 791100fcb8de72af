"""Labelled pairs in the forms in which other data sets are published: our own sentences, their columns."""

import gzip
from pathlib import Path

import pandas as pd
import pytest

from data.console.errors import InputError, ParadeError
from data.labelled import corpora
from data.labelled.forms import headless

LINE_SEPARATOR = "\u2028"

FORMS = {
    "mrpc": (
        "msr_paraphrase_train.txt",
        "\ufeffQuality\t#1 ID\t#2 ID\t#1 String\t#2 String\n"
        '1\t1\t2\t"A fox, he said, ran.\tA fox ran," he said.\n'
        '0\t3\t4\tRain fell on "Monday.\tSnow fell.\n',
        [('"A fox, he said, ran.', 'A fox ran," he said.', 1, 0, 0), ('Rain fell on "Monday.', "Snow fell.", 0, 0, 0)],
    ),
    "qqp": (
        "quora_duplicate_questions.tsv",
        "id\tqid1\tqid2\tquestion1\tquestion2\tis_duplicate\n"
        '0\t1\t2\t"What is a ""heap""?\nAnd a stack?"\tWhat is a heap?\t0\n'
        "1\t3\t4\tWhy?\tHow come?\t1\n",
        [('What is a "heap"?\nAnd a stack?', "What is a heap?", 0, 0, 0), ("Why?", "How come?", 1, 0, 0)],
    ),
    "qqp by Wang et al.": (
        "dev.tsv",
        "1\tWhy ?\tHow come ?\t370\n0\tWhat is a heap ?\tWhat is a stack ?\t0\n",
        [("Why ?", "How come ?", 1, 0, 0), ("What is a heap ?", "What is a stack ?", 0, 0, 0)],
    ),
    "paws without header": (
        "test.tsv",
        "1\ta fox saw ``a dog\ta dog saw ``a fox\t0\n2\tit rained\train fell\t1\n",
        [("a fox saw ``a dog", "a dog saw ``a fox", 0, 0, 0), ("it rained", "rain fell", 1, 0, 0)],
    ),
    "paws of one row": ("test.tsv", "1\ta\tb\t0\n", [("a", "b", 0, 0, 0)]),
    "twitter url": (
        "Twitter_URL_Corpus_train.txt",
        f"it rains \train{LINE_SEPARATOR}again\t(6,6)\thttps://x.invalid\n"
        "a\tb\t(2, 6)\tu\na\tc\t(3, 6)\tu\na\td\t(4,6)\tu\n",
        [("it rains", f"rain{LINE_SEPARATOR}again", 1, 6, 6), ("a", "b", 0, 2, 6), ("a", "c", None, 3, 6),
         ("a", "d", 1, 4, 6)],
    ),
    "pit train": (
        "train.data",
        "".join(f"7\tA Topic\tthe text\ttext {yes}\t({yes}, {5 - yes})\tx/O\ty/O\n" for yes in range(6)),
        [("the text", f"text {yes}", {2: None}.get(yes, int(yes > 2)), yes, 5) for yes in range(6)],
    ),
    "pit test": (
        "test.data",
        "".join(f"7\tA Topic\tthe text\ttext {grade}\t{grade}\tx/O\ty/O\n" for grade in range(6)),
        [("the text", f"text {grade}", {3: None}.get(grade, int(grade > 3)), 0, 0) for grade in range(6)],
    ),
}  # fmt: skip


def write(folder: Path, name: str, content: str) -> Path:
    (folder / name).write_text(content, encoding="utf-8")
    return folder


@pytest.mark.parametrize("form", FORMS)
def test_every_published_form_is_read(tmp_path: Path, form: str) -> None:
    name, content, expected = FORMS[form]
    frame, files = corpora.load(write(tmp_path, name, content))
    rows = [
        (row.first, row.second, None if pd.isna(row.binary) else row.binary, row.votes, row.n_votes)
        for row in frame.itertuples()
    ]
    assert rows == expected
    assert files == [tmp_path / name]
    assert frame["split"].isna().all() == ("quora" in name)


def test_a_compressed_file_is_the_same(tmp_path: Path) -> None:
    name, content, _ = FORMS["pit train"]
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / f"{name}.gz").write_bytes(gzip.compress(content.encode()))
    plain, packed = (corpora.load(path)[0] for path in (write(tmp_path, name, content) / name, tmp_path / "other"))
    pd.testing.assert_frame_equal(plain, packed)


def test_marks_in_a_path_are_no_pattern(tmp_path: Path) -> None:
    write(tmp_path, "pairs[1].csv", "first,second,binary\na,b,1\n")
    assert corpora.find(tmp_path / "pairs[1") == [tmp_path / "pairs[1].csv"]
    with pytest.raises(InputError, match="no such file or folder"):
        corpora.find(tmp_path / "pairs*")


def test_what_is_left_out_of_a_file_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = ["first,second,binary", "a,b,1", "a,b,0", "b,a,1", "a,a,1", " ,b,0"]
    files = [write(tmp_path, "pairs.csv", "\n".join(rows) + "\n") / "pairs.csv"]
    files.append(write(tmp_path, "more.csv", "first,second,binary\na,b,1\nc,d,1\n") / "more.csv")
    frame = corpora.read(files)
    assert frame[["first", "second", "binary"]].to_numpy().tolist() == [["a", "b", 1], ["a", "b", 0], ["c", "d", 1]]
    said = f"{files[0]}: 3 of 5 rows left out: 1 without two texts, 1 with one text twice, 1 repeated\n"
    assert capsys.readouterr().out == f"{said}{files[1]}: 1 of 2 rows left out: 1 repeated\n"
    train = write(tmp_path, "train.csv", "first,second,binary\na,b,1\na,a,1\n") / "train.csv"
    assert len(corpora.read([train])) == 2, "in a training split, identical texts teach that they are paraphrases"
    assert capsys.readouterr().out == ""
    corpora.read([write(tmp_path, "whole.csv", "first,second,binary\na,b,1\n") / "whole.csv"])
    assert capsys.readouterr().out == ""


def test_a_table_may_name_its_splits(tmp_path: Path) -> None:
    rows = ["Split,Text 1,Text 2,label", "train,a,b,1", "Dev,c,d,0", "TEST,e,f,1", ",g,h,0"]
    frame = corpora.read([write(tmp_path, "pairs.csv", "\n".join(rows) + "\n") / "pairs.csv"])
    assert frame["split"].astype(object).where(frame["split"].notna(), None).tolist() == [
        "train",
        "validation",
        "test",
        None,
    ]


def test_a_table_may_name_entities(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = ["Entity,Text 1,Text 2,label", "tree,a,b,1", ",a,b,0", "bush,c,d,1"]
    frame = corpora.read([write(tmp_path, "pairs.csv", "\n".join(rows) + "\n") / "pairs.csv"])
    assert frame["entity"].astype(object).where(frame["entity"].notna(), None).tolist() == ["tree", None, "bush"]
    assert frame["pair_id"].is_unique
    assert capsys.readouterr().out == ""


def test_files_of_a_folder_that_are_not_read_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("train.csv", "more.jsonl", "notes.txt"):
        write(tmp_path, name, "first,second,binary\na,b,1\n")
    assert corpora.load(tmp_path)[1] == [tmp_path / "train.csv"]
    assert capsys.readouterr().out == f"{tmp_path}: not read: more.jsonl, notes.txt\n"


def test_labels_are_read_as_pandas_writes_them_beside_missing_ones(tmp_path: Path) -> None:
    content = "first,second,binary\na,b,1.0\nc,d,0.0\ne,f,1\ng,h,0.00\n"
    assert corpora.read([write(tmp_path, "p.csv", content) / "p.csv"])["binary"].tolist() == [1, 0, 1, 0]


@pytest.mark.parametrize(
    "content",
    [
        "Text 1,Text 2,Paraphrase?\na,b,y\nc,d,N\ne,f,?\n",
        "First Text;Second Text;Gold-Label\na;b;1,0\nc;d;0,0\ne;f;N/A\n",
        "text one first,text one second,LABEL\na,b,T\nc,d,F\ne,f,<NA>\n",
    ],
)
def test_labels_are_read_as_people_write_them(tmp_path: Path, content: str) -> None:
    frame = corpora.read([write(tmp_path, "p.csv", content) / "p.csv"])
    assert frame["first"].tolist() == [*"ace"]
    assert frame["binary"].fillna(-1).tolist() == [1, 0, -1]


UNLABELLED = {
    "empty": "First,SECOND, Binary\na,b,True\nc,d,FALSE\ne,f,\ng,h, \ni,j,-1\nk,l,-1.0\n",
    "of GLUE": "index\tSentence1\tSentence2\tLabel\n0\ta\tb\ttrue\n1\tc\td\t0.0\n2\te\tf\t-1\n3\tg\th\t \n4\ti\tj\t-1\n"
    "5\tk\tl\tNaN\n",
    "without header": "1\ta\tb\t1.0\n2\tc\td\t0.0\n3\te\tf\t-1\n4\tg\th\t\n5\ti\tj\t-1\n6\tk\tl\t\n",
}


@pytest.mark.parametrize("form", UNLABELLED)
def test_rows_without_a_label_are_read_and_counted(
    tmp_path: Path, form: str, capsys: pytest.CaptureFixture[str]
) -> None:
    name = "p.csv" if form == "empty" else "p.tsv"
    frame = corpora.read([write(tmp_path, name, UNLABELLED[form]) / name])
    assert frame["first"].tolist() == [*"acegik"]
    assert frame["binary"].fillna(-1).tolist() == [1, 0, -1, -1, -1, -1]
    assert capsys.readouterr().out == f"4 of 6 rows of {tmp_path / name} have no label (nothing, or -1)\n"


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("first\tsecond\tbinary\na\tb\t1.0\na\tb\t0.5\n", "row 2: expected a label of 0 or 1, found '0.5'"),
        ("sentence1\tsentence2\tlabel\na\tb\t1\na\tb\n", "row 2: expected a label of 0 or 1, found '' in a line that"),
        ("1\ta\tb\t0\n2\ta\tb\n", "row 2: expected a label of 0 or 1, found '' in a line that is too short"),
        ("sentence1\tsentence2\tlabel\na\tb\t1\na\tb\t-2\n", "row 2: expected a label of 0 or 1, found '-2'"),
        ("sentence1\tsentence2\tlabel\na\tb\t1\na\tb\tc\t1\n", "line 3: expected at most 3 cells, as before, found 4"),
        ("1\ta\tb\t0\n2\ta\tb\t7\n", "row 2: expected a label of 0 or 1, found '7'; correct the row"),
        ("first,second,label\na,b,alike\nc,d,other\n", "found 'alike'; write 1 for a paraphrase and 0 for none"),
        (
            "first,second,label,split\na,b,1,early\n",
            "row 1: expected train, validation (dev, valid) or test as the split",
        ),
        ("a\tb\t(1,6)\tu\na\tb\n", "line 2: expected text, text, (votes, annotators), found a\tb"),
        ("7\tT\ta\tb\t(1, 4)\tx\ty\n7\tT\ta\tb\t9\tx\ty\n", "line 2: expected topic, name, text, text, (votes, votes)"),
    ],
)
def test_a_broken_line_is_named(tmp_path: Path, content: str, expected: str) -> None:
    with pytest.raises(ParadeError) as fault:
        corpora.load(write(tmp_path, "train.tsv", content))
    assert expected in str(fault.value)


@pytest.mark.parametrize(
    ("place", "counts"),
    [
        ("paraphrase/mrpc", {"train": (4076, 2753), "test": (1725, 1147)}),
        ("paraphrase/paws_wiki", {"validation": (7982, 3522), "test": (7970, 3515)}),
        ("paraphrase/twitter_url", {"train": (100, None), "test": (100, None)}),
        ("paraphrase/pit2015/sampletest.data", {None: (10, None)}),
        ("parade", {"train": (7550, None), "validation": (1275, None), "test": (1357, None)}),
    ],
)
def test_the_published_files_have_their_counts(
    shared_data: Path, place: str, counts: dict[str | None, tuple[int, int | None]]
) -> None:
    frame, _ = corpora.load(shared_data / place)
    for split, (n, positive) in counts.items():
        rows = frame[frame["split"] == split] if split else frame
        assert len(rows) == n
        assert positive is None or int((rows["binary"] == 1).sum()) == positive


def test_the_grades_of_pit_mean_what_its_published_labels_say(shared_data: Path) -> None:
    published = pd.read_csv(shared_data / "paraphrase/pit2015/test.label", sep="\t", header=None, names=["label", "of"])
    for label, share in published.drop_duplicates().itertuples(index=False):
        decided, _, _ = headless._pit_label(str(round(share * 5))) or ("wrong", 0, 0)
        assert decided == {"true": "1", "false": "0", "----": None}[label]
