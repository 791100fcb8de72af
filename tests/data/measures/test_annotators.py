import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import cohen_kappa_score

from annotation.assignment import design
from data.contract.vocabulary import ONE_SIDED
from data.measures import annotators as quality
from data.measures import ballots as votes
from data.measures.progress import agreement_so_far
from data.measures.rules import QualityRule
from tests.annotation.support.frames import assignments, named, ratings

RULE = QualityRule()


def measures(given, rated, rule=RULE):
    rows = quality.assess(votes.with_latest_rating(assignments(given), ratings(rated)), rule)
    assert not rows.duplicated(["round", "annotator", "measure"]).any()
    explained = rows[rows["reason"] != ONE_SIDED]
    assert (explained["value"].isna() == explained["reason"].notna()).all()
    assert not rows["n"].isna().any()
    return rows.set_index(["round", "annotator", "measure"])


def three_raters(scores):
    """Every pair rated by a01, a02 and a03 with the scores of a row."""
    given = [(1, f"p{row:03d}", name) for row in range(len(scores)) for name in ("a01", "a02", "a03")]
    return given, [(named(*one), int(score)) for one, score in zip(given, np.ravel(scores), strict=True)]


def test_kappas_match_the_definition():
    scores = np.random.default_rng(2).integers(0, 4, size=(80, 3))
    found = measures(*three_raters(scores))
    binary = (scores >= 2).astype(int)
    majority = (binary.sum(axis=1) >= 2).astype(int)
    for rater, name in enumerate(("a01", "a02", "a03")):
        own, others = binary[:, rater], np.delete(binary, rater, axis=1)
        agreed = others[:, 0] == others[:, 1]
        assert found.loc[(1, name, "kappa"), "value"] == pytest.approx(cohen_kappa_score(own, majority))
        left_out = found.loc[(1, name, "kappa_left_out")]
        assert left_out["value"] == pytest.approx(cohen_kappa_score(own[agreed], others[agreed, 0]))
        assert left_out["n"] == agreed.sum()
    several = np.array([len(set(row)) < 3 for row in scores])
    plurality = np.array([np.bincount(row).argmax() for row in scores[several]])
    four = found.loc[(1, "a02", "kappa_answers")]
    assert four["value"] == pytest.approx(cohen_kappa_score(scores[several, 1], plurality))
    assert four["n"] == several.sum()


def test_the_mean_is_over_annotators_whose_kappa_is_defined():
    found = measures(*three_raters([[0, 0, 3], [3, 3, 0], [0, 0, 3], [3, 3, 3]]))
    own = [found.loc[(1, name, "kappa"), "value"] for name in ("a01", "a02", "a03")]
    assert found.loc[(1, "all", "mean_kappa"), "value"] == pytest.approx(np.mean(own))
    assert found.loc[(1, "all", "mean_kappa"), "n"] == 3


@pytest.mark.sweep
def test_a_guesser_is_far_above_zero_with_the_own_vote_included_and_at_zero_without():
    random = np.random.default_rng(9)
    truth = random.integers(0, 2, size=3000)
    raters = [np.where(random.random(3000) < 0.8, truth, 1 - truth) for _ in range(2)]
    scores = 3 * np.stack([*raters, random.integers(0, 2, size=3000)], axis=1)
    found = measures(*three_raters(scores))["value"]
    assert found[1, "a03", "kappa"] == pytest.approx(found[1, "a03", "chance_kappa"], abs=0.05)
    assert found[1, "a03", "kappa"] > 0.25
    assert abs(found[1, "a03", "kappa_left_out"]) < 0.06
    assert found[1, "a01", "kappa_left_out"] > 0.3
    assert found[1, "a03", "chance_passes"] < 0.01
    assert found[1, "a01", "chance_passes"] > 0.99  # beside a coin and one other, a second coin often decides


