"""Definitions -> pairs: every two of a cluster, without near duplicates, in a seeded order."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.sparse.linalg import norm as sparse_norm

from clustering.candidates import contrasts
from clustering.candidates.clusters import cluster, group_by
from clustering.candidates.selection import choose
from clustering.candidates.vectors import Combined, Mask, Vectors, Watch, describe, unwatched
from clustering.config import Config
from data.grouping.entities import from_sides
from data.texts import similarity
from data.texts.identity import pair_id

NO_WORD, ALONE, SAME_WORDS = "no_known_word", "alone_in_cluster", "near_duplicate_same_words"
BLOCK_PAIRS = 65_536
"""Pairs whose vectors are in memory at once: 160 MB at 300 dimensions."""


Pools = tuple[pd.DataFrame, pd.DataFrame]
"""Pairs that may be proposed, and the rejects."""


@dataclass(frozen=True, kw_only=True)
class PairProposal:
    """What became of the definitions.

    `pairs`: the columns of the table `pairs` except `generator`. `rejects`: id, reason and detail of definitions that
    share a cluster with no other and of dropped pairs. `n_clustered`: definitions in a cluster of at least two.
    `n_candidates`: pairs before any was dropped. Definitions = clustered + rejected definitions; candidates = pairs +
    rejected pairs.
    """

    pairs: pd.DataFrame
    rejects: pd.DataFrame
    n_clustered: int
    n_candidates: int


def propose(definitions: pd.DataFrame, config: Config, watch: Watch = unwatched) -> PairProposal:
    """The pairs of the definitions (columns definition_id, entity, text), and everything dropped with its reason.

    The order of the rows does not matter. Source: section 3.2.
    """
    ordered = definitions.sort_values("definition_id", kind="stable", ignore_index=True)
    vectors, known = describe(ordered["text"].tolist(), config, watch)
    return propose_from_vectors(ordered, vectors, known, config, watch)


def propose_from_vectors(
    ordered: pd.DataFrame, vectors: Vectors, known: Mask, config: Config, watch: Watch = unwatched
) -> PairProposal:
    """Like `propose`, for definitions sorted by id; `vectors` has a row for each that is `known`."""
    described = ordered[known].reset_index(drop=True)
    pools = pool(described, vectors, config, watch)
    return assemble(ordered, known, with_neighbours(pools, neighbours(described, vectors, config), config), config)


def assemble(ordered: pd.DataFrame, known: Mask, pools: Pools, config: Config) -> PairProposal:
    """The proposal from all definitions, the mask of those with a vector, and the pools of those (see `pool`)."""
    distinct, dropped = pools
    unknown = _rejects(ordered.loc[~known, "definition_id"], NO_WORD, "no word of it occurs often enough for a vector")
    pairs, surplus = choose(distinct, config)
    reasons = np.where(surplus["cluster"].notna(), "over_max_pairs", "over_contrasts").tolist()
    over = _rejects(surplus["pair_id"], reasons, [f"rank {rank}" for rank in surplus["rank"]])
    n_alone = int((dropped["reason"] == ALONE).sum())
    return PairProposal(
        pairs=pairs,
        rejects=pd.concat([unknown, dropped, over], ignore_index=True),
        n_clustered=int(known.sum()) - n_alone,
        n_candidates=len(distinct) + len(dropped) - n_alone,
    )


def pool(described: pd.DataFrame, vectors: Vectors, config: Config, watch: Watch = unwatched) -> Pools:
    """All pairs within a cluster that are not near-duplicates, with their overlap, and the rejects; before selection.

    With `senses`, also pairs across the senses of an entity (see `contrasts`).

    `described` are definitions sorted by id, `vectors` theirs. Entities are independent of one another: the pool of
    some does not depend on the others.
    """
    entities = group_by(pd.factorize(described["entity"], sort=True)[0])
    labels = cluster(vectors, watch(entities, label="clusters", unit="entities", total=len(entities)), config)
    candidates = _candidates(described, vectors, labels)
    if config.far_ends:
        candidates = contrasts.find_far_ends(candidates)
    if config.senses:
        candidates = _with_senses(candidates, described, vectors, contrasts.pair_senses(vectors, entities, config))
    distinct, near = _without_near_duplicates(candidates, config)
    in_pair = described["definition_id"].isin([*candidates["first_id"], *candidates["second_id"]])
    alone = described.loc[~in_pair, "definition_id"]
    why = "no other definition of the entity is in its cluster"
    return distinct, pd.concat([_rejects(alone, ALONE, why), near], ignore_index=True)


def neighbours(described: pd.DataFrame, vectors: Vectors, config: Config) -> pd.DataFrame:
    """The pairs of neighbouring entities; none unless the configuration asks for some."""
    asked = config.neighbours and len(described)
    found = contrasts.pair_neighbours(described["entity"], vectors, config) if asked else contrasts.NONE
    return _pairs_of(described, vectors, found)


def with_neighbours(pools: Pools, found: pd.DataFrame, config: Config) -> Pools:
    """The pools with the pairs of neighbours that are no near-duplicates and join no more than two split groups."""
    if found.empty:
        return pools
    (distinct, dropped), (kept, near) = pools, _without_near_duplicates(found, config)
    allowed = contrasts.bound(kept, distinct, config)
    third = _rejects(kept.loc[~allowed, "pair_id"], contrasts.JOINS_THIRD, "a neighbour more similar to one of the two")
    in_pair = dropped["id"].isin([*found["first_id"], *found["second_id"]]) & (dropped["reason"] == ALONE)
    return (
        pd.concat([distinct, kept[allowed]], ignore_index=True),
        pd.concat([dropped[~in_pair], near, third], ignore_index=True),
    )


def pair_within(groups: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The row numbers of all pairs within a group: the lower number in the first array, the higher in the second."""
    order = np.argsort(groups, kind="stable")
    ends = np.searchsorted(groups[order], groups[order], side="right")
    n_later = ends - np.arange(len(order)) - 1
    first = np.repeat(np.arange(len(order)), n_later)
    starts = np.repeat(np.cumsum(n_later) - n_later, n_later)
    second = first + 1 + np.arange(len(first)) - starts
    return order[first], order[second]


