"""Votes and measures counted from single ratings are those of the room that made them."""

from dataclasses import asdict
from datetime import timedelta

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from analysis.publishing import discrepancies, from_store
from analysis.statistics import recount
from annotation.aggregation import adjudication
from annotation.config import LabelRule, MeasureRule
from annotation.quality import checks, habits, measures
from annotation.ratings import ballots as votes
from data.labelled.label_set import LabelSet
from data.labelled.sources import open_source
from data.store import Store
from data.vocabulary import CHANCE_MEASURES, MEASURES, VOTING
from tests.analysis.conftest import START

RULE = MeasureRule(paraphrase_from=2)
COUNTED = recount.read_rule(asdict(RULE))
LISTS = pd.ArrowDtype(pa.list_(pa.string()))
GOLD = {"g": 3}
CAMPAIGNS = st.tuples(st.integers(0, 2**32 - 1), st.integers(2, 5), st.integers(2, 8))


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
    ballots = votes.cast(assigned, submitted)
    labels, _ = adjudication.adjudicate(ballots, LabelRule())
    measured = pd.concat(
        [
            measures.assess(ballots, RULE),
            habits.assess_habits(assigned, submitted, RULE),
            checks.assess_checks(assigned, submitted, GOLD, RULE),
        ]
    )
    tables = {"ratings": ratings, "pairs": labels, "quality": measured}
    assert list(discrepancies.differ(tables, COUNTED)) == []
    assert discrepancies.list_unknown(measured) == sorted(CHANCE_MEASURES)
    assert set(measured["measure"]) <= set(MEASURES)


@pytest.fixture(scope="module")
def tables(whole_campaign: Store) -> dict[str, pd.DataFrame]:
    return from_store.gather(open_source(whole_campaign.root, LabelSet()), LabelSet()).tables()


def test_a_rating_that_was_changed_is_named(tables: dict[str, pd.DataFrame]) -> None:
    assert list(discrepancies.differ(tables, COUNTED)) == []
    ratings = tables["ratings"].copy()
    ratings.loc[0, "score"] = 3 - ratings.loc[0, "score"]
    lines = list(discrepancies.differ(tables | {"ratings": ratings}, COUNTED))
    assert lines[0].startswith(f"pair {ratings['pair_id'][0]}: {{'votes': ")
    assert any(line.startswith("quality: kappa of a01 in round 0: ") for line in lines)


def test_a_measure_and_a_label_that_were_changed_are_named(tables: dict[str, pd.DataFrame]) -> None:
    measured, pairs = tables["quality"].copy(), tables["pairs"].copy()
    row = measured.index[(measured["measure"] == "fleiss_kappa") & (measured["round"] == 1)][0]
    measured.loc[row, "value"] = 0.5
    pairs.loc[0, "binary"] = 1 - pairs.loc[0, "binary"]
    lines = list(discrepancies.differ(tables | {"quality": measured.drop(index=0), "pairs": pairs}, COUNTED))
    assert lines[0] == f"pair {pairs['pair_id'][0]}: label {pairs['binary'][0]} by the majority of " + (
        f"{pairs['votes'][0]} of 3 votes"
    )
    assert lines[1].startswith("quality: alpha of a01 in round 0: nothing, but the ratings give ")
    assert lines[2].startswith("quality: fleiss_kappa of all in round 1: 0.500000 (n 11), but the ratings give ")
    assert len(lines) == 3
    seniors = tables["pairs"].assign(decided_by=["senior", "senior", *["majority"] * 9])
    reviewed = tables["ratings"].iloc[:1].assign(pair_id=seniors["pair_id"][0], kind="review", score=3)
    both = pd.concat([tables["ratings"], reviewed.assign(round=2)], ignore_index=True)
    lines = list(discrepancies.differ(tables | {"ratings": both, "pairs": seniors.assign(binary=1)}, COUNTED))
    assert f"pair {seniors['pair_id'][1]}: label 1 by a senior, but seniors decided []" in lines
    assert not any(line.startswith(f"pair {seniors['pair_id'][0]}") for line in lines)
    assert recount.label(tables["ratings"], 2)["n_votes"].eq(3).all()
