"""Which pairs seniors decide, what they are told, and what they decided; pure.

A senior sees a pair twice: first blind, as everybody does (kind `senior`), then with the votes and comments (kind
`review`), and gives a reason. Neither votes; both stay in the table `ratings`; the second decides.
"""

from collections.abc import Mapping

import pandas as pd

from annotation.aggregation.adjudication import adjudicate
from annotation.aggregation.models import posteriors
from annotation.config import VoteRule
from annotation.ratings.ballots import given, latest, standing, votes_of
from data.vocabulary import BLIND, INFORMED, TIE

REASONS = ("tie", "gold_missed", "broken_transitivity", "split")
"""Why a pair is in the queue, in its order."""


def queue(
    ballots: pd.DataFrame, rule: VoteRule, broken: "pd.Series[str]", gold_missed: "pd.Series[str]"
) -> pd.DataFrame:
    """The disputed pairs, each once with its first reason, within a reason the least sure first: pair_id, reason.

    `broken`: pairs of a broken transitivity; those of other campaigns are left out. `gold_missed`: see `missed_gold`.
    Pairs that still wait for a rating are not disputed yet.
    """
    labels, rejects = adjudicate(ballots, rule)
    ties = rejects.loc[rejects["reason"] == TIE, "id"]
    splits = labels.loc[labels["stratum"] == "split", "pair_id"]
    broken = broken[broken.isin([*labels["pair_id"], *ties])]
    parts = zip(REASONS, (ties, gold_missed, broken, splits), strict=True)
    rows = pd.concat(
        [pd.DataFrame({"pair_id": ids.astype("object"), "place": REASONS.index(why)}) for why, ids in parts]
    )
    chances = posteriors(votes_of(standing(ballots), rule), "dawid-skene")
    doubt = (rows["pair_id"].map(chances) - 0.5).abs().fillna(0.5)
    rows = rows.assign(doubt=doubt).sort_values(["place", "doubt", "pair_id"]).drop_duplicates("pair_id")
    reasons = [REASONS[place] for place in rows["place"]]
    return pd.DataFrame({"pair_id": rows["pair_id"].to_numpy(object), "reason": reasons})


def missed_gold(
    assignments: pd.DataFrame, ratings: pd.DataFrame, gold: Mapping[str, int], rule: VoteRule
) -> "pd.Series[str]":
    """The gold pairs that at least half of those who scored them missed: perhaps the gold is wrong."""
    said = assignments[assignments["kind"] == "gold"].merge(latest(ratings), on="assignment_id")
    said = said[said["score"].notna()]
    known = said["pair_id"].map({pair: score >= rule.paraphrase_from for pair, score in gold.items()})
    wrong = ((said["score"] >= rule.paraphrase_from) != known).astype("float64").groupby(said["pair_id"]).mean()
    return pd.Series(wrong.index[wrong >= 0.5].to_numpy(object), dtype="object")


def tell(assignments: pd.DataFrame, ratings: pd.DataFrame) -> "pd.Series[str]":
    """By the id of each assignment of the second look: what others said of the pair, and what the senior said blind.

    Nobody's pseudonym is in it. Ratings that were replaced are told too, as such.
    """
    said = assignments.merge(latest(ratings)[["assignment_id", "score", "flags", "comment"]], on="assignment_id")
    what = said["score"].astype("Int64").astype("str").where(said["score"].notna(), said["flags"].map(", ".join))
    replaced = assignments.loc[assignments["kind"] != INFORMED, "supersedes"].dropna()
    gone = said["assignment_id"].isin(set(replaced))
    comment = ("“" + said["comment"].fillna("") + "”").where(said["comment"].fillna("") != "", "")
    text = (what + gone.map({True: " (replaced)", False: ""}) + " " + comment).str.strip()
    said = said.assign(text=text)
    theirs = said[~said["kind"].isin([BLIND, INFORMED, "trap"])].sort_values(["pair_id", "text"])
    others = theirs.groupby("pair_id")["text"].agg(" · ".join)
    own = said[said["kind"] == BLIND].set_index(["pair_id", "annotator"])["text"]
    looks = assignments[assignments["kind"] == INFORMED]
    keys = zip(looks["assignment_id"], looks["pair_id"], looks["annotator"], strict=True)
    told = {
        one: f"The others: {others.get(pair, 'nothing')}. You, the first time: {own.get((pair, name), 'nothing')}."
        for one, pair, name in keys
    }
    return pd.Series(told, dtype="object")


def decisions(assignments: pd.DataFrame, ratings: pd.DataFrame) -> pd.DataFrame:
    """What seniors decided by their second look: pair_id, score (null: flagged), annotator, reason, blind (score)."""
    said = assignments.merge(given(ratings)[["assignment_id", "score", "comment"]], on="assignment_id")
    blind = said[said["kind"] == BLIND].set_index("assignment_id")["score"]
    last = said[said["kind"] == INFORMED].sort_values("assignment_id").drop_duplicates("pair_id", keep="last")
    return pd.DataFrame(
        {
            "pair_id": last["pair_id"].to_numpy(object),
            "score": last["score"].astype("Int64").array,
            "annotator": last["annotator"].to_numpy(object),
            "reason": last["comment"].to_numpy(object),
            "blind": last["supersedes"].map(blind).astype("Int64").array,
        }
    )
