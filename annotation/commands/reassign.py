"""The verb `reassign`: ratings -> assignments of a new round, in place of the ratings of low annotators."""

from dataclasses import dataclass

import pandas as pd

from annotation.aggregation.models import Method, posteriors
from annotation.assignment.reassignment import (
    FIRST_ROUND,
    NOBODY_QUALIFIES,
    Ranking,
    call_further,
    call_on_doubt,
    low_ratings,
    rank,
    rank_by_verdict,
    replace,
)
from annotation.campaign.campaign import Campaign, OfCampaign
from annotation.campaign.judging import judge_campaign
from annotation.campaign.plan import complete
from annotation.config import HabitRule, ReassignRule, settings
from annotation.ratings.ballots import by_origin, latest, standing, votes_of
from data.console import demand_at_least, say, say_next
from data.errors import Findings, InputError
from data.tables.campaign import Assignments

ON_DOUBT: Method = "dawid-skene-pooled"
"""By which method a pair is sure or not."""

PAPERS_COST = 0.05
"""The share of the first round's labels that the paper's reassignment costs: two of 40 annotators (He et al. 2020)."""


@dataclass(frozen=True, kw_only=True)
class Reassign(ReassignRule, OfCampaign):
    """Give the pairs of low annotators, or those least sure, to the best who have not seen them, as a new round.

    The low ratings stay in the table and leave the vote. Exit code 1 where nobody is good enough: then nothing is
    assigned, and each low rating is a reject.
    """

    unfinished: bool = False
    """Judge annotators although some first-round pairs are still open."""

    dry_run: bool = False
    """Only say what would happen."""

    seed: int = 1
    """What order and sides of the new assignments are drawn from."""


def main(arguments: Reassign) -> None:
    """Appends the new round's assignments; run again it finds the low ratings replaced and adds nothing."""
    campaign = Campaign(arguments)
    campaign.require_ratings()
    rule = settings(arguments, ReassignRule)
    with campaign.alone():
        if not arguments.unfinished:
            _require_finished(campaign)
        judged = by_origin(campaign.ballots)
        ranked = _rank(campaign, judged, rule)
        _introduce(ranked, rule)
        if rule.relabel == "uncertain":
            asked, new, rejects = _on_doubt(campaign, judged, ranked, arguments)
        else:
            asked = low_ratings(judged, ranked.low, rule)
            new, rejects = replace(asked, campaign.assignments, campaign.room(ranked.best), rule, arguments.seed)
        _explain(asked, new, rejects, "add" if rule.relabel == "uncertain" else "replace")
        further, unserved = _further(campaign, new, asked, arguments.seed)
        new, rejects = pd.concat([new, further]), pd.concat([rejects, unserved])
        _price(campaign, len(new))
        if arguments.dry_run:
            say("dry run: nothing written")
            return
        _write(campaign, arguments, new, rejects)
    say_next(f"python -m annotation {'open' if len(new) else 'adjudicate'}", *campaign.flags)
    if NOBODY_QUALIFIES in set(rejects["reason"]):
        raise Findings(_why_nobody(ranked, rule))


def _rank(campaign: Campaign, judged: pd.DataFrame, rule: ReassignRule) -> Ranking:
    """Who is low and who is best by the first round, by the kappa or by the verdict."""
    if rule.low_by == "verdict":
        first = judged[judged["round"] == FIRST_ROUND]
        return rank_by_verdict(judge_campaign(campaign, rule, first), campaign.working(), rule)
    from annotation.quality.measures import assess

    return rank(assess(judged, rule), campaign.working(), rule)


def _on_doubt(
    campaign: Campaign, judged: pd.DataFrame, ranked: Ranking, arguments: Reassign
) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """The pairs that are least sure, and the assignments and rejects that they become."""
    counted = standing(campaign.ballots)
    open_ = counted.loc[counted["state"].isin(["open", "skipped"]), "pair_id"]
    chances = posteriors(votes_of(counted[~counted["pair_id"].isin(open_)], arguments), ON_DOUBT)
    n_first = int((judged["round"] == FIRST_ROUND).sum())
    budget = round(PAPERS_COST * n_first) if arguments.budget is None else arguments.budget
    demand_at_least("--budget", budget, 0)
    room = campaign.room(ranked.best)
    new, rejects = call_on_doubt(chances, campaign.assignments, room, budget, arguments.seed)
    pairs = pd.concat([new["pair_id"], rejects["id"]])
    say(f"budget: {budget} further ratings of the pairs least sure by {ON_DOUBT}")
    return pd.DataFrame({"pair_id": pairs, "assignment_id": pairs}), new, rejects


