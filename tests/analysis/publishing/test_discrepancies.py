"""Votes and measures that follow from the released ratings equal the campaign's; any other is named."""

import json
import tomllib
from dataclasses import asdict, replace
from datetime import timedelta

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from analysis.datasets.ratings import Votes
from analysis.publishing import discrepancies, from_store
from annotation.aggregation import adjudication
from annotation.config import LabelRule
from annotation.questions.declarations import list_shipped, shipped_question
from data.contract.measures import MEASURES
from data.contract.questions import Question, from_content
from data.contract.vocabulary import VOTING
from data.labelled.label_set import LabelSet
from data.labelled.sources import open_dataset
from data.measures import ballots as votes
from data.measures import soft_labels
from data.measures.quality import measure
from data.measures.rules import MeasureRule, lowest_positive, read_rule
from data.storage.store import Store
from tests.analysis.conftest import START

pytestmark = pytest.mark.sweep

RULE = MeasureRule(paraphrase_from=2)
PARADE = shipped_question()
COUNTED = read_rule(asdict(RULE), PARADE)
LISTS = pd.ArrowDtype(pa.list_(pa.string()))
GOLD = {"g": 3}
ENTITIES = {"p0": "tree", "p1": "tree", "p2": "heap", "p4": "heap | tree", "p5": "graph"}
CAMPAIGNS = st.tuples(st.integers(0, 2**32 - 1), st.integers(2, 5), st.integers(2, 8))


def _share(labels: pd.DataFrame, question: Question = PARADE, part: pd.DataFrame | None = None) -> pd.DataFrame:
    """The labels with their soft ones, as a release has them."""
    n_votes = labels["n_votes"].astype("float64")
    share = labels["votes"].astype("float64") / n_votes.mask(n_votes == 0)
    return labels.assign(share=share, expected_share=soft_labels.of_pairs(labels, question, part)[1])


