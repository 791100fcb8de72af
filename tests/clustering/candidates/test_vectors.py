import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import TfidfVectorizer
from threadpoolctl import threadpool_info, threadpool_limits

from clustering.candidates.pairs import cosine
from clustering.candidates.vectors import (
    NumberedSentences,
    WordVectors,
    average,
    combine,
    describe,
    read_lemmas,
    smooth,
    stem_words,
    train_word2vec,
    weight,
)
from clustering.config import Config, epochs_for
from tests.sentence_model import stand_in

KNOWN = WordVectors(words=["a", "b", "c"], matrix=np.array([[1, 0], [0, 1], [2, 2]], dtype=np.float32))
SENTENCES = NumberedSentences.of([f"word{(i * j) % 40}" for j in range(1, 9)] for i in range(400))


def test_lemmas_keep_order_and_punctuation() -> None:
    lemmas = read_lemmas(["Networks of sensors, linked.", "", "A sensor."])
    assert list(lemmas) == [["network", "of", "sensor", ",", "linked", "."], [], ["a", "sensor", "."]]
    assert lemmas.words == ["network", "of", "sensor", ",", "linked", ".", "a"]


@given(st.lists(st.lists(st.text(max_size=3))))
def test_sentences_are_given_back_as_they_came(sentences: list[list[str]]) -> None:
    numbered = NumberedSentences.of(sentences)
    assert len(numbered) == len(sentences)
    assert list(numbered) == list(numbered) == sentences
    assert len(set(numbered.words)) == len(numbered.words)


def test_mean_counts_repeats_and_passes_over_unknown_words() -> None:
    vectors, known = average(NumberedSentences.of([["a", "a", "c", "x"], ["b"]]), KNOWN)
    assert known.tolist() == [True, True]
    assert vectors.tolist() == pytest.approx(np.array([[4 / 3, 2 / 3], [0, 1]]))


def test_a_sentence_with_no_known_word_has_no_vector() -> None:
    vectors, known = average(NumberedSentences.of([["x"], ["a"], []]), KNOWN)
    assert known.tolist() == [False, True, False]
    assert vectors.tolist() == [[1, 0]]


def test_the_order_of_words_moves_no_bit_of_a_mean() -> None:
    matrix = np.random.default_rng(1).normal(size=(26, 50)).astype(np.float32)
    known = WordVectors(words=list("abcdefghijklmnopqrstuvwxyz"), matrix=matrix)
    one, other = average(NumberedSentences.of(["thesamewordsinarow", sorted("thesamewordsinarow")]), known)[0]
    assert one.tobytes() == other.tobytes()


@given(st.lists(st.lists(st.sampled_from("abcxy"), max_size=8), max_size=12))
def test_means_match_a_plain_loop(sentences: list[list[str]]) -> None:
    table = dict(zip(KNOWN.words, KNOWN.matrix, strict=True))
    plain = [
        np.mean([table[word] for word in one if word in table], axis=0) for one in sentences if set(one) & set(table)
    ]
    vectors, known = average(NumberedSentences.of(sentences), KNOWN)
    assert known.sum() == len(plain)
    assert np.allclose(vectors, np.array(plain).reshape(-1, 2), atol=1e-6)


def test_training_is_the_same_twice_and_differs_by_seed() -> None:
    config = Config(vector_size=8, epochs=2)
    one, same = (train_word2vec(SENTENCES, config) for _ in range(2))
    other = train_word2vec(SENTENCES, Config(vector_size=8, epochs=2, seed=2))
    assert one.words == same.words
    assert one.matrix.tobytes() == same.matrix.tobytes() != other.matrix.tobytes()
    assert one.matrix.shape == (40, 8)


def test_every_setting_of_the_training_changes_the_vectors() -> None:
    matrices = {
        train_word2vec(SENTENCES, Config(vector_size=8, **how)).matrix.tobytes()
        for how in ({}, {"skip_gram": True}, {"epochs": 9}, {"window": 1}, {"learning_rate": 0.1}, {"sample": 1e-5})
    }
    assert len(matrices) == 6


def test_rare_words_have_no_vector_and_none_may_be_left() -> None:
    rare = NumberedSentences.of([["a", "b"], ["a"]])
    assert train_word2vec(rare, Config(min_count=2)).words == ["a"]
    nothing = train_word2vec(rare, Config(min_count=3))
    assert nothing.words == []
    assert average(rare, nothing)[1].tolist() == [False, False]


sentence_lists = st.lists(st.lists(st.sampled_from("abcxy"), max_size=8), min_size=1, max_size=12)


@given(sentence_lists)
def test_tfidf_matches_scikit_learn(sentences: list[list[str]]) -> None:
    vectors, known = weight(NumberedSentences.of(sentences))
    assert known.tolist() == [bool(sentence) for sentence in sentences]
    if known.any():
        plain = TfidfVectorizer(analyzer=list).fit_transform(sentences)
        assert np.allclose(vectors.toarray(), plain.toarray()[known], atol=1e-6)


@given(sentence_lists)
def test_sublinear_tfidf_matches_scikit_learn(sentences: list[list[str]]) -> None:
    vectors, known = weight(NumberedSentences.of(sentences), sublinear=True)
    if known.any():
        plain = TfidfVectorizer(analyzer=list, sublinear_tf=True).fit_transform(sentences)
        assert np.allclose(vectors.toarray(), plain.toarray()[known], atol=1e-6)


