import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clustering.config import Config
from clustering.vectors import WordVectors, average, read_lemmas, train_word2vec

KNOWN = WordVectors(words=["a", "b", "c"], matrix=np.array([[1, 0], [0, 1], [2, 2]], dtype=np.float32))
SENTENCES = [[f"word{(i * j) % 40}" for j in range(1, 9)] for i in range(400)]


def test_lemmas_keep_order_and_punctuation() -> None:
    assert read_lemmas(["Networks of sensors, linked."]) == [["network", "of", "sensor", ",", "linked", "."]]


def test_mean_counts_repeats_and_passes_over_unknown_words() -> None:
    vectors, known = average([["a", "a", "c", "x"], ["b"]], KNOWN)
    assert known.tolist() == [True, True]
    assert vectors.tolist() == pytest.approx(np.array([[4 / 3, 2 / 3], [0, 1]]))


def test_a_sentence_with_no_known_word_has_no_vector() -> None:
    vectors, known = average([["x"], ["a"], []], KNOWN)
    assert known.tolist() == [False, True, False]
    assert vectors.tolist() == [[1, 0]]


@settings(deadline=None)
@given(st.lists(st.lists(st.sampled_from("abcxy"), max_size=8), max_size=12))
def test_means_are_those_of_a_plain_loop(sentences: list[list[str]]) -> None:
    table = dict(zip(KNOWN.words, KNOWN.matrix, strict=True))
    plain = [
        np.mean([table[word] for word in one if word in table], axis=0) for one in sentences if set(one) & set(table)
    ]
    vectors, known = average(sentences, KNOWN)
    assert known.sum() == len(plain)
    assert np.allclose(vectors, np.array(plain).reshape(-1, 2), atol=1e-6)


def test_training_is_the_same_twice_and_differs_by_seed() -> None:
    config = Config(vector_size=8, epochs=2)
    one, same = (train_word2vec(SENTENCES, config, iter(range(2))) for _ in range(2))
    other = train_word2vec(SENTENCES, Config(vector_size=8, epochs=2, seed=2), iter(range(2)))
    assert one.words == same.words
    assert one.matrix.tobytes() == same.matrix.tobytes() != other.matrix.tobytes()
    assert one.matrix.shape == (40, 8)


def test_skip_gram_and_epochs_change_the_vectors() -> None:
    matrices = {
        train_word2vec(SENTENCES, Config(vector_size=8, **how), iter([])).matrix.tobytes()
        for how in ({}, {"skip_gram": True}, {"epochs": 9}, {"window": 1})
    }
    assert len(matrices) == 4


def test_rare_words_have_no_vector_and_none_may_be_left() -> None:
    rare = [["a", "b"], ["a"]]
    assert train_word2vec(rare, Config(min_count=2), iter([])).words == ["a"]
    nothing = train_word2vec(rare, Config(min_count=3), iter([]))
    assert nothing.words == []
    assert average(rare, nothing)[1].tolist() == [False, False]
