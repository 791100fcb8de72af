"""What keeps pairs together: entities under any name, similar texts, parents."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.grouping import entities, groups
from tests.pairs import ROWS, pairs_of


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


@pytest.mark.sweep
@given(st.lists(ROWS, min_size=1, max_size=14), st.randoms())
def test_groups_do_not_depend_on_the_order_and_share_no_key(rows, random) -> None:
    pairs = pairs_of(rows)
    group = groups.group(pairs)
    shuffled = pairs.sample(frac=1, random_state=random.randint(0, 999))
    assert groups.group(shuffled).sort_index().tolist() == group.tolist()
    keys = groups.find_keys(pairs, {}).merge(pairs.assign(group=group)[["pair_id", "group"]], on="pair_id")
    assert (keys.groupby("key")["group"].nunique() == 1).all()
