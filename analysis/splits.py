"""Train, validation and test that share no entity: python -m analysis.splits."""

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analysis.config import CAMPAIGN, METHOD, SCHEME, SplitRule
from data import schemas, words
from data.console import run, say, say_next
from data.errors import InputError, TableError
from data.manifest import Manifest
from data.released import SPLITS
from data.store import Store

STAGE = "analysis.splits"


def split(pairs: pd.DataFrame, rule: SplitRule) -> pd.DataFrame:
    """The split and the group of each pair: columns pair_id, split, group; one row a row of `pairs`, same order.

    `pairs`: columns pair_id, entity. A group is a canonical entity with all its number variants and stays together.
    The groups are put in a random order; each falls into the split in whose stretch of the pairs its middle lies. So
    the choice depends on the groups and the seed alone, and a share misses what was asked by at most the largest
    group. Source: He et al. 2020, section 3.5 (random by entity).
    """
    groups = pd.Series(words.canonicals(pairs["entity"].tolist()), index=pairs.index, dtype="str")
    placed = place(groups.value_counts(), rule)
    return pd.DataFrame({"pair_id": pairs["pair_id"], "split": groups.map(placed), "group": groups})


def place(sizes: "pd.Series[int]", rule: SplitRule) -> "pd.Series[str]":
    """The split of each group; `sizes` says how many pairs each group has."""
    sizes = sizes.sort_index()
    order = np.random.default_rng(rule.seed).permutation(len(sizes))
    in_order = sizes.to_numpy(dtype="int64")[order]
    middles = in_order.cumsum() - in_order / 2
    ends = np.cumsum(checked(rule.shares)) * in_order.sum()
    chosen = np.searchsorted(ends[:-1], middles, side="right")
    return pd.Series(np.array(SPLITS)[chosen], index=sizes.index[order], dtype="str")


def checked(shares: tuple[float, float, float]) -> NDArray[np.float64]:
    """The shares with the sum 1; raises InputError where one is negative or all are 0."""
    if min(shares) < 0 or sum(shares) <= 0:
        raise InputError(
            "--shares",
            expected="three shares of at least 0, not all 0",
            found=" ".join(map(str, shares)),
            remedy="give for example --shares 74.2 12.5 13.3",
        )
    return np.array(shares) / sum(shares)


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """Deal a campaign's labelled pairs to train, validation and test, so that no entity is in two of them."""

    store: Path = field(default_factory=Store.default_path)
    """The folder of the tables."""

    campaign: str = CAMPAIGN
    """Whose labelled pairs are split."""

    method: str = METHOD
    """The labels' method."""

    scheme: str = SCHEME
    """The name under which the split is kept; a split of this name is replaced."""

    rule: SplitRule = field(default_factory=SplitRule)


def main(arguments: Arguments) -> None:
    """Writes the table `splits` for one scheme."""
    store = Store(arguments.store)
    labels = store.read(schemas.Labels, campaign=arguments.campaign, method=arguments.method)
    pairs = store.read(schemas.Pairs, columns=["generator", "pair_id", "entity"]).drop_duplicates("pair_id")
    labelled = pairs[pairs["pair_id"].isin(labels["pair_id"])]
    if labelled.empty:
        raise TableError(
            f"{store.root}, table labels",
            expected=f"labels of the campaign {arguments.campaign!r} by the method {arguments.method!r}",
            found="none",
            remedy="run `python -m annotation quality` first",
        )
    write(store, split(labelled, arguments.rule), arguments)
    say_next("python -m analysis.report", "--store", store.root, "--out", "report")


def write(store: Store, rows: pd.DataFrame, arguments: Arguments) -> None:
    """Replaces the scheme in the table `splits`, unless it is there already, made of the same, and says so."""
    counts = rows["split"].value_counts().reindex(SPLITS, fill_value=0)
    manifest = Manifest(
        stage=STAGE,
        config={"campaign": arguments.campaign, "method": arguments.method, "rule": arguments.rule},
        seed=arguments.rule.seed,
        inputs=store.inputs(schemas.Pairs, schemas.Labels),
        counts={"rows_in": len(rows), "rows_out": len(rows), "splits": counts.to_dict()},
    )
    shares = ", ".join(f"{name} {n:,} ({100 * n / len(rows):.1f} %)" for name, n in counts.items())
    line = f"{len(rows):,} pairs in {rows['group'].nunique():,} groups: {shares}"
    if store.is_current(schemas.Splits, manifest, scheme=arguments.scheme):
        say(f"{line}; {store.path(schemas.Splits)} is current")
        return
    scheme = rows.assign(scheme=arguments.scheme)
    version = store.replace(schemas.Splits, scheme, manifest, scheme=arguments.scheme)
    say(f"{line}; written to {store.path(schemas.Splits)} (version {version})")


if __name__ == "__main__":
    run(main, prog="python -m analysis.splits")
