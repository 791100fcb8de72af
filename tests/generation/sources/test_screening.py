"""Which sentences are fit, and that every other one has a reason."""

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.console.errors import InputError
from generation.sources.screening import LOST, SentenceLimits, mark_duplicates, quote, screen


def reason(text: str, **limits) -> str | None:
    return screen([text], SentenceLimits(**limits), str.split)[0]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a compiler translates programs into code", None),
        ("a compiler translates", "too_short"),
        ("word " * 41, "too_long"),
        ("word " * 10_000, "too_long"),
        ("x" * 10_000, "unbroken"),
        ("see https://example.org/" + "a" * 60 + " for the code of it", "unbroken"),
        ("the bound is $n^2$ in every case", "latex"),
        ("the bound is O(n^{2}) in all cases", "latex"),
        ("it runs in O(n^2) time in all cases", "latex"),
        ("there are (n-1)^2 of them in all cases", "latex"),
        ("embeddings into L_1 have a low distortion", "latex"),
        ("they are read from my_file and d_lib_vs in turn", None),
        (r"a set \mathcal of all the words", "latex"),
        ("the bound is $5$ or $2n$ for all of them", "latex"),
        ("the price rose from $5 to $1.2 million in a year, or by $10-a-share.", None),
        ("shares fell by $1,250.50, less than the US$2bn of last year", None),
        ("a case in which $1<x$ holds for all of them", "latex"),
        ("The\0 doctor gave the nurse a bag", "controls"),
        ("The \x1b[31mred\x1b[0m cat saw the black dog", "controls"),
        ("The doctor \u202egave the nurse a bag", "controls"),
        ("T\0h\0e\0", "controls"),
        ("- the client asks - the server answers", "layout"),
        ("one line and\nanother line of it", "layout"),
        ("lines that end\ras those of old computers did", "layout"),
        ("a well-known low-density code of theirs", None),
    ],
)
def test_reasons(text, expected):
    assert reason(text) == expected


def test_flags_bring_sentences_back():
    assert reason("a compiler translates", shortest=3) is None
    assert reason("word " * 41, longest=41) is None
    assert reason("the bound is $n^2$ in every case", keep_latex=True) is None


@given(st.text(max_size=200))
def test_every_reason_is_explained(text):
    found = reason(text)
    assert found is None or found in LOST


def test_a_duplicate_is_one_of_a_kept_sentence_of_any_block():
    frame = pd.DataFrame({"text": ["A b", "a  B", "c", "c"], "reason": [None, None, "latex", None]})
    seen = set[int]()
    assert mark_duplicates(frame, seen).isna().tolist() == [True, False, False, True]
    assert mark_duplicates(frame, seen).isna().tolist() == [False, False, False, False]


def test_a_reject_quotes_the_fault():
    text = f"{'word ' * 30}of $n^2$ nodes and {'words ' * 30}"
    assert len(quote(text, "latex")) == 80
    assert "of $n^2$ nodes" in quote(text, "latex")
    assert quote("the bound is $n^2$ in every case", "latex") == "the bound is $n^2$ in every case"
    assert quote(text, "too_long") == text[:80]
    assert quote(text, "duplicate") == text
    assert quote(text, "not_drawn") is quote(text, "taken_down") is None


def test_lengths_that_exclude_everything_are_refused():
    with pytest.raises(InputError, match="--longest: expected at least --shortest 6, found 5"):
        SentenceLimits(longest=5)
