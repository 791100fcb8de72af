"""What the operator says about delimited text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.formats import layout
from crawler.formats.layout import RARE_SEPARATORS, SEPARATORS, Choice, find_layout, parse_choice
from crawler.formats.reading import read
from tests.crawler.decks import sides


def test_the_operator_s_word_counts():
    text = "id;stack;a, pile\nid;queue;a, row\n"
    assert sides(read("a", text.encode(), parse_choice("semicolon", "3,2", ""))) == [
        ("a, pile", "stack"),
        ("a, row", "queue"),
    ]
    assert sides(read("a", text.encode(), parse_choice(",", "", "yes"))) == [("id;queue;a", "row")]
    assert read("a", text.encode()).decks[0].read_as == "semicolon, front in column 1, back in column 2, no header"
    assert parse_choice("", "", "") == Choice()


@pytest.mark.parametrize("said", [("tabs", "", ""), ("", "1", ""), ("", "2,2", ""), ("", "0,1", ""), ("", "", "maybe")])
def test_a_layout_that_cannot_be_is_refused(said):
    with pytest.raises(ValueError, match="not"):
        parse_choice(*said)


LINES = st.sampled_from(["a", "b c", " ", "", '"', *SEPARATORS, *RARE_SEPARATORS])


@given(st.lists(st.lists(LINES, min_size=1, max_size=4).map("".join), max_size=12).map("\n".join))
def test_no_separator_is_passed_over_that_could_win(text):
    found = find_layout(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(layout, "_frequent", lambda marks, *_: marks)
        assert find_layout(text) == found


def test_a_text_without_separators_is_not_split(monkeypatch):
    monkeypatch.setattr(layout, "_measure", lambda *_: pytest.fail("split"))
    assert find_layout("#\n" * 20) is None
