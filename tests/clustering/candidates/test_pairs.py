from collections.abc import Callable
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix

from clustering.candidates.pairs import PairProposal, cosine, pair_within, propose, propose_from_vectors
from clustering.config import Config
from data.texts.identity import definition_id, pair_id

WORDS = ("network", "of", "small", "sensors", "that", "measure", "a", "place", "linked", "devices")
SMALL = Config(vector_size=6, epochs=2, n_init=2)


def definitions(rows: list[tuple[str, str]]) -> pd.DataFrame:
    frame = pd.DataFrame(rows, columns=["entity", "text"])
    ids = [definition_id(entity, text) for entity, text in rows]
    return frame.assign(definition_id=ids)


texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=7).map(" ".join)
tables = st.sets(st.tuples(st.sampled_from(("x", "y", "z")), texts), max_size=30).map(sorted).map(definitions)


@given(st.lists(st.integers(0, 4)))
def test_each_unordered_pair_within_a_group_comes_once(groups: list[int]) -> None:
    first, second = pair_within(np.array(groups, dtype=np.int64))
    expected = [(i, j) for i, j in combinations(range(len(groups)), 2) if groups[i] == groups[j]]
    assert sorted(zip(first.tolist(), second.tolist(), strict=True)) == expected


def test_cosine_of_known_vectors() -> None:
    vectors = np.array([[1, 0], [0, 2], [3, 3], [-1, 0]], dtype=np.float32)
    values = cosine(vectors, np.array([0, 0, 0, 1]), np.array([1, 2, 3, 1]))
    assert values.tolist() == pytest.approx([0, 0.5**0.5, -1, 1], abs=1e-6)


@pytest.mark.parametrize("form", [np.asarray, csr_matrix])
def test_a_zero_vector_has_no_cosine(form: Callable[[np.ndarray], Any]) -> None:
    vectors = form(np.array([[1, 0], [0, 0], [2, 0]], dtype=np.float32))
    values = cosine(vectors, np.array([0, 1, 0]), np.array([1, 1, 2]))
    assert values.tolist() == [pd.NA, pd.NA, 1.0]


def conserved(table: pd.DataFrame, proposal: PairProposal) -> None:
    of_definitions = proposal.rejects["id"].isin(table["definition_id"]).sum()
    assert len(table) == proposal.n_clustered + of_definitions
    assert proposal.n_candidates == len(proposal.pairs) + len(proposal.rejects) - of_definitions
    assert proposal.rejects["id"].is_unique


@pytest.mark.sweep
@given(table=tables, limit=st.none() | st.integers(1, 5), min_count=st.integers(1, 4))
def test_laws_of_a_proposal(table: pd.DataFrame, limit: int | None, min_count: int) -> None:
    config = Config(vector_size=6, epochs=1, n_init=1, limit=limit, min_count=min_count)
    proposal = propose(table, config)
    conserved(table, proposal)
    pairs = proposal.pairs
    assert pairs["pair_id"].is_unique
    assert (pairs["first_id"] < pairs["second_id"]).all()
    assert pairs["pair_id"].tolist() == list(map(pair_id, pairs["first_id"], pairs["second_id"]))
    entity = dict(zip(table["definition_id"], table["entity"], strict=True))
    text = dict(zip(table["definition_id"], table["text"], strict=True))
    for side in ("first", "second"):
        assert pairs[f"{side}_id"].map(entity).tolist() == pairs["entity"].tolist()
        assert pairs[f"{side}_id"].map(text).tolist() == pairs[side].tolist()
    assert pairs["rank"].is_unique
    assert limit is None or len(pairs) <= limit
    clusters = pd.concat(
        [pairs[["entity", f"{side}_id", "cluster"]].set_axis(["e", "d", "c"], axis=1) for side in ("first", "second")]
    )
    assert (clusters.groupby("d")["c"].nunique() <= 1).all()


@pytest.mark.sweep
@settings(max_examples=10)
@given(table=tables, seed=st.randoms(use_true_random=False))
def test_the_order_of_the_rows_does_not_matter(table: pd.DataFrame, seed: object) -> None:
    order = list(table.index)
    seed.shuffle(order)  # type: ignore[attr-defined]
    one, other = propose(table, SMALL), propose(table.loc[order], SMALL)
    pd.testing.assert_frame_equal(one.pairs, other.pairs)
    pd.testing.assert_frame_equal(one.rejects, other.rejects)


GOLDEN = definitions(
    [
        ("sensor network", "a group of small devices that measure a place"),
        ("sensor network", "a group of small devices that measure a place."),
        ("sensor network", "many nodes spread over an area to watch temperature or sound"),
        ("sensor network", "nodes that observe sound and heat together"),
        ("sensor network", "zzz"),
        ("data mining", "finding patterns in large tables"),
        ("data mining", "the search for useful regularities among much data"),
        ("lonely", "it has but one definition"),
    ]
)
PLACES = {"a group": (0, 9), "many": (9, 0), "nodes": (8, 1), "finding": (1, 1), "the search": (1, 2), "it": (4, 4)}


