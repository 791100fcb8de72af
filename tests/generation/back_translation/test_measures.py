"""Shared words and their order: known answers and laws."""

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.texts.languages.en import ENGLISH
from generation.back_translation.measures import align, bow_cosine, count_crossed, inversion_rate

KATZ = "katz was born in sweden in 1947 and moved to new york city at the age of 1 ."
KATZ_BACK = "katz was born in 1947 in sweden and moved to new york at the age of one ."
TEAM = "the team also toured in australia in 1953 ."
TEAM_BACK = "in 1953 , the team also toured in australia ."
PARTS = "although interchangeable , the body pieces on the 2 cars are not similar ."
PARTS_BACK = "although similar , the body parts are not interchangeable on the 2 cars ."
DOGS, FEWER_DOGS = "the dog saw the dog and the dog", "the dog and the dog"

CROSSED = [
    ("On April 2 Jenkins married Ivy Vujic", "Jenkins married Ivy on April 2", 9, 6),
    ("flights from new york to florida", "flights from florida to new york", 5, 6),
    (DOGS, FEWER_DOGS, 2, 5),
    ("a b", "b a", 1, 2),
    ("a b c", "c b a", 3, 3),
    ("a b c d", "a b c e", 0, 3),
    (TEAM, TEAM_BACK, 11, 9),
    (KATZ, KATZ_BACK, 3, 17),
    ("can a bad person become good ?", "can a good person become bad ?", 5, 7),
    (
        "jerry looks over tom 's shoulder and gets punched .",
        "tom looks over jerry 's shoulder and gets punched .",
        5,
        10,
    ),
    (PARTS, PARTS_BACK, 23, 13),
]


@pytest.mark.parametrize(("first", "second", "crossed", "aligned"), CROSSED)
def test_crossed_alignments_and_their_rate(first: str, second: str, crossed: int, aligned: int) -> None:
    assert count_crossed(align(ENGLISH.tokens(first), ENGLISH.tokens(second))) == (crossed, aligned)
    assert inversion_rate([first], [second])[0] == pytest.approx(2 * crossed / (aligned * (aligned - 1)))


def test_the_rate_of_fewer_than_two_alignments_is_not_defined() -> None:
    assert inversion_rate(["a", "a b", ""], ["a", "c d", ""]).isna().all()
    assert inversion_rate([], []).empty


@pytest.mark.parametrize(
    ("first", "second", "cosine"),
    [
        (
            "erikson formed the rock band spooner with two fellow musicians .",
            "erikson founded the rock band spooner with two fellow musicians .",
            0.9091,
        ),
        (KATZ, KATZ_BACK, 0.9271),
        (TEAM, TEAM_BACK, 0.9574),
        (PARTS, PARTS_BACK, 0.9375),
        ("a b c d", "a b c e", 0.75),
        (DOGS, FEWER_DOGS, 0.9690),
    ],
)
def test_cosine_of_word_counts(first: str, second: str, cosine: float) -> None:
    assert bow_cosine([first], [second])[0] == pytest.approx(cosine, abs=5e-5)


def test_the_cosine_of_a_text_without_tokens_is_not_defined() -> None:
    assert bow_cosine(["", "a", ""], ["a", " ", ""]).isna().all()
    assert bow_cosine([], []).empty


WORDS = st.lists(st.sampled_from(["the", "dog", "cat", "sat", "ran", "away"]), max_size=12)


@given(WORDS, WORDS)
def test_both_measures_are_symmetric_and_between_0_and_1(first: list[str], second: list[str]) -> None:
    texts = [" ".join(first)], [" ".join(second)]
    for measure in (bow_cosine, inversion_rate):
        there, back = measure(*texts)[0], measure(*reversed(texts))[0]
        assert there is back is pd.NA or (there == back and 0 <= there <= 1)


@given(st.lists(st.sampled_from("abcdefgh"), min_size=2, unique=True))
def test_a_text_of_distinct_words_against_itself_and_reversed(words: list[str]) -> None:
    text, reverse = " ".join(words), " ".join(reversed(words))
    assert inversion_rate([text, text], [text, reverse]).tolist() == [0, 1]


@given(WORDS.filter(bool), WORDS.filter(bool), st.integers(1, 3))
def test_the_cosine_is_1_exactly_where_the_counts_are_proportional(
    first: list[str], second: list[str], times: int
) -> None:
    counts = [{word: words.count(word) / len(words) for word in words} for words in (first, second)]
    assert (bow_cosine([" ".join(first)], [" ".join(second)])[0] == 1) == (counts[0] == counts[1])
    assert bow_cosine([" ".join(first)], [" ".join(first * times)])[0] == 1
