"""PAWS' own files: what pairs were made from, and an index into Quora's questions; our own sentences."""

from pathlib import Path

import nltk
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from data.console.errors import InputError, ParadeError, TableError
from data.labelled import corpora, unlabelled
from data.labelled.dataset import Dataset
from data.labelled.forms import paws
from data.texts.identity import pair_id, text_id

QUESTIONS = (
    "id\tqid1\tqid2\tquestion1\tquestion2\tis_duplicate\n"
    '0\t7\t8\tCan a fox eat a hen?\t"What is a ""heap""? And a stack?"\t0\n'
    "1\t7\t9\tanother wording of a question that was seen\tHow do foxes run\t0\n"
)
INDEX = "id\tqid1\tsentence1\tqid2\tsentence2\tlabel\n"


@pytest.fixture(autouse=True)
def sentence_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """NLTK's model of sentences, which knows no abbreviations."""
    folder = tmp_path / "nltk" / "tokenizers" / "punkt_tab" / "english"
    folder.mkdir(parents=True)
    for name in ("collocations.tab", "sent_starters.txt", "abbrev_types.txt", "ortho_context.tab"):
        (folder / name).touch()
    monkeypatch.setattr(nltk.data, "path", [str(tmp_path / "nltk")])


def write_index(folder: Path, rows: str, questions: str = QUESTIONS) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "train.tsv").write_text(INDEX + rows, encoding="utf-8")
    if questions:
        (folder / "questions.tsv").write_text(questions, encoding="utf-8")
    return folder


def test_an_index_is_read_with_the_questions_beside_it(tmp_path: Path) -> None:
    folder = write_index(
        tmp_path / "qqp", "1\t7\t0/1/2/3/4/5/6\t7\t0/4/5/3/1/(9, 2)/6\t0\n2\t8\t7/8/(7, 1):(9, 2)\t7\t5\t1\n"
    )
    frame, files = corpora.load(folder)
    assert [file.name for file in files] == ["train.tsv"]
    assert list(frame[["first", "second", "binary", "split"]].itertuples(index=False, name=None)) == [
        ("Can a fox eat a hen ?", "Can a hen eat a foxes ?", 0, "train"),
        ("And a afoxes", "hen", 1, "train"),
    ]
    assert unlabelled.read(folder / "train.tsv")["first"].tolist() == frame["first"].tolist()


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ("1\t7\t0\t7\t1\t0\n2\t17\t0\t7\t1\t0\n", "line 3: expected the id of a question in questions.tsv, found '17'"),
        ("1\t7\t0\t7\t7\t0\n", "line 2: expected a place among the 7 tokens of question 7, from 0, found 7"),
        ("1\t7\t0/(8, 30)\t7\t1\t0\n", "a place among the 11 tokens of question 8, from 0, found 30"),
        ("1\t7\t0/-1\t7\t1\t0\n", "line 2: expected places such as 0/3/(17, 2):(8, 1), found '-1'"),
        ("1\t7\t\t7\t1\t0\n", "found ''"),
        ("1\t7\t0\t7\t1\n", "row 1: expected a label of 0 or 1, found ''"),
        ("1\t7\t0\t7\t1\t0\n1\t7\t0\t7\t1\t0\t1\n", "line 3: expected at most 6 cells"),
    ],
)
def test_a_wrong_index_is_named(tmp_path: Path, rows: str, expected: str) -> None:
    with pytest.raises(ParadeError) as fault:
        corpora.load(write_index(tmp_path / "qqp", rows))
    assert expected in str(fault.value)


def test_missing_questions_and_a_missing_model_are_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match=r"copy your quora_duplicate_questions\.tsv into the folder"):
        corpora.load(write_index(tmp_path / "alone", "1\t7\t0\t7\t1\t0\n", questions=""))
    monkeypatch.setattr(nltk.data, "path", [])
    nltk.tokenize._get_punkt_tokenizer.cache_clear()
    with pytest.raises(InputError, match=r"python -m nltk\.downloader punkt_tab"):
        corpora.load(write_index(tmp_path / "qqp", "1\t7\t0\t7\t1\t0\n"))


@pytest.fixture(scope="module")
def questions(tmp_path_factory: pytest.TempPathFactory) -> paws.Questions:
    path = tmp_path_factory.mktemp("questions") / "questions.tsv"
    path.write_text(QUESTIONS, encoding="utf-8")
    return paws.Questions(path)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(tokens=st.lists(st.sampled_from(["fox", "a", "?", "``", "foxes", "afox", "foxesrun", "And"]), min_size=1))
