"""Which pairs seniors decide, what they are shown, and what they decided; pure.

A senior sees a pair twice: first blind, as everybody does (kind `senior`), then with the votes and comments (kind
`review`), and gives a reason. Neither rating votes; both stay in the table `ratings`; the second decides.
"""

from collections.abc import Mapping

import pandas as pd

from annotation.aggregation.adjudication import adjudicate
from annotation.aggregation.models import posteriors
from annotation.config import LabelRule
from data.contract.vocabulary import BLIND, INFORMED, TIE
from data.measures.ballots import counting, given, latest, votes_of
from data.measures.classes import PARADE, Classes
from data.measures.rules import VoteRule

REASONS = ("tie", "gold_missed", "broken_transitivity", "split")
"""Why a pair is in the queue, in the queue's order."""


def queue(
    ballots: pd.DataFrame,
    rule: VoteRule,
    broken: "pd.Series[str]",
    gold_missed: "pd.Series[str]",
    classes: Classes = PARADE,
) -> pd.DataFrame:
    """The disputed pairs as pair_id and reason: each once, by its first reason and then the least certain first.

    `broken`: pairs in a broken transitivity; pairs of other campaigns are left out. `gold_missed`: see `missed_gold`.
    Pairs that still wait for a rating are not disputed yet.
    """
    labels, rejects = adjudicate(ballots, LabelRule(paraphrase_from=rule.lowest_yes), classes=classes)
    ties = rejects.loc[rejects["reason"] == TIE, "id"]
    splits = labels.loc[labels["stratum"] == "split", "pair_id"]
    broken = broken[broken.isin([*labels["pair_id"], *ties])]
    parts = zip(REASONS, (ties, gold_missed, broken, splits), strict=True)
    rows = pd.concat(
        [pd.DataFrame({"pair_id": ids.astype("object"), "place": REASONS.index(why)}) for why, ids in parts]
    )
    chances = posteriors(votes_of(counting(ballots), rule), "dawid-skene")
    doubt = (rows["pair_id"].map(chances) - 0.5).abs().fillna(0.5)
    rows = rows.assign(doubt=doubt).sort_values(["place", "doubt", "pair_id"]).drop_duplicates("pair_id")
    reasons = [REASONS[place] for place in rows["place"]]
    return pd.DataFrame({"pair_id": rows["pair_id"].to_numpy(object), "reason": reasons})


def missed_gold(
    assignments: pd.DataFrame, ratings: pd.DataFrame, gold: Mapping[str, int], rule: VoteRule
) -> "pd.Series[str]":
    """The gold pairs that at least half of their annotators got wrong: perhaps the gold is wrong."""
    rows = assignments[assignments["kind"] == "gold"].merge(latest(ratings), on="assignment_id")
    rows = rows[rows["score"].notna()]
    known = rows["pair_id"].map({pair: score >= rule.lowest_yes for pair, score in gold.items()})
    wrong = ((rows["score"] >= rule.lowest_yes) != known).astype("float64").groupby(rows["pair_id"]).mean()
    return pd.Series(wrong.index[wrong >= 0.5].to_numpy(object), dtype="object")


def summarise(
    assignments: pd.DataFrame, ratings: pd.DataFrame, words: "pd.Series[str] | None" = None
) -> "pd.Series[str]":
    """By the id of each second-look assignment: the others' ratings of the pair, and the senior's own blind one.

    No pseudonym appears. Ratings that were replaced are included and marked. `words`: the answers by assignment id, by
    default the scores.
    """
    rows = assignments.merge(latest(ratings)[["assignment_id", "score", "flags", "comment"]], on="assignment_id")
    known = rows["score"].astype("Int64").astype("str") if words is None else rows["assignment_id"].map(words)
    answers = known.where(rows["score"].notna(), rows["flags"].map(", ".join))
    replaced = rows["assignment_id"].isin(set(assignments.loc[assignments["kind"] != INFORMED, "supersedes"].dropna()))
    comments = ("“" + rows["comment"].fillna("") + "”").where(rows["comment"].fillna("") != "", "")
    rows["text"] = (answers + replaced.map({True: " (replaced)", False: ""}) + " " + comments).str.strip()
    by_others = rows[~rows["kind"].isin([BLIND, INFORMED, "trap"])].sort_values(["pair_id", "text"])
    others = by_others.groupby("pair_id")["text"].agg(" · ".join)
    own = rows[rows["kind"] == BLIND].set_index(["pair_id", "annotator"])["text"]
    looks = assignments[assignments["kind"] == INFORMED]
    keys = zip(looks["assignment_id"], looks["pair_id"], looks["annotator"], strict=True)
    summaries = {
        look: f"The others: {others.get(pair, 'nothing')}. You, the first time: {own.get((pair, name), 'nothing')}."
        for look, pair, name in keys
    }
    return pd.Series(summaries, dtype="object")


def decisions(assignments: pd.DataFrame, ratings: pd.DataFrame) -> pd.DataFrame:
    """What seniors decided at their second look: pair_id, score (null: flagged), annotator, reason, blind (score)."""
    rows = assignments.merge(given(ratings)[["assignment_id", "score", "comment"]], on="assignment_id")
    blind = rows[rows["kind"] == BLIND].set_index("assignment_id")["score"]
    last = rows[rows["kind"] == INFORMED].sort_values("assignment_id").drop_duplicates("pair_id", keep="last")
    return pd.DataFrame(
        {
            "pair_id": last["pair_id"].to_numpy(object),
            "score": last["score"].astype("Int64").array,
            "annotator": last["annotator"].to_numpy(object),
            "reason": last["comment"].to_numpy(object),
            "blind": last["supersedes"].map(blind).astype("Int64").array,
        }
    )
