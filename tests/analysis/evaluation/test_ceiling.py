"""The ceiling of the raters' noise: against oracles that vote, and by laws."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from sklearn.metrics import accuracy_score, f1_score, roc_auc_score

from analysis.evaluation.ceiling import find_ceiling
from analysis.evaluation.comparing import Samples
from data.measures.rules import ScoringRule


def frame_of(votes: NDArray[np.int64], n_votes: int = 3) -> pd.DataFrame:
    return pd.DataFrame({"votes": votes, "n_votes": n_votes}).astype("Int64")


def once(frame: pd.DataFrame) -> Samples:
    return Samples(pd.Series(np.arange(len(frame)).astype(str)), ScoringRule(resamples=2))


@pytest.mark.sweep
@pytest.mark.parametrize(("a", "b", "n_votes"), [(1.7, 1.8, 3), (0.6, 0.4, 5), (4.0, 9.0, 3)])
def test_an_oracle_that_knows_the_probabilities_reaches_it(a: float, b: float, n_votes: int) -> None:
    rng = np.random.default_rng(5)
    p = rng.beta(a, b, 200_000)
    votes = rng.binomial(n_votes, p)
    label = votes > n_votes / 2
    ceiling = find_ceiling(frame_of(votes, n_votes), once(frame_of(votes)))
    assert ceiling is not None
    assert ceiling["kappa"] == pytest.approx(1 / (a + b + 1), abs=0.01)
    assert ceiling["accuracy"]["value"] == pytest.approx(accuracy_score(label, p >= 0.5), abs=0.006)
    best = max(f1_score(label, p >= cut) for cut in np.linspace(0.05, 0.7, 27))
    assert ceiling["f1"]["value"] == pytest.approx(best, abs=0.008)
    assert ceiling["auc"]["value"] == pytest.approx(roc_auc_score(label, p), abs=0.006)
    assert ceiling["expected"] == pytest.approx(ceiling["votes"], rel=0.05)


@given(st.lists(st.integers(0, 3), min_size=2, max_size=60))
def test_it_lies_between_chance_and_certainty(votes: list[int]) -> None:
    ceiling = find_ceiling(frame_of(np.array(votes)), once(frame_of(np.array(votes))))
    if ceiling is not None:
        assert 0.5 <= ceiling["auc"]["value"] <= 1
        assert 0.5 <= ceiling["accuracy"]["value"] <= 1
        assert sum(ceiling["expected"]) == pytest.approx(len(votes))


@pytest.mark.parametrize("votes", [[0, 3, 0, 3], [1, 2, 1, 2], [3, 3]])
def test_there_is_none_where_annotators_always_agree_or_by_chance_alone(votes: list[int]) -> None:
    assert find_ceiling(frame_of(np.array(votes)), once(frame_of(np.array(votes)))) is None


def test_pairs_without_the_usual_number_of_votes_are_left_out() -> None:
    votes, n_votes = [0, 1, 2, 3, 3, 0, 5, 1, 0], [3, 3, 3, 3, 3, 3, 5, 2, 0]
    frame = pd.DataFrame({"votes": votes, "n_votes": n_votes}).astype("Int64")
    ceiling = find_ceiling(frame, once(frame))
    assert ceiling is not None
    assert (ceiling["n"], ceiling["n_votes"], ceiling["votes"]) == (6, 3, [2, 1, 1, 2])
    assert ceiling["auc"]["low"] < ceiling["auc"]["value"] < ceiling["auc"]["high"]
    assert find_ceiling(frame.iloc[8:], once(frame.iloc[8:])) is None


def test_where_raters_were_asked_as_needed_it_is_of_the_random_part() -> None:
    rng = np.random.default_rng(3)
    votes = rng.binomial(3, rng.beta(1.7, 1.8, 9_000))
    full = frame_of(votes).assign(pair_id=[f"p{number}" for number in range(len(votes))])
    random = rng.random(len(votes)) < 0.5
    divided = (votes == 1) | (votes == 2)
    decided = full.assign(n_votes=np.where(random | divided, 3, 2)).astype({"n_votes": "Int64"})
    part = full.loc[random].set_index("pair_id")[["votes", "n_votes"]]
    whole, found, naive = (
        find_ceiling(frame, once(frame), one) for frame, one in ((full, None), (decided, part), (decided, None))
    )
    assert whole is not None
    assert found is not None
    assert found["n"] == random.sum()
    assert found["kappa"] == pytest.approx(whole["kappa"], abs=0.03)
    assert naive is None or naive["kappa"] < whole["kappa"] - 0.1