def test_what_is_indexed_is_read_again(questions: paws.Questions, tokens: list[str]) -> None:
    places = {token: (question, at) for question in ("7", "8", "9")
              for at, token in enumerate(questions.tokens(question))}  # fmt: skip
    cell = paws.index(tokens, "7", places, questions)
    assert cell is not None
    assert paws._spell(cell, "7", questions, "") == " ".join(tokens)
    assert paws.index([*tokens, "wolf"], "7", places, questions) is None


SOURCE, SWAP, BACK = "the fox saw the hen", "the hen saw the fox", "the hen was seen by the fox"
RAW_SWAPS = f"id\tsentence1\tsentence2\nswap_00001\t{SOURCE}\t{SWAP}\nswap_00002\train fell\tfell rain\n"
RAW_BACKS = f"id\tsentence1\tsentence2\tswap_id\nbacktransl_set1_1\t{SOURCE}\t{BACK}\tswap_00001_1\n"


def write_set(folder: Path, mapping: str) -> Path:
    (folder / "labeled_final_mapping").mkdir(parents=True)
    for name, text in (
        ("train.tsv", f"id\tsentence1\tsentence2\tlabel\n1\t{BACK}\t{SWAP}, then\t0\n"),
        ("test.tsv", "id\tsentence1\tsentence2\tlabel\n1\tof one rain\tof another snow\t0\n"),
        ("input_swap_wiki_50k.tsv", RAW_SWAPS),
        ("input_backtransl_wiki_with_swap_id.tsv", RAW_BACKS),
        ("labeled_final_mapping/train.tsv", "id\tmapping1\tmapping2\n" + mapping),
        ("labeled_final_mapping/test.tsv", "id\tmapping1\tmapping2\n1\tswap_00002_1\tswap_00001_2\n"),
    ):
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def test_the_mapping_says_what_pairs_were_made_from_and_ties_them_together(tmp_path: Path) -> None:
    frame, _ = corpora.load(write_set(tmp_path / "wiki", "1\tbacktransl_set1_1_2\tswap_00001_2\n"))
    swap, back = (pair_id(text_id(SOURCE), text_id(text)) for text in (SWAP, BACK))
    parents = frame.set_index("split")["parents"]
    assert parents["train"] == sorted([swap, back])
    assert swap in parents["test"]
    assert Dataset(frame).groups.nunique() == 1


@pytest.mark.parametrize(
    ("mapping", "expected"),
    [
        ("1\tswap_00009_1\tswap_00001_2\n", "and _1 or _2, found 'swap_00009_1'"),
        ("1\tswap_00001_3\tswap_00001_2\n", "found 'swap_00001_3'"),
        ("2\tswap_00001_1\tswap_00001_2\n", "expected a row for each pair of train.tsv, found none for the id '1'"),
    ],
)
def test_a_wrong_mapping_is_named(tmp_path: Path, mapping: str, expected: str) -> None:
    with pytest.raises(ParadeError) as fault:
        corpora.load(write_set(tmp_path / "wiki", mapping))
    assert expected in str(fault.value)


@pytest.mark.timeout(20)
def test_a_raw_pair_that_is_made_from_itself_is_named(tmp_path: Path) -> None:
    folder = write_set(tmp_path / "wiki", "1\tbacktransl_set1_1_2\tswap_00001_2\n")
    raw = folder / "input_backtransl_wiki_with_swap_id.tsv"
    raw.write_text(RAW_BACKS.replace("swap_00001_1", "backtransl_set1_1_1"), encoding="utf-8")
    with pytest.raises(TableError, match="found 'backtransl_set1_1_1'"):
        corpora.load(folder)


def test_a_second_mapping_and_a_missing_file_are_named(tmp_path: Path) -> None:
    folder = write_set(tmp_path / "wiki", "1\tswap_00001_1\tswap_00001_2\n")
    (folder / "labeled_final_mapping" / "test.tsv").unlink()
    with pytest.raises(InputError, match=r"labeled_final_mapping/test\.tsv: expected tab-separated columns"):
        corpora.load(folder)
    (folder / "labeled_swap_mapping").mkdir()
    with pytest.raises(InputError, match="found labeled_final_mapping and labeled_swap_mapping"):
        corpora.load(folder)


def test_labels_that_no_one_judged_are_read(tmp_path: Path) -> None:
    (tmp_path / "train.tsv").write_text("id\tsentence1\tsentence2\tnoisy_label\n1\ta b\tb a\t0\n", encoding="utf-8")
    frame, _ = corpora.load(tmp_path)
    assert frame["binary"].tolist() == [0]
