"""Measures of drawn ratings equal other libraries': with missing ones, ties, one class throughout, one rater."""

from itertools import permutations

import krippendorff
import numpy as np
import pandas as pd
import pytest
from crowdkit.aggregation import MajorityVote
from hypothesis import example, given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score, f1_score, roc_auc_score
from statsmodels.stats import inter_rater
from statsmodels.stats.proportion import proportion_confint

from data.labelled.metrics import best_threshold, measure_auc, weigh_auc
from data.measures import annotators, ballots, habits
from data.measures.rules import MeasureRule
from tests.annotation.support.frames import assignments, named, ratings

pytestmark = pytest.mark.sweep

RULE = MeasureRule()
RATERS = ("a01", "a02", "a03", "a04")

cells = st.one_of(st.none(), st.integers(0, 3))
drawn = st.lists(st.lists(cells, min_size=4, max_size=4), min_size=1, max_size=12)
ONE_RATER = [[score, None, None, None] for score in (0, 3, 2)]
ONE_CLASS = [[3, 3, 2, None], [2, 3, 3, 3]]
TIES = [[0, 3, None, None], [0, 0, 3, 3], [1, 2, 3, 0]]


def long(scores: list[list[int | None]]) -> pd.DataFrame:
    """One row per rating: task, worker, score, label (the vote)."""
    rows = [
        (f"p{pair:02d}", rater, score, int(score >= 2))
        for pair, row in enumerate(scores)
        for rater, score in zip(RATERS, row, strict=True)
        if score is not None
    ]
    return pd.DataFrame(rows, columns=["task", "worker", "score", "label"])


def cast(scores: list[list[int | None]]) -> pd.DataFrame:
    """The same ratings as ballots, all pairs given to all raters."""
    given = [(1, f"p{pair:02d}", rater) for pair in range(len(scores)) for rater in RATERS]
    said = [(named(1, task, worker), int(score)) for task, worker, score, _ in long(scores).itertuples(index=False)]
    return ballots.of_campaign(assignments(given), ratings(said))


def winners(votes: pd.DataFrame) -> "pd.Series[int]":
    """The majority of each task by crowd-kit, of those where it is the only one."""
    shares = MajorityVote().fit(votes[["task", "worker", "label"]]).probas_
    clear = (shares.eq(shares.max(axis=1), axis=0)).sum(axis=1) == 1
    return shares[clear].idxmax(axis=1)


def check_kappa(found: pd.Series, own: np.ndarray, other: np.ndarray) -> None:
    assert found["n"] == len(own)
    if not len(own) or len({*own, *other}) == 1:
        assert pd.isna(found["value"])
    else:
        assert found["value"] == pytest.approx(cohen_kappa_score(own, other))


@given(drawn)
@example(ONE_RATER)
@example(ONE_CLASS)
@example(TIES)
def test_an_annotators_kappas_are_scikit_learns_with_crowd_kits_majorities(scores: list[list[int | None]]) -> None:
    votes = long(scores)
    found = annotators.assess(ballots.voting(cast(scores)), RULE)
    found = found[found["round"] == 1].set_index(["annotator", "measure"])
    assert set(found.index.get_level_values(0)) == {*votes["worker"], "all"}
    sizes = votes.groupby("task")["task"].transform("size")
    for rater in votes["worker"].unique():
        own = votes[(votes["worker"] == rater) & (sizes >= 3)]
        with_own = own["task"].map(winners(votes)) if len(own) else own["label"]
        known = own[with_own.notna()]
        check_kappa(found.loc[(rater, "kappa")], known["label"].to_numpy(), with_own[with_own.notna()].to_numpy(int))
        others = votes[votes["worker"] != rater]
        mine = votes[votes["worker"] == rater]
        without = mine["task"].map(winners(others)) if len(others) else mine["label"].mask(mine["label"] >= 0)
        known = mine[without.notna()]
        check_kappa(
            found.loc[(rater, "kappa_left_out")], known["label"].to_numpy(), without[without.notna()].to_numpy(int)
        )


