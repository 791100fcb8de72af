"""Pairs that are likely no paraphrases, for fields whose definitions agree: neighbours, senses, far ends.

*Neighbours* are definitions of two entities that share a head word (`type 1 diabetes`, `type 2 diabetes`). *Senses* are
definitions of one entity on both sides of a wide gap (`translocation` in a chromosome, in a plant). *Far ends* are the
least similar definitions of a large cluster. A contrast has a kind, and an order within it: its turn in its cluster,
entity or couple of entities, then its preference, lowest first.
"""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment
from scipy.sparse import csr_matrix
from sklearn.preprocessing import normalize

from clustering.candidates.clusters import Rows, cluster_entity, group_by
from clustering.candidates.vectors import Combined, Dense, Vectors, dense
from clustering.config import Config
from data.contract.vocabulary import FAR_ENDS, NEIGHBOURS, SENSES
from data.grouping import groups
from data.grouping.entities import ENTITIES, of_side

MIN_DEFINITIONS = 4
"""The least number of definitions of a cluster with far ends, or of an entity with senses."""
FAR_APART = 0.1
"""Two halves of an entity whose mean cosine is below this are senses (by reading 135 biomedical entities)."""
PAIRS_EACH = 3
"""The largest number of pairs of two senses, and of two neighbours."""
N_NEIGHBOURS = 3
"""How many neighbours each entity is compared with."""
JOINS_THIRD = "would_join_third_group"
ORDER = ["kind", "turn", "preference", "detail"]
COLUMNS = ["first", "second", *ORDER]
NONE = pd.DataFrame(columns=COLUMNS)


