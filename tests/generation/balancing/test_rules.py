"""The truth table of derived labels."""

from itertools import product

import pandas as pd
import pytest

from generation.balancing.recombination import follow_path

TABLE = {
    (1, 1, 1): (1, 1, 1),
    (1, 1, 0): (1, 0, 0),
    (1, 0, 1): (0, 1, 0),
    (1, 0, 0): (0, 0, None),
    (0, 1, 1): (0, 0, 0),
    (0, 1, 0): (0, None, None),
    (0, 0, 1): (None, 0, None),
    (0, 0, 0): (None, None, None),
}
"""Labels of (s1, s2), (s1, s1'), (s2, s2') -> labels of (s2, s1'), (s2', s1), (s2', s1')."""


def label(*steps: int | None) -> int | None:
    found = follow_path(*(pd.Series([step], dtype="Int64") for step in steps))[0]
    return None if found is pd.NA else int(found)


@pytest.mark.parametrize("steps", list(TABLE))
def test_the_truth_table(steps: tuple[int, int, int]) -> None:
    swap, first_back, second_back = steps
    derived = label(swap, first_back), label(swap, second_back), label(*steps)
    assert derived == TABLE[steps]


@pytest.mark.parametrize("steps", list(product((0, 1), repeat=3)))
def test_a_long_path_is_the_rule_applied_twice(steps: tuple[int, int, int]) -> None:
    first_half = label(*steps[:2])
    twice = None if first_half is None else label(first_half, steps[2])
    other_half = label(*steps[1:])
    other_way = None if other_half is None else label(steps[0], other_half)
    known = {way for way in (twice, other_way) if way is not None}
    assert known <= {label(*steps)}
    assert label(*steps) is None or known


def test_whole_columns_and_unknown_labels() -> None:
    swaps, back = (
        pd.Series([1, 0, None, 1], dtype="Int64"),
        pd.Series([1, 0, 1, None], dtype="Int64", index=list("abcd")),
    )
    assert follow_path(swaps, back).isna().tolist() == [False, True, True, True]
