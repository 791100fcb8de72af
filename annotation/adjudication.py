"""From ratings to labels; pure.

A pair is decided when everybody who counts has scored or flagged it and one side has more votes. Source: He et al.
2020, section 3.3; votes are on the binarised scores, as the released data shows.
"""

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from annotation import agreement
from annotation.config import VoteRule
from annotation.votes import SCORES, standing

METHOD = "majority"

FLAGGED = "unresolved_flagged"
MISSING = "unresolved_missing_ratings"
TIE = "unresolved_tie"

FLAGS_TO_REJECT = 2
"""Ratings with a flag in place of a score that take a pair out."""


def adjudicate(ballots: pd.DataFrame, rule: VoteRule) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The labels by majority and the pairs without one: every pair of the ballots (`votes.cast`) is in one of the two.

    Labels: method, pair_id, votes (for "paraphrase"), n_votes, binary, scores (counts of 0-3), posterior (null: a
    majority has none), stratum (`unanimous` or `split`), decided_by. Rejects: id, reason, detail.
    """
    tally = _tally(standing(ballots).reset_index(drop=True), rule)
    flagged = tally["flagged"] >= tally["ratings"].clip(upper=FLAGS_TO_REJECT)
    reason = np.select(
        [flagged, tally["missing"] > 0, 2 * tally["votes"] == tally["n_votes"]],
        [FLAGGED, MISSING, TIE],
        "",
    )
    return _labels(tally[reason == ""]), _rejects(tally[reason != ""], reason[reason != ""])


def _tally(ballots: pd.DataFrame, rule: VoteRule) -> pd.DataFrame:
    """By pair: ratings, flagged, missing, n_votes, votes, and the counts of the scores in the columns 0 to 3."""
    numbers, pair_ids = pd.factorize(ballots["pair_id"], sort=True)
    scored = (ballots["state"] == "scored").to_numpy(bool)
    scores = np.zeros((len(pair_ids), len(SCORES)), dtype="int64")
    said = agreement.counts(numbers[scored], ballots.loc[scored, "score"].to_numpy("int64"), len(SCORES))
    scores[: len(said)] = said
    tally = pd.DataFrame(scores, columns=list(SCORES)).assign(pair_id=np.asarray(pair_ids, dtype=object))
    tally["ratings"] = np.bincount(numbers, minlength=len(pair_ids))
    for column, states in (("flagged", ["flagged"]), ("missing", ["skipped", "open"])):
        tally[column] = np.bincount(numbers[ballots["state"].isin(states)], minlength=len(pair_ids))
    tally["n_votes"] = scores.sum(axis=1)
    tally["votes"] = scores[:, rule.paraphrase_from :].sum(axis=1)
    return tally


def _labels(tally: pd.DataFrame) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "method": METHOD,
            "pair_id": tally["pair_id"],
            "votes": tally["votes"],
            "n_votes": tally["n_votes"],
            "binary": (2 * tally["votes"] > tally["n_votes"]).astype("int64"),
            "scores": pd.Series(tally[list(SCORES)].to_numpy().tolist(), index=tally.index, dtype=object),
            "posterior": pd.Series(pd.NA, index=tally.index, dtype="Float64"),
            "stratum": np.where(tally["votes"].isin([0]) | (tally["votes"] == tally["n_votes"]), "unanimous", "split"),
            "decided_by": METHOD,
        }
    )


def _rejects(tally: pd.DataFrame, reasons: NDArray[np.str_]) -> pd.DataFrame:
    known = tally.assign(against=tally["n_votes"] - tally["votes"])
    parts = [
        known[column].astype("str") + f" {column}" for column in ("ratings", "votes", "against", "flagged", "missing")
    ]
    details = [", ".join(texts) for texts in zip(*parts, strict=True)]
    return pd.DataFrame({"id": tally["pair_id"].to_numpy(object), "reason": reasons, "detail": details})
