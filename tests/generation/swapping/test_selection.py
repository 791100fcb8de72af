"""Which candidates are offered, and that every other sentence has one reason."""

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from generation.config import SwapConfig
from generation.swapping.selection import LOST, select, worth_ranking

PAPER, RECOMMENDED = SwapConfig(recipe="paper").settled(), SwapConfig().settled()


def world(rows, entities=None, *, per_word=-4.0):
    """Sentences, candidates and outcomes from (sentence, text, margin, content moved)."""
    ids = list(dict.fromkeys(row[0] for row in rows))
    entities = entities or {}
    sentences = pd.DataFrame({"sentence_id": ids, "text": [f"source {i}" for i in ids]})
    sentences["entity"] = [entities.get(i) for i in ids]
    candidates = pd.DataFrame(
        [row for row in rows if row[1] is not None], columns=["sentence_id", "text", "margin", "moves_content"]
    )
    candidates = candidates.assign(
        judged=candidates["margin"].astype(float), log_score=-9.0, steps=[["a", "b"]] * len(candidates)
    )
    empty = {row[0] for row in rows if row[1] is None}
    outcomes = pd.DataFrame({"sentence_id": ids, "n_lists": 0, "per_word": per_word})
    outcomes["reason"] = ["only_lists" if i in empty else None for i in ids]
    return sentences, candidates, outcomes


def offered(rows, config, entities=None, **more) -> tuple[list[str], dict[str, str]]:
    best, rejects = select(*world(rows, entities, **more), config)
    return list(best["text"]), dict(zip(rejects["id"], rejects["reason"], strict=True))


def test_the_papers_recipe_accepts_down_to_three_nats():
    rows = [("a", "x", -3.0, True), ("b", "y", -3.01, True), ("c", None, 0, True)]
    assert offered(rows, PAPER) == (["x"], {"b": "below_threshold", "c": "only_lists"})


def test_content_goes_before_the_margin_and_the_margin_is_capped():
    rows = [("a", "the", 5.0, False), ("a", "dog", 1.0, True), ("b", "huge", 30.0, True), ("c", "fair", 6.5, True)]
    assert offered(rows, RECOMMENDED)[0] == ["fair", "huge", "dog"]


def test_function_words_come_last():
    rows = [("a", "the", 5.0, False), ("b", "dog", -9.0, True)]
    assert offered(rows, RECOMMENDED)[0] == ["dog", "the"]


def test_the_budget_takes_the_best():
    rows = [(name, f"t{name}", margin, True) for name, margin in zip("abc", (1, 3, 2), strict=True)]
    config = SwapConfig(budget=2).settled()
    assert offered(rows, config) == (["tb", "tc"], {"a": "over_budget"})


def test_an_entity_has_a_limit_and_no_entity_has_none():
    rows = [(name, f"t{name}", 1.0, True) for name in "abcdefgh"]
    config = SwapConfig(per_entity=2).settled()
    texts, reasons = offered(rows, config, dict.fromkeys("abcd", "tree"))
    assert texts == ["ta", "tb", "te", "tf", "tg", "th"]
    assert reasons == {"c": "over_entity_limit", "d": "over_entity_limit"}


def test_a_result_is_no_source_and_no_other_result():
    rows = [("a", "Source B", 3.0, True), ("b", "x", 1.0, True), ("c", "X", 0.0, True)]
    assert offered([*rows[:1], ("B", "y", 1.0, True)], RECOMMENDED) == (["y"], {"a": "same_as_another"})
    assert offered(rows[1:], RECOMMENDED) == (["x"], {"c": "same_as_another"})


def test_a_broken_source_is_left_out():
    texts, reasons = offered([("a", "x", 1.0, True)], RECOMMENDED, per_word=-9.0)
    assert (texts, reasons) == ([], {"a": "unlikely_source"})


@settings(max_examples=60)
@given(
    st.lists(
        st.tuples(st.sampled_from("abcdef"), st.sampled_from(["x", "y", "z", None]), st.integers(-9, 9), st.booleans()),
        min_size=1,
        unique_by=lambda row: row[:2],
    ),
    st.sampled_from(["paper", "recommended"]),
    st.none() | st.integers(1, 3),
)
def test_every_sentence_is_offered_once_or_has_one_explained_reason(rows, recipe, budget):
    empty = {row[0] for row in rows if row[1] is None}
    rows = [row for row in rows if (row[0] in empty) == (row[1] is None)]
    sentences, candidates, outcomes = world(rows)
    best, rejects = select(sentences, candidates, outcomes, SwapConfig(recipe=recipe, budget=budget).settled())
    assert sorted([*best["sentence_id"], *rejects["id"]]) == sorted(sentences["sentence_id"])
    assert set(rejects["reason"]) <= set(LOST)
    assert best["text"].str.lower().is_unique


def test_only_candidates_worth_it_are_ranked_of_the_best_sentences():
    rows = [("a", "x", 1.0, True), ("a", "y", -7.0, True), ("b", "z", 2.0, True), ("c", "w", 9.0, False)]
    candidates = world(rows)[1]
    assert list(worth_ranking(candidates, RECOMMENDED, None)["text"]) == ["x", "z"]
    assert list(worth_ranking(candidates, RECOMMENDED, 1)["text"]) == ["z"]


@pytest.mark.parametrize(("flag", "value"), [("beam", 0), ("n_best", 0), ("budget", 0), ("entity_probability", 1.0)])
def test_values_out_of_range_are_refused(flag, value):
    with pytest.raises(Exception, match="--" + flag.replace("_", "-")):
        SwapConfig(**{flag: value})
