"""New pairs beside a frozen split; pure. Keys come from `data.grouping.groups`."""

from collections.abc import Iterable

import pandas as pd
from scipy.cluster.hierarchy import DisjointSet

from data.grouping import allocation, groups
from data.grouping.dealing import SplitRule
from data.grouping.entities import Synonyms
from data.grouping.groups import rank_name
from data.texts.languages.base import Language
from data.texts.languages.en import ENGLISH

REASON = "joins_splits"


class Web:
    """Keys tied together, with the splits and the group of each connected part."""

    def __init__(self) -> None:
        """An empty web."""
        self._parts = DisjointSet([])
        self._splits: dict[str, frozenset[str]] = {}
        self._groups: dict[str, str] = {}

    def tie(self, keys: Iterable[str], split: str | None = None, group: str | None = None) -> None:
        """Tie the keys together; their part belongs to `split` and keeps the name of its first group."""
        first, *others = keys
        splits, groups = self.splits([first, *others]), self.groups([first, *others])
        for key in (first, *others):
            self._parts.add(key)
            self._parts.merge(first, key)
        root = self._parts[first]
        self._splits[root] = splits | ({split} if split else frozenset())
        self._groups[root] = min(groups or {group or ""})

    def splits(self, keys: Iterable[str]) -> frozenset[str]:
        """The splits of the parts that the keys belong to."""
        return frozenset().union(*(self._splits.get(root, frozenset()) for root in self.roots(keys)))

    def groups(self, keys: Iterable[str]) -> set[str]:
        """The names of the groups of those parts, as far as they have one."""
        return {self._groups[root] for root in self.roots(keys) if self._groups.get(root)}

    def roots(self, keys: Iterable[str]) -> set[str]:
        """The parts of those keys that are in the web."""
        return {str(self._parts[key]) for key in keys if key in self}

    def __contains__(self, key: str) -> bool:
        """Whether the key is in the web."""
        return key in self._parts


def admit(held: pd.DataFrame, keys: pd.DataFrame, similar: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The new pairs that can be added, and those that would join two splits.

    `held`: pair_id, split, group of the frozen scheme; `keys`: pair_id, key of held and new pairs; `similar`: left,
    right (see `find_similar`). The first result: pair_id, split (null: nothing ties the pair to a held one), group; the
    second: id, reason, detail. Pairs are taken in the order of their ids; a rejected pair ties nothing together.
    """
    near: dict[str, set[str]] = {}
    for left, right in zip(similar["left"], similar["right"], strict=True):
        near.setdefault(left, set()).add(right)
        near.setdefault(right, set()).add(left)
    of_pair = {str(pair): some["key"].tolist() for pair, some in keys.groupby("pair_id")}
    web = Web()
    for pair, split, group in held[["pair_id", "split", "group"]].itertuples(index=False, name=None):
        web.tie([f"pair:{pair}", *of_pair.pop(pair, [])], split, group)
    admitted, rejected = [], []
    for pair, own in sorted(of_pair.items()):
        ends = own + sorted(other for key in own for other in near.get(key, ()) if other in web)
        splits = web.splits(ends)
        if len(splits) > 1:
            rejected.append((pair, REASON, _explain(web, ends)))
        else:
            web.tie(ends, group=min(map(rank_name, own))[2:])
            admitted.append(pair)
    rows = [_row(web, pair) for pair in admitted]
    return (
        pd.DataFrame(rows, columns=["pair_id", "split", "group"], dtype="str"),
        pd.DataFrame(rejected, columns=["id", "reason", "detail"], dtype="str"),
    )


def _row(web: Web, pair: str) -> tuple[str, str | None, str]:
    own = [f"pair:{pair}"]
    return pair, next(iter(web.splits(own)), None), next(iter(web.groups(own)))


def _explain(web: Web, ends: list[str]) -> str:
    """Each split with the first key that ties the pair to it."""
    tied = {split: key for key in reversed(ends) for split in web.splits([key])}
    return "; ".join(f"{split} by {key}" for split, key in sorted(tied.items()))


def extend(
    held: pd.DataFrame, pairs: pd.DataFrame, rule: SplitRule, synonyms: Synonyms, language: Language = ENGLISH
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """A frozen scheme with the new pairs of `pairs`: its rows, and the rejects (see `admit`)."""
    keys = groups.find_keys(pairs, synonyms, language).drop_duplicates().sort_values(["pair_id", "key"])
    added, rejects = admit(held, keys, groups.find_similar(keys["key"], language))
    free = added[added["split"].isna()]
    placed = allocation.fill_up(free["group"].value_counts(), held["split"].value_counts(), rule.shares, rule.seed)
    added["split"] = added["split"].fillna(added["group"].map(placed))
    return pd.concat([held[["pair_id", "split", "group"]], added], ignore_index=True), rejects


def with_ancestors(selected: pd.DataFrame, pairs: pd.DataFrame) -> pd.DataFrame:
    """The selected pairs and all pairs that they were made from, as far as `pairs` has them."""
    while True:
        parents = selected["parents"].explode().dropna()
        missing = pairs[pairs["pair_id"].isin(parents) & ~pairs["pair_id"].isin(selected["pair_id"])]
        if missing.empty:
            return selected
        selected = pd.concat([selected, missing], ignore_index=True)