def find_far_ends(pairs: pd.DataFrame) -> pd.DataFrame:
    """The pairs within clusters (columns entity, cluster, similarity) with `kind` and its order.

    Of a cluster with n definitions, n at least 4, the n / 2 least similar pairs are far ends; the kind of others is "".
    """
    values = pairs["similarity"].astype("Float64")
    parts = values.groupby([pairs["entity"], pairs["cluster"]])
    n_definitions, turn = (1 + np.sqrt(1 + 8 * parts.transform("size"))) / 2, parts.rank(method="first") - 1
    is_end = ((n_definitions >= MIN_DEFINITIONS) & (turn < n_definitions // 2)).fillna(False).to_numpy(dtype=bool)
    shown = [f"similarity {value:.2f}" if end else "" for end, value in zip(is_end, values.fillna(0), strict=True)]
    return pairs.assign(
        kind=np.where(is_end, FAR_ENDS, ""),
        turn=turn.fillna(0).astype("int64"),
        preference=values.fillna(0).astype("float64"),
        detail=shown,
    )


def pair_senses(vectors: Vectors, entities: list[Rows], config: Config) -> pd.DataFrame:
    """The pairs across two senses of an entity: COLUMNS, the first two being row numbers.

    An entity of 4 to `exact_size` definitions is halved by the configuration's clusters; a half of one definition is no
    sense. The definitions closest to the middle of their sense are paired.
    """
    found = (
        row
        for rows in entities
        if MIN_DEFINITIONS <= len(rows) <= config.exact_size
        for row in _across(vectors, rows, config)
    )
    return pd.DataFrame(found, columns=COLUMNS)


def _across(vectors: Vectors, rows: Rows, config: Config) -> Iterator[tuple[object, ...]]:
    units = normalize(dense(vectors[rows]))
    halves = group_by(cluster_entity(units, replace(config, cluster_size=len(rows) / 2)))
    if min(map(len, halves)) < 2 or len(halves) < 2:
        return
    cosine = float(units[halves[0]].mean(axis=0) @ units[halves[1]].mean(axis=0))
    if cosine < FAR_APART:
        inner = [half[np.argsort(-(units[half] @ units[half].mean(axis=0)), kind="stable")] for half in halves]
        for turn, places in enumerate(list(zip(*inner, strict=False))[:PAIRS_EACH]):
            yield (*sorted(rows[list(places)]), SENSES, turn, cosine, f"mean cosine {cosine:.2f}")


def pair_neighbours(entity: pd.Series, vectors: Vectors, config: Config) -> pd.DataFrame:
    """The pairs of definitions of two entities that share a head word: COLUMNS, the first two being row numbers.

    Each entity meets the three of its head word whose mean vectors are closest. Of two entities, definitions are
    matched one to one, and the three most similar are pairs.
    """
    rows_of = group_by(pd.factorize(entity, sort=True)[0])
    names = [str(entity.iloc[rows[0]]) for rows in rows_of]
    canonical = np.array(config.known_language.canonicals(names), dtype=object)
    heads = pd.Series([name.rpartition(" ")[2] for name in canonical])
    centres = _centres(vectors, rows_of)
    found = []
    for head, members in heads.groupby(heads):
        of_head = members.index.to_numpy()[: config.exact_size]
        for one, other in () if len(of_head) < 2 else _closest(normalize(dense(centres[of_head])), canonical[of_head]):
            sides = [rows_of[of_head[place]][: config.exact_size] for place in (one, other)]
            found += [(*row, f"head word {head}") for row in _match(vectors, *sides)]
    return pd.DataFrame(found, columns=COLUMNS)


def _centres(vectors: Vectors, rows_of: list[Rows]) -> Vectors:
    """The mean vector of each entity."""
    sizes = np.array([len(rows) for rows in rows_of])
    places = np.concatenate([*rows_of, np.empty(0, dtype=np.intp)])
    starts = np.concatenate([[0], np.cumsum(sizes)])
    shares = csr_matrix(
        (np.repeat(1 / sizes, sizes).astype(np.float32), places, starts), (len(sizes), vectors.shape[0])
    )
    if isinstance(vectors, Combined):
        return Combined(sparse=csr_matrix(shares @ vectors.sparse), dense=shares @ vectors.dense)
    return shares @ vectors if isinstance(vectors, np.ndarray) else csr_matrix(shares @ vectors)


def _closest(centres: Dense, names: NDArray[np.object_]) -> Iterator[tuple[int, int]]:
    """Every two rows of different names of which one is among the N_NEIGHBOURS of the other, the lower first."""
    cosines = centres @ centres.T
    cosines[names[:, None] == names] = -np.inf
    nearest = np.argsort(-cosines, axis=1, kind="stable")[:, : min(N_NEIGHBOURS, len(centres) - 1)]
    couples = {
        (min(row, other), max(row, other))
        for row, others in enumerate(nearest.tolist())
        for other in others
        if names[row] != names[other]
    }
    yield from sorted(couples)


def _match(vectors: Vectors, one: Rows, other: Rows) -> Iterator[tuple[object, ...]]:
    """The most similar of the definitions of two entities that are matched one to one: COLUMNS but the last."""
    units = normalize(dense(vectors[np.concatenate([one, other])]))
    cosines = units[: len(one)] @ units[len(one) :].T
    left, right = linear_sum_assignment(cosines, maximize=True)
    best = np.argsort(-cosines[left, right], kind="stable")[:PAIRS_EACH]
    for turn, place in enumerate(best):
        ends = left[place], right[place]
        yield *sorted((one[ends[0]], other[ends[1]])), NEIGHBOURS, turn, -float(cosines[ends])


def bound(neighbours: pd.DataFrame, others: pd.DataFrame, config: Config) -> NDArray[np.bool_]:
    """Whether each pair of neighbours may be proposed beside the `others`: no split group joins more than one other.

    Couples of entities are taken from the most similar on. Without this rule, chains of neighbours would join most
    entities into one group, and no split would be possible.
    """
    columns = ["pair_id", *ENTITIES, "first", "second", "parents"]
    names = neighbours[ENTITIES].to_numpy(dtype=object)
    alone = [
        neighbours.assign(
            pair_id=neighbours[f"{side}_id"],
            entity=of_side(neighbours, side),
            second_entity=None,
            first=neighbours[side],
            second=neighbours[side],
        )
        for side in ("first", "second")
    ]
    known = pd.concat([others, *alone], ignore_index=True).drop_duplicates("pair_id", ignore_index=True)
    known["parents"] = pd.Series([[] for _ in range(len(known))], dtype=object)
    group_of = dict(zip(known["entity"], groups.group(known[columns], language=config.known_language), strict=True))
    partner: dict[str, str] = {}
    allowed = np.zeros(len(neighbours), dtype=bool)
    for place in np.lexsort((neighbours["pair_id"].to_numpy(dtype=object), neighbours["preference"])):
        one, other = (group_of[name] for name in names[place])
        allowed[place] = one == other or (partner.get(one, other), partner.get(other, one)) == (other, one)
        if allowed[place] and one != other:
            partner |= {one: other, other: one}
    return allowed
