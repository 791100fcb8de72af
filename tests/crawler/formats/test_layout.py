"""What the operator says about delimited text."""

import pytest

from crawler.formats.layout import Choice, parse_choice
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
