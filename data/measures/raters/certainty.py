"""How sure the votes on a pair are, whatever the method of its label: effective votes, interval, difficulty; pure.

A vote counts by how much its annotator's votes tell: sensitivity + specificity - 1, as the others' ratings show it,
over the same of the middle vote, at least 0 and at most 1. Of raters like the middle one or better, the share who would
vote for a pair has a beta distribution: the one of all pairs' votes (`soft_labels`), with the pair's own votes added.
"""

import numpy as np
import pandas as pd
from scipy.special import betaincinv

from data.measures import soft_labels
from data.measures.raters.error_rates import assess_error_rates

COLUMNS = ("effective_votes", "share_low", "share_high", "difficulty")
TAILS = (0.025, 0.975)


def describe(votes: pd.DataFrame, gold: pd.DataFrame | None) -> pd.DataFrame:
    """COLUMNS by pair_id; all but the first are null where the votes have no such distribution.

    `votes`: pair_id, annotator, score, vote; `gold`: the same, with `truth`.
    """
    if votes.empty:
        return pd.DataFrame(columns=list(COLUMNS), dtype="Float64")
    weight = votes["annotator"].map(weigh(votes, gold)).to_numpy("float64")
    rows = pd.DataFrame({"n": 1, "votes": votes["vote"], "weight": weight, "in_favour": weight * votes["vote"]})
    tally = rows.groupby(votes["pair_id"].to_numpy(object)).sum()
    of_all = soft_labels.fit(tally["votes"].to_numpy("int64"), tally["n"].to_numpy("int64"))
    found = pd.DataFrame({"effective_votes": tally["weight"].astype("Float64")}).reindex(columns=list(COLUMNS))
    if of_all.alpha is None or of_all.beta is None:
        return found.astype("Float64")
    yes, no = of_all.alpha + tally["in_favour"], of_all.beta + tally["weight"] - tally["in_favour"]
    limits = {name: betaincinv(yes, no, tail) for name, tail in zip(COLUMNS[1:3], TAILS, strict=True)}
    return found.assign(**limits, difficulty=2 * yes * no / ((yes + no) * (yes + no + 1))).astype("Float64")


def weigh(votes: pd.DataFrame, gold: pd.DataFrame | None) -> "pd.Series[float]":
    """What a vote of each annotator counts, from 0 to 1, to two digits; 1 where the middle vote tells nothing."""
    rates = pd.DataFrame(assess_error_rates(votes, gold))
    tells = rates.groupby("annotator")["value"].sum() - 1
    middle = float(np.median(tells.reindex(votes["annotator"])))
    return (tells / middle).clip(0, 1).round(2) if middle > 0 else tells * 0 + 1
