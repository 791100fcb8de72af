"""Texts cut into sentences: what a full stop does not end."""

import pytest

from generation.engines.tokenizers import splitter

pytest.importorskip("spacy", reason="spacy is not installed: make generation")


def split(text):
    [sentences] = splitter("en")([text])
    return sentences


@pytest.mark.parametrize(
    "text",
    [
        "Smith et al. showed that it works.",
        "Smith et al. [3] showed that it works.",
        "It was shown by Smith et al. (2010) for trees.",
        "It was shown by Smith et al. (STOC 2010) for trees.",
        "It was shown (Smith et al. 2010) for trees.",
        "It was shown by Smith et al., EC 2012, for trees.",
        "Other containers (cf. Abbott et al.) are species.",
        "It is hard for NP (resp. P) and for trees.",
        "The sum is small w.r.t. H and all of its parts.",
        "The cost (a.k.a. Earthmover) is low.",
        "It follows from Fig. 3 and Eqs. (4) and 5, see Sec. 2 and pp. 3 to 5.",
        "The product (i.e. a graph) is small.",
    ],
)
def test_an_abbreviation_does_not_end_a_sentence(text):
    assert split(f"{text} They did so, too.") == [text, "They did so, too."]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("This was proved by Smith et al.", "We extend it to trees."),
        ("It works for trees.", "(It does not for graphs.)"),
        ("It works for trees.", "[We show it.]"),
        ("It works for words, trees, etc.", "Graphs are harder."),
        ("It has a floor and a wall.", "It is old."),
        ("We use the config.", "3 of them fail."),
    ],
)
def test_a_new_sentence_begins_with_its_own_bracket_and_after_et_al(first, second):
    assert split(f"{first} {second}") == [first, second]


@pytest.mark.sweep
def test_long_texts_without_a_sentence_take_no_longer_per_character():
    assert len(split("a. " * 100_000)) == 1
    assert len(split("([ " * 100_000)) == 1
