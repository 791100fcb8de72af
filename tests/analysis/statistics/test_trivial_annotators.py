"""Coins and constants under the alternative annotator test, and when there is no verdict."""

import numpy as np
import pandas as pd
import pytest

from analysis.config import AlternativeRule
from analysis.statistics.alternative_annotator import judge_model
from analysis.statistics.trivial_annotators import TOO_FEW_PAIRS, TRIVIAL_PASSES, decide, judge_trivial
from tests.analysis.statistics.test_alternative_annotator import campaign

RULE = AlternativeRule()


def noisy(right: float, n_people: int = 5, n_pairs: int = 600) -> "tuple[pd.DataFrame, pd.Series[float]]":
    """Binary votes by three people on each pair, who are right in that share, and the truth."""
    random = np.random.default_rng(3)
    truth = random.integers(0, 2, n_pairs)
    rows = [
        (f"p{pair}", f"a{person}", float(value if random.random() < right else 1 - value))
        for pair, value in enumerate(truth.tolist())
        for person in random.choice(n_people, 3, replace=False).tolist()
    ]
    names = [f"p{pair}" for pair in range(n_pairs)]
    return pd.DataFrame(rows, columns=["pair_id", "annotator", "value"]), pd.Series(truth.astype(float), names)


def by_name(rows: list[dict]) -> dict:  # type: ignore[type-arg]
    return {row["name"]: row for row in rows}


@pytest.mark.sweep
def test_there_is_no_verdict_where_a_coin_passes_and_one_where_a_smaller_epsilon_fails_it() -> None:
    values, truth = noisy(0.72)
    judged = judge_model(values, truth, True, RULE)
    assert judged["passes"] is True
    result = decide(values, truth, True, RULE)
    assert (result["passes"], result["reason"]) == (None, TRIVIAL_PASSES)
    assert by_name(result["trivial"])["fair coin"]["passes"]
    assert {name: result[name] for name in judged if name != "passes"} == {
        name: value for name, value in judged.items() if name != "passes"
    }
    strict = decide(values, truth, True, AlternativeRule(epsilon=0.05))
    assert (strict["passes"], strict["reason"]) == (True, None)


def test_careful_annotators_leave_the_verdict_to_the_model() -> None:
    values, truth = noisy(0.95)
    assert (decide(values, truth, True, RULE)["passes"], decide(values, 1 - truth, True, RULE)["passes"]) == (
        True,
        False,
    )


def test_with_few_pairs_that_is_the_reason() -> None:
    values, truth = campaign(20, 4, binary=True)
    result = decide(values, truth, True, RULE)
    assert (result["passes"], result["reason"]) == (None, TOO_FEW_PAIRS)
    assert {row["passes"] for row in result["trivial"]} == {None}
    assert judge_trivial(values[:0], True, RULE) == []


@pytest.mark.parametrize("binary", [True, False])
def test_a_constant_is_judged_like_a_model_that_always_says_it(binary: bool) -> None:
    values, _ = campaign(200, 5, binary)
    rows = by_name(judge_trivial(values, binary, RULE))
    answers = sorted(values["value"].unique())
    for answer in answers:
        model = pd.Series(float(answer), values["pair_id"].unique())
        expected = judge_model(values, model, binary, RULE)
        row = rows[f"always {answer}"]
        assert (row["winning_rate"], row["passes"]) == (expected["winning_rate"], expected["passes"])
        assert row["advantage"] == pytest.approx(expected["advantage"])
    assert ("fair coin" in rows, "fair die" in rows) == (binary, not binary)
    assert any(name.endswith(", the mean") for name in rows) is not binary


@pytest.mark.sweep
def test_a_coin_s_figures_are_the_mean_over_models_that_flip_one() -> None:
    values, truth = noisy(0.8)
    random = np.random.default_rng(9)
    flipped = [
        judge_model(values, pd.Series(random.integers(0, 2, len(truth)).astype(float), truth.index), True, RULE)
        for _ in range(20)
    ]
    row = by_name(judge_trivial(values, True, RULE))["fair coin"]
    assert row["advantage"] == pytest.approx(np.mean([one["advantage"] for one in flipped]), abs=0.01)
    assert row["winning_rate"] == pytest.approx(np.mean([one["winning_rate"] for one in flipped]), abs=0.15)


def test_a_single_answer_leaves_one_constant_and_coins_that_say_it() -> None:
    values = noisy(0.8)[0].assign(value=1.0)
    assert all(row["passes"] for row in judge_trivial(values, True, RULE))
