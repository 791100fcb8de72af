"""Pairs worth a look: a few of each kind; pure."""

from typing import Any

import pandas as pd

from analysis.statistics.wording import VoteNames
from data.grouping.entities import name_pairs
from data.labelled.dataset import Dataset

SHOWN = ["pair_id", "entity", "first", "second", "split", "votes", "n_votes", "binary", "overlap"]


def choose(pairs: Dataset, n: int, seed: int, called: VoteNames) -> list[dict[str, Any]]:
    """Up to `n` pairs of each kind that occurs: {kind, pairs}; `called`: what the sides of the vote are.

    First the two kinds that models find hard (unanimous paraphrases with the least overlap, unanimous non-paraphrases
    with the most), then a seeded sample for each number of votes. The order of the rows does not matter.
    """
    rows = pairs.frame.assign(entity=name_pairs(pairs.frame, pairs.names), overlap=pairs.overlap).sort_values("pair_id")
    agreed = rows[(rows["n_votes"] > 1) & rows["overlap"].notna()]
    all_for = agreed[agreed["votes"] == agreed["n_votes"]].sort_values("overlap", kind="stable")
    none_for = agreed[agreed["votes"] == 0].sort_values("overlap", ascending=False, kind="stable")
    kinds = {
        f"Unanimous {called.are_yes} with the fewest words in common": all_for.head(n),
        f"Unanimous {called.are_no} with the most words in common": none_for.head(n),
    }
    for (n_votes, votes), some in rows[rows["n_votes"] > 0].groupby(["n_votes", "votes"]):
        kinds[f"{votes} of {n_votes} votes for {called.vote}"] = some.sample(min(n, len(some)), random_state=seed)
    return [{"kind": kind, "pairs": records(some[SHOWN])} for kind, some in kinds.items() if len(some)]


def records(rows: pd.DataFrame) -> list[dict[str, Any]]:
    """The rows as plain objects, with None for null."""
    plain = rows.astype(object)
    return [dict(zip(plain.columns, row, strict=True)) for row in plain.where(plain.notna(), None).to_numpy().tolist()]
