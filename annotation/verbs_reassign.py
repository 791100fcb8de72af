"""The verb `reassign`: ratings -> assignments of a new round, in place of the ratings of low annotators."""

from dataclasses import dataclass

import pandas as pd

from annotation.campaign import Campaign, OfCampaign
from annotation.config import ReassignRule, settings
from annotation.rounds import NOBODY_QUALIFIES, Standing, call_further, low_ratings, rank, replace
from annotation.verbs_plan import complete
from annotation.votes import by_origin, standing
from data import schemas
from data.console import say, say_next
from data.errors import Findings, InputError


@dataclass(frozen=True, kw_only=True)
class Reassign(ReassignRule, OfCampaign):
    """Give the pairs of low annotators to the best who have not seen them, as a new round.

    The low ratings stay in the table and leave the vote. Exit code 1 where nobody is above --high-kappa: then nothing
    is assigned, and each low rating is a reject.
    """

    unfinished: bool = False
    """Judge annotators although some first-round pairs are still open."""

    dry_run: bool = False
    """Only say what would happen."""

    seed: int = 1
    """What order and sides of the new assignments are drawn from."""


def main(arguments: Reassign) -> None:
    """Appends the new round's assignments; run again it finds the low ratings replaced and adds nothing."""
    from annotation.quality import assess

    campaign = Campaign(arguments)
    campaign.require_ratings()
    rule = settings(arguments, ReassignRule)
    with campaign.alone():
        if not arguments.unfinished:
            _require_finished(campaign)
        judged = by_origin(campaign.ballots)
        ranked = rank(assess(judged, rule), campaign.working(), rule)
        low = low_ratings(judged, ranked.low, rule)
        new, rejects = replace(low, campaign.assignments, campaign.room(ranked.best), rule, arguments.seed)
        _explain(ranked, rule, low, new, rejects)
        further, unserved = _further(campaign, new, low, arguments.seed)
        new, rejects = pd.concat([new, further]), pd.concat([rejects, unserved])
        if arguments.dry_run:
            say("dry run: nothing written")
            return
        _write(campaign, arguments, new, rejects)
    say_next(f"python -m annotation {'open' if len(new) else 'adjudicate'}", *campaign.flags)
    if NOBODY_QUALIFIES in set(rejects["reason"]):
        raise Findings(
            f"nobody's kappa is above {rule.high_kappa} (highest: {ranked.kappas.max():.2f}), so no rating was "
            "replaced; lower --high-kappa, or discuss the guide and label another campaign"
        )


def _further(campaign: Campaign, new: pd.DataFrame, low: pd.DataFrame, seed: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Further raters for pairs with one flag, from everybody; not for pairs that get a new rating already."""
    ballots = standing(campaign.ballots)
    ballots = ballots[~ballots["pair_id"].isin([*new["pair_id"], *low["pair_id"]])]
    room, k = campaign.room(sorted(campaign.working())), int(campaign.plan["labels_per_pair"])
    further, unserved = call_further(ballots, campaign.assignments, room, k, seed)
    if len(further) or len(unserved):
        say(f"{len(further) + len(unserved)} pairs with one flag: {len(further)} get a further rater")
    offset = further["annotator"].map(new["annotator"].value_counts()).fillna(0).astype("int64")
    return further.assign(position=further["position"] + offset), unserved


def _write(campaign: Campaign, arguments: Reassign, new: pd.DataFrame, rejects: pd.DataFrame) -> None:
    rule = settings(arguments, ReassignRule)
    counts = {"new": len(new), "replaced": new["supersedes"].nunique(), "rejects": len(rejects)}
    manifest = campaign.manifest("reassign", rule, arguments.seed, counts)
    if len(new):
        number = int(campaign.assignments["round"].max()) + 1
        campaign.store.append(schemas.Assignments, complete(campaign, new.assign(round=number)), manifest)
        say(f"round {number} written to {campaign.store.root}/assignments")
    campaign.reject(rejects, manifest)


def _require_finished(campaign: Campaign) -> None:
    ballots = by_origin(campaign.ballots)
    first = ballots[ballots["round"] == 1]
    open_ = first.loc[first["state"] == "open", "annotator"].value_counts()
    if len(open_):
        raise InputError(
            f"campaign {campaign.name}, round 1",
            expected="every assignment rated, flagged or skipped",
            found=f"{open_.sum()} of {len(first)} open (" + ", ".join(f"{a}: {n}" for a, n in open_.items()) + ")",
            remedy="collect first, or judge by what there is: --unfinished",
        )


def _explain(ranked: Standing, rule: ReassignRule, low: pd.DataFrame, new: pd.DataFrame, rejects: pd.DataFrame) -> None:
    """Says who is low, who replaces them, and what that makes."""
    for name, people in (
        (f"low (kappa < {rule.low_kappa})", ranked.low),
        (f"best (kappa > {rule.high_kappa})", ranked.best),
    ):
        say(f"{name}: " + (", ".join(f"{one} {ranked.kappas[one]:.2f}" for one in people) or "nobody"))
    if len(ranked.best) < rule.best:
        say(f"fewer than {rule.best} are above {rule.high_kappa}: {len(ranked.best)} take the work")
    refused = "".join(f", {n} {reason}" for reason, n in rejects["reason"].value_counts().items())
    n_pairs = low["pair_id"].nunique()
    say(f"{len(low)} ratings of {n_pairs} pairs to replace: {len(new)} new assignments{refused}")
