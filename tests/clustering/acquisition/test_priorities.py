import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clustering.acquisition import priorities
from clustering.config import SelectConfig
from data.contract.vocabulary import RANDOM_SHARE
from data.texts.languages.en import ENGLISH

NAN = float("nan")
scores = st.lists(st.none() | st.floats(0, 1), min_size=1, max_size=12).map(
    lambda values: np.array([[NAN if value is None else value] for value in values])
)


@given(scores=scores, threshold=st.floats(0, 1))
def test_a_margin_lies_between_minus_one_and_one_and_has_the_side_of_the_score(
    scores: np.ndarray, threshold: float
) -> None:
    margins = priorities.margins(scores, np.array([threshold]))
    known = ~np.isnan(scores)
    assert (np.isnan(margins) == ~known).all()
    assert (np.abs(margins[known]) <= 1).all()
    assert ((margins >= 0)[known] == (scores >= threshold)[known]).all()


def test_margins_reach_the_ends_whatever_the_threshold() -> None:
    margins = priorities.margins(np.array([[0.0], [0.2], [0.6], [1.0]]), np.array([0.2]))
    assert margins[:, 0].tolist() == pytest.approx([-1, 0, 0.5, 1])


def order(scores: list[list[float]], selection: str, overlap: list[float] | None = None) -> list[int]:
    """The rows that can be chosen, the best first, with a threshold of 0.4."""
    thresholds = np.full(len(scores[0]), 0.4)
    far = np.array(overlap or [0.5] * len(scores))
    priority = priorities.prioritise(np.array(scores), thresholds, far, selection)
    return [int(row) for row in np.argsort(-priority, kind="stable") if not np.isnan(priority[row])]


def test_uncertain_is_what_lies_nearest_to_the_threshold() -> None:
    assert order([[0.9], [0.38], [0.5], [NAN], [0.0]], "uncertain") == [1, 2, 0, 4]
    assert order([[1.0, 0.0], [0.5, 0.5]], "uncertain") == [0, 1], "the mean of several runs"


def test_disagreement_counts_votes_first_and_needs_two_runs() -> None:
    split, near, sure, one = [0.9, 0.1, 0.9], [0.45, 0.9, 0.6], [0.9, 0.9, 0.9], [0.5, NAN, NAN]
    assert order([sure, one, near, split], "disagreement") == [3, 2, 0]
    assert order([[0.45, 0.35], [0.9, 0.1]], "disagreement") == [1, 0], "among equal votes the larger variance"


def test_misleading_is_where_the_label_most_likely_contradicts_overlap() -> None:
    scores = [[0.8], [0.8], [0.1], [0.1], [0.9]]
    assert order(scores, "misleading", [0.05, 0.6, 0.6, 0.05, NAN]) == [2, 0, 1, 3]


def candidates_of(n: int, n_entities: int = 4) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "pair_id": [f"p{row:03}" for row in range(n)],
            "entity": [f"e{row % n_entities}" for row in range(n)],
            "priority": np.linspace(1, 0, n),
            "chance": np.linspace(0.9, 0.1, n),
            "is_scored": True,
            "detail": "margin",
            "says": [f"says {row}" for row in range(n)],
        }
    )


def config(**fields: object) -> SelectConfig:
    return SelectConfig(**{"selection": "uncertain", "limit": 10, **fields})  # type: ignore[arg-type]


@given(
    n=st.integers(0, 60), budget=st.integers(1, 40), share=st.floats(0, 1), cap=st.none() | st.integers(1, 5),
    seed=st.integers(0, 99),
)  # fmt: skip
def test_every_candidate_is_bought_or_left_out_and_the_random_share_is_exact(
    n: int, budget: int, share: float, cap: int | None, seed: int
) -> None:
    rules = config(limit=budget, random_share=share, per_entity=cap, seed=seed)
    chosen, others = priorities.buy(candidates_of(n), rules)
    assert sorted([*chosen["pair_id"], *others["pair_id"]]) == candidates_of(n)["pair_id"].tolist()
    assert chosen["rank"].tolist() == list(range(len(chosen)))
    is_random = chosen["selection"] == RANDOM_SHARE
    assert is_random.sum() == round(min(budget, n) * share)
    assert (~is_random).sum() <= budget - is_random.sum()
    if cap is not None and not is_random.all():
        assert chosen.loc[~is_random, "entity"].value_counts().max() <= cap
    assert set(others["reason"]) <= {priorities.ENTITY_FULL, priorities.LATER}
    again, _ = priorities.buy(candidates_of(n).sample(frac=1, random_state=seed), rules)
    pd.testing.assert_frame_equal(chosen, again)


