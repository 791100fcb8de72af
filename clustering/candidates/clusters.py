"""Each entity's definitions in clusters of about two, or of the size that the configuration sets."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import numpy as np
import sklearn
from numpy.typing import NDArray
from scipy.cluster.hierarchy import fcluster, linkage
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA
from threadpoolctl import threadpool_limits

from clustering.candidates.vectors import Combined, Dense, Vectors, dense
from clustering.config import Config

Rows = NDArray[np.intp]


def group_by(keys: NDArray[np.generic]) -> list[Rows]:
    """The row numbers of each distinct key, ascending; groups are in the order of the keys."""
    order = np.argsort(keys, kind="stable")
    ends = np.flatnonzero(keys[order][1:] != keys[order][:-1]) + 1
    return np.split(order, ends) if len(order) else []


def cluster(vectors: Vectors, entities: Iterable[Rows], config: Config) -> NDArray[np.int64]:
    """The number of each vector's cluster, from 0 within its entity, in the order of the clusters' first vectors.

    `entities` gives the row numbers of each entity; rows of no entity get -1.
    """
    labels = np.full(vectors.shape[0], -1, dtype=np.int64)
    with one_thread():
        for rows in entities:
            labels[rows] = cluster_entity(vectors[rows], config)
    return labels


@contextmanager
def one_thread() -> Iterator[None]:
    """Limit the numeric libraries to one thread: on entities of about ten rows, several only wait for one another."""
    with threadpool_limits(1), sklearn.config_context(assume_finite=True, skip_parameter_validation=True):
        yield


def cluster_entity(vectors: Vectors, config: Config) -> NDArray[np.int64]:
    """The number of each row's cluster, from 0 in the order of the clusters' first rows.

    There are k = floor(n / `cluster_size`) clusters, at least 1 (section 3.2: half as many as rows). More than
    `exact_size` rows are clustered part by part (see `split`).
    """
    labels = np.empty(vectors.shape[0], dtype=np.int64)
    n_before = 0
    for part in split(vectors, config.exact_size):
        labels[part] = _cluster_part(dense(vectors[part]), config) + n_before
        n_before = int(labels[part].max()) + 1
    return number_by_appearance(labels)


def split(vectors: Vectors, most: int) -> list[Rows]:
    """The row numbers in parts of at most `most` rows: halved at the median of their longest axis."""
    parts: list[Rows] = []
    waiting: list[Rows] = [np.arange(vectors.shape[0])]
    while waiting:
        rows = waiting.pop()
        if len(rows) <= most:
            parts.append(rows)
        else:
            order = np.argsort(_along_longest_axis(vectors[rows]), kind="stable")
            waiting += [np.sort(half) for half in np.array_split(rows[order], 2)]
    return parts


def _along_longest_axis(rows: Vectors) -> NDArray[np.float64]:
    """The position of each row along the first principal axis, signed so that its largest component is positive.

    Sparse rows have thousands of columns: only their first axis is computed. Of combined rows, the dense part decides.
    """
    if isinstance(rows, Combined):
        rows = rows.dense
    if isinstance(rows, np.ndarray):
        centred = rows.astype(np.float64) - rows.mean(axis=0, dtype=np.float64)
        axis = np.linalg.eigh(centred.T @ centred)[1][:, -1]
        places: NDArray[np.float64] = centred @ axis * np.sign(axis[np.argmax(np.abs(axis))])
        return places
    if abs(rows - rows[np.zeros(rows.shape[0], dtype=np.intp)]).sum() == 0:  # ARPACK finds no axis of equal rows
        return np.zeros(rows.shape[0])
    found = PCA(1, svd_solver="arpack", random_state=0).fit_transform(rows.astype(np.float64))
    return np.asarray(found[:, 0], dtype=np.float64)


def _cluster_part(vectors: Dense, config: Config) -> NDArray[np.int64]:
    """The number of each row's cluster; k is at most the number of distinct rows, since equal rows stay together."""
    n_clusters = max(1, min(int(len(vectors) / config.cluster_size), len({row.tobytes() for row in vectors})))
    if n_clusters == 1:
        return np.zeros(len(vectors), dtype=np.int64)
    method = _by_kmeans if config.clusters == "kmeans" else _by_ward
    return number_by_appearance(method(vectors, n_clusters, config))


def _by_kmeans(vectors: Dense, n_clusters: int, config: Config) -> NDArray[np.int32]:
    means = KMeans(n_clusters, init=_PlusPlus(), n_init=config.n_init, random_state=config.seed)
    labels: NDArray[np.int32] = means.fit_predict(vectors)
    return labels


def _by_ward(vectors: Dense, n_clusters: int, _config: Config) -> NDArray[np.int32]:
    """The tree of Ward (1963), cut into `n_clusters`; ties in height may give fewer."""
    return fcluster(linkage(vectors, method="ward"), n_clusters, criterion="maxclust")


class _PlusPlus:
    """scikit-learn's k-means++ for one set of rows: the same draws, hence the same starts, from one table of distances.

    scikit-learn validates its input again for every centre, which on about ten rows takes most of the time.
    """

    def __init__(self) -> None:
        self._distances: Dense | None = None

    def __call__(self, rows: Dense, n_clusters: int, random_state: np.random.RandomState) -> Dense:
        """The rows to start from; every call must be given the same `rows`."""
        if self._distances is None:
            self._distances = _squared_distances(rows)
        distances, weights = self._distances, np.ones((len(rows), 1), dtype=np.float32)
        n_trials = 2 + int(np.log(n_clusters))
        chosen = [int(random_state.choice(len(rows), p=weights[:, 0] / weights.sum()))]
        closest = distances[chosen[0]]
        potential = closest @ weights[:, 0]
        for _ in range(1, n_clusters):
            drawn = random_state.uniform(size=n_trials) * potential
            candidates = np.searchsorted(np.cumsum(closest), drawn).clip(max=len(rows) - 1)
            distances_then = np.minimum(closest, distances[candidates])
            potentials = distances_then @ weights
            best = int(np.argmin(potentials))
            potential, closest = potentials[best], distances_then[best]
            chosen.append(int(candidates[best]))
        return rows[chosen]


def _squared_distances(rows: Dense) -> Dense:
    """The squared distances between all rows, at least 0; computed in double precision."""
    wide = rows.astype(np.float64)
    squares = np.einsum("ij,ij->i", wide, wide)
    distances: Dense = (squares[:, None] - 2 * (wide @ wide.T) + squares).astype(np.float32)
    return distances.clip(min=0)


def number_by_appearance(labels: NDArray[np.integer]) -> NDArray[np.int64]:
    """The labels renumbered from 0 in the order of their first appearance."""
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[inverse]