def _price(campaign: Campaign, n: int) -> None:
    """Says what so many labels cost, by the times of those so far."""
    seconds = latest(campaign.ratings)["seconds"].astype("Float64").dropna()
    seconds = seconds[seconds <= HabitRule().idle_seconds]
    pace = (
        f", about {n * seconds.median() / 3600:.1f} hours at the median of {seconds.median():.1f} s"
        if len(seconds)
        else ""
    )
    say(f"cost: {n} labels{pace}")


def _why_nobody(ranked: Ranking, rule: ReassignRule) -> str:
    if rule.low_by == "verdict":
        return (
            "nobody is careful by the verdict, so no rating was asked for; see python -m annotation verdict, "
            "discuss the guide over a pilot, or give gold pairs (plan --gold)"
        )
    return (
        f"nobody's kappa is above {rule.high_kappa} (highest: {ranked.measures.max():.2f}), so no rating was "
        "replaced; lower --high-kappa, or discuss the guide and label another campaign"
    )


def _further(campaign: Campaign, new: pd.DataFrame, low: pd.DataFrame, seed: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Further raters for pairs with one flag, from everybody; not for pairs that get a new rating already."""
    ballots = standing(campaign.ballots)
    ballots = ballots[~ballots["pair_id"].isin([*new["pair_id"], *low["pair_id"]])]
    room, k = campaign.room(sorted(campaign.working())), int(campaign.plan["labels_per_pair"])
    loads = new["annotator"].value_counts()
    left = (room - loads.reindex(room.index, fill_value=0)).clip(lower=0)
    further, unserved = call_further(ballots, campaign.assignments, left, k, seed)
    if len(further) or len(unserved):
        say(f"{len(further) + len(unserved)} pairs with one flag: {len(further)} get a further rater")
    offset = further["annotator"].map(loads).fillna(0).astype("int64")
    return further.assign(position=further["position"] + offset), unserved


def _write(campaign: Campaign, arguments: Reassign, new: pd.DataFrame, rejects: pd.DataFrame) -> None:
    rule = settings(arguments, ReassignRule)
    counts = {"new": len(new), "replaced": new["supersedes"].nunique(), "rejects": len(rejects)}
    manifest = campaign.manifest("reassign", rule, arguments.seed, counts)
    if len(new):
        number = int(campaign.assignments["round"].max()) + 1
        campaign.store.append(Assignments, complete(campaign, new.assign(round=number)), manifest)
        say(f"round {number} written to {campaign.store.root}/assignments")
    campaign.reject(rejects, manifest)


def _require_finished(campaign: Campaign) -> None:
    ballots = by_origin(campaign.ballots)
    first = ballots[ballots["round"] == 1]
    open_ = first.loc[(first["state"] == "open") & first["replaced_in"].isna(), "annotator"].value_counts()
    if len(open_):
        raise InputError(
            f"campaign {campaign.name}, round 1",
            expected="every assignment rated, flagged or skipped",
            found=f"{open_.sum()} of {len(first)} open (" + ", ".join(f"{a}: {n}" for a, n in open_.items()) + ")",
            remedy="collect first, or judge by what there is: --unfinished",
        )


def _introduce(ranked: Ranking, rule: ReassignRule) -> None:
    """Says who is low and who is best."""
    low, best = (f"kappa < {rule.low_kappa}", f"kappa > {rule.high_kappa}")
    if rule.low_by == "verdict":
        low, best = ("careless; skill", "careful; skill")
    for name, people in ((f"low ({low})", ranked.low), (f"best ({best})", ranked.best)):
        say(f"{name}: " + (", ".join(f"{one} {ranked.measures[one]:.2f}" for one in people) or "nobody"))
    if len(ranked.best) < rule.best:
        say(f"fewer than {rule.best} are good enough: {len(ranked.best)} take the work")


def _explain(asked: pd.DataFrame, new: pd.DataFrame, rejects: pd.DataFrame, what: str) -> None:
    """Says what the low or unsure ratings become."""
    refused = "".join(f", {n} {reason}" for reason, n in rejects["reason"].value_counts().items())
    n_pairs = asked["pair_id"].nunique()
    say(f"{len(asked)} ratings of {n_pairs} pairs to {what}: {len(new)} new assignments{refused}")
