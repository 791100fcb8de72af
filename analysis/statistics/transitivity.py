"""Whether the labels of connected pairs are consistent; pure.

Definitions are the nodes of a graph, pairs its edges.
"""

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import connected_components

from data.grouping import entities
from data.labelled.dataset import Dataset


def describe_graph(pairs: Dataset) -> dict[str, Any]:
    """Connected components of definitions, how many are complete, the size of the largest; pairs per entity."""
    frame = pairs.frame
    if frame.empty:
        return dict.fromkeys(("components", "complete_components", "largest_component", "pairs_per_entity"))
    graph = _graph(frame, np.ones(len(frame), dtype=bool))
    n_components, member = connected_components(graph, directed=False)
    sizes = np.bincount(member)
    edges = np.bincount(member[graph.tocoo().row], minlength=n_components) // 2
    per_entity = entities.each(frame).value_counts()
    return {
        "components": n_components,
        "complete_components": int((edges == sizes * (sizes - 1) // 2).sum()),
        "largest_component": int(sizes.max()),
        "pairs_per_entity": {
            "mean": float(per_entity.mean()),
            "median": float(per_entity.median()),
            "max": int(per_entity.max()),
        }
        if len(per_entity)
        else None,
    }


def count_triangles(pairs: Dataset) -> dict[str, Any]:
    """Triangles of three labelled pairs by their number of paraphrases, and the share that violates transitivity.

    Two paraphrases of a triangle imply the third. `could_break`: triangles with at least two paraphrases; `broken`:
    those whose third pair is labelled a non-paraphrase; `broken_share`: None if there is no triangle that could.
    """
    decided = pairs.decided
    yes = _graph(decided, (decided["binary"] == 1).to_numpy())
    no = _graph(decided, (decided["binary"] == 0).to_numpy())
    by_paraphrases = [_closed(no, no) // 6, _closed(no, yes) // 2, _closed(yes, no) // 2, _closed(yes, yes) // 6]
    could = by_paraphrases[2] + by_paraphrases[3]
    return {
        "by_paraphrases": by_paraphrases,
        "could_break": could,
        "broken": by_paraphrases[2],
        "broken_share": by_paraphrases[2] / could if could else None,
    }


def list_broken(pairs: Dataset) -> pd.DataFrame:
    """Every triangle that violates transitivity: columns third (the non-paraphrase), one, other (the paraphrases).

    The values are pair_ids; sorted.
    """
    decided = pairs.decided
    is_yes = (decided["binary"] == 1).to_numpy()
    columns = ["pair_id", "first_id", "second_id"]
    agreeing = _name_ends(decided.loc[is_yes, columns])
    beside: dict[str, set[str]] = {}
    for ends in agreeing:
        first, second = sorted(ends)
        beside.setdefault(first, set()).add(second)
        beside.setdefault(second, set()).add(first)
    rows = [
        (third, agreeing[frozenset((first, middle))], agreeing[frozenset((middle, second))])
        for (first, second), third in (
            (sorted(ends), pair) for ends, pair in _name_ends(decided.loc[~is_yes, columns]).items()
        )
        for middle in beside.get(first, set()) & beside.get(second, set())
    ]
    return pd.DataFrame(rows, columns=["third", "one", "other"], dtype="str").sort_values(
        ["third", "one"], ignore_index=True
    )


def count_shared_definitions(pairs: Dataset) -> int:
    """The number of texts (ignoring case, Unicode form and spaces) that define more than one entity."""
    defined = pairs.definitions.dropna(subset="entity")
    texts, _ = pd.factorize(np.array([pairs.merge_keys[text] for text in defined["text"].tolist()], dtype=object))
    names, known = pd.factorize(defined["entity"])
    couples = np.unique(texts * len(known) + names) // max(1, len(known))
    return int((np.bincount(couples) > 1).sum())


def _closed(path: csr_matrix, end: csr_matrix) -> int:
    """The number of walks of two steps in `path` that one step in `end` closes."""
    return int((path @ path).multiply(end).sum())


def _name_ends(pairs: pd.DataFrame) -> dict[frozenset[str], str]:
    """The two definitions of each pair -> its pair_id; of a repeated pair the first one, none of a text with itself."""
    names: dict[frozenset[str], str] = {}
    for pair, first, second in pairs[pairs["first_id"] != pairs["second_id"]].itertuples(index=False):
        names.setdefault(frozenset((first, second)), pair)
    return names


def _graph(frame: pd.DataFrame, edges: NDArray[np.bool_]) -> csr_matrix:
    """The symmetric matrix over the definitions: 1 for each pair in `edges`, however often it is there.

    A text with itself is no edge.
    """
    codes, ids = pd.factorize(pd.concat([frame["first_id"], frame["second_id"]]))
    rows, columns = codes[: len(frame)], codes[len(frame) :]
    one_way = csr_matrix(((edges & (rows != columns)).astype("int64"), (rows, columns)), shape=(len(ids), len(ids)))
    return csr_matrix((one_way + one_way.T).sign())