def test_the_threshold_of_paraphrase_moves_the_votes():
    scores = [[0, 1, 1], [1, 2, 0], [3, 1, 2], [0, 0, 0]]
    strict = measures(*three_raters(scores), QualityRule(paraphrase_from=3))["value"]
    lenient = measures(*three_raters(scores), QualityRule(paraphrase_from=1))["value"]
    assert strict[1, "all", "fleiss_kappa"] != lenient[1, "all", "fleiss_kappa"]


def test_undefined_says_why():
    found = measures(*three_raters([[2, 3, 2], [3, 3, 3]]))
    assert found.loc[(1, "a01", "kappa"), "reason"] == "both used one and the same class throughout"
    assert found.loc[(1, "all", "fleiss_kappa"), "reason"] == "all ratings are of one class"
    assert found.loc[(1, "all", "mean_kappa"), "reason"] == "no annotator's kappa is defined and says something"
    two = measures([(1, "p", "a01"), (1, "p", "a02")], [(named(1, "p", "a01"), 0), (named(1, "p", "a02"), 3)])
    assert two.loc[(1, "a01", "kappa"), "reason"] == "no rating can be compared"


def test_a_later_round_does_not_change_the_measures_of_an_earlier_one():
    scores = np.random.default_rng(4).integers(0, 4, size=(40, 3))
    given, rated = three_raters(scores)
    before = measures(given, rated)
    replacing = [(2, f"p{row:03d}", "a04", "a03") for row in range(40)]
    new = [(named(*one[:3]), int(scores[row, 0])) for row, one in enumerate(replacing)]
    after = measures(given + replacing, rated + new)
    pd.testing.assert_frame_equal(after.loc[[1]], before.loc[[1]])
    assert after.loc[(2, "a04", "kappa"), "n"] == 40
    assert (2, "a03", "kappa") not in after.index
    assert after.loc[(2, "all", "fleiss_kappa"), "value"] == after.loc[(0, "all", "fleiss_kappa"), "value"]
    assert after.loc[(2, "all", "fleiss_kappa"), "value"] > before.loc[(1, "all", "fleiss_kappa"), "value"]
    assert after.loc[(0, "all", "kappa"), "n"] == 160


def test_agreement_before_replacing_is_told_from_that_after_it():
    scores = np.random.default_rng(4).integers(0, 4, size=(40, 3))
    given, rated = three_raters(scores)
    before = measures(given, rated)
    replacing = [(2, f"p{row:03d}", "a04", "a03") for row in range(30)]
    new = [(named(*one[:3]), int(scores[row, 0])) for row, one in enumerate(replacing)]
    after = measures(given + replacing, rated + new)
    for measure in ("fleiss_kappa", "alpha"):
        at_first = after.loc[(0, "all", f"{measure}_at_first")]
        pd.testing.assert_series_equal(at_first, before.loc[(1, "all", measure)], check_names=False)
        assert at_first["value"] < after.loc[(0, "all", measure), "value"]
    replaced = after.loc[(0, "all", "replaced_share")]
    assert (replaced["n"], replaced["value"]) == (120, 30 / 120)
    assert before.loc[(0, "all", "replaced_share"), "value"] == 0
    so_far = agreement_so_far(votes.with_latest_rating(assignments(given + replacing), ratings(rated + new)), RULE)
    assert (so_far["answers"], so_far["replaced"]) == (120, 30)
    assert so_far["fleiss_at_first"] == after.loc[(0, "all", "fleiss_kappa_at_first"), "value"]
    assert not {"fleiss_kappa_at_first", "replaced_share"} & {measure for number, _, measure in after.index if number}


def test_what_takes_the_place_of_no_vote_is_given_at_first():
    given, rated = three_raters([[0, 0, 3], [3, 3, 0], [0, 0, 3], [3, 3, 3]])
    flag = [(named(1, "p000", "a03"), "not_english")]
    again = [(2, "p000", "a04", "a03")]
    found = measures(given + again, rated[:2] + flag + rated[3:] + [(named(2, "p000", "a04"), 3)])
    assert found.loc[(0, "all", "fleiss_kappa_at_first"), "value"] == found.loc[(0, "all", "fleiss_kappa"), "value"]
    assert found.loc[(0, "all", "replaced_share"), "n"] == 12
    assert found.loc[(0, "all", "replaced_share"), "value"] == 0


