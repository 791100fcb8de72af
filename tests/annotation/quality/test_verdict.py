"""Verdicts on annotators of known kind, among simulated and among real ones."""

import hypothesis
import numpy as np
import pandas as pd
import pytest
from hypothesis import strategies as st

from annotation.config import VerdictRule
from annotation.quality.verdict import judge
from annotation.simulation.in_memory import answer, simulate
from data.measures import agreement, ballots
from data.measures.raters import skill
from studies.rating_data import read_lewidi

RULE = VerdictRule()


def votes_of(campaign):
    return ballots.votes_of(campaign.ballots, RULE).assign(place=campaign.ballots["position"])


@pytest.fixture(scope="module")
def campaign():
    kinds = {"good": 10, "guessing": 2, "always-2": 1, "overlap": 1}
    return simulate(kinds, n_pairs=3_000, labels_per_pair=3, seed=2)


@pytest.fixture(scope="module")
def verdicts(campaign):
    return judge(votes_of(campaign), RULE, campaign.overlap).set_index("annotator").join(campaign.annotators)


@pytest.mark.sweep
def test_each_kind_is_found_for_its_own_reason(verdicts):
    found = verdicts.groupby("kind")["reasons"].agg(
        lambda lists: sorted({reason for reasons in lists for reason in reasons})
    )
    assert found.to_dict() == {
        "good": [], "guessing": ["guesses"], "always-2": ["one_score"], "overlap": ["follows_overlap"],
    }  # fmt: skip
    assert ((verdicts["verdict"] == "careless") == (verdicts["kind"] != "good")).all()


def test_the_skill_matches_the_votes(verdicts):
    true = (2 * verdicts["accuracy"] - 1).astype("float64").fillna(0)
    known = verdicts["kind"] != "overlap"
    assert (verdicts["skill"] - true)[known].abs().max() < 0.15
    step = 0.025
    assert (verdicts["low"] <= verdicts["skill"] + step).all()
    assert (verdicts["skill"] <= verdicts["high"] + step).all()


def test_personal_use_of_the_scale_is_no_carelessness(campaign):
    given = votes_of(campaign)
    timid = given["annotator"].isin(campaign.annotators.index[:5])
    given["score"] = given["score"].mask(timid, given["score"].clip(1, 2))
    found = judge(given, RULE).set_index("annotator").loc[campaign.annotators.query("kind == 'good'").index]
    assert set(found["verdict"]) == {"careful"}


def test_where_paraphrases_are_rare_guessers_are_told_from_those_who_find_them():
    random = np.random.default_rng(6)
    truth = (random.random(1_200) < 0.12).astype(int)
    rows = []
    for number, (yes, no) in enumerate([(0.8, 0.95)] * 5 + [(0.5, 0.5), (0.5, 0.5), (0, 1)]):
        own = random.choice(len(truth), size=400, replace=False)
        right = random.random(400) < np.where(truth[own] == 1, yes, no)
        votes = np.where(right, truth[own], 1 - truth[own])
        rows.append(pd.DataFrame({"pair_id": own, "annotator": f"a{number}", "vote": votes, "place": range(400)}))
    given = pd.concat(rows, ignore_index=True)
    found = judge(given.assign(score=3 * given["vote"]), RULE)
    assert found["verdict"].to_list() == ["careful"] * 5 + ["careless"] * 3
    assert found["reasons"].to_list()[5:] == [["guesses"], ["guesses"], ["one_score"]]


@hypothesis.given(st.floats(0.05, 0.95), st.integers(0, 39), st.integers(0, 39))
def test_the_skill_is_cohens_kappa_with_what_is_true(share, yes, no):
    right = skill.GRID[[yes, no]]
    table = np.array([[right[1], 1 - right[1]], [1 - right[0], right[0]]]) * [[1 - share], [share]]
    expected = agreement.chance_corrected(table, agreement.distances(2))
    assert skill.kappas(share)[yes, no] == pytest.approx(float(expected))


def test_an_annotator_who_is_good_at_first_and_then_guesses_drifts(campaign):
    given, random = votes_of(campaign), np.random.default_rng(8)
    best = campaign.annotators["accuracy"].astype("float64").idxmax()
    late = (given["annotator"] == best) & (given["place"] >= 400)
    guesses = pd.Series(random.integers(0, 2, size=len(given)), index=given.index)
    given = given.assign(vote=given["vote"].where(~late, guesses), score=given["score"].where(~late, 3 * guesses))
    found = judge(given, RULE).set_index("annotator")
    assert found.loc[best, "verdict"] == "careless"
    assert "drifts" in found.loc[best, "reasons"]


def test_without_overlap_no_one_is_asked_for_it_and_order_does_not_matter(campaign, verdicts):
    shuffled = votes_of(campaign).sample(frac=1, random_state=3)
    found = judge(shuffled, RULE).set_index("annotator")
    assert "follows_overlap" not in {reason for reasons in found["reasons"] for reason in reasons}
    assert np.allclose(found["skill"], verdicts["skill"], atol=1e-6)


