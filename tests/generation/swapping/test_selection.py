"""Which candidates are offered, and that every other sentence has one reason."""

from dataclasses import dataclass
from zlib import crc32

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from data.provenance.tombstones import are_withheld, text_digest
from data.texts.words import merge_key
from generation.config import SWAPS, SwapConfig
from generation.swapping.choice import by_margin, by_second_model, choose
from generation.swapping.selection import LOST, MIN_MARGIN_NATS
from generation.swapping.shards import CANDIDATE_SCHEMA, NUMBERS

PAPER, RECOMMENDED = SWAPS["paper"], SWAPS["recommended"]


def typed(candidates):
    table = pa.Table.from_pylist(candidates.to_dict("records"), schema=CANDIDATE_SCHEMA)
    return table.to_pandas(types_mapper=pd.ArrowDtype).astype(NUMBERS)


def world(rows, entities=None, *, per_word=-4.0):
    """Sentences, candidates and outcomes from (sentence, text, margin, content moved)."""
    ids = list(dict.fromkeys(row[0] for row in rows))
    entities = entities or {}
    sentences = pd.DataFrame({"sentence_id": ids, "text": [f"source {i}" for i in ids]})
    sentences["entity"] = [entities.get(i) for i in ids]
    candidates = pd.DataFrame(
        [row for row in rows if row[1] is not None], columns=["sentence_id", "text", "margin", "moves_content"]
    )
    candidates = typed(candidates.assign(log_score=-9.0, steps=[["a", "b"]] * len(candidates)))
    empty = {row[0] for row in rows if row[1] is None}
    outcomes = pd.DataFrame({"sentence_id": ids, "n_lists": 0, "per_word": per_word})
    outcomes["reason"] = ["only_lists" if i in empty else None for i in ids]
    return sentences, candidates, outcomes


@dataclass
class InMemory:
    """The result of a shard."""

    tables: dict[str, pd.DataFrame]

    def sources(self, columns=("sentence_id", "text", "entity")):
        return self.tables["sources"][list(columns)]

    def outcomes(self):
        return self.tables["outcomes"]

    def candidates(self, columns=tuple(CANDIDATE_SCHEMA.names)):
        return self.tables["candidates"][list(columns)]


def in_shards(sentences, candidates, outcomes, per_shard=2):
    tables = {"sources": sentences, "candidates": candidates, "outcomes": outcomes}
    parts = [set(sentences["sentence_id"][i : i + per_shard]) for i in range(0, len(sentences), per_shard)]
    return [InMemory({name: rows[rows["sentence_id"].isin(part)] for name, rows in tables.items()}) for part in parts]


def chosen(world, config):
    return choose(in_shards(*world), by_margin, frozenset(), config)


def offered(rows, config, entities=None, **more) -> tuple[list[str], dict[str, str]]:
    choice = chosen(world(rows, entities, **more), config)
    return list(choice.offered["text"]), dict(zip(choice.rejects["id"], choice.rejects["reason"], strict=True))


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
    config = SwapConfig(limit=2)
    assert offered(rows, config) == (["tb", "tc"], {"a": "over_budget"})


def test_an_entity_has_a_limit_and_no_entity_has_none():
    rows = [(name, f"t{name}", 1.0, True) for name in "abcdefgh"]
    config = SwapConfig(per_entity=2)
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


def chosen_at_once(world, config, digests):
    """The choice with all candidates in memory, rule by rule."""
    sentences, candidates, outcomes = world
    candidates = candidates.assign(n_moved=[len(steps) for steps in candidates["steps"]])
    candidates = candidates[~np.array(are_withheld(candidates["text"], digests), dtype=bool)]
    given = outcomes["reason"].astype(object).where(outcomes["reason"].notna(), None)
    reasons = dict(zip(outcomes["sentence_id"], given, strict=True))
    for row in outcomes.itertuples():
        if not reasons[row.sentence_id] and row.sentence_id not in set(candidates["sentence_id"]):
            reasons[row.sentence_id] = "taken_down"
        elif not reasons[row.sentence_id] and config.least_likely is not None and row.per_word < config.least_likely:
            reasons[row.sentence_id] = "unlikely_source"
    pool = candidates[candidates["sentence_id"].map(reasons).isna()].merge(sentences[["sentence_id", "entity"]])
    own = set(sentences["text"].map(merge_key))
    least = -np.inf if config.threshold is None else -config.threshold
    keys = ["content", "capped", "n_moved", "excess", "text", "sentence_id"]
    rules = {
        "not_ranked": lambda rows: rows["judged"].isna(),
        "below_threshold": lambda rows: rows["judged"] < least,
        "same_as_another": lambda rows: rows["text"].map(merge_key).isin(own),
        "worse": lambda rows: rows.duplicated("sentence_id"),
        "same_as_another ": lambda rows: rows["text"].map(merge_key).duplicated(),
        "over_entity_limit": lambda rows: (
            (rows.groupby("entity").cumcount() >= (config.per_entity or np.inf)) & rows["entity"].notna()
        ),
        "over_budget": lambda rows: np.arange(len(rows)) >= (config.limit or np.inf),
    }
    pool = pool.assign(content=~pool["moves_content"] & config.content_first, excess=pool["judged"])
    pool = pool.assign(capped=-pool["judged"].clip(upper=config.cap)).sort_values(keys)
    for reason, rule in rules.items():
        lost = pd.Series(np.asarray(rule(pool), dtype=bool), pool.index)
        for name in set(pool[lost]["sentence_id"]) - set(pool[~lost]["sentence_id"]):
            reasons[name] = reason.strip()
        pool = pool[~lost]
    return pool, {name: reason for name, reason in reasons.items() if reason}