def cosine(vectors: Vectors, first: NDArray[np.int64], second: NDArray[np.int64]) -> pd.Series:
    """The cosine of each pair of rows, in [-1, 1], as Float64; null where a row is zero.

    Computed block by block, so that few vectors are in memory at once.
    """
    blocks = range(0, len(first), BLOCK_PAIRS)
    parts = [_cosine(vectors[first[at : at + BLOCK_PAIRS]], vectors[second[at : at + BLOCK_PAIRS]]) for at in blocks]
    values = np.concatenate([*parts, np.empty(0)]).clip(-1, 1)
    return pd.Series(values, dtype="Float64").mask(np.isnan(values))


def _cosine(left: Vectors, right: Vectors) -> NDArray[np.float64]:
    """The cosine of each row of `left` with the same row of `right`; NaN where either is zero."""
    products, lengths = _products(left, right), _lengths(left) * _lengths(right)
    cosines: NDArray[np.float64] = np.divide(products, lengths, out=np.full(len(products), np.nan), where=lengths > 0)
    return cosines


def _products(left: Any, right: Any) -> NDArray[np.float64]:
    """The inner product of each row of `left` with the same row of `right`."""
    if isinstance(left, Combined):
        return _products(left.sparse, right.sparse) + _products(left.dense, right.dense)
    if isinstance(left, np.ndarray):
        return np.asarray(np.einsum("ij,ij->i", left, right), dtype=np.float64)
    return np.asarray(left.multiply(right).sum(axis=1), dtype=np.float64).ravel()


def _lengths(rows: Vectors) -> NDArray[np.floating]:
    """The Euclidean length of each row."""
    if isinstance(rows, Combined):
        return np.asarray(np.hypot(_lengths(rows.sparse), _lengths(rows.dense)))
    return np.asarray(np.linalg.norm(rows, axis=1) if isinstance(rows, np.ndarray) else sparse_norm(rows, axis=1))


def _candidates(definitions: pd.DataFrame, vectors: Vectors, labels: NDArray[np.int64]) -> pd.DataFrame:
    """All pairs within a cluster: the columns of the table `pairs` that are known before any is dropped."""
    entities = pd.factorize(definitions["entity"], sort=True)[0]
    first, second = pair_within(entities * (labels.max(initial=0) + 1) + labels)
    rows = pd.DataFrame({"first": first, "second": second}).assign(kind="", turn=0, preference=0.0, detail="")
    return _pairs_of(definitions, vectors, rows, labels[first])