@pytest.mark.sweep
def test_the_rule_can_be_moved(campaign):
    given = votes_of(campaign)
    assert (judge(given, VerdictRule(careless_below=-0.9))["verdict"] == "careful").all()
    assert (judge(given, VerdictRule(careless_below=0.9))["verdict"] == "careless").all()


@pytest.mark.sweep
def test_few_votes_are_no_evidence_but_gold_is(campaign):
    given = votes_of(campaign).query("place < 12")
    few = judge(given, RULE)
    assert (set(few["verdict"]), few["reasons"].to_list()) == ({"undecided"}, [["few_labels"]] * len(few))
    truth = np.tile([0, 1], 60)
    gold = pd.concat(
        pd.DataFrame(
            {
                "annotator": name,
                "truth": truth,
                "vote": votes,
                "score": 3 * votes,
                "place": range(120),
                "pair_id": [f"gold {pair}" for pair in range(120)],
            }
        )
        for name, votes in (("a01", truth), ("a02", np.repeat([0, 1], 60)))
    )
    found = judge(given, RULE, gold=gold).set_index("annotator")
    assert found.loc["a01", "verdict"] == "careful"
    assert (found.loc["a02", "verdict"], found.loc["a02", "reasons"]) == ("careless", ["guesses"])
    assert (found["n"] == few.set_index("annotator")["n"]).all()


@pytest.mark.sweep
@pytest.mark.parametrize("right_until", [90, 120])
def test_gold_shows_who_drifts(campaign, right_until):
    """Being right at first and guessing at the end is not being average: gold counts at its place in the work."""
    given, truth = votes_of(campaign).query("place < 15"), np.tile([0, 1], 90)
    votes = np.where(np.arange(180) < right_until, truth, np.tile([0, 1, 1, 0], 45))
    gold = pd.DataFrame(
        {
            "annotator": "a01",
            "truth": truth,
            "vote": votes,
            "score": 3 * votes,
            "place": np.arange(180),
            "pair_id": [f"gold {pair}" for pair in range(180)],
        }
    )
    mixed = gold.assign(place=np.random.default_rng(1).permutation(180))
    found = {
        name: judge(given, RULE, gold=rows).set_index("annotator")
        for name, rows in (("in turn", gold), ("mixed", mixed))
    }
    assert found["in turn"].loc["a01", "reasons"] == ["drifts"]
    assert found["mixed"].loc["a01", "verdict"] == "careful"


def test_where_all_guess_no_one_is_careful():
    everybody = judge(votes_of(simulate({"guessing": 8}, n_pairs=1_500, labels_per_pair=3, seed=2)), RULE)
    assert "careful" not in set(everybody["verdict"])


def test_no_votes_have_no_verdict():
    assert judge(pd.DataFrame(columns=["pair_id", "annotator", "score", "vote", "place"]), RULE).empty


@pytest.mark.parametrize(
    ("kind", "reason"),
    [("guessing", "guesses"), ("always-2", "one_score"), ("overlap", "follows_overlap"), ("drifting", "weak")],
)
def test_a_careless_rater_among_real_ones_is_found_and_no_real_one_accused(shared_data, kind, reason):
    scores, overlap = read_lewidi(shared_data / "annotations" / "lewidi2025")
    vote = (scores["score"] > 0).astype("int64")
    scale = np.digitize(scores["score"], [-2, 1, 3])
    real = scores.assign(vote=vote, score=scale, place=scores.groupby("annotator").cumcount())
    majority = real.groupby("pair_id")["vote"].mean().reindex(overlap.index) >= 0.5
    random = np.random.default_rng(4)
    progress = random.permutation(len(overlap)) / len(overlap)
    by_overlap = np.digitize(overlap.rank(pct=True), [0.35, 0.7, 0.85])
    asked = pd.DataFrame({"rater": 0, "truth": 3 * majority.to_numpy(int), "by_overlap": by_overlap})
    rater = pd.DataFrame({"kind": [kind], "accuracy": [0.8]})
    given = answer(rater, asked.assign(progress=progress), random)
    put = pd.DataFrame({"pair_id": overlap.index, "annotator": "put", "score": given, "place": progress})
    found = judge(pd.concat([real, put.assign(vote=given // 2)]), RULE, overlap).set_index("annotator")
    assert found.index[found["verdict"] == "careless"].to_list() == ["put"]
    assert reason in found.loc["put", "reasons"]


def test_nearly_one_score_is_honest_where_nearly_all_pairs_have_one_label():
    """Back translations alone are paraphrases in 95 % of the pairs."""
    random = np.random.default_rng(5)
    truth = random.random(600) < 0.96
    rows = [
        {"pair_id": f"p{pair:03}", "annotator": f"a{name}", "vote": int(yes ^ (random.random() < 0.02)), "place": pair}
        for name in range(5)
        for pair, yes in enumerate(truth)
    ]
    votes = pd.DataFrame(rows).assign(score=lambda frame: frame["vote"])
    votes.loc[votes["annotator"] == "a4", ["vote", "score"]] = 1
    reasons = judge(votes, VerdictRule(paraphrase_from=1)).set_index("annotator")["reasons"].map(tuple).to_dict()
    assert reasons == dict.fromkeys(["a0", "a1", "a2", "a3"], ()) | {"a4": ("one_score",)}
