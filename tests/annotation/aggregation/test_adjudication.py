import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.aggregation.adjudication import adjudicate
from annotation.config import LabelRule
from data.measures import ballots
from data.measures.classes import Classes
from data.measures.raters import certainty
from data.measures.raters.finished import MAX_POSTERIOR
from tests.annotation.support.frames import assignments, named, ratings

NAMES = ("a01", "a02", "a03", "a04", "a05")

answers = st.sampled_from([0, 1, 2, 3, "not_english", "skip", None])
pairs = st.lists(st.lists(answers, min_size=1, max_size=5), min_size=1, max_size=8)


def decide(pairs, rule=LabelRule(), order=None, **more):  # noqa: B008 - frozen
    """Labels and rejects of pairs p0, p1, … with the ratings of each by the first annotators."""
    given = [(1, f"p{number}", NAMES[rater]) for number, said in enumerate(pairs) for rater in range(len(said))]
    said = [what for one in pairs for what in one]
    if order:
        said = [what for one in pairs for what in order(one)]
    heard = ratings([(named(*one), what) for one, what in zip(given, said, strict=True) if what is not None])
    return adjudicate(ballots.with_latest_rating(assignments(given), heard), rule, **more)


def label(*said, rule=LabelRule()):  # noqa: B008 - frozen
    labels, rejects = decide([list(said)], rule)
    return labels.iloc[0] if len(labels) else rejects.iloc[0]["reason"]


@pytest.mark.sweep
@settings(max_examples=25)  # each example fits a model
@given(pairs)
def test_every_pair_gets_a_label_or_a_reason(pairs):
    labels, rejects = decide(pairs)
    assert sorted([*labels["pair_id"], *rejects["id"]]) == sorted(f"p{number}" for number in range(len(pairs)))
    for pair, votes_, n, binary, scores, stratum in zip(
        *(labels[one] for one in ("pair_id", "votes", "n_votes", "binary", "scores", "stratum")), strict=True
    ):
        said = [what for what in pairs[int(pair[1:])] if isinstance(what, int)]
        assert scores == [said.count(score) for score in range(4)]
        assert (votes_, n) == (sum(score >= 2 for score in said), len(said))
        assert binary == (votes_ > n / 2)
        assert votes_ != n / 2
        assert stratum == ("one rating" if n == 1 else "unanimous" if votes_ in (0, n) else "split")


@pytest.mark.sweep
@settings(max_examples=25)  # each example fits a model
@given(pairs, st.randoms())
def test_the_majority_does_not_depend_on_who_gave_which_score(pairs, random):
    shuffled = decide(pairs, order=lambda said: random.sample(said, len(said)))
    known = {*certainty.COLUMNS}  # how much a vote tells depends on whose it is
    for one, other in zip(decide(pairs), shuffled, strict=True):
        columns = [name for name in one if name not in known]
        pd.testing.assert_frame_equal(one[columns], other[columns])


@pytest.mark.parametrize(
    ("said", "votes_", "binary", "stratum"),
    [
        ((2, 3, 3), 3, 1, "unanimous"),
        ((2, 3, 1), 2, 1, "split"),
        ((2, 1, 0), 1, 0, "split"),
        ((1, 1, 0), 0, 0, "unanimous"),
        ((3, "cannot_judge", 2), 2, 1, "unanimous"),
        ((3,), 1, 1, "one rating"),
    ],
)
def test_a_majority_of_the_binarised_scores_decides(said, votes_, binary, stratum):
    found = label(*said)
    assert (found["votes"], found["binary"], found["stratum"]) == (votes_, binary, stratum)
    assert found["decided_by"] == "majority"
    assert pd.isna(found["posterior"])


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        (("not_english", "ill_formed", 3), "unresolved_flagged"),
        ((3, 3, None), "unresolved_missing_ratings"),
        ((3, 3, "skip"), "unresolved_missing_ratings"),
        ((3, 0, "cannot_judge"), "unresolved_tie"),
        ((3, 0), "unresolved_tie"),
        (("cannot_judge",), "unresolved_flagged"),
    ],
)
def test_what_cannot_be_decided_says_why(said, reason):
    assert label(*said) == reason


def test_the_threshold_of_paraphrase_is_a_setting():
    assert label(1, 1, 0, rule=LabelRule(paraphrase_from=1))["binary"] == 1
    assert label(2, 2, 3, rule=LabelRule(paraphrase_from=3))["binary"] == 0


def test_a_replaced_rating_leaves_the_vote_and_its_replacement_takes_its_place():
    given = [(1, "p", "a01"), (1, "p", "a02"), (1, "p", "a03"), (2, "p", "a04", "a03")]
    said = [(named(1, "p", "a01"), 3), (named(1, "p", "a02"), 0), (named(1, "p", "a03"), 3)]
    _, rejects = adjudicate(ballots.with_latest_rating(assignments(given), ratings(said)), LabelRule())
    assert rejects["reason"].tolist() == ["unresolved_missing_ratings"]
    labels, _ = adjudicate(
        ballots.with_latest_rating(assignments(given), ratings([*said, (named(2, "p", "a04"), 1)])), LabelRule()
    )
    assert labels[["votes", "n_votes", "binary"]].to_numpy().tolist() == [[1, 3, 0]]


