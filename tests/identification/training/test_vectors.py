"""Word vectors: learned the same way each time, and read from both forms of files."""

import gzip
from pathlib import Path

import numpy as np
import pytest

from data.console.errors import InputError, ParadeError

pytest.importorskip("torch", reason="torch is not installed: make models")

from identification.training import vectors

WANTED = {"oak", "elm", "fir", "."}


def test_the_same_texts_and_seed_give_the_same_vectors() -> None:
    texts = ["an oak is a tree", "an elm is a tree", "a carp is a fish"] * 5
    one, same, other = (vectors.learn(texts, {"oak", "elm", "none"}, 8, seed) for seed in (1, 1, 2))
    assert one.words == same.words == other.words == ["elm", "oak"]
    np.testing.assert_array_equal(one.matrix, same.matrix)
    assert not np.array_equal(one.matrix, other.matrix)
    assert one.matrix.dtype == np.float32
    assert vectors.learn(["", ""], WANTED, 8, 1).matrix.shape == (0, 8)


@pytest.mark.parametrize("name", ["v.txt", "v.txt.gz"])
@pytest.mark.parametrize("head", ["", "5 3\n"])
def test_files_of_both_forms_are_read(tmp_path: Path, name: str, head: str) -> None:
    content = head + "Oak 1 2 3\nELM 9 9 9\noak 4 5 6\nyew 0 0 0\nelm 7 8 9\n"
    path = tmp_path / name
    path.write_bytes(gzip.compress(content.encode()) if name.endswith("gz") else content.encode())
    found = vectors.read(path, WANTED)
    assert found.words == ["elm", "oak"]
    np.testing.assert_array_equal(found.matrix, [[7, 8, 9], [4, 5, 6]])
    assert found.origin["file"] == name


def test_a_capital_form_is_taken_where_the_small_one_is_missing_and_words_may_hold_spaces(tmp_path: Path) -> None:
    path = tmp_path / "glove.txt"
    path.write_text("Fir 1 2 3\nFIR 0 0 0\n. . . 4 5 6\n", "utf-8")
    assert vectors.read(path, {"fir", ". . ."}).matrix.tolist() == [[4, 5, 6], [1, 2, 3]]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("oak 1 2 3\nelm 1 2\n", r"line 2: expected a word and 3 numbers"),
        ("oak 1 two 3\n", r"line 1: expected a word and 3 numbers, found 1 two 3"),
        ("oak 1 nan 3\n", r"line 1: expected a word and 3 numbers"),
        ("oak\n", r"line 1: expected a word and 2 numbers"),
        ("yew 1 2 3\n", r"expected vectors of words of the data set, found none of 4"),
        (b"\xff\xfe\x00oak", r"expected a text file of word vectors in UTF-8"),
    ],
)
def test_other_files_are_refused_with_their_line(tmp_path: Path, content: str | bytes, message: str) -> None:
    path = tmp_path / "v.txt"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(ParadeError, match=message):
        vectors.read(path, WANTED)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"--vectors .*none.txt: expected a text file of word vectors"):
        vectors.read(tmp_path / "none.txt", WANTED)
