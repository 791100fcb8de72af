"""From ratings to labels; pure.

A pair is decided once every rating that counts is a score or a flag and one side has more votes. Source: He et al.
2020, section 3.3; votes are binarised scores, as the released data shows.
"""

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from annotation.aggregation.models import Method, posteriors
from annotation.config import VoteRule
from annotation.ratings import agreement
from annotation.ratings.ballots import standing, votes_of
from data.vocabulary import (
    BELOW_RULE,
    FLAGGED,
    FLAGGED_BY_SENIOR,
    MAJORITY,
    MISSING_RATINGS,
    SCORES,
    SENIOR,
    SPLIT,
    TIE,
    UNANIMOUS,
)

FLAGS_TO_REJECT = 2
"""How many flags in place of scores take a pair out."""


def adjudicate(
    ballots: pd.DataFrame,
    rule: VoteRule,
    method: Method = MAJORITY,
    decided: pd.DataFrame | None = None,
    at_least: int = 1,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The labels, and the pairs without one: every pair of the ballots (`ballots.cast`) is in one of the two.

    Labels: method, pair_id, votes (for "paraphrase"), n_votes, binary, scores (counts of 0-3), posterior (null: a
    majority has none), stratum (`unanimous` or `split`), decided_by. Rejects: id, reason, detail. A pair that is
    flagged or waits for a rating has no label by any method, unless a senior decided it. `decided`: pair_id and score
    of the seniors (`senior_review.decisions`), whose word is final whatever the method; a null score rejects the pair.
    `at_least`: how many votes a majority needs (Zhang et al. 2019, PAWS: four of five).
    """
    counted = standing(ballots).reset_index(drop=True)
    tally = _tally(counted, rule)
    flagged = tally["flagged"] >= tally["ratings"].clip(upper=FLAGS_TO_REJECT)
    tally["posterior"] = pd.Series(pd.NA, index=tally.index, dtype="Float64")
    tally["in_favour"] = (tally["votes"] / tally["n_votes"].where(tally["n_votes"] > 0)).fillna(0.5)
    if method != MAJORITY:
        decidable = counted["pair_id"].isin(tally.loc[~flagged & (tally["missing"] == 0), "pair_id"])
        chances = tally["pair_id"].map(posteriors(votes_of(counted[decidable], rule), method))
        tally["posterior"], tally["in_favour"] = chances.astype("Float64"), chances.fillna(0.5)
    tally["decided_by"] = method
    agreeing = tally["votes"].clip(lower=tally["n_votes"] - tally["votes"])
    reason = np.select(
        [
            flagged,
            tally["missing"] > 0,
            tally["in_favour"] == 0.5,
            (method == MAJORITY) & (agreeing < at_least),
        ],
        [FLAGGED, MISSING_RATINGS, TIE, BELOW_RULE],
        "",
    )
    if decided is not None:
        score = tally["pair_id"].map(decided.set_index("pair_id")["score"]).astype("Int64")
        asked, known = tally["pair_id"].isin(decided["pair_id"]), score.notna()
        tally["in_favour"] = tally["in_favour"].where(~known, (score >= rule.lowest_yes).astype("Float64"))
        tally.loc[known, "decided_by"] = SENIOR
        reason = np.select([known, asked], ["", FLAGGED_BY_SENIOR], reason)
    return _labels(tally[reason == ""], method), _rejects(tally[reason != ""], reason[reason != ""])


def _tally(ballots: pd.DataFrame, rule: VoteRule) -> pd.DataFrame:
    """One row per pair: ratings, flagged, missing, n_votes, votes, and the counts of the scores in columns 0 to 3."""
    numbers, pair_ids = pd.factorize(ballots["pair_id"], sort=True)
    scored = (ballots["state"] == "scored").to_numpy(bool)
    scores = np.zeros((len(pair_ids), len(SCORES)), dtype="int64")
    given = agreement.counts(numbers[scored], ballots.loc[scored, "score"].to_numpy("int64"), len(SCORES))
    scores[: len(given)] = given
    tally = pd.DataFrame(scores, columns=list(SCORES)).assign(pair_id=np.asarray(pair_ids, dtype=object))
    tally["ratings"] = np.bincount(numbers, minlength=len(pair_ids))
    for column, states in (("flagged", ["flagged"]), ("missing", ["skipped", "open"])):
        tally[column] = np.bincount(numbers[ballots["state"].isin(states)], minlength=len(pair_ids))
    tally["n_votes"] = scores.sum(axis=1)
    tally["votes"] = scores[:, rule.lowest_yes :].sum(axis=1)
    return tally


def _labels(tally: pd.DataFrame, method: Method) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "method": method,
            "pair_id": tally["pair_id"],
            "votes": tally["votes"],
            "n_votes": tally["n_votes"],
            "binary": (tally["in_favour"] > 0.5).astype("int64"),
            "scores": pd.Series(tally[list(SCORES)].to_numpy().tolist(), index=tally.index, dtype=object),
            "posterior": tally["posterior"],
            "stratum": np.where(tally["votes"].isin([0]) | (tally["votes"] == tally["n_votes"]), UNANIMOUS, SPLIT),
            "decided_by": tally["decided_by"],
        }
    )


def _rejects(tally: pd.DataFrame, reasons: NDArray[np.str_]) -> pd.DataFrame:
    known = tally.assign(against=tally["n_votes"] - tally["votes"])
    parts = [
        known[column].astype("str") + f" {column}" for column in ("ratings", "votes", "against", "flagged", "missing")
    ]
    details = [", ".join(texts) for texts in zip(*parts, strict=True)]
    return pd.DataFrame({"id": tally["pair_id"].to_numpy(object), "reason": reasons, "detail": details})
