"""The alternative annotator test: beside a plain reading of the paper, on models that must pass and must fail."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from analysis.config import AlternativeRule
from analysis.statistics.alternative_annotator import judge_model, to_scale

RULE = AlternativeRule()


def campaign(n_pairs: int, n_people: int, binary: bool, seed: int = 1) -> tuple[pd.DataFrame, "pd.Series[float]"]:
    """Ratings by people who are right four times of five, and the truth."""
    generator = np.random.default_rng(seed)
    truth = generator.integers(0, 2 if binary else 4, n_pairs)
    rows = []
    for pair, value in enumerate(truth.tolist()):
        for person in generator.choice(n_people, 3, replace=False).tolist():
            wrong = generator.random() > 0.8
            given_value = int(generator.integers(0, 2 if binary else 4)) if wrong else value
            rows.append((f"p{pair}", f"a{person}", given_value))
    values = pd.DataFrame(rows, columns=["pair_id", "annotator", "value"])
    return values, pd.Series(truth.astype(float), index=[f"p{pair}" for pair in range(n_pairs)])


def plain(values: pd.DataFrame, model: "pd.Series[float]", binary: bool) -> dict[str, tuple[list[int], list[int]]]:
    """Who wins on each pair of each annotator, as section 3 of the paper says it: (model, annotator)."""

    def closeness(value: float, others: list[float]) -> float:
        if binary:
            return sum(value == other for other in others) / len(others)
        return -math.sqrt(sum((value - other) ** 2 for other in others) / len(others))

    wins: dict[str, tuple[list[int], list[int]]] = {}
    for pair, rows in values.groupby("pair_id"):
        for _, row in rows.iterrows():
            others = rows.loc[rows["annotator"] != row["annotator"], "value"].tolist()
            if not others or pair not in model.index:
                continue
            machine, person = closeness(model[pair], others), closeness(row["value"], others)
            both = wins.setdefault(row["annotator"], ([], []))
            both[0].append(int(machine >= person - 1e-12))
            both[1].append(int(person >= machine - 1e-12))
    return wins


@pytest.mark.sweep
@settings(max_examples=20)
@given(st.integers(0, 1000), st.booleans(), st.integers(20, 60))
def test_the_test_matches_the_paper(seed: int, binary: bool, n_pairs: int) -> None:
    values, truth = campaign(n_pairs, 4, binary, seed)
    model = truth.iloc[:-3]
    result = judge_model(values, model, binary, AlternativeRule(min_pairs=10))
    expected = plain(values, model, binary)
    assert [person["annotator"] for person in result["annotators"]] == sorted(expected)
    for person in result["annotators"]:
        machine, human = (np.array(side) for side in expected[person["annotator"]])
        assert person["n"] == len(machine)
        assert person["advantage"] == pytest.approx(machine.mean())
        assert person["own"] == pytest.approx(human.mean())
        lead = human - machine
        if person["p"] is not None and lead.std() > 0:
            assert person["p"] == pytest.approx(stats.ttest_1samp(lead, 0.2, alternative="less").pvalue)


@pytest.mark.parametrize("binary", [True, False])
def test_the_truth_may_replace_a_person_and_chance_may_not(binary: bool) -> None:
    values, truth = campaign(400, 6, binary)
    result = judge_model(values, truth, binary, RULE)
    assert result["winning_rate"] == 1
    assert result["passes"] is True
    assert result["advantage"] > 0.85
    guesses = pd.Series(np.random.default_rng(2).permutation(truth.to_numpy()), truth.index)
    chance = judge_model(values, guesses, binary, RULE)
    assert chance["winning_rate"] == 0
    assert chance["passes"] is False
    assert all(person["needed"] is None for person in chance["annotators"])


def test_annotators_with_few_pairs_are_shown_and_not_tested() -> None:
    values, truth = campaign(20, 4, binary=True)
    result = judge_model(values, truth, True, RULE)
    assert result["winning_rate"] is None
    assert result["passes"] is None
    assert {person["rejected"] for person in result["annotators"]} == {None}
    assert result["n_pairs"] == 20


def test_pairs_with_a_single_annotator_are_left_out() -> None:
    values = pd.DataFrame([("p0", "a", 1), ("p1", "a", 1), ("p1", "b", 0)], columns=["pair_id", "annotator", "value"])
    assert judge_model(values, pd.Series({"p0": 1.0, "p1": 1.0}), True, RULE)["n_pairs"] == 1
    nobody = judge_model(values.iloc[:1], pd.Series({"p0": 1.0}), True, RULE)
    assert (nobody["n_pairs"], nobody["advantage"], nobody["annotators"]) == (0, None, [])


def test_fewer_pairs_are_needed_for_a_better_model() -> None:
    values, truth = campaign(400, 6, binary=True)
    flipped = truth.copy()
    flipped.iloc[::8] = 1 - flipped.iloc[::8]
    good, worse = (judge_model(values, model, True, RULE) for model in (truth, flipped))
    for a, b in zip(good["annotators"], worse["annotators"], strict=True):
        assert a["needed"] < b["needed"]


def test_scores_take_the_scale_of_the_ratings_in_their_order() -> None:
    scores = pd.Series({"a": 0.1, "b": 0.4, "c": 0.8, "d": 0.9})
    ratings = pd.Series({"a": 0.0, "b": 1.3, "c": 2.0, "d": 3.0})
    values = to_scale(scores, ratings)(pd.Series({"x": 0.0, "y": 0.6, "z": 1.0}))
    assert values["x"] == 0
    assert values["z"] == 3
    assert 1.3 <= values["y"] <= 2.0
