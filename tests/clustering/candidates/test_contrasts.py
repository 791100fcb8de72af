"""Pairs that are likely no paraphrases: of neighbours, across senses, from the far ends of clusters."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from clustering.candidates import contrasts, shards
from clustering.candidates.pairs import propose, propose_from_vectors
from clustering.candidates.shards import propose_in_shards
from clustering.config import Config
from data.contract.vocabulary import EVERY_PAIR, FAR_ENDS, NEIGHBOURS, SENSES
from data.grouping import groups
from data.grouping.entities import each
from tests.clustering.candidates.test_pairs import conserved, definitions
from tests.clustering.candidates.test_shards import same

KINDS = ("alpha", "beta", "gamma", "delta", "omega", "sigma")
WORDS = ("signal", "network", "theory", "of", "moving", "parts", "within", "large", "machines", "and", "minds")
ALL = Config(vectors="tfidf", clusters="ward", cluster_size=4, neighbours=50, senses=50, far_ends=50)


def world(n_entities: int, size: int = 8, head: str = "system") -> pd.DataFrame:
    """Entities that all share a head word, with definitions of random words."""
    random = np.random.default_rng(1)
    rows = [
        (f"kind{number} {head}", f"{KINDS[number % 6]} {' '.join(random.choice(WORDS, 6))} case {number}{at}")
        for number in range(n_entities)
        for at in range(size)
    ]
    return definitions(rows)


def selection(pairs: pd.DataFrame) -> "pd.Series[str]":
    return pairs["selection"].astype("str")


def test_each_kind_is_marked_and_the_rows_add_up() -> None:
    table = world(12)
    proposal = propose(table, ALL)
    conserved(table, proposal)
    kinds = selection(proposal.pairs)
    assert {NEIGHBOURS, FAR_ENDS, EVERY_PAIR} <= set(kinds)
    of_two = proposal.pairs["second_entity"].notna()
    assert of_two.tolist() == (kinds == NEIGHBOURS).tolist()
    entity = dict(zip(table["definition_id"], table["entity"], strict=True))
    sides = proposal.pairs[of_two]
    assert sides["entity"].tolist() == [entity[one] for one in sides["first_id"]]
    assert sides["second_entity"].tolist() == [entity[other] for other in sides["second_id"]]
    assert sides["cluster"].isna().all()
    assert proposal.pairs.loc[kinds == FAR_ENDS, "cluster"].notna().all()


def test_without_the_flags_nothing_changes() -> None:
    plain = propose(world(6), replace(ALL, neighbours=0, senses=0, far_ends=0)).pairs
    assert set(selection(plain)) == {EVERY_PAIR}
    marked = propose(world(6), replace(ALL, neighbours=0, senses=0)).pairs
    assert set(marked["pair_id"]) == set(plain["pair_id"])
    assert (selection(marked) == FAR_ENDS).sum() == min(50, (selection(propose(world(6), ALL).pairs) == FAR_ENDS).sum())


@pytest.mark.parametrize("n_entities", [6, 30])
def test_no_group_joins_more_than_two_entities_so_splits_stay_possible(n_entities: int) -> None:
    proposal = propose(world(n_entities), replace(ALL, neighbours=10_000))
    pairs = proposal.pairs
    together = groups.group(pairs)
    names = each(pairs)
    alone = groups.group(pairs[pairs["second_entity"].isna()])
    before = alone.nunique()
    assert together[names.index].groupby(together[names.index]).size().size >= before / 2
    if before == n_entities:
        assert names.groupby(together[names.index]).nunique().max() == 2
    reasons = set(proposal.rejects["reason"])
    assert n_entities < 4 or contrasts.JOINS_THIRD in reasons


def test_a_budget_keeps_the_contrasts_and_spreads_them_over_the_ranks() -> None:
    proposal = propose(world(20), replace(ALL, neighbours=20, senses=0, far_ends=10, limit=60))
    conserved(world(20), proposal)
    counts = selection(proposal.pairs).value_counts()
    assert (len(proposal.pairs), counts[NEIGHBOURS], counts[FAR_ENDS]) == (60, 20, 10)
    first = proposal.pairs[proposal.pairs["rank"] < 30]
    assert 8 <= (selection(first) == NEIGHBOURS).sum() <= 12
    assert sorted(proposal.pairs["rank"]) == list(range(60))
    larger = propose(world(20), replace(ALL, neighbours=20, senses=0, far_ends=10, limit=80))
    assert set(proposal.pairs["pair_id"]) < set(larger.pairs["pair_id"])


def test_senses_are_the_halves_of_an_entity_that_are_far_apart() -> None:
    table = definitions(
        [("cone", text) for text in ("cells of the eye", "eye cells for colour", "seeds of a tree", "tree with seeds")]
        + [("gene", text) for text in ("part of dna", "dna part", "a part of dna for a trait", "dna that codes")]
    ).sort_values("definition_id", ignore_index=True)
    eye = np.where(table["text"].str.contains("eye"), 1.0, 0.0)
    tree = np.where(table["text"].str.contains("tree"), 1.0, 0.0)
    vectors = np.array([eye, tree, np.where(table["entity"] == "gene", 1.0, 0.0)], dtype=np.float32).T
    vectors += np.random.default_rng(0).normal(0, 0.01, vectors.shape).astype(np.float32)
    config = Config(clusters="ward", senses=1)
    pairs = propose_from_vectors(table, vectors, np.ones(8, dtype=bool), config).pairs
    senses = pairs[selection(pairs) == SENSES]
    assert len(senses) == 1
    assert senses["entity"].tolist() == ["cone"]
    assert ("eye" in senses["first"].iloc[0]) != ("eye" in senses["second"].iloc[0])


def test_one_entity_under_two_numbers_is_no_neighbour_of_itself() -> None:
    texts = ("a way to keep data in order", "how records lie in memory", "records with operations", "order in memory")
    table = definitions(
        [(name, f"{text} {name[-1]}") for name in ("data structure", "data structures") for text in texts]
    )
    assert not (selection(propose(table, ALL).pairs) == NEIGHBOURS).any()


@pytest.mark.parametrize("vectors", ["tfidf", "combined", "word2vec"])
def test_shards_propose_the_same_contrasts(tmp_path, monkeypatch: pytest.MonkeyPatch, vectors: str) -> None:
    monkeypatch.setattr(shards, "DEFINITIONS_PER_SHARD", 20)
    config = replace(ALL, vectors=vectors, vector_size=8, epochs=2, min_count=1, neighbours=10, limit=40)  # type: ignore[arg-type]
    table = world(8)
    same(propose_in_shards(table, config, tmp_path / "work", "here"), propose(table, config))


def test_no_definitions_give_no_contrasts() -> None:
    assert propose(definitions([]), ALL).pairs.empty
    assert propose(world(1, size=1), ALL).pairs.empty