@pytest.mark.sweep
@settings(max_examples=25)  # each example fits a model
@given(pairs, st.integers(1, 5))
def test_a_majority_may_need_more_votes(pairs, at_least):
    labels, rejects = (frame.set_index(name) for frame, name in zip(decide(pairs), ("pair_id", "id"), strict=True))
    rule = LabelRule(rule=("at-least", str(at_least)))
    marked, others = (frame.set_index(name) for frame, name in zip(decide(pairs, rule), ("pair_id", "id"), strict=True))
    ties = rejects.index.difference(others.index)  # below the rule: labels now, without a value
    assert (rejects.loc[ties, "reason"] == "unresolved_tie").all()
    assert set(marked.index) == {*labels.index, *ties}
    assert rejects.drop(ties)["reason"].to_dict() == others["reason"].to_dict()
    agreeing = labels["votes"].clip(lower=labels["n_votes"] - labels["votes"])
    enough = labels.index[agreeing >= at_least]
    pd.testing.assert_frame_equal(marked.loc[enough], labels.loc[enough], check_dtype=False, check_index_type=False)
    few = marked.drop(enough)
    assert few[["binary", "value"]].isna().all(axis=None)
    assert (few["decided_by"] == "too_few_agree").all()
    assert (few["votes"].clip(lower=few["n_votes"] - few["votes"]) < at_least).all()
    below = few.index.intersection(labels.index)
    assert few.loc[below, "scores"].to_list() == labels.loc[below, "scores"].to_list()


def test_four_of_five_must_agree():
    labels, rejects = decide([[3, 3, 3, 3, 0], [3, 3, 3, 0, 0], [0, 0, 0, 0, 1]], LabelRule(rule=("at-least", "4")))
    assert labels["binary"].astype("object").where(labels["binary"].notna(), None).tolist() == [1, None, 0]
    assert labels["value"].tolist() == ["3", None, "0"]
    assert rejects.empty


LIKERT = Classes(values=tuple("12345"), numbers=(1, 2, 3, 4, 5), n_positive=2, level="ordinal")
NAMES_ALONE = Classes(values=("cat", "dog", "eel"), numbers=(0, 1, 2), n_positive=0, level="nominal")


def test_a_scale_of_five_is_decided_by_its_sides_and_valued_by_the_median_of_the_side():
    rule = LabelRule(paraphrase_from=4)
    labels, rejects = decide([[4, 5, 1], [3, 1, 5], [4, 4, 5, 5], [5, 1]], rule, classes=LIKERT)
    assert labels[["value", "binary", "votes", "scores"]].to_numpy().tolist() == [
        ["4", 1, 2, [1, 0, 0, 1, 1]],
        ["1", 0, 1, [1, 0, 1, 0, 1]],
        ["4", 1, 4, [0, 0, 0, 2, 2]],
    ]
    assert rejects["reason"].tolist() == ["unresolved_tie"]


def test_the_mean_may_decide_instead_of_the_majority():
    rule = LabelRule(paraphrase_from=4, rule=("mean",))
    labels, rejects = decide([[5, 3, 3], [4, 4, 1], [3, 4]], rule, classes=LIKERT)
    assert labels[["value", "binary", "decided_by"]].to_numpy().tolist() == [["3.667", 1, "mean"], ["3", 0, "mean"]]
    assert rejects["reason"].tolist() == ["unresolved_tie"]  # the mean 3.5 is the border itself


@pytest.mark.parametrize("method", ["majority", "dawid-skene", "one-coin", "dawid-skene-scores"])
def test_answers_that_are_no_votes_compete_with_each_other(method):
    labels, rejects = decide([[0, 0, 2], [1, 1, 1], [2, 1, 2]], LabelRule(), method=method, classes=NAMES_ALONE)
    assert labels["value"].tolist() == ["cat", "dog", "eel"]
    assert labels["binary"].isna().all()
    assert labels["votes"].tolist() == [2, 3, 2]
    assert labels["stratum"].tolist() == ["split", "unanimous", "split"]
    assert labels["posterior"].notna().all() == (method != "majority")
    for value, posterior in zip(labels["value"], labels["posterior"].dropna(), strict=False):
        assert sum(posterior) == pytest.approx(1)
        assert NAMES_ALONE.values[int(np.argmax(posterior))] == value
        assert max(posterior) <= MAX_POSTERIOR + 1e-12
    assert rejects.empty
    _, rejects = decide([[0, 1]], LabelRule(), classes=NAMES_ALONE)
    assert rejects["reason"].tolist() == ["unresolved_tie"]
