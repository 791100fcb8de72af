"""What keeps pairs together: entities under any name, similar texts, parents; and schemes that never move."""

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.config import SplitRule
from analysis.splitting import allocation, frozen, split
from data.labelled import entities, groups, parade

WORDS = st.lists(st.sampled_from(["alpha", "beta", "gamma", "delta", "sorted", "tables"]), min_size=1, max_size=4)
NAMES = st.sampled_from(["ip address", "internet protocol address", "graph", "graphs", "tree", None])


def pairs_of(rows: list[tuple[str | None, str, str]], parents: dict[int, list[str]] | None = None) -> pd.DataFrame:
    frame = pd.DataFrame(rows, columns=["entity", "first", "second"])
    frame["pair_id"] = [f"p{place:03}" for place in range(len(frame))]
    return frame.assign(parents=[(parents or {}).get(place, []) for place in range(len(frame))])


def test_number_variants_acronyms_synonyms_texts_and_parents_hold_pairs_together() -> None:
    pairs = pairs_of(
        [
            ("graph", "points joined by edges", "a drawing of dots"),
            ("graphs", "nodes with arcs", "a plot"),
            ("ip address", "number of a host", "where a packet goes"),
            ("internet protocol address", "names a computer", "four numbers"),
            ("tree", "Points  joined by Edges", "a graph without circles"),
            ("hash table", "keys in buckets found quickly", "a map"),
            ("dictionary", "a list of words", "an index"),
            ("heap", "a pile", "keys in buckets, found quickly"),
            ("queue", "first in first out", "a line"),
        ],
        {8: ["p002"]},
    )
    group = groups.group(pairs, entities.read_synonyms(["# comment", "dictionary, hash tables"])).tolist()
    assert group[0] == group[1] == group[4] == "graph"
    assert group[2] == group[3] == group[8] == "internet protocol address"
    assert group[5] == group[6] == group[7] == "dictionary"
    assert len(set(group)) == 3


def test_two_children_of_one_parent_stay_together_though_the_parent_has_no_label() -> None:
    pairs = pairs_of([(None, "a b", "c d"), (None, "e f", "g h"), (None, "i j", "k l")], {0: ["x"], 1: ["x"]})
    assert groups.group(pairs).tolist() == ["p000", "p000", "p002"]


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["ip address", "internet protocol address"], [("ip address", "internet protocol address")]),
        (["internet protocol", "ip"], [("ip", "internet protocol")]),
        (["structured query language server", "sql server"], [("sql server", "structured query language server")]),
        (["graph", "tree"], []),
    ],
)
def test_acronyms(names: list[str], expected: list[tuple[str, str]]) -> None:
    assert entities.acronyms(names) == expected


def test_sets_of_synonyms_with_a_name_in_common_are_one() -> None:
    found = entities.read_synonyms(["a, b", "c\td", "b, c", ""])
    assert len(set(found.values())) == 1


@settings(max_examples=50)
@given(st.lists(st.tuples(NAMES, WORDS.map(" ".join), WORDS.map(" ".join)), min_size=1, max_size=14), st.randoms())
def test_groups_do_not_depend_on_the_order_and_share_no_key(rows, random) -> None:
    pairs = pairs_of(rows)
    group = groups.group(pairs)
    shuffled = pairs.sample(frac=1, random_state=random.randint(0, 999))
    assert groups.group(shuffled).sort_index().tolist() == group.tolist()
    keys = groups.find_keys(pairs, {}).merge(pairs.assign(group=group)[["pair_id", "group"]], on="pair_id")
    assert (keys.groupby("key")["group"].nunique() == 1).all()


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


def held_and_new() -> tuple[pd.DataFrame, pd.DataFrame]:
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
    held = pd.DataFrame({"pair_id": ["p000", "p001"], "split": ["train", "test"], "group": ["graph", "tree"]})
    return held, pairs


def test_a_frozen_scheme_never_moves_and_a_pair_that_would_join_two_splits_is_rejected() -> None:
    held, pairs = held_and_new()
    rows, rejects = split.extend(held, pairs, SplitRule(), {})
    pd.testing.assert_frame_equal(rows.iloc[:2], held, check_dtype=False)
    found = rows.set_index("pair_id")["split"]
    assert found["p002"] == "train"
    assert set(rows["pair_id"]) == set(pairs["pair_id"]) - {"p003"}
    assert set(rows["split"]) <= set(parade.SPLITS)
    assert rejects["id"].tolist() == ["p003"]
    assert rejects["reason"].tolist() == [frozen.REASON]
    assert rejects["detail"][0] == "test by text:branches and leaves; train by text:points joined by edges"


@settings(max_examples=50)
@given(st.lists(st.tuples(NAMES, WORDS.map(" ".join), WORDS.map(" ".join)), min_size=2, max_size=14), st.data())
def test_extended_schemes_never_leak_and_never_move(rows, data) -> None:
    pairs = pairs_of(rows)
    first = data.draw(st.integers(1, len(rows)))
    held = split.split(pairs.iloc[:first], SplitRule())
    extended, rejects = split.extend(held, pairs, SplitRule(), {})
    assert extended.iloc[:first]["split"].tolist() == held["split"].tolist()
    assert sorted([*extended["pair_id"], *rejects["id"]]) == sorted(pairs["pair_id"])
    keys = groups.find_keys(pairs, {}).merge(extended, on="pair_id")
    assert (keys.groupby("key")["split"].nunique() == 1).all()