def test_the_mean_leaves_out_kappas_that_say_nothing():
    scores = np.zeros((75, 3), dtype=int)
    scores[:2, 0] = 3
    scores[2:4] = 3
    found = measures(*three_raters(np.vstack([scores])))
    own = {name: found.loc[(1, name, "kappa")] for name in ("a01", "a02", "a03")}
    assert all(row["reason"] == ONE_SIDED and "of 75 are the same" in row["detail"] for row in own.values())
    assert found.loc[(1, "all", "mean_kappa"), "n"] == 0
    assert found.loc[(1, "all", "mean_kappa"), "reason"] == "no annotator's kappa is defined and says something"


def test_further_ratings_where_the_first_disagree_leave_agreement_as_it_was():
    votes_by_pair = {
        "p": (3, 3, 3, 0, 3),
        "q": (0, 0, 3, 0, 0),
        "r": (3, 3, 3, 3),
        "s": (0, 0, 0, 0),
        "t": (0, 0, 0, 0),
    }
    rated = [
        (named(1 + place // 4, pair, f"a{place}"), vote)
        for pair, row in votes_by_pair.items()
        for place, vote in enumerate(row)
    ]
    given = [(1 + place // 4, pair, f"a{place}") for pair, row in votes_by_pair.items() for place in range(len(row))]
    found = measures(given, rated)["value"]
    assert found[0, "all", "fleiss_kappa"] == found[1, "all", "fleiss_kappa"] < 1
    assert found[0, "all", "alpha"] == found[1, "all", "alpha"] < 1
    so_far = agreement_so_far(votes.with_latest_rating(assignments(given), ratings(rated)), RULE)
    assert so_far["fleiss"] == found[1, "all", "fleiss_kappa"]
    assert so_far["alpha"] == found[1, "all", "alpha"]


def test_flags_and_skips_are_no_votes():
    given, rated = three_raters([[0, 0, 3], [3, 3, 0], [0, 0, 0], [3, 3, 3]])
    more = [(1, "q", name) for name in ("a01", "a02", "a03")]
    rated += [(named(1, "q", "a01"), "not_english"), (named(1, "q", "a02"), "skip"), (named(1, "q", "a03"), 1)]
    with_them, without = (
        measures(given + more, rated),
        measures(*three_raters([[0, 0, 3], [3, 3, 0], [0] * 3, [3] * 3])),
    )
    pd.testing.assert_frame_equal(with_them, without)


@pytest.mark.parametrize(
    ("n_annotators", "n_pairs"), [(8, 2_000), pytest.param(40, 10_182, marks=pytest.mark.sweep, id="as-the-paper's")]
)
def test_a_campaign_of_guessers_has_the_kappa_of_chance(n_annotators, n_pairs):
    random = np.random.default_rng(1)
    quotas = pd.Series(pd.NA, index=[f"a{number:02d}" for number in range(n_annotators)], dtype="Int64")
    plan = design.assign([f"p{number}" for number in range(n_pairs)], quotas, 3, 1)
    ballots = plan.assign(
        assignment_id=plan.index.astype("str"),
        round=1,
        further=False,
        random=True,
        group=plan["pair_id"],
        replaced_in=pd.Series(pd.NA, index=plan.index, dtype="Int64"),
        state="scored",
        score=pd.Series(random.integers(0, 4, size=len(plan)), dtype="Int64"),
    )
    values = quality.assess(ballots, RULE).set_index(["round", "annotator", "measure"])["value"]
    assert values[1, "all", "chance_kappa"] == pytest.approx(0.5, abs=0.02)
    assert values[1, "all", "mean_kappa"] == pytest.approx(0.5, abs=0.03)
    assert values[1, "all", "mean_kappa_left_out"] == pytest.approx(0, abs=0.03)
