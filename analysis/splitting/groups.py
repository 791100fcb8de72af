"""Which pairs must stay in one split: those of one entity, with alike definitions, or made from one another; pure.

`pairs`: columns pair_id, entity (null: none), first, second, parents (lists of pair_ids). What a pair hangs on is a
*key*: `pair:ID` for itself and its parents, `entity:NAME`, `text:WORDING`. Pairs with a key in common hang together,
and so do those whose keys are alike: nearly the same text, an acronym and what it stands for.
"""

import numpy as np
import pandas as pd
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from analysis.splitting import entities
from data import similarity, words

NEAR_OVERLAP = 0.7
"""Two texts with at least this Jaccard overlap of their content stems are near duplicates, wherever splits and leaks
are at stake."""


def group(
    pairs: pd.DataFrame, synonyms: entities.Synonyms | None = None, near_overlap: float = NEAR_OVERLAP
) -> "pd.Series[str]":
    """The group of each pair: pairs that hang together, over however many others, have the same; index as `pairs`.

    A group is named by the first of its entities in the alphabet, without any by the first of its pair_ids.
    """
    if pairs.empty:
        return pd.Series(index=pairs.index, dtype="str")
    keys = find_keys(pairs, synonyms or {})
    alike = find_alike(keys["key"], near_overlap)
    codes, distinct = pd.factorize(pd.concat([keys["key"], alike["left"], alike["right"]]))
    n, m = len(keys), len(alike)
    places = pd.Index(distinct)
    own = places.get_indexer(pd.Index("pair:" + keys["pair_id"]))
    ends = np.concatenate([own, codes[n : n + m]]), np.concatenate([codes[:n], codes[n + m :]])
    shape = (len(distinct), len(distinct))
    _, member = connected_components(coo_array((np.ones(n + m), ends), shape=shape), directed=False)
    ranked = keys["key"].map(rank_name).groupby(member[codes[:n]]).min()
    named = ranked.str.slice(2).to_dict()
    mine = member[places.get_indexer(pd.Index("pair:" + pairs["pair_id"]))]
    return pd.Series([named[number] for number in mine], index=pairs.index, dtype="str")


def rank_name(key: str) -> str:
    """The key's name as a group, behind a mark that puts entities first and texts last."""
    kind, _, name = key.partition(":")
    return f"{('entity', 'pair', 'text').index(kind)} {name}"


def find_keys(pairs: pd.DataFrame, synonyms: entities.Synonyms) -> pd.DataFrame:
    """What each pair hangs on: columns pair_id, key; sorted."""
    texts = {text: "text:" + words.merge_key(text) for side in ("first", "second") for text in pairs[side].unique()}
    parents = pairs[["pair_id", "parents"]].explode("parents").dropna()
    named = pairs.assign(name=entities.name_all(pairs["entity"], synonyms)).dropna(subset="name")
    parts = [
        (pairs["pair_id"], "pair:" + pairs["pair_id"]),
        (parents["pair_id"], "pair:" + parents["parents"].astype("str")),
        (named["pair_id"], "entity:" + named["name"]),
        *((pairs["pair_id"], pairs[side].map(texts)) for side in ("first", "second")),
    ]
    keys = pd.concat([pd.DataFrame({"pair_id": ids.astype("str"), "key": key.astype("str")}) for ids, key in parts])
    return keys.drop_duplicates().sort_values(["pair_id", "key"], ignore_index=True)


def find_alike(keys: "pd.Series[str]", near_overlap: float) -> pd.DataFrame:
    """Every two of the keys that are alike: columns left, right."""
    distinct = sorted(set(keys))
    texts = [key for key in distinct if key.startswith("text:")]
    near = similarity.overlapping([key.removeprefix("text:") for key in texts], near_overlap)
    short = entities.acronyms(key.removeprefix("entity:") for key in distinct if key.startswith("entity:"))
    couples = [(texts[a], texts[b]) for a, b in zip(near["left"], near["right"], strict=True)]
    couples += [(f"entity:{a}", f"entity:{b}") for a, b in short]
    return pd.DataFrame(couples, columns=["left", "right"], dtype="str")


def with_ancestors(chosen: pd.DataFrame, pairs: pd.DataFrame) -> pd.DataFrame:
    """The chosen pairs and all that they were made from, as far as `pairs` holds them."""
    while True:
        parents = chosen["parents"].explode().dropna()
        missing = pairs[pairs["pair_id"].isin(parents) & ~pairs["pair_id"].isin(chosen["pair_id"])]
        if missing.empty:
            return chosen
        chosen = pd.concat([chosen, missing], ignore_index=True)
