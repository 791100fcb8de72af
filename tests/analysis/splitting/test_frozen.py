"""Frozen schemes: no pair moves, and none joins two splits."""

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.splitting import frozen
from data.contract.vocabulary import SPLITS
from data.grouping import dealing, groups
from data.grouping.dealing import SplitRule
from tests.pairs import ROWS, pairs_of


def frozen_and_new() -> tuple[pd.DataFrame, pd.DataFrame]:
    pairs = pairs_of(
        [
            ("graph", "points joined by edges", "a drawing of dots"),
            ("tree", "branches and leaves", "grows from its root"),
            ("graphs", "new words here", "other new ones"),
            ("forest", "points joined by edges", "branches and leaves"),
            ("wood", "planks", "timber"),
            ("stack", "last in first out", "plates on plates"),
        ]
    )
    rows_before = pd.DataFrame({"pair_id": ["p000", "p001"], "split": ["train", "test"], "group": ["graph", "tree"]})
    return rows_before, pairs


def test_a_frozen_scheme_never_moves_and_a_pair_that_would_join_two_splits_is_rejected() -> None:
    rows_before, pairs = frozen_and_new()
    rows, rejects = frozen.extend(rows_before, pairs, SplitRule(), {})
    pd.testing.assert_frame_equal(rows.iloc[:2], rows_before, check_dtype=False)
    placed = rows.set_index("pair_id")["split"]
    assert placed["p002"] == "train"
    assert set(rows["pair_id"]) == set(pairs["pair_id"]) - {"p003"}
    assert set(rows["split"]) <= set(SPLITS)
    assert rejects["id"].tolist() == ["p003"]
    assert rejects["reason"].tolist() == [frozen.REASON]
    assert rejects["detail"][0] == "test by text:branches and leaves; train by text:points joined by edges"


@pytest.mark.sweep
@given(st.lists(ROWS, min_size=2, max_size=14), st.data())
def test_extended_schemes_never_leak_and_never_move(rows, data) -> None:
    pairs = pairs_of(rows)
    first = data.draw(st.integers(1, len(rows)))
    rows_before = dealing.split(pairs.iloc[:first], SplitRule())
    extended, rejects = frozen.extend(rows_before, pairs, SplitRule(), {})
    assert extended.iloc[:first]["split"].tolist() == rows_before["split"].tolist()
    assert sorted([*extended["pair_id"], *rejects["id"]]) == sorted(pairs["pair_id"])
    keys = groups.find_keys(pairs, {}).merge(extended, on="pair_id")
    assert (keys.groupby("key")["split"].nunique() == 1).all()