def golden(config: Config) -> PairProposal:
    ordered = GOLDEN.sort_values("definition_id", ignore_index=True)
    known = (ordered["text"] != "zzz").to_numpy()
    starts = [next(at for start, at in PLACES.items() if text.startswith(start)) for text in ordered["text"][known]]
    return propose_from_vectors(ordered, np.array(starts, dtype=np.float32), known, config)


def test_golden_pairs_from_fixed_vectors() -> None:
    proposal = golden(Config.paper())
    text = GOLDEN["text"]
    got = {frozenset(pair) for pair in zip(proposal.pairs["first"], proposal.pairs["second"], strict=True)}
    assert got == {frozenset(text.iloc[2:4]), frozenset(text.iloc[5:7])}
    nodes = proposal.pairs.set_index("entity").loc["sensor network"]
    assert nodes["similarity"] == pytest.approx((9 * 8) / (9 * 65**0.5), abs=1e-6)
    assert nodes["overlap"] == pytest.approx(2 / 10)
    assert nodes["selection"] == "every-pair"
    assert proposal.pairs["parents"].tolist() == [[], []]


def test_golden_rejects() -> None:
    proposal = golden(Config.paper())
    rejects = proposal.rejects.set_index("id")
    ids = dict(zip(GOLDEN["text"], GOLDEN["definition_id"], strict=True))
    assert rejects.loc[ids["zzz"], "reason"] == "no_known_word"
    assert rejects.loc[ids["it has but one definition"], "reason"] == "alone_in_cluster"
    near = rejects.loc[pair_id(*GOLDEN["definition_id"].iloc[:2])]
    assert near["reason"] == "near_duplicate_punctuation"
    assert near["detail"].startswith("edit similarity 1.000 of ")
    assert len(rejects) == 3
    conserved(GOLDEN, proposal)


def test_a_limit_keeps_the_first_ranks_and_rejects_the_rest() -> None:
    every, one = golden(Config.paper()), golden(Config(limit=1))
    first = every.pairs[every.pairs["rank"] == 0]
    assert one.pairs["pair_id"].tolist() == first["pair_id"].tolist()
    assert one.pairs["selection"].unique().tolist() == ["random"]
    surplus = one.rejects[one.rejects["reason"] == "over_max_pairs"]
    assert surplus["detail"].tolist() == ["rank 1"]


def test_a_higher_threshold_for_typos_keeps_more_pairs() -> None:
    pair = definitions([("x", "an efficient algorithm over graphs"), ("x", "an efficeint algorithm over graphs")])
    ordered = pair.sort_values("definition_id", ignore_index=True)
    vectors = np.ones((2, 2), dtype=np.float32)
    known = np.array([True, True])
    strict = propose_from_vectors(ordered, vectors, known, Config(min_edit_similarity=0.9))
    lax = propose_from_vectors(ordered, vectors, known, Config(min_edit_similarity=1.0))
    assert (len(strict.pairs), len(lax.pairs)) == (0, 1)
    assert strict.rejects["reason"].tolist() == ["near_duplicate_typos"]


SAME_WORDS = definitions(
    [
        ("x", "carry data between computers; essential to a communication system"),
        ("x", "the essential communication systems, which carries all data between each computer"),
        ("x", "for systems of communication a computer is not essential, and has data carried"),
    ]
)


@pytest.mark.parametrize(("max_overlap", "n_pairs"), [(None, 3), (0.9, 2)])
def test_the_same_words_in_another_form_are_a_near_duplicate_unless_one_negates(
    max_overlap: float | None, n_pairs: int
) -> None:
    ordered = SAME_WORDS.sort_values("definition_id", ignore_index=True)
    config = Config(max_overlap=max_overlap, cluster_size=3)
    proposal = propose_from_vectors(ordered, np.ones((3, 2), dtype=np.float32), np.ones(3, dtype=bool), config)
    assert len(proposal.pairs) == n_pairs
    conserved(ordered, proposal)
    expected = pair_id(*SAME_WORDS["definition_id"].iloc[:2])
    if max_overlap:
        assert proposal.rejects["id"].tolist() == [expected]
        assert proposal.rejects["reason"].tolist() == ["near_duplicate_same_words"]
        assert proposal.rejects["detail"][0].startswith("overlap 1.000 of ")


def test_nothing_in_is_nothing_out() -> None:
    proposal = propose(definitions([]), SMALL)
    assert len(proposal.pairs) == len(proposal.rejects) == proposal.n_clustered == proposal.n_candidates == 0
