"""The beta-binomial soft label: what it estimates, and when there is none."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize
from scipy.stats import betabinom

from data.contract.questions import PUBLISHED_QUESTION
from data.measures import soft_labels
from data.measures.soft_labels import NO_VOTES, NONE_DIVIDED, fit, of_pairs


def test_the_distribution_that_votes_were_drawn_from_is_found() -> None:
    n_votes = np.tile(np.array([3, 5]), 10_000)
    votes = betabinom.rvs(n_votes, 1.5, 2.5, random_state=1)
    found = fit(votes, n_votes)
    assert (found.pairs, found.reason) == (20_000, None)
    assert found.alpha == pytest.approx(1.5, rel=0.1)
    assert found.beta == pytest.approx(2.5, rel=0.1)


def test_no_other_distribution_makes_the_votes_likelier() -> None:
    votes, n_votes = np.array([0, 1, 3, 3, 2, 5, 1, 0]), np.array([3, 3, 3, 5, 5, 5, 1, 2])
    found = fit(votes, n_votes)

    def likelihood(alpha: float, beta: float) -> float:
        return float(np.sum(betabinom.logpmf(votes, n_votes, alpha, beta)))

    best = likelihood(found.alpha or 0, found.beta or 0)
    for factor in (0.9, 1.1):
        assert likelihood(factor * (found.alpha or 0), found.beta or 0) < best
        assert likelihood(found.alpha or 0, factor * (found.beta or 0)) < best


def test_the_search_ends_where_all_pairs_are_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    """Alpha and beta grow without end there, and the likelihood is lost in its rounding."""
    found = []

    def minimize(*args: object, **named: object) -> optimize.OptimizeResult:
        found.append(optimize.minimize(*args, **named))
        return found[-1]

    monkeypatch.setattr(soft_labels, "minimize", minimize)
    for votes in ([1, 2, 1, 2], [3, 3, 3, 2], [1, 1, 1, 1]):
        assert fit(np.array(votes), np.full(4, 3)).alpha is not None
    assert all(search.nfev < 1_000 for search in found)


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1, max_size=30))
def test_a_share_is_drawn_towards_the_share_of_all_pairs_or_null_with_a_reason(counts: list[tuple[int, int]]) -> None:
    votes, n_votes = (np.array(side) for side in zip(*[(min(pair), max(pair)) for pair in counts], strict=True))
    found = fit(votes, n_votes)
    expected = found.expect(votes, n_votes)
    assert (found.reason is None) == (found.alpha is not None)
    if found.alpha is None or found.beta is None:
        assert expected.isna().all()
        return
    assert (expected.isna() == (n_votes == 0)).all()
    centre, known = found.alpha / (found.alpha + found.beta), n_votes > 0
    share, drawn = votes[known] / n_votes[known], expected[known].to_numpy("float64")
    assert (np.abs(drawn - centre) <= np.abs(share - centre) + 1e-9).all()
    assert ((drawn > 0) & (drawn < 1)).all()


@pytest.mark.parametrize(
    ("votes", "n_votes", "reason"),
    [
        ([0, 0], [0, 0], NO_VOTES),
        ([0, 1], [1, 1], NONE_DIVIDED),
        ([3, 2], [3, 2], NONE_DIVIDED),
        ([0, 1], [2, 1], NONE_DIVIDED),
    ],
)
def test_what_cannot_be_fitted_says_why(votes: list[int], n_votes: list[int], reason: str) -> None:
    found, expected = of_pairs(pd.DataFrame({"votes": votes, "n_votes": n_votes}), PUBLISHED_QUESTION)
    assert (found.reason, found.alpha, found.beta) == (reason, None, None)
    assert expected.isna().all()
