"""Models of how annotators err, on votes whose truth is known."""

from functools import partial

import numpy as np
import pandas as pd
import pytest
from crowdkit.aggregation import MACE, DawidSkene

from annotation.aggregation.adjudication import adjudicate
from annotation.aggregation.models import class_chances, posteriors
from annotation.config import LabelRule
from annotation.simulation.in_memory import simulate
from data.measures.ballots import votes_of, with_latest_rating
from data.measures.raters import certainty
from data.measures.raters.finished import MAX_POSTERIOR
from data.measures.rules import VoteRule
from tests.annotation.support.frames import assignments, named, ratings

METHODS = ["dawid-skene", "dawid-skene-scores", "dawid-skene-pooled", "one-coin", "mace"]


@pytest.fixture(scope="module")
def campaign():
    """600 pairs, nine annotators of whom six are right nine times in ten and three guess; three votes a pair."""
    random = np.random.default_rng(3)
    truth = random.integers(0, 2, size=600)
    rows = []
    for pair, true in enumerate(truth):
        for rater in random.choice(9, size=3, replace=False):
            right = random.random() < (0.9 if rater < 6 else 0.5)
            rows.append((f"p{pair:03d}", f"a{rater}", int(true if right else 1 - true)))
    votes = pd.DataFrame(rows, columns=["pair_id", "annotator", "vote"])
    return votes.assign(score=3 * votes["vote"]), pd.Series(truth, index=[f"p{n:03d}" for n in range(600)])


@pytest.fixture
def quick_mace(monkeypatch):
    """MACE with one start: its ten take seconds, whatever the number of votes."""
    monkeypatch.setattr("crowdkit.aggregation.MACE", partial(MACE, n_restarts=1))


@pytest.mark.sweep
@pytest.mark.parametrize("method", METHODS)
def test_a_model_beats_the_majority_where_some_guess(campaign, method):
    votes, truth = campaign
    chances = posteriors(votes, method)
    assert chances.between(0, 1).all()
    majority = (votes.groupby("pair_id")["vote"].mean() > 0.5).astype(int)
    right = ((chances > 0.5).astype(int) == truth[chances.index]).mean()
    assert right > (majority == truth[majority.index]).mean()


@pytest.mark.sweep
@pytest.mark.usefixtures("quick_mace")
@pytest.mark.parametrize("method", METHODS)
def test_the_same_votes_in_any_order_give_the_same_chances(campaign, method):
    votes, _ = campaign
    chances = posteriors(votes, method)
    assert posteriors(votes, method).equals(chances)
    shuffled = posteriors(votes.sample(frac=1, random_state=1), method)
    assert np.allclose(shuffled.reindex(chances.index), chances, atol=0.05 if method == "mace" else 1e-6)


def test_pooling_annotators_makes_better_labels_of_three_votes():
    campaign = simulate({"good": 16, "guessing": 4}, n_pairs=4_000, labels_per_pair=3, seed=2)
    votes = votes_of(campaign.ballots, VoteRule())
    right = {}
    for method in ("dawid-skene", "dawid-skene-scores", "dawid-skene-pooled"):
        labels = posteriors(votes, method).reindex(campaign.truth.index) > 0.5
        right[method] = (labels == (campaign.truth >= 2)).mean()
    assert right["dawid-skene-pooled"] > max(right["dawid-skene"], right["dawid-skene-scores"])


@pytest.mark.sweep
@pytest.mark.usefixtures("quick_mace")
@pytest.mark.parametrize("method", ["majority", *METHODS])
def test_flagged_and_unfinished_pairs_have_no_label_by_any_method(method):
    given = [(1, pair, rater) for pair in ("p1", "p2", "p3", "p4") for rater in ("a1", "a2", "a3")]
    scores = {"p1": [3, 2, 3], "p2": [0, 1, 3], "p3": ["ill_formed", "ill_formed", 3], "p4": [2, 2]}
    rated = [(named(1, pair, f"a{n + 1}"), score) for pair, own in scores.items() for n, score in enumerate(own)]
    labels, rejects = adjudicate(with_latest_rating(assignments(given), ratings(rated)), LabelRule(), method)
    assert labels.set_index("pair_id")["binary"].to_dict() == {"p1": 1, "p2": 0}
    assert set(labels["method"]) == {method}
    assert labels["posterior"].isna().all() == (method == "majority")
    assert rejects.set_index("id")["reason"].to_dict() == {
        "p3": "unresolved_flagged", "p4": "unresolved_missing_ratings",
    }  # fmt: skip


@pytest.mark.sweep
@pytest.mark.usefixtures("quick_mace")
@pytest.mark.parametrize("method", METHODS)
def test_a_posterior_sums_to_one_and_its_better_side_is_the_label(method):
    campaign = simulate({"good": 6, "guessing": 2}, n_pairs=60, labels_per_pair=3, seed=1)
    labels, _ = adjudicate(campaign.ballots, LabelRule(), method)
    posterior = np.array(labels["posterior"].tolist())
    assert posterior.shape == (len(labels), 4)
    assert np.allclose(posterior.sum(axis=1), 1)
    assert posterior.min() >= 0
    yes = posterior[:, 2:].sum(axis=1)
    assert ((yes > 0.5) == (labels["binary"] == 1)).all()
    assert yes.min() >= 1 - MAX_POSTERIOR - 1e-12
    assert yes.max() <= MAX_POSTERIOR + 1e-12


def test_effective_votes_interval_and_difficulty_are_the_same_by_every_method():
    campaign = simulate({"good": 6, "guessing": 2}, n_pairs=60, labels_per_pair=3, seed=1)
    columns = ["pair_id", *certainty.COLUMNS]
    by = [adjudicate(campaign.ballots, LabelRule(), method)[0][columns] for method in ("majority", "dawid-skene")]
    pd.testing.assert_frame_equal(*by)
    assert by[0].notna().all(axis=None)


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(8))
def test_dawid_and_skene_s_model_is_crowd_kit_s(seed):
    random = np.random.default_rng(seed)
    truth = random.integers(0, 4, size=40)
    rated = [(pair, rater) for pair in range(40) for rater in random.choice(6, size=3, replace=False)]
    scores = [random.choice([truth[pair], random.integers(0, 4)]) for pair, _ in rated]
    votes = pd.DataFrame(rated, columns=["pair_id", "annotator"]).assign(score=scores)
    votes.loc[votes["annotator"] == 0, "score"] = 1  # an annotator always gives the same
    votes = pd.concat([votes, pd.DataFrame({"pair_id": 40, "annotator": [1, 2, 7, 8], "score": [0, 0, 0, 1]})])
    theirs = DawidSkene().fit_predict_proba(votes.set_axis(["task", "worker", "label"], axis="columns"))
    ours = class_chances(votes, "dawid-skene-scores")
    assert np.allclose(ours, theirs.loc[ours.index, ours.columns], atol=1e-6)


def test_no_votes_have_no_posterior():
    assert posteriors(pd.DataFrame({"pair_id": [], "annotator": [], "vote": []}), "mace").empty
