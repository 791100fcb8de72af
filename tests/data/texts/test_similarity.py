"""Overlap and near duplicates."""

from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.labelled import parade
from data.texts import similarity, words
from data.texts.languages.base import Language
from data.texts.languages.en import ENGLISH
from data.texts.near_copies import find_near_copies

WORDS = ["key", "keys", "value", "stores", "the", "of", "a", ",", ".", "table", "quickly", "hashes"]
texts = st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join)


@given(st.lists(st.tuples(texts, texts), min_size=1, max_size=10))
def test_jaccard_is_the_ratio_of_sets(couples: list[tuple[str, str]]) -> None:
    first, second = map(list, zip(*couples, strict=True))
    found = similarity.jaccard(first, second)
    for (one, other), value in zip(couples, found, strict=True):
        left, right = ENGLISH.content_stems(one), ENGLISH.content_stems(other)
        if left | right:
            assert value == pytest.approx(len(left & right) / len(left | right))
        else:
            assert value is pd.NA


@given(st.lists(st.tuples(texts, texts), min_size=1, max_size=10))
def test_jaccard_is_symmetric_and_bounded(couples: list[tuple[str, str]]) -> None:
    first, second = map(list, zip(*couples, strict=True))
    found = similarity.jaccard(first, second)
    assert found.equals(similarity.jaccard(second, first))
    assert found.dropna().between(0, 1).all()


sentences = st.lists(st.lists(st.sampled_from([*WORDS[:5], "etc", "e.g", "c"]), min_size=1).map(" ".join), min_size=1)


@given(sentences.flatmap(lambda order: st.tuples(st.just(order), st.permutations(order))))
def test_texts_with_their_sentences_exchanged_overlap_wholly(orders: tuple[list[str], list[str]]) -> None:
    first, second = (". ".join(order) + "." for order in orders)
    assert similarity.jaccard([first], [second]).fillna(1.0).tolist() == [1.0]


@given(st.lists(texts), st.lists(texts | texts.map(str.upper)))
def test_texts_read_before_have_the_same_stems(before: list[str], now: list[str]) -> None:
    similarity.bag_stems(before, ENGLISH)
    known = similarity.bag_stems(now, ENGLISH)
    similarity._last_read.clear()
    new = similarity.bag_stems(now, ENGLISH)
    assert known.shape == new.shape == (len(now), len(set().union(*map(ENGLISH.content_stems, now))))
    assert known.toarray().tolist() == new.toarray().tolist()


def test_a_text_is_read_once_where_overlap_and_near_copies_are_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    tokens = Language.tokens
    monkeypatch.setattr(Language, "tokens", lambda self, text: read.append(text) or tokens(self, text))
    similarity.jaccard(["Maps keys to rows", "a tree of keys"], ["a tree of keys", "A Heap"])
    find_near_copies(["a heap", "a tree of keys", "maps keys to rows", "maps rows to keys"])
    assert sorted(read) == ["a heap", "a tree of keys", "maps keys to rows", "maps rows to keys"]


def test_jaccard_of_no_pairs_is_empty() -> None:
    assert similarity.jaccard([], []).empty


@pytest.mark.parametrize(
    ("first", "second", "reason"),
    [
        ("Maps keys to values.", "maps keys to values", "punctuation"),
        ("maps keys to values", "a structure that maps keys to values quickly", "contained"),
        ("maps a key to the values", "mapping a keys to the value", "same_stems"),
        ("a structure that maps keys to vlaues by hashing", "a structure that maps keys to values by hashing", "typos"),
        ("maps keys to values", "finds records fast by computing an index", None),
        ("cat", "concatenates strings of characters", None),
    ],
)
def test_near_duplicates(first: str, second: str, reason: str | None) -> None:
    found = similarity.near_duplicates([first, second], [second, first])["reason"]
    assert [None if pd.isna(value) else value for value in found] == [reason, reason]


def longest_common_subsequence(one: str, other: str) -> int:
    row = [0] * (len(other) + 1)
    for letter in one:
        before = row[:]
        for at, its in enumerate(other, 1):
            row[at] = before[at - 1] + 1 if letter == its else max(before[at], row[at - 1])
    return row[-1]


def is_near_duplicate(first: str, second: str) -> bool:
    """The rule written out, with the textbook's edit similarity: it has no order and misses nothing."""
    one, other = words.bare(first), words.bare(second)
    contained = f" {one} " in f" {other} " or f" {other} " in f" {one} "
    stems = [sorted(map(ENGLISH.stem, text.split())) for text in (one, other)]
    n = len(one) + len(other) + 4  # the spaces around them are the same
    return contained or stems[0] == stems[1] or 2 * (longest_common_subsequence(one, other) + 2) / n >= 0.9


@given(st.lists(st.tuples(texts, texts), min_size=1, max_size=10))
def test_near_duplicates_match_the_plain_rule(couples: list[tuple[str, str]]) -> None:
    first, second = map(list, zip(*couples, strict=True))
    found = similarity.near_duplicates(first, second)["reason"].notna()
    assert found.tolist() == [is_near_duplicate(one, other) for one, other in couples]
    assert found.equals(similarity.near_duplicates(second, first)["reason"].notna())


@pytest.mark.sweep
def test_near_duplicates_of_released_pairs_match_the_plain_rule(shared_data: Path) -> None:
    frame = parade.read(shared_data / "parade").head(300)
    first, second = frame["first"].tolist(), frame["second"].tolist()
    found = similarity.near_duplicates(first, second)["reason"].notna()
    assert found.tolist() == list(map(is_near_duplicate, first, second))


def test_a_stem_begins_as_its_word_does(shared_data: Path) -> None:
    frame = parade.read(shared_data / "parade")
    known = {word for text in [*frame["first"], *frame["second"]] for word in words.bare(text).split()}
    assert {word for word in known if ENGLISH.stem(word)[0] != word[0]} == set()


def test_edit_similarity_threshold_is_an_argument() -> None:
    pair = ["a table of keys hashed"], ["a table of keys sorted"]
    assert similarity.near_duplicates(*pair)["reason"].isna().all()
    assert similarity.near_duplicates(*pair, min_edit_similarity=0.7)["reason"].tolist() == ["typos"]


def test_released_overlap_is_the_reference(shared_data: Path) -> None:
    frame = parade.read(shared_data / "parade")
    overlap = similarity.jaccard(frame["first"].tolist(), frame["second"].tolist())
    means = overlap.groupby(frame["binary"]).mean()
    assert means[0] == pytest.approx(0.126, abs=0.01)
    assert means[1] == pytest.approx(0.288, abs=0.01)
