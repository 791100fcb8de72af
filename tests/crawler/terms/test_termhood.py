"""Scores of terms, by hand, and the order by them."""

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.config import TermConfig
from crawler.terms import extraction, termhood
from data.texts.languages.en import ENGLISH
from tests.crawler.tools.counting import tokens_of


def found(papers, **config):
    return extraction.find_terms(tokens_of(papers), len(papers), TermConfig(**config), ENGLISH).set_index("term")


PAPERS = [
    ("Hash tables: a survey", "A hash table is fast. The hash table is old."),
    ("On search", "We use a hash table and extensive experiments"),
    ("Extensive hash table design", None),
]


def test_scores_by_hand():
    row = found(PAPERS, above=1).loc["hash table"]
    assert row["document_frequency"] == 3
    assert row["recurrence"] == pytest.approx(5 / 3)
    assert row["title_share"] == pytest.approx(2 / (3 + 5))
    assert row["boundary"] == pytest.approx(4 / 5)  # once each, another word is before it and behind it


def test_c_value_takes_away_what_longer_terms_hold():
    papers = [("neural network model", "")] * 4 + [("neural network", "")] * 2
    values = found(papers, above=1)["c_value"]
    assert values["neural network model"] == pytest.approx(4 * 1.632268)
    assert values["neural network"] == pytest.approx((6 - 4) * 1.070389)
    assert values["network model"] == pytest.approx(0)


def test_the_same_score_however_papers_are_batched_and_whatever_their_order():
    one, other = found(PAPERS, above=0), found(PAPERS[::-1], above=0)
    pd.testing.assert_frame_equal(one, other)


def test_a_term_that_comes_back_ranks_before_a_phrase_of_every_paper():
    papers = [("hash tables", "the hash tables in hash tables: extensive experiments show it")] * 3
    papers += [("on trees", "and extensive experiments with it")] * 3
    scores = found(papers, above=2)["score"]
    assert scores["hash tables"] > scores["extensive experiments"]


scores = st.lists(st.none() | st.floats(0, 1), max_size=12)


@given(scores)
def test_an_order_is_every_place_once_by_score_with_null_last(values):
    frame = pd.DataFrame({"term": [f"t{at:02}" for at in range(len(values))], "score": pd.array(values, "Float64")})
    places = termhood.order(frame, "score")
    assert sorted(places) == list(range(len(values)))
    ordered = [values[at] for at in places.sort_values().index]
    known = [value for value in ordered if value is not None]
    assert known == sorted(known, reverse=True) == ordered[: len(known)]


def test_top_keeps_the_best_and_names_the_others():
    table = found(PAPERS, above=0).reset_index()
    kept, below = extraction.keep_top(table, [], TermConfig(limit=2), ENGLISH)
    assert len(kept) == 2
    assert kept["score"].min() >= below["score"].max()
    assert sorted(below["rank"]) == list(range(2, len(table)))
    assert len(extraction.keep_top(table, [], TermConfig(), ENGLISH)[0]) == len(table)