def campaign(seed: int, n_people: int, n_pairs: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Assignments and ratings: of two rounds of work and a senior's two looks, with checks, flags, skips and ratings
    that were sent twice."""
    random = np.random.default_rng(seed)
    people, pairs = [f"a{n}" for n in range(n_people)], [f"p{n}" for n in range(n_pairs)]
    rows = [(1, pair, who, "work", None) for pair in pairs for who in people if random.random() < 0.8]
    rows += [(1, "g", who, "gold", None) for who in people[:1]] + [(1, "t", who, "trap", None) for who in people]
    rows += [
        (1, pair, who, "repeat", None) for _, pair, who, kind, _ in rows if kind == "work" and random.random() < 0.1
    ]
    again = [(place, row) for place, row in enumerate(rows) if row[3] == "work" and random.random() < 0.3]
    rows += [(2, row[1], "z", "work", f"s{place}") for place, row in again[:1]]
    rows += [(3, "p0", "senior", "senior", None), (4, "p0", "senior", "review", f"s{len(rows)}")]
    assigned = pd.DataFrame(rows, columns=["round", "pair_id", "annotator", "kind", "supersedes"])
    assigned["random"] = assigned["pair_id"] != "p1"
    assigned["assignment_id"] = [f"s{place}" for place in range(len(rows))]
    assigned["supersedes"] = assigned["supersedes"].astype("str")
    submitted = assigned[["assignment_id"]].assign(submitted_at=START, skipped=random.random(len(rows)) < 0.05)
    submitted["seconds"] = pd.Series(random.choice([0.5, 20.0, 5000.0, np.nan], len(submitted))).astype("Float64")
    submitted = pd.concat(
        [submitted, submitted.iloc[:2].assign(submitted_at=START + timedelta(hours=1))], ignore_index=True
    )
    score = pd.Series(random.integers(0, 4, len(submitted)), dtype="Int64").mask(random.random(len(submitted)) < 0.05)
    flags = pd.Series([["unsure"] if missing else [] for missing in score.isna()]).astype(LISTS)
    return assigned, submitted.assign(score=score.mask(submitted["skipped"]), flags=flags)


def find_further(ballots: pd.DataFrame, ratings: pd.DataFrame) -> "pd.Series[bool]":
    return ratings["assignment_id"].isin(ballots.loc[ballots["further"], "assignment_id"])


@settings(max_examples=5)
@given(CAMPAIGNS, st.sampled_from(VOTING))
@example((0, 4, 7), "work")  # the only vote of a round is a flag
@example((0, 4, 7), "pilot")
def test_the_ratings_alone_give_what_annotation_counted(drawn: tuple[int, int, int], voting: str) -> None:
    assigned, submitted = campaign(*drawn)
    assigned["kind"] = assigned["kind"].replace("work", voting)
    replaced = assigned.dropna(subset="supersedes").set_index("supersedes")["round"]
    ratings = assigned.merge(submitted, on="assignment_id")
    ratings["replaced_in"] = ratings["assignment_id"].map(replaced).astype("Int64")
    ratings["known_score"] = ratings["pair_id"].map(GOLD).astype("Int64")
    ratings["entity"] = ratings["pair_id"].map(ENTITIES)
    ballots = votes.with_latest_rating(assigned, submitted, ENTITIES)
    ratings["further"] = find_further(ballots, ratings)
    first, *others = sorted(assigned["annotator"].unique())
    couples = tuple((first, other) for other in others[: drawn[0] % 3])
    every = votes.of_campaign(assigned, submitted, ENTITIES)
    gold = votes.gold_votes(every, RULE, GOLD)
    labels, _ = adjudication.adjudicate(ballots, LabelRule(one_vote=couples), gold=gold)
    measured = measure(every, None, PARADE, RULE, gold=GOLD)
    part = Votes(question=PARADE, rule=replace(COUNTED, one_vote=couples), every=every).random_part
    tables = {"ratings": ratings, "pairs": _share(labels, part=part), "quality": measured}
    assert list(discrepancies.list_discrepancies(tables, replace(COUNTED, one_vote=couples), PARADE)) == []
    assert discrepancies.list_unknown(tables, PARADE) == []
    assert set(measured["measure"]) <= set(MEASURES)
    stated = labels.dropna(subset="effective_votes")["pair_id"].tolist()[:1]
    assert stated or drawn != (0, 4, 7)
    altered = labels.assign(share_low=labels["share_low"].mask(labels["pair_id"].isin(stated), 0.999))
    lines = discrepancies.list_discrepancies(
        tables | {"pairs": _share(altered, part=part)}, replace(COUNTED, one_vote=couples), PARADE
    )
    assert [line.split(" share_low")[0] for line in lines] == [f"pair {pair}: effective_votes" for pair in stated]


STEPS = """
version = "1"
raters = 3
shown = { captions = ["A", "B"] }
flags = { heading = "Flags", answers = [{ value = "ill_formed", key = "f", text = "Cut off" }] }
comment = { prompt = "Comment" }

[[asked]]
name = "steps"
kind = "scale"
level = "interval"
heading = "How far?"
reminder = "Choose."
positive = ["10"]
answers = [
  { value = "0", key = "0", text = "Not" },
  { value = "3", key = "1", text = "Some" },
  { value = "10", key = "2", text = "All" },
]
"""
"""A scale with unequal steps, whose differences mean something."""


def declared(name: str) -> Question:
    if name != "steps":
        return shipped_question(name)
    return from_content(json.dumps(tomllib.loads(STEPS) | {"name": name, "guide": "Version 1\n"}))


def answered(submitted: pd.DataFrame, question: Question) -> pd.DataFrame:
    """Answers drawn by the ratings' scores, of every rating that has one: rows of the table `answers`."""
    rows = []
    for row in submitted[submitted["score"].notna()].to_dict("records"):
        given: dict[str, list[str]] = {}
        for place, control in enumerate(question.asked):
            number = row["score"] + place + int(row["assignment_id"][1:]) % 2
            if control.when and control.when.answer not in given[control.when.control]:
                continue
            given[control.name] = [control.values[number % len(control.values)]] if control.answers else []
            if control.kind == "several-of" and number % 3 and control.alone not in given[control.name]:
                given[control.name].append(control.values[(number + 1) % (len(control.values) - 1)])
            text = None if control.answers else f"a text in {number % 2} words or  more"
            chosen = sorted(set(given[control.name]))
            rows.append({**row, "control": control.name, "chosen": chosen, "text": text})
    return pd.DataFrame(rows)[["assignment_id", "submitted_at", "control", "chosen", "text"]]


@pytest.mark.parametrize("name", [*list_shipped(), "steps"])
@settings(max_examples=2)
@given(CAMPAIGNS)
@example((0, 4, 7))
def test_every_figure_of_a_question_is_recounted_and_a_changed_one_is_named(
    name: str, drawn: tuple[int, int, int]
) -> None:
    question, (assigned, submitted) = declared(name), campaign(*drawn)
    answers = answered(submitted, question)
    if question.vote:
        own = answers[answers["control"] == question.vote.name]
        codes = own.assign(score=[question.vote.codes[chosen[0]] for chosen in own["chosen"]])
        submitted = submitted.drop(columns="score").merge(
            codes[["assignment_id", "submitted_at", "score"]], how="left", on=["assignment_id", "submitted_at"]
        )
        submitted["score"] = submitted["score"].astype("Int64")
    gold = {"g": max(question.vote.codes.values())} if question.vote else {}
    rule = replace(RULE, paraphrase_from=lowest_positive(question))
    ballots = votes.with_latest_rating(assigned, submitted, ENTITIES)
    replaced = assigned.dropna(subset="supersedes").set_index("supersedes")["round"]
    ratings = assigned.merge(submitted, on="assignment_id")
    ratings["replaced_in"] = ratings["assignment_id"].map(replaced).astype("Int64")
    ratings["known_score"] = ratings["pair_id"].map(gold).astype("Int64")
    ratings["entity"] = ratings["pair_id"].map(ENTITIES)
    ratings["further"] = find_further(ballots, ratings)
    every = votes.of_campaign(assigned, submitted, ENTITIES)
    measured = measure(every, None if question.scale else answers, question, rule, gold=gold)
    labels, _ = adjudication.adjudicate(votes.with_latest_rating(assigned, submitted).iloc[:0], LabelRule())
    tables = {
        "ratings": ratings,
        "answers": assigned.merge(answers, on="assignment_id"),
        "pairs": _share(labels, question),
        "labels": labels.assign(control=None, value=None),
        "quality": measured,
    }
    counting = read_rule(asdict(rule), question)
    assert list(discrepancies.list_discrepancies(tables, counting, question)) == []
    changed = measured.assign(value=[0.5 if pd.isna(value) else value + 0.01 for value in measured["value"]])
    known = measured[measured["n"] > 0]
    lines = list(discrepancies.list_discrepancies(tables | {"quality": changed}, counting, question))
    assert len(lines) == len(known)
    assert sum(line.startswith("quality: ") for line in lines) == len(known) > 0
    bare = tables | {"answers": tables["answers"].drop(columns="text")}
    assert list(discrepancies.list_discrepancies(bare, counting, question)) == []
    edited = {"corrected.edit_distance", "corrected.identical"} if name == "sentence-correction" else set()
    assert set(discrepancies.list_unknown(bare, question)) == edited


def test_limits_that_were_altered_are_named(tables: dict[str, pd.DataFrame]) -> None:
    for name in ("kappa", "kappa_weighted", "fleiss_kappa", "alpha", "fast_share", "chance_kappa", "shuffled_kappa"):
        altered = tables["quality"].copy()
        row = altered.index[(altered["measure"] == name) & altered["low"].notna() & (altered["annotator"] == "all")][0]
        altered.loc[row, "low"] = altered.loc[row, "low"] - 0.01
        (line,) = discrepancies.list_discrepancies(tables | {"quality": altered}, COUNTED, PARADE)
        assert line.startswith(f"quality: {name} of all in round ")


@pytest.fixture(scope="module")
def tables(whole_campaign: Store) -> dict[str, pd.DataFrame]:
    return from_store.gather(open_dataset(whole_campaign.root, LabelSet()), LabelSet()).tables


def test_a_rating_that_was_changed_is_named(tables: dict[str, pd.DataFrame]) -> None:
    assert list(discrepancies.list_discrepancies(tables, COUNTED, PARADE)) == []
    ratings = tables["ratings"].copy()
    ratings.loc[0, "score"] = 3 - ratings.loc[0, "score"]
    lines = list(discrepancies.list_discrepancies(tables | {"ratings": ratings}, COUNTED, PARADE))
    assert lines[0].startswith(f"pair {ratings['pair_id'][0]}: {{'votes': ")
    assert any(line.startswith("quality: kappa of a01 in round 0: ") for line in lines)


def test_a_measure_and_a_label_that_were_changed_are_named(tables: dict[str, pd.DataFrame]) -> None:
    measured, pairs = tables["quality"].copy(), tables["pairs"].copy()
    row = measured.index[(measured["measure"] == "fleiss_kappa") & (measured["round"] == 1)][0]
    measured.loc[row, "value"] = 0.5
    pairs.loc[0, "binary"] = 1 - pairs.loc[0, "binary"]
    lines = list(
        discrepancies.list_discrepancies(tables | {"quality": measured.drop(index=0), "pairs": pairs}, COUNTED, PARADE)
    )
    assert lines[0] == f"pair {pairs['pair_id'][0]}: label {pairs['binary'][0]} by the majority of " + (
        f"{pairs['votes'][0]} of 3 votes"
    )
    assert lines[1].startswith("quality: alpha of a01 in round 0: nothing, but the ratings give ")
    assert lines[2].startswith("quality: fleiss_kappa of all in round 1: 0.500000 (n 11; ")
    assert len(lines) == 3
    seniors = tables["pairs"].assign(decided_by=["senior", "senior", *["majority"] * 9])
    reviewed = tables["ratings"].iloc[:1].assign(pair_id=seniors["pair_id"][0], kind="review", score=3)
    both = pd.concat([tables["ratings"], reviewed.assign(round=2)], ignore_index=True)
    lines = list(
        discrepancies.list_discrepancies(tables | {"ratings": both, "pairs": seniors.assign(binary=1)}, COUNTED, PARADE)
    )
    assert f"pair {seniors['pair_id'][1]}: label 1 by a senior, but seniors decided []" in lines
    assert not any(line.startswith(f"pair {seniors['pair_id'][0]}") for line in lines)
