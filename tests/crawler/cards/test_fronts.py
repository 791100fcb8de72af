"""Which fronts name which term."""

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.cards import fronts
from data.texts.languages.en import ENGLISH

TERMS = ("hash table", "binary tree", "c++", "use case", "what if analysis", "big o notation")


def terms_table(terms=TERMS, variants=None):
    variants = variants or {}
    return pd.DataFrame({"term": list(terms), "variants": [variants.get(term, [term]) for term in terms]})


def match_one(front, terms=None):
    found = fronts.match(pd.Series([front]), terms_table() if terms is None else terms, ENGLISH)
    return None if found.isna()[0] else found[0]


@pytest.mark.parametrize(
    ("front", "name"),
    [
        ("Hash Table", "hash table"),
        ("  hash \n\t table  ", "hash table"),
        ("hash\u00a0table", "hash table"),
        ("ｈａｓｈ table", "hash table"),
        ("ha\u00adsh ta\u200bble", "hash table"),
        ("hash table:", "hash table"),
        ("hash table -", "hash table"),
        ("“hash table”", "hash table"),
        ("* hash table", "hash table"),
        ("What is a hash table?", "hash table"),
        ("what's the hash table?", "hash table"),
        ("What’s a hash table", "hash table"),
        ("What are hash tables?", "hash tables"),
        ("Define: hash table", "hash table"),
        ("define a hash table.", "hash table"),
        ("What is a 'hash table'?", "hash table"),
        ("Hash Table (data structure)", "hash table"),
        ("[data structures] hash table", "hash table"),
        ("What is a hash table (in Java)?", "hash table"),
        ("Hash table? (definition)", "hash table"),
        ("C++", "c++"),
        ("c#:", "c#"),
        (".NET", ".net"),
        ("malloc()", "malloc()"),
        ("f(x)", "f(x)"),
        ("define-use chain", "define-use chain"),
        ("what if analysis", "what if analysis"),
        ("the hash table of a compiler", "the hash table of a compiler"),
        ("what does a hash table do?", "what does a hash table do"),
        ("(a) (b)", "(b)"),
        ("(only this)", "(only this)"),
        ("what is", "what is"),
        ("define", "define"),
        ("?!", ""),
        ("", ""),
    ],
)
def test_what_a_front_asks_about(front, name):
    assert fronts.read(front, ENGLISH) == name


@pytest.mark.parametrize(
    "front", ["the hash table of a compiler", "hash", "table", "hash tablet", "3.", "", "what does a hash table do"]
)
def test_other_fronts_name_no_term(front):
    assert match_one(front) is None


def test_number_variants_name_the_term_that_is_listed():
    assert match_one("Hash Tables") == "hash table"
    assert match_one("What are use cases?") == "use case"
    assert match_one("binary trees", terms_table(["binary trees"])) == "binary trees"
    assert match_one("binary tree", terms_table(["binary trees"])) == "binary trees"


def test_the_term_itself_goes_before_a_variant_and_a_variant_before_its_canonical_form():
    terms = terms_table(
        ["code", "codes", "source text"], {"code": ["code", "codes"], "source text": ["source text", "coding"]}
    )
    assert match_one("codes", terms) == "codes"
    assert match_one("Coding", terms) == "source text"
    assert match_one("code", terms) == "code"


def test_matching_keeps_index_and_length():
    cards = pd.Series(["hash table", "no term", "Hash Tables", "hash table"], index=[7, 3, 9, 1])
    found = fronts.match(cards, terms_table(), ENGLISH)
    assert found.index.tolist() == [7, 3, 9, 1]
    assert found.isna().tolist() == [False, True, False, False]
    assert fronts.match(cards.iloc[:0], terms_table(), ENGLISH).empty


DECORATIONS = st.sampled_from(
    [
        "{}",
        "{}:",
        " {} ",
        "What is {}?",
        "what is a {}",
        "What are the {}?",
        "Define {}",
        "{} (general)",
        "[x] {}",
        "“{}”",
    ]
)
CASES = st.sampled_from([str, str.upper, str.title, lambda text: text.replace(" ", "\u00a0 ")])


@given(st.sampled_from(TERMS), DECORATIONS, CASES)
def test_a_dressed_up_term_is_still_the_term(term, decoration, case):
    assert match_one(decoration.format(case(term))) == term


@given(st.text(max_size=40))
def test_any_text_has_a_folded_name(front):
    name = fronts.read(front, ENGLISH)
    assert name == " ".join(name.split())
    assert name == name.lower() or any(not char.islower() and char == char.lower() for char in name)


@pytest.mark.parametrize(
    ("fronts_of_deck", "names"),
    [
        (["Income (1-year growth rate)", "Income"], ["income (1-year growth rate)", "income"]),
        (["Income (1-year growth rate)"], ["income"]),
        (["COD (chemical oxygen demand)", "COD"], ["cod", "cod"]),
        (["Chemical Oxygen Demand (COD)", "chemical oxygen demand"], ["chemical oxygen demand"] * 2),
        (["bond (finance)", "stock (finance)", "bond"], ["bond", "stock", "bond"]),
        (["What is income (growth)?", "income"], ["income (growth)", "income"]),
    ],
)
def test_a_bracket_stays_where_another_front_of_its_deck_has_the_bare_name(fronts_of_deck, names):
    deck = pd.Series("one", range(len(names)))
    assert fronts.read_all(pd.Series(fronts_of_deck), ENGLISH, deck).tolist() == names
    decks, bare = pd.Series(range(len(names))), [fronts.read(front, ENGLISH) for front in fronts_of_deck]
    assert fronts.read_all(pd.Series(fronts_of_deck), ENGLISH, decks).tolist() == bare, (
        "each is the only one of its deck"
    )
