"""A rough look first finds the same lowest scores as scoring everything, with fewer exact scores."""

from collections.abc import Sequence

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.special import expit

from identification.robustness.screening import LEAST_ERROR, Screen
from identification.robustness.search import Query, find_lowest

Reals = NDArray[np.float64]


def scorer(logits: Sequence[float]) -> "Counted":
    return Counted(np.array(logits))


class Counted:
    """Scores texts that are places in a list of logits, and counts them."""

    def __init__(self, logits: Reals) -> None:
        self.logits, self.n = logits, 0

    def __call__(self, first: Sequence[str], second: Sequence[str]) -> Reals:
        self.n += len(first)
        return np.asarray(expit(self.logits[[int(text) for text in first]]), dtype=np.float64)


def ask(n: int, label: int, lowest: int) -> Query:
    return Query([(str(place), "") for place in range(n)], label, lowest)


def lowest(scores: Reals, query: Query) -> list[int]:
    return find_lowest(scores if query.label else 1 - scores, query.lowest)


@given(
    st.lists(st.tuples(st.floats(-18, 18), st.floats(-LEAST_ERROR, LEAST_ERROR)), min_size=1, max_size=30),
    st.integers(0, 1),
    st.integers(1, 8),
)
@settings(max_examples=60, deadline=None)
def test_the_lowest_are_those_of_scoring_everything(rows: list[tuple[float, float]], label: int, n: int) -> None:
    logits, errors = np.array(rows).T
    query, exact = ask(len(rows), label, n), scorer(logits)
    answer = Screen(exact, scorer(logits + errors)).answer([query])[0]
    full = Screen(scorer(logits)).answer([query])[0]
    places = lowest(answer, query)
    assert set(places) == set(lowest(full, query))
    assert places[0] == lowest(full, query)[0]
    assert answer[places[0]] == full[places[0]]


def test_what_is_far_above_the_lowest_is_not_scored_again() -> None:
    logits = np.arange(20) / 2
    exact, rough = scorer(logits), scorer(logits + 0.05)
    Screen(exact, rough).answer([ask(20, 1, 3)])
    assert (exact.n, rough.n) == (1, 20)  # the lowest alone: the others are within or beyond the three by far
    Screen(exact := scorer(logits / 25), scorer(logits / 25)).answer([ask(20, 0, 3)])
    assert 1 < exact.n < 8


def test_an_error_larger_than_expected_widens_the_look() -> None:
    logits = np.array([0.0, 1.0, 1.5, 2.0, 8.0])
    rough = logits + np.array([2.0, 0.0, 0.0, 0.0, 0.0])  # the lowest looks like the fourth
    screen = Screen(scorer(logits), scorer(rough), error=0.6)
    assert np.nanargmin(screen.answer([ask(5, 1, 3)])[0]) == 0
    assert round(screen.error, 6) == 4


def test_each_pair_is_scored_once_and_none_is_left_out_without_a_rough_model() -> None:
    exact = scorer([0.0, 1.0, 2.0])
    screen = Screen(exact)
    for scores in screen.answer([ask(3, 1, 1), ask(3, 0, 1)]):
        assert not np.isnan(scores).any()
    assert exact.n == screen.n_exact == 3
