"""What was made from definitions, in any number of steps."""

import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from data.provenance import descent
from data.provenance.descent import Texts
from data.texts.identity import pair_id

Row = tuple[int, int, list[int]]
ROWS = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5), st.lists(st.integers(0, 7), max_size=3)), max_size=8)
TAKEN = st.sets(st.integers(0, 5))


def pairs_of(rows: list[Row]) -> pd.DataFrame:
    """Pairs of numbered definitions; a row's parents are other rows by number, those out of range left out."""
    ids = [pair_id(str(one), str(other)) for one, other, _ in rows]
    return pd.DataFrame(
        {
            "pair_id": ids,
            "entity": "e",
            "second_entity": None,
            "first_id": [str(one) for one, _, _ in rows],
            "second_id": [str(other) for _, other, _ in rows],
            "parents": [[ids[place] for place in places if place < len(ids)] for _, _, places in rows],
        }
    )


@given(ROWS, TAKEN, TAKEN)
def test_nothing_that_stays_holds_or_was_made_from_what_is_gone(rows: list[Row], taken: set[int], seen: set[int]):
    pairs, known = pairs_of(rows), pd.DataFrame({"definition_id": [], "entity": []}, dtype="str")
    gone = frozenset(map(str, taken))
    fallen = descent.trace(gone, Texts(definitions=known, pairs=pairs, seen=frozenset(map(str, seen))))
    mined = {row.pair_id for row in pairs.itertuples() if not row.parents}
    for row in pairs.itertuples():
        if row.pair_id not in fallen.pairs:
            assert not {row.first_id, row.second_id} & (gone | fallen.made)
            assert row.pair_id in mined or not set(row.parents) & fallen.pairs
    assert not fallen.made & (gone | frozenset(map(str, seen)))
    if not gone:
        assert not fallen.pairs


def test_a_pair_that_was_also_mined_stays_when_only_its_parent_falls():
    rows: list[Row] = [(0, 1, []), (2, 3, [0]), (2, 3, [])]
    pairs = pairs_of(rows)
    none = pairs.iloc[:0].assign(definition_id="")
    fallen = descent.trace(frozenset({"0"}), Texts(definitions=none, pairs=pairs, seen=frozenset()))
    assert pairs["pair_id"].isin(fallen.pairs).tolist() == [True, False, False]
    assert not fallen.made


def test_a_pair_of_two_entities_falls_with_either_definition_though_it_left_the_table():
    names = ["type 1 diabetes", "type 2 diabetes", "hash table"]
    known = pd.DataFrame({"definition_id": list("012"), "entity": names})
    cross = pairs_of([(0, 1, [])]).assign(entity=names[0], second_entity=names[1])
    other = pair_id("0", "2")
    for taken in ("0", "1"):
        for pairs in (cross, cross.iloc[:0]):
            fallen = descent.trace(frozenset({taken}), Texts(definitions=known, pairs=pairs, seen=frozenset("012")))
            assert cross["pair_id"].iloc[0] in fallen.pairs
            assert other not in fallen.pairs
            assert not fallen.made


def test_texts_fall_with_what_they_were_made_from_and_pairs_of_two_made_texts_with_them():
    """s1 is 0, its swap 1, their back translations 2 and 3; 4 is made from 1 and from 5, which stays."""
    generated = pd.DataFrame({"text_id": list("12344"), "source_id": list("00115")})
    pairs = pairs_of([(0, 1, []), (0, 2, []), (1, 3, []), (2, 3, [0, 1, 2]), (1, 2, [0, 1]), (5, 4, []), (1, 4, [])])
    none = pd.DataFrame({"definition_id": [], "entity": []}, dtype="str")
    texts = Texts(definitions=none, pairs=pairs.assign(entity=None), seen=frozenset("05"), generated=generated)
    fallen = descent.trace(frozenset({"0"}), texts)
    assert fallen.made == {"1", "2", "3"}
    assert pairs["pair_id"].isin(fallen.pairs).tolist() == [True] * 5 + [False, True]


def test_a_made_text_that_a_card_holds_stays_with_what_was_made_from_it():
    generated = pd.DataFrame({"text_id": list("12"), "source_id": list("01")})
    pairs = pairs_of([(0, 1, []), (1, 2, [])]).assign(entity=None)
    none = pd.DataFrame({"definition_id": [], "entity": []}, dtype="str")
    texts = Texts(definitions=none, pairs=pairs, seen=frozenset("01"), generated=generated)
    fallen = descent.trace(frozenset({"0"}), texts)
    assert (fallen.made, pairs["pair_id"].isin(fallen.pairs).tolist()) == (set(), [True, False])
