"""Pairs worth a look: a few of each kind; pure. `frame` is a data set in the form of `data.labelled.frame`."""

from typing import Any

import pandas as pd

SHOWN = ["pair_id", "entity", "first", "second", "split", "votes", "n_votes", "binary", "overlap"]


def choose(frame: pd.DataFrame, overlap: "pd.Series[float]", n: int, seed: int) -> list[dict[str, Any]]:
    """At most `n` pairs of each kind that has any: {kind, pairs}.

    First the two kinds that a model finds hard (all votes for "paraphrase" with least overlap, none with most), then
    a seeded sample for each number of votes. The order of the rows does not matter.
    """
    rows = frame.assign(overlap=overlap).sort_values("pair_id")
    agreed = rows[(rows["n_votes"] > 1) & rows["overlap"].notna()]
    all_for = agreed[agreed["votes"] == agreed["n_votes"]].sort_values("overlap", kind="stable")
    none_for = agreed[agreed["votes"] == 0].sort_values("overlap", ascending=False, kind="stable")
    kinds = {
        "Paraphrases by all votes, with the least words in common": all_for.head(n),
        "Paraphrases by no vote, with the most words in common": none_for.head(n),
    }
    for (n_votes, votes), some in rows[rows["n_votes"] > 0].groupby(["n_votes", "votes"]):
        kinds[f"{votes} of {n_votes} votes for “paraphrase”"] = some.sample(min(n, len(some)), random_state=seed)
    return [{"kind": kind, "pairs": records(some)} for kind, some in kinds.items() if len(some)]


def records(rows: pd.DataFrame) -> list[dict[str, Any]]:
    """The rows as plain objects; null is None."""
    shown = rows[SHOWN].astype(object)
    return [dict(zip(SHOWN, row, strict=True)) for row in shown.where(shown.notna(), None).to_numpy().tolist()]
