"""The one definition of a word."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nltk.tokenize import NLTKWordTokenizer

from data import words
from data.labelled import parade


@pytest.mark.parametrize(
    ("word", "lemma"),
    [
        ("structures", "structure"),
        ("networks", "network"),
        ("queries", "query"),
        ("analyses", "analysis"),
        ("classes", "class"),
        ("wolves", "wolf"),
        ("was", "wa"),
        ("qubitish", "qubitish"),
    ],
)
def test_lemma(word: str, lemma: str) -> None:
    assert words.lemma(word) == lemma


def test_tokens_split_punctuation_and_contractions() -> None:
    assert words.tokens("It doesn't store keys, values.") == ("it", "does", "n't", "store", "keys", ",", "values", ".")


pieces = st.lists(st.sampled_from([*"ab 0-/;()?!%&#,.:+=*'\"é", "cannot", "gonna", "--", " "]), max_size=12)


@given(pieces.map("".join))
def test_tokens_are_those_of_nltk(text: str) -> None:
    assert list(words.tokens(text)) == NLTKWordTokenizer().tokenize(text.lower())


def test_tokens_of_the_release_are_those_of_nltk(shared_data: Path) -> None:
    table = parade.read(shared_data / "parade").head(2_000)
    plain = NLTKWordTokenizer()
    assert all(list(words.tokens(text)) == plain.tokenize(text.lower()) for text in table["first"])


def test_content_stems_leave_out_stop_words_and_punctuation() -> None:
    assert words.content_stems("The keys of a system, and their mappings!") == {"key", "system", "map"}


@given(st.text())
def test_normalise_is_idempotent(text: str) -> None:
    once = words.normalise(text)
    assert words.normalise(once) == once


@given(st.text() | st.text(st.characters(max_codepoint=127)))
def test_bare_text_is_the_runs_of_letters_and_digits(text: str) -> None:
    assert words.bare(text) == " ".join(re.findall(r"[^\W_]+", words.normalise(text)))


@given(st.text(alphabet="ab \t\n\u00a0", max_size=20))
def test_normalise_leaves_single_inner_spaces(text: str) -> None:
    normal = words.normalise(text)
    assert normal == " ".join(text.split())


@given(st.lists(st.text(alphabet="abcdefs", min_size=1, max_size=8), min_size=1, max_size=3))
def test_canonical_ignores_case_and_spaces(parts: list[str]) -> None:
    assert words.canonical("  ".join(parts).upper()) == words.canonical(" ".join(parts))


def test_released_entities_merge_to_716(shared_data: Path) -> None:
    frame = parade.read(shared_data / "parade")
    canonical = frame["entity"].map(words.canonical)
    assert frame["entity"].nunique() == 788
    assert canonical.nunique() == 716
    train, validation, _ = (set(canonical[frame["split"] == split]) for split in parade.SPLITS)
    assert int(canonical[frame["split"] == "validation"].isin(train).sum()) == 436
    assert int(canonical[frame["split"] == "test"].isin(train).sum()) == 105
    assert int(canonical[frame["split"] == "test"].isin(train | validation).sum()) == 159
