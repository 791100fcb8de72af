"""Which of a campaign's pairs are rated again, and by whom: the rules of `assignment.reassignment` on its rows."""

from dataclasses import dataclass

import pandas as pd

from annotation.aggregation.models import posteriors
from annotation.assignment.reassignment import (
    FIRST_ROUND,
    Ranking,
    call_further,
    call_on_doubt,
    low_ratings,
    rank,
    rank_by_verdict,
    replace,
)
from annotation.campaign.campaign import Campaign
from annotation.campaign.planning.sequence import seen
from annotation.campaign.progress.judging import gold_votes, judge_campaign
from annotation.config import ReassignRule
from data.console.commands import require_at_least
from data.contract.vocabulary import FIXED, Method
from data.measures.ballots import by_origin, count_once, counting, votes_of

ON_DOUBT: Method = "dawid-skene-pooled"
"""The method that says how sure a pair's label is."""

PAPERS_COST = 0.05
"""The share of the first round's labels that the paper's reassignment costs: two of 40 annotators (He et al. 2020)."""


@dataclass(frozen=True, kw_only=True)
class Reassignment:
    """The new assignments of a round, and the ratings or pairs that no annotator can take."""

    ratings: pd.DataFrame
    """assignment_id, pair_id of what is to be rated again; where nothing is replaced, the pair's id is both."""
    new: pd.DataFrame
    """As returned by `reassignment.replace`."""
    rejects: pd.DataFrame
    """id, reason, detail."""


def rank_annotators(campaign: Campaign, rule: ReassignRule, able: set[str]) -> Ranking:
    """Who is low in the first round, and who of those `able` to take more is best, by kappa or by the verdict."""
    judged = by_origin(campaign.ballots)
    if rule.low_by == "verdict":
        first = judged[judged["round"] == FIRST_ROUND]
        return rank_by_verdict(judge_campaign(campaign, rule, first), able, rule)
    from data.measures.annotators import assess

    return rank(assess(judged, rule), able, rule)


def replace_low(campaign: Campaign, ranking: Ranking, rule: ReassignRule, seed: int) -> Reassignment:
    """New assignments in place of the low annotators' ratings."""
    ratings = low_ratings(by_origin(campaign.ballots), ranking.low, rule)
    new, rejects = replace(ratings, seen(campaign), campaign.room(ranking.best), seed)
    return Reassignment(ratings=ratings, new=new, rejects=rejects)


def budget_of(campaign: Campaign, rule: ReassignRule) -> int:
    """The number of further ratings for unsure pairs: as asked for, else what the paper's reassignment costs."""
    n_first = int((by_origin(campaign.ballots)["round"] == FIRST_ROUND).sum())
    budget = round(PAPERS_COST * n_first) if rule.limit is None else rule.limit
    require_at_least("--limit", budget, 0)
    return budget


def rate_unsure(campaign: Campaign, ranking: Ranking, rule: ReassignRule, seed: int) -> Reassignment:
    """One further assignment for each of the pairs whose label is least sure, within the budget."""
    counted = counting(campaign.ballots)
    open_ = counted.loc[counted["state"].isin(["open", "skipped"]), "pair_id"]
    votes, gold = votes_of(counted[~counted["pair_id"].isin(open_)], rule), gold_votes(campaign, rule)
    chances = posteriors(votes[count_once(votes, rule.one_vote)], ON_DOUBT, gold=gold)
    room, budget = campaign.room(ranking.best), budget_of(campaign, rule)
    new, rejects = call_on_doubt(chances, seen(campaign), room, budget, seed)
    pairs = pd.concat([new["pair_id"], rejects["id"]])
    return Reassignment(ratings=pd.DataFrame({"pair_id": pairs, "assignment_id": pairs}), new=new, rejects=rejects)


def rate_flagged(campaign: Campaign, other: Reassignment, able: set[str], seed: int) -> Reassignment:
    """A further assignment, to any of those `able`, for each pair with one flag that `other` does not have rated again.

    None in a campaign whose policy asks for further ratings, where `collect` asks for all that is needed.
    """
    ballots = counting(campaign.ballots)
    if campaign.plan["allocate"] != FIXED:
        ballots = ballots[:0]
    ballots = ballots[~ballots["pair_id"].isin([*other.new["pair_id"], *other.ratings["pair_id"]])]
    room, k = campaign.room(sorted(able)), int(campaign.plan["labels_per_pair"])
    loads = other.new["annotator"].value_counts()
    left = (room - loads.reindex(room.index, fill_value=0)).clip(lower=0)
    new, rejects = call_further(ballots, seen(campaign), left, k, seed)
    behind = new["annotator"].map(loads).fillna(0).astype("int64")
    flagged = pd.DataFrame({"pair_id": pd.concat([new["pair_id"], rejects["id"]])})
    return Reassignment(ratings=flagged, new=new.assign(position=new["position"] + behind), rejects=rejects)