def _with_senses(
    candidates: pd.DataFrame, definitions: pd.DataFrame, vectors: Vectors, found: pd.DataFrame
) -> pd.DataFrame:
    """The candidates and the pairs across senses, which keep their cluster where they are candidates, too."""
    senses = _pairs_of(definitions, vectors, found)
    cluster = candidates.set_index("pair_id")["cluster"]
    senses["cluster"] = senses["pair_id"].map(cluster).astype("Int64")
    others = candidates[~candidates["pair_id"].isin(senses["pair_id"])]
    return pd.concat([others, senses]).sort_values("pair_id", ignore_index=True)


def _pairs_of(
    definitions: pd.DataFrame, vectors: Vectors, rows: pd.DataFrame, cluster: NDArray[np.int64] | None = None
) -> pd.DataFrame:
    """The pairs of these row numbers (`contrasts.COLUMNS`), sorted by id."""
    first, second = (rows[side].to_numpy(dtype=np.int64) for side in ("first", "second"))
    ids, texts, entities = (definitions[name].to_numpy(dtype=object) for name in ("definition_id", "text", "entity"))
    return pd.DataFrame(
        {
            "pair_id": list(map(pair_id, ids[first], ids[second])),
            **from_sides(entities[first], entities[second]),
            "first_id": ids[first],
            "second_id": ids[second],
            "first": texts[first],
            "second": texts[second],
            "cluster": pd.array(np.full(len(first), None) if cluster is None else cluster, dtype="Int64"),
            "similarity": cosine(vectors, first, second),
            **{name: rows[name].to_numpy() for name in contrasts.ORDER},
        }
    ).sort_values("pair_id", ignore_index=True)


def _without_near_duplicates(candidates: pd.DataFrame, config: Config) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The pairs that are not near-duplicates, with their overlap, and the rejects with why."""
    texts = candidates["first"].tolist(), candidates["second"].tolist()
    found = similarity.near_duplicates(
        *texts, min_edit_similarity=config.min_edit_similarity, language=config.known_language
    )
    near = found["reason"].notna().to_numpy()
    dropped, why = candidates[near], found[near]
    columns = why["edit_similarity"], dropped["first_id"], dropped["second_id"]
    detail = [
        f"edit similarity {edit:.3f} of {first} and {second}" for edit, first, second in zip(*columns, strict=True)
    ]
    kept = candidates[~near].reset_index(drop=True)
    overlap = similarity.jaccard(kept["first"].tolist(), kept["second"].tolist(), config.known_language)
    kept, same_words = _without_same_words(kept.assign(overlap=overlap), config)
    rejects = _rejects(dropped["pair_id"], list("near_duplicate_" + why["reason"]), detail)
    return kept, pd.concat([rejects, same_words], ignore_index=True)


def _without_same_words(pairs: pd.DataFrame, config: Config) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The pairs below `max_overlap`, or with a negation in one text alone, and the rejects with their overlap."""
    if config.max_overlap is None:
        return pairs, _rejects(pairs["pair_id"][:0], SAME_WORDS, "")
    same = (pairs["overlap"] >= config.max_overlap).fillna(False).to_numpy(dtype=bool)
    negates = config.known_language.negates
    same[same] = [negates(one) == negates(two) for one, two in pairs.loc[same, ["first", "second"]].to_numpy()]
    columns = pairs.loc[same, ["overlap", "first_id", "second_id"]].itertuples(index=False)
    detail = [f"overlap {overlap:.3f} of {first} and {second}" for overlap, first, second in columns]
    return pairs[~same].reset_index(drop=True), _rejects(pairs.loc[same, "pair_id"], SAME_WORDS, detail)


def _rejects(ids: pd.Series, reason: str | list[str], detail: str | list[str]) -> pd.DataFrame:
    """Rows of the table `rejects` without their stage."""
    columns = {"reason": reason, "detail": detail}
    return pd.DataFrame({"id": ids.to_numpy(dtype=object)}).assign(**columns).astype(object)