def test_stems_replace_words_and_equal_ones_share_a_number() -> None:
    stemmed = stem_words(NumberedSentences.of([["connected", "nodes"], [], ["node", "connecting", "node"]]))
    assert list(stemmed) == [["connect", "node"], [], ["node", "connect", "node"]]
    assert stemmed.words == ["connect", "node"]


@given(sentence_lists, st.floats(0, 1))
def test_a_combined_cosine_is_the_weighted_mean_of_both(sentences: list[list[str]], share: float) -> None:
    numbered = NumberedSentences.of(sentences)
    combined, has_word = combine(numbered, stem_words(numbered), KNOWN, share)
    assert has_word.tolist() == [bool(sentence) for sentence in sentences]
    sparse = weight(stem_words(numbered), sublinear=True)[0]
    dense = np.zeros((len(sentences), 2), dtype=np.float32)
    means, known = smooth(numbered, KNOWN)
    dense[known] = means
    dense = dense[has_word]
    pair = np.array([0]), np.array([len(dense) - 1])
    if len(dense) and all(np.linalg.norm(dense[row]) > 0.5 for row in (0, -1)):
        parts = [float(cosine(rows, *pair)[0]) for rows in (sparse, dense)]
        assert float(cosine(combined, *pair)[0]) == pytest.approx((1 - share) * parts[0] + share * parts[1], abs=1e-5)


def test_a_text_without_a_known_word_is_combined_by_its_own_words() -> None:
    sentences = NumberedSentences.of([["x", "y"], ["a", "x"], ["b"], ["x", "y"], []])
    combined, has_word = combine(sentences, stem_words(sentences), KNOWN, 0.25)
    assert has_word.tolist() == [True, True, True, True, False]
    assert combined.dense[0].tolist() == combined.dense[3].tolist() == [0, 0]
    assert cosine(combined, np.array([0]), np.array([3])).tolist() == [pytest.approx(1)]


@given(sentence_lists)
def test_sif_rows_have_length_one_and_no_common_direction(sentences: list[list[str]]) -> None:
    numbered = NumberedSentences.of(sentences)
    vectors, known = smooth(numbered, KNOWN)
    assert known.tolist() == average(numbered, KNOWN)[1].tolist()
    lengths = np.linalg.norm(vectors, axis=1)
    assert ((np.abs(lengths - 1) < 1e-3) | (lengths < 1e-3)).all()


def test_sif_is_computed_on_one_thread_however_many_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another number of threads moves the last bits, which shows on thousands of definitions."""
    seen = []
    eigh = np.linalg.eigh

    def watched(matrix: np.ndarray) -> object:
        seen.append({pool["num_threads"] for pool in threadpool_info()})
        return eigh(matrix)

    monkeypatch.setattr(np.linalg, "eigh", watched)
    with threadpool_limits(2):
        smooth(NumberedSentences.of([["a", "b"], ["c"]]), KNOWN)
    assert seen == [{1}]


def test_sif_counts_frequent_words_less() -> None:
    matrix = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1]], dtype=np.float32)
    known = WordVectors(words=["the", "node", "edge"], matrix=matrix)
    sentences = NumberedSentences.of([["the", "node"], ["the", "edge"], *([["the"]] * 50)])
    vectors, _ = smooth(sentences, known)
    assert vectors[0] @ vectors[1] < 0.5
    plain, _ = average(sentences, known)
    assert plain[0] @ plain[1] == pytest.approx(0.25)


def test_epochs_follow_the_size_of_the_corpus() -> None:
    assert [epochs_for(n) for n in (0, 1_000, 90_000, 105_001, 150_000, 400_000, 10**9)] == [7, 7, 7, 6, 5, 4, 4]
    assert epochs_for(169_625) == 4


def test_settings_that_are_none_follow_the_size_where_the_vectors_use_them() -> None:
    recommended = Config.recommended()
    sizes = [recommended.at_size(n) for n in (4_000, 160_000, 2_000_000)]
    assert [(c.epochs, c.min_count, c.word2vec_share) for c in sizes] == [(7, 1, 0.25), (4, 1, 0.33), (4, 5, 0.33)]
    assert Config.paper().at_size(4_000) == Config.paper()
    assert Config.hard().at_size(4_000) == Config.hard()
    assert replace(recommended, epochs=7, word2vec_share=0.0).at_size(9).word2vec_share == 0
    assert sizes[0].at_size(2_000_000) == sizes[0]


def test_a_sentence_model_is_loaded_from_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("transformers", reason="needs `make models`")
    monkeypatch.setitem(sys.modules, "sentence_transformers", stand_in())
    vectors, known = describe(["ab", "ba", "zzz"], Config(vectors="minilm", model=str(tmp_path)))
    assert vectors.shape == (3, 26)
    assert vectors[0] @ vectors[1] == pytest.approx(1)
    assert known.all()
    assert describe([], Config(vectors="minilm", model=str(tmp_path)))[0].shape[0] == 0


@pytest.mark.sweep
def test_the_real_sentence_model_knows_a_paraphrase() -> None:
    pytest.importorskip("torch", reason="needs `make models`")
    texts = ["a program that translates source code", "software turning source text into machine code", "a large tree"]
    vectors, _ = describe(texts, Config(vectors="minilm"))
    assert vectors.shape == (3, 384)
    assert vectors[0] @ vectors[1] > vectors[0] @ vectors[2] + 0.2
