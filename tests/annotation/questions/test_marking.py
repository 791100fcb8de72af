"""Highlighted parts: the text stays what it is, and nothing but the highlights is markup."""

import html
import re
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from annotation.questions.declarations import shipped_question
from annotation.questions.marking import Span, highlight
from data.contract.questions import Part

PAIR = shipped_question("same-meaning").shown
GIVEN = replace(PAIR, parts=(Part(name="old", text="Old"), Part(name="new", text="New")))
APART = replace(PAIR, parts=(Part(name="only", text="In one text only", computed="words-apart"),))
TAG = re.compile(r'<mark class="parade-part[123]">|</mark>')

TEXT = st.text(st.sampled_from("ab <>&\"'/é\n$"), max_size=30)
SIDES, NAMES, PLACES = st.sampled_from(["first", "second"]), st.sampled_from(["old", "new"]), st.integers(0, 30)
SPANS = st.lists(st.tuples(SIDES, PLACES, PLACES, NAMES), max_size=5)


@given(TEXT, TEXT, SPANS)
def test_the_text_stays_and_only_the_marks_are_markup(text, other, spans):
    written = [Span(name, side, min(ends), max(ends)) for side, *ends, name in spans]
    for shown in (GIVEN, APART):
        page = highlight(text, "first", written, other, shown)
        bare = TAG.sub("", page)
        assert html.unescape(bare) == text
        assert not set("<>\"'") & set(bare)
        assert page.count("</mark>") == page.count("<mark ")


@given(TEXT, SPANS)
def test_what_is_marked_lies_in_a_span_and_the_first_part_is_seen(text, spans):
    written = [Span(name, side, min(ends), max(ends)) for side, *ends, name in spans]
    inside = {"old": set[int](), "new": set[int]()}
    for side, *ends, name in spans:
        if side == "first":
            inside[name] |= {place for place in range(min(ends), max(ends)) if place < len(text)}
    pieces = re.findall(
        r'<mark class="parade-part(\d)">(.*?)</mark>', highlight(text, "first", written, None, GIVEN), re.S
    )
    seen = {"1": inside["old"], "2": inside["new"] - inside["old"]}
    for number, places in seen.items():
        marked = "".join(html.unescape(piece) for mark, piece in pieces if mark == number)
        assert marked == "".join(text[place] for place in sorted(places))


def test_the_words_that_only_one_text_has():
    first = highlight("A fox saw the dog's tail.", "first", [], "a dog saw the FOX", APART)
    marked = '<mark class="parade-part1">{}</mark>'
    assert first == f"A fox saw the dog&#x27;{marked.format('s')} {marked.format('tail')}."
    assert highlight("the same", "first", [], "Same: the", APART) == "the same"
