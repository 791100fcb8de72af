"""Stratified splits: every group in one, the same share of each label in all."""

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.grouping import allocation


@given(
    st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)).filter(any), min_size=3, max_size=60), st.integers(0, 50)
)
def test_stratified_places_every_group_whatever_their_order(counts, seed) -> None:
    table = pd.DataFrame(counts, index=[f"g{place:03}" for place in range(len(counts))], columns=["0", "1"])
    ordered = allocation.place_stratified(table, (60, 20, 20), seed)
    unordered = allocation.place_stratified(table.iloc[::-1], (60, 20, 20), seed)
    assert set(ordered.index) == set(table.index)
    pd.testing.assert_series_equal(ordered, unordered)


def test_stratified_splits_have_the_same_share_of_every_label() -> None:
    counts = pd.DataFrame({"0": [9, 1] * 100, "1": [1, 9] * 100}, index=[f"g{n:03}" for n in range(200)])
    placed = allocation.place_stratified(counts, (60, 20, 20), 1)
    sums = counts.groupby(placed).sum()
    assert (sums["1"] / sums.sum(axis=1)).tolist() == pytest.approx([0.5] * 3, abs=0.02)
    assert sums.sum(axis=1)["train"] / 2000 == pytest.approx(0.6, abs=0.02)
