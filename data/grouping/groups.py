"""Which pairs belong together: those that share an entity, with similar definitions, or made from one another; pure.

`pairs`: columns pair_id, entity, second_entity, first, second, parents (lists of pair_ids).
What ties a pair to others is a *key*: `pair:ID` for itself and its parents, `entity:NAME`, `text:WORDING`. Pairs that
share a key belong to one group, and so do those with similar keys: near copies of a text, an acronym and its expansion.
"""

from collections.abc import Mapping
from itertools import chain

import numpy as np
import pandas as pd
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from data.grouping import entities
from data.texts import words
from data.texts.languages.base import Language
from data.texts.languages.en import ENGLISH
from data.texts.near_copies import find_near_copies


def group(
    pairs: pd.DataFrame,
    synonyms: entities.Synonyms | None = None,
    language: Language = ENGLISH,
    merge_keys: Mapping[str, str] | None = None,
) -> "pd.Series[str]":
    """The group of each pair, with the index of `pairs`: pairs tied together, over any number of others, share one.

    A group is named after the first of its entities in alphabetical order, or after the first of its pair_ids where it
    has none. `merge_keys`: what `find_merge_keys` found, where it was asked before.
    """
    keys = find_keys(pairs, synonyms or {}, language, merge_keys)
    return _join(pairs, keys, find_similar(keys["key"], language))


def group_by_names(
    pairs: pd.DataFrame, synonyms: entities.Synonyms | None = None, language: Language = ENGLISH
) -> "pd.Series[str]":
    """Like `group`, though texts tie nothing: what the groups would be if definitions were never copied."""
    keys = find_keys(pairs, synonyms or {}, language)
    keys = keys[~keys["key"].str.startswith("text:")]
    return _join(pairs, keys, find_similar(keys["key"], language))


def _join(pairs: pd.DataFrame, keys: pd.DataFrame, similar: pd.DataFrame) -> "pd.Series[str]":
    if pairs.empty:
        return pd.Series(index=pairs.index, dtype="str")
    ids, owners = (("pair:" + rows["pair_id"].astype(object)).to_numpy() for rows in (pairs, keys))
    every = [ids, owners, keys["key"].to_numpy(), similar["left"].to_numpy(), similar["right"].to_numpy()]
    codes, distinct = pd.factorize(np.concatenate(every))
    own, owner, key, left, right = np.split(codes, np.cumsum([len(part) for part in every[:-1]]))
    ends = np.concatenate([owner, left]), np.concatenate([key, right])
    graph = coo_array((np.ones(len(ends[0])), ends), shape=(len(distinct), len(distinct)))
    _, member = connected_components(graph, directed=False)
    name_of: dict[int, str] = {}
    for part, known in zip(member.tolist(), distinct.tolist(), strict=True):
        if not known.startswith("text:"):
            name = rank_name(known)
            name_of[part] = min(name, name_of.get(part, name))
    return pd.Series([name_of[part][2:] for part in member[own].tolist()], index=pairs.index, dtype="str")


def rank_name(key: str) -> str:
    """The name that the key would give a group, after a mark that sorts entities first and texts last."""
    kind, _, name = key.partition(":")
    return f"{('entity', 'pair', 'text').index(kind)} {name}"


def find_merge_keys(pairs: pd.DataFrame) -> dict[str, str]:
    """By text, the key that it shares with equal texts (see `data.texts.words`)."""
    texts = dict.fromkeys(chain(pairs["first"].tolist(), pairs["second"].tolist()))
    return {text: words.merge_key(text) for text in texts}


def find_keys(
    pairs: pd.DataFrame,
    synonyms: entities.Synonyms,
    language: Language = ENGLISH,
    merge_keys: Mapping[str, str] | None = None,
) -> pd.DataFrame:
    """The keys of each pair, some of them twice: columns pair_id, key."""
    pairs = pairs.assign(pair_id=pairs["pair_id"].astype(object))
    texts = find_merge_keys(pairs) if merge_keys is None else merge_keys
    parents = pairs.set_index("pair_id")["parents"].explode().dropna()
    names = entities.name_all(entities.each(pairs.set_index("pair_id")), synonyms, language)
    parts = [
        (pairs["pair_id"], "pair:" + pairs["pair_id"]),
        (parents.index.to_series(), "pair:" + parents.astype("str")),
        (names.index.to_series(), "entity:" + names),
        *((pairs["pair_id"], "text:" + _look_up(texts, pairs[side])) for side in ("first", "second")),
    ]
    keys = [pd.DataFrame({"pair_id": ids.to_numpy(object), "key": key.to_numpy(object)}) for ids, key in parts]
    return pd.concat(keys, ignore_index=True)


def _look_up(texts: Mapping[str, str], side: "pd.Series[str]") -> "pd.Series[str]":
    return pd.Series([texts[text] for text in side.tolist()], dtype=object)


def find_similar(keys: "pd.Series[str]", language: Language = ENGLISH) -> pd.DataFrame:
    """Every two keys that are similar: columns left, right."""
    distinct = set(keys)
    texts = sorted(key for key in distinct if key.startswith("text:"))
    found = find_near_copies([key.removeprefix("text:") for key in texts], language=language)
    near = pd.concat(found.values()).drop_duplicates(["left", "right"])
    named = sorted(key.removeprefix("entity:") for key in distinct if key.startswith("entity:"))
    short = entities.acronyms(named, language) + entities.spellings(named, language)
    couples = [(texts[a], texts[b]) for a, b in zip(near["left"], near["right"], strict=True)]
    couples += [(f"entity:{a}", f"entity:{b}") for a, b in short]
    return pd.DataFrame(couples, columns=["left", "right"], dtype="object")
