"""Texts as every language has them."""

import re

from hypothesis import given
from hypothesis import strategies as st

from data.texts import words


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
