"""A rough look first finds the same lowest scores as scoring everything, with fewer exact scores."""

from collections.abc import Sequence
from typing import get_args

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit

from data.measures.agreement import Reals
from identification.robustness.screening import MIN_ERROR, MIN_PAIRS, Screen
from identification.robustness.search import Exact, Query, find_lowest


def scorer(logits: Sequence[float]) -> "Counted":
    return Counted(np.array(logits))


class Counted:
    """Scores texts that are places in a list of logits, and counts them."""

    def __init__(self, logits: Reals) -> None:
        self.logits, self.n = logits, 0

    def __call__(self, first: Sequence[str], second: Sequence[str]) -> Reals:
        self.n += len(first)
        return np.asarray(expit(self.logits[[int(text) for text in first]]), dtype=np.float64)


def ask(n: int, label: int, lowest: int, exact: Exact = "best") -> Query:
    return Query([(str(place), "") for place in range(n)], label, lowest, exact)


def lowest(scores: Reals, query: Query) -> list[int]:
    return find_lowest(scores if query.label else 1 - scores, query.lowest)


def check(logits: Reals, errors: Reals, query: Query) -> None:
    """The screen chooses as scoring everything does."""
    answer = Screen(scorer(logits), scorer(logits + errors)).answer([query])[0]
    full = Screen(scorer(logits)).answer([query])[0]
    places = lowest(answer, query)
    assert set(places) == set(lowest(full, query))
    if query.exact != "none":
        assert places[0] == lowest(full, query)[0]
        assert answer[places[0]] == full[places[0]]
    if query.exact == "all":
        assert answer.tolist() == full.tolist()


@given(
    st.lists(st.tuples(st.floats(-18, 18), st.floats(-MIN_ERROR / 2, MIN_ERROR / 2)), min_size=1, max_size=30),
    st.floats(-0.5, 0.5),
    st.integers(0, 1),
    st.integers(1, 12),
    st.sampled_from(get_args(Exact)),
)
def test_the_lowest_match_scoring_everything(
    rows: list[tuple[float, float]], shift: float, label: int, n: int, exact: Exact
) -> None:
    logits, errors = np.array(rows).T
    check(logits, errors + shift, ask(len(rows), label, n, exact))


@given(st.integers(0, 2**32 - 1), st.floats(0.01, 3), st.integers(1, 25))
def test_errors_of_any_size_are_learned_from_few_pairs(seed: int, spread: float, n: int) -> None:
    random = np.random.default_rng(seed)
    check(random.normal(0, 1, 120), random.normal(0.1, spread, 120), ask(120, 1, n))


def test_what_is_far_from_the_lowest_is_not_scored_again() -> None:
    logits = np.arange(60) / 2
    Screen(exact := scorer(logits), rough := scorer(logits + 0.05)).answer([ask(60, 1, 3)])
    assert (exact.n, rough.n) == (MIN_PAIRS, 60)
    Screen(exact := scorer(logits / 40), scorer(logits / 40)).answer([ask(60, 0, 3)])
    assert MIN_PAIRS <= exact.n < 12


def test_as_many_are_scored_exactly_as_matter() -> None:
    random = np.random.default_rng(1)
    logits = np.concatenate([random.normal(-3, 0.02, 20), random.normal(3, 0.02, 40)])
    noisy = logits + random.normal(0, 0.02, 60)
    cases: list[tuple[Exact, range]] = [
        ("all", range(60, 61)),
        ("best", range(15, 21)),
        ("none", range(MIN_PAIRS, MIN_PAIRS + 1)),
    ]
    for wanted, counts in cases:
        Screen(exact := scorer(logits), scorer(noisy)).answer([ask(60, 1, 20, wanted)])
        assert exact.n in counts


def test_each_pair_is_scored_once_and_none_is_left_out_without_a_rough_model() -> None:
    exact = scorer([0.0, 1.0, 2.0])
    screen = Screen(exact)
    for scores in screen.answer([ask(3, 1, 1), ask(3, 0, 1)]):
        assert not np.isnan(scores).any()
    assert exact.n == 3
