from typing import Literal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix
from sklearn.cluster import KMeans

from clustering.candidates.clusters import cluster, cluster_entity, group_by, number_by_appearance, split
from clustering.candidates.vectors import Combined
from clustering.config import Config


def blobs(n: int, seed: int = 3) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(n, 12)).astype(np.float32)


@given(st.lists(st.integers(0, 5)))
def test_every_row_is_in_the_group_of_its_key(keys: list[int]) -> None:
    groups = group_by(np.array(keys, dtype=np.int64))
    assert [keys[rows[0]] for rows in groups] == sorted(set(keys))
    assert sorted(np.concatenate([[], *groups]).tolist()) == list(range(len(keys)))
    assert all({keys[row] for row in rows} == {keys[rows[0]]} for rows in groups)


@given(n=st.integers(2, 40), n_init=st.integers(1, 4), seed=st.integers(0, 99))
def test_clusters_match_scikit_learn(n: int, n_init: int, seed: int) -> None:
    vectors = blobs(n, seed)
    plain = KMeans(n_clusters=max(1, n // 2), n_init=n_init, random_state=seed).fit_predict(vectors)
    assert cluster_entity(vectors, Config(n_init=n_init, seed=seed)).tolist() == number_by_appearance(plain).tolist()


def test_two_tight_groups_come_apart() -> None:
    vectors = np.array([[0, 1], [5, 5], [0, 1.1], [5, 5.1]], dtype=np.float32)
    labels = cluster(vectors, [np.arange(4)], Config.paper())
    assert labels.tolist() == [0, 1, 0, 1]


def test_an_entity_has_half_as_many_clusters_as_definitions() -> None:
    for n in (1, 2, 3, 4, 9, 20):
        labels = cluster(blobs(n), [np.arange(n)], Config.recommended())
        assert labels.max() + 1 == max(1, n // 2)


def test_equal_vectors_share_a_cluster() -> None:
    vectors = np.repeat(blobs(2), [5, 1], axis=0)
    labels = cluster(vectors, [np.arange(6)], Config.paper())
    assert labels.tolist() == [0, 0, 0, 0, 0, 1]


def test_each_entity_is_clustered_as_if_alone() -> None:
    vectors = blobs(11)
    rows = [np.array([0, 2, 4, 6]), np.array([1, 3, 5, 7, 8, 9, 10])]
    together = cluster(vectors, rows, Config.paper())
    for group in rows:
        alone = cluster(vectors[group], [np.arange(len(group))], Config.paper())
        assert together[group].tolist() == alone.tolist()


@settings(max_examples=20)
@given(n=st.integers(4, 40), seed=st.integers(0, 99))
def test_ward_has_half_as_many_clusters_and_no_seed(n: int, seed: int) -> None:
    one, other = (cluster_entity(blobs(n, seed), Config(clusters="ward", seed=start)) for start in (1, 2))
    assert one.tolist() == other.tolist()
    assert len(set(one.tolist())) == n // 2


def test_ward_joins_what_is_near() -> None:
    vectors = np.array([[0, 1], [5, 5], [0, 1.1], [5, 5.1], [9, 0]], dtype=np.float32)
    labels = cluster(vectors, [np.arange(5)], Config(clusters="ward"))
    assert labels[0] == labels[2] != labels[1] == labels[3]
    assert labels.max() == 1


def test_ward_on_equal_vectors() -> None:
    vectors = np.repeat(blobs(2), [5, 1], axis=0)
    assert cluster(vectors, [np.arange(6)], Config(clusters="ward")).tolist() == [0, 0, 0, 0, 0, 1]
    assert cluster(blobs(1).repeat(4, axis=0), [np.arange(4)], Config(clusters="ward")).tolist() == [0] * 4


@given(n=st.integers(2, 90), most=st.integers(2, 40), seed=st.integers(0, 9))
def test_a_split_holds_every_row_once_in_even_parts(n: int, most: int, seed: int) -> None:
    parts = split(blobs(n, seed), most)
    assert sorted(np.concatenate(parts).tolist()) == list(range(n))
    assert max(map(len, parts)) <= most
    assert max(map(len, parts)) <= 2 * min(map(len, parts))


@given(n=st.integers(3, 60), most=st.integers(2, 20), seed=st.integers(0, 9), equal=st.booleans())
def test_sparse_vectors_are_split_as_dense_ones(n: int, most: int, seed: int, equal: bool) -> None:
    vectors = np.repeat(blobs(1, seed), n, axis=0) if equal else blobs(n, seed)
    plain, sparse = (split(rows, most) for rows in (vectors, csr_matrix(vectors)))
    assert [part.tolist() for part in plain] == [part.tolist() for part in sparse]


@pytest.mark.parametrize("method", ["kmeans", "ward"])
def test_beyond_the_exact_size_parts_are_clustered_alone(method: Literal["kmeans", "ward"]) -> None:
    vectors = np.concatenate([blobs(30), blobs(30, seed=4) + 50])
    labels = cluster_entity(vectors, Config(clusters=method, exact_size=30))
    assert labels.max() + 1 == 30
    assert not set(labels[:30]) & set(labels[30:])
    alone = cluster_entity(vectors[:30], Config(clusters=method))
    assert labels[:30].tolist() == alone.tolist()


@pytest.mark.parametrize(("size", "expected"), [(2, 10), (2.5, 8), (3, 6), (1, 20), (50, 1)])
def test_the_mean_size_sets_the_number_of_clusters(size: float, expected: int) -> None:
    labels = cluster_entity(blobs(20), Config(cluster_size=size, clusters="ward"))
    assert labels.max() + 1 == expected


def test_sparse_vectors_are_clustered_as_dense_ones() -> None:
    plain = np.where(blobs(20) > 0.5, blobs(20), 0).astype(np.float32)
    rows = [np.arange(20)]
    for config in (Config(), Config(clusters="ward")):
        assert cluster(csr_matrix(plain), rows, config).tolist() == cluster(plain, rows, config).tolist()


@pytest.mark.parametrize("method", ["kmeans", "ward"])
def test_combined_vectors_are_clustered_by_both_parts(method: Literal["kmeans", "ward"]) -> None:
    """Each part alone says that two rows are equal; only both parts tell all four apart."""
    parts = np.array([[0, 0], [0, 9], [9, 0], [9, 9.1], [0, 0.1], [0, 9.1], [9, 0.1], [9, 9]], dtype=np.float32)
    combined = Combined(sparse=csr_matrix(parts[:, :1]), dense=parts[:, 1:])
    assert combined.shape == (8, 2)
    labels = cluster(combined, [np.arange(8)], Config(clusters=method))
    assert labels.tolist() == [0, 1, 2, 3] * 2


def test_combined_vectors_beyond_the_exact_size_are_split_by_the_dense_part() -> None:
    rows = blobs(40)
    combined = Combined(sparse=csr_matrix(blobs(40, seed=4)), dense=rows)
    assert [part.tolist() for part in split(combined, 15)] == [part.tolist() for part in split(rows, 15)]