def test_the_random_share_is_a_sample_of_all_candidates_whatever_the_model_says() -> None:
    pairs = candidates_of(100)
    picks = [
        priorities.buy(frame, config(limit=50, random_share=0.4))[0]
        for frame in (pairs, pairs.assign(priority=pairs["priority"].to_numpy()[::-1]))
    ]
    drawn = [set(rows.loc[rows["selection"] == RANDOM_SHARE, "pair_id"]) for rows in picks]
    assert drawn[0] == drawn[1]
    assert len(drawn[0]) == 20


def test_pairs_without_a_priority_are_left_out_by_name() -> None:
    pairs = candidates_of(4).assign(priority=[0.9, np.nan, np.nan, 0.8], is_scored=[True, True, False, True])
    chosen, others = priorities.buy(pairs, config(random_share=0.0))
    assert chosen["pair_id"].tolist() == ["p000", "p003"]
    assert others["reason"].tolist() == [priorities.NO_OVERLAP, priorities.NO_PREDICTION]


def test_of_pairs_that_say_the_same_one_is_bought() -> None:
    first = ["A cache keeps copies.", "a heap is a tree", "The cache keeps a copy", "a heap is a tree"]
    second = ["Data is copied.", "a tree of keys", "data is copied", "a map of keys"]
    says = priorities.what_they_say([*first, second[0]], [*second, first[2]], ENGLISH)
    pairs = candidates_of(5).assign(says=says)
    chosen, others = priorities.buy(pairs, config(random_share=0.0))
    assert chosen["pair_id"].tolist() == ["p000", "p001", "p003"]
    assert others["reason"].tolist() == [priorities.SAYS_THE_SAME] * 2
    drawn, others = priorities.buy(pairs.assign(says="one thing"), config(limit=4, random_share=0.5))
    assert drawn["selection"].tolist() == [RANDOM_SHARE] * 2
    assert len(others) == 3


def test_pairs_of_no_entity_do_not_share_a_limit() -> None:
    pairs = candidates_of(6).assign(entity=pd.Series([None] * 6, dtype="str"))
    assert len(priorities.buy(pairs, config(random_share=0.0, per_entity=1))[0]) == 6


@pytest.mark.sweep
@given(
    n=st.integers(4, 60),
    wish=st.floats(0.05, 0.95),
    limits=st.fixed_dictionaries(
        {
            "limit": st.integers(2, 30),
            "random_share": st.floats(0, 1),
            "per_entity": st.none() | st.integers(1, 5),
            "seed": st.integers(0, 99),
        }
    ),
)
def test_a_mix_comes_as_near_as_the_candidates_allow(n: int, wish: float, limits: dict[str, float | None]) -> None:
    candidates = candidates_of(n).assign(chance=np.random.default_rng(n).random(n))

    def expected(mix: float | None) -> tuple[float, int]:
        chosen, _ = priorities.buy(candidates, config(mix=mix, **limits))
        return float(chosen["chance"].mean()), len(chosen)

    (lowest, _), (highest, _), (plain, n_plain) = expected(1e-9), expected(1 - 1e-9), expected(None)
    found, n_found = expected(wish)
    assert n_found == n_plain, "a mix changes which pairs, never how many"
    assert abs(found - np.clip(wish, lowest, highest)) <= 1 / n_found + 1e-9
    assert abs(found - wish) <= abs(plain - wish) + 1 / n_found


def test_a_mix_takes_the_best_by_priority_on_either_side() -> None:
    candidates = candidates_of(40, n_entities=40).assign(chance=[0.9] * 20 + [0.1] * 20)
    chosen, _ = priorities.buy(candidates, config(random_share=0.0, mix=0.5))
    assert sorted(chosen["pair_id"]) == [*(f"p{row:03}" for row in range(5)), *(f"p{row:03}" for row in range(20, 25))]