SOME = st.tuples(
    st.sampled_from("abcdefgh"),
    st.sampled_from(["x", "X", "y", "z", "source b", "w", "v", None]),
    st.integers(-9, 9).map(float),
    st.booleans(),
)


@pytest.mark.sweep
@settings(max_examples=15)
@given(
    st.lists(SOME, min_size=1, unique_by=lambda row: row[:2]),
    st.sampled_from([PAPER, RECOMMENDED, SwapConfig(limit=2, per_entity=1, threshold=2.0)]),
    st.integers(2, 5),
    st.none() | st.integers(1, 3),
    st.sampled_from([(), ("w",), ("w", "x")]),
)
def test_the_choice_by_shards_matches_all_candidates_at_once(rows, config, per_shard, at_most, gone):
    digests = frozenset(map(text_digest, gone))
    empty = {row[0] for row in rows if row[1] is None}
    rows = [row for row in rows if (row[0] in empty) == (row[1] is None)]
    sentences, candidates, outcomes = world(rows, dict.fromkeys("abc", "tree"))
    outcomes["per_word"] = [-9.0 if name == "h" else -4.0 for name in outcomes["sentence_id"]]
    steps = [["a"] * (1 + ord(text[0]) % 3) for text in candidates["text"]]
    candidates = typed(candidates.assign(steps=steps))
    results = in_shards(sentences, candidates, outcomes, per_shard)
    judge, judged = by_margin, candidates["margin"]
    if at_most:
        judge = by_second_model(results, config, at_most, lambda texts: texts.map(made_score))
        judged = judged_at_once(candidates, config, at_most)
    choice = choose(results, judge, digests, config)
    best, reasons = chosen_at_once((sentences, candidates.assign(judged=judged), outcomes), config, digests)
    columns = ["sentence_id", "text", "entity", "margin", "judged", "moves_content"]
    expected = best[columns].astype(object).where(best[columns].notna(), None)
    got = choice.offered[columns].astype(object).where(choice.offered[columns].notna(), None)
    assert got.to_dict("records") == expected.to_dict("records")
    assert dict(zip(choice.rejects["id"], choice.rejects["reason"], strict=True)) == reasons
    assert sorted([*best["sentence_id"], *choice.rejects["id"]]) == sorted(sentences["sentence_id"])
    assert set(reasons.values()) <= set(LOST)
    assert choice.n_candidates == sum(text.lower() not in gone for text in candidates["text"])


def judged_at_once(candidates, config, at_most):
    """The margins of the second model, null where it is not asked."""
    worth = candidates[candidates["moves_content"] & (candidates["margin"] > MIN_MARGIN_NATS)]
    best = worth.groupby("sentence_id")["margin"].max().clip(upper=config.cap)
    asked = sorted(best.index, key=lambda name: (-best[name], name))[:at_most]
    margins = worth["text"].map(made_score).astype(float)
    margins -= ("source " + worth["sentence_id"]).map(made_score).astype(float)
    return margins[worth["sentence_id"].isin(asked)].reindex(candidates.index)


def made_score(text):
    return -float(crc32(text.encode()) % 7)


def test_only_candidates_worth_it_are_ranked_of_the_best_sentences():
    rows = [("a", "x", 1.0, True), ("a", "y", -7.0, True), ("b", "z", 2.0, True), ("c", "w", 9.0, False)]
    asked = []
    for at_most in (None, 1):
        results = in_shards(*world(rows))
        by_second_model(results, RECOMMENDED, at_most, lambda texts: asked.append(sorted(texts)) or texts.map(len))
    assert asked == [["source a", "source b", "x", "z"], ["source b", "z"]]


@pytest.mark.parametrize(("flag", "value"), [("most_moved", 0), ("limit", 0), ("per_entity", 0)])
def test_values_out_of_range_are_refused(flag, value):
    with pytest.raises(Exception, match="--" + flag.replace("_", "-")):
        SwapConfig(**{flag: value})