@given(drawn)
@example(ONE_RATER)
@example(ONE_CLASS)
@example(TIES)
def test_joint_measures_match_krippendorff_and_statsmodels(scores: list[list[int | None]]) -> None:
    votes = long(scores)
    found = annotators.assess(ballots.voting(cast(scores)), RULE)
    joint = found[(found["round"] == 1) & (found["annotator"] == "all")].set_index("measure")
    counted = pd.crosstab(votes["task"], votes["label"]).reindex(columns=[0, 1], fill_value=0).to_numpy()
    graded = pd.crosstab(votes["task"], votes["score"]).reindex(columns=range(4), fill_value=0).to_numpy()
    for measure, table, level in (("alpha", counted, "nominal"), ("alpha_scores", graded, "interval")):
        several = table[table.sum(axis=1) > 1]
        if len(several) and (several.sum(axis=0) > 0).sum() > 1:
            domain = list(range(table.shape[1]))
            known = krippendorff.alpha(value_counts=several, value_domain=domain, level_of_measurement=level)
            assert joint.loc[measure, "value"] == pytest.approx(known)
        else:
            assert pd.isna(joint.loc[measure, "value"])
    sizes = counted.sum(axis=1)
    several = np.bincount(sizes[sizes > 1], minlength=2)
    usual = counted[(sizes == several.argmax()) & bool(several.sum())]
    if len(usual) and (usual.sum(axis=0) > 0).all():
        assert joint.loc["fleiss_kappa", "value"] == pytest.approx(inter_rater.fleiss_kappa(usual))
    else:
        assert pd.isna(joint.loc["fleiss_kappa", "value"])
    twos = [two for _, same in votes.groupby("task")["score"] for two in permutations(same, 2)]
    weighted = joint.loc["kappa_weighted", "value"]
    if len({score for two in twos for score in two}) > 1:
        first, second = zip(*twos, strict=True)
        assert weighted == pytest.approx(cohen_kappa_score(first, second, weights="quadratic", labels=range(4)))
    else:
        assert pd.isna(weighted)


@given(drawn)
@example(ONE_RATER)
def test_shares_have_statsmodels_limits(scores: list[list[int | None]]) -> None:
    votes = long(scores)
    found = habits.assess_habits(cast(scores), RULE)
    shares = found[(found["round"] == 1) & (found["measure"] == "share")]
    for (rater, answer), row in shares.set_index(["annotator", "answer"]).iterrows():
        own = votes if rater == "all" else votes[votes["worker"] == rater]
        n, right = len(own), int((own["score"] == int(answer)).sum())
        assert (row["n"], row["value"]) == (n, pytest.approx(right / n))
        assert (row["low"], row["high"]) == pytest.approx(proportion_confint(right, n, method="wilson"))


scored = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 8)), min_size=1, max_size=40)


@given(scored, st.integers(0, 2**32 - 1))
def test_auc_is_scikit_learns(rows: list[tuple[int, int]], seed: int) -> None:
    label, scores = (np.array(one) for one in zip(*rows, strict=True))
    scores = scores / 8
    weights = np.random.default_rng(seed).uniform(0.1, 1, (1, len(rows)))
    if len({*label.tolist()}) == 1:
        assert measure_auc(label == 1, scores) is None
        assert np.isnan(weigh_auc(label == 1, scores, weights)).all()
        return
    assert measure_auc(label == 1, scores) == pytest.approx(roc_auc_score(label, scores))
    known = roc_auc_score(label, scores, sample_weight=weights[0])
    assert weigh_auc(label == 1, scores, weights)[0] == pytest.approx(known)


@given(scored.filter(lambda rows: any(label for label, _ in rows)))
def test_no_other_threshold_has_a_higher_f1(rows: list[tuple[int, int]]) -> None:
    label, scores = (np.array(one) for one in zip(*rows, strict=True))
    scores = scores / 8
    reached = f1_score(label, scores >= best_threshold(scores, label))
    assert reached == pytest.approx(max(f1_score(label, scores >= cut) for cut in scores))
