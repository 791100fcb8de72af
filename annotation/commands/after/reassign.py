"""The command `reassign`: ratings -> assignments of a new round, in place of the ratings of low annotators."""

from dataclasses import dataclass
from typing import Literal

import pandas as pd

from annotation.assignment.reassignment import ALL_HAVE_SEEN_IT, NOBODY_QUALIFIES, QUOTAS_USED_UP, Ranking
from annotation.campaign.campaign import Campaign, OfCampaign
from annotation.campaign.planning.plan import append_round
from annotation.campaign.progress.suspects import describe, find_couples, require_known, trusted
from annotation.campaign.rounds.replacing import (
    ON_DOUBT,
    Reassignment,
    budget_of,
    rank_annotators,
    rate_flagged,
    rate_unsure,
    replace_low,
)
from annotation.config import ReassignRule, settings
from data.console.errors import Findings, InputError
from data.console.messages import quantity, say
from data.contract.vocabulary import IDLE_SECONDS
from data.guidance.next_steps import say_steps
from data.measures.ballots import by_origin, latest

REMEDIES = {
    ALL_HAVE_SEEN_IT: "let more annotators take them: raise --best or lower --high-kappa",
    QUOTAS_USED_UP: "let more annotators take them: raise --best or lower --high-kappa",
}
"""What brings a reject back, by its reason."""


@dataclass(frozen=True, kw_only=True)
class Arguments(ReassignRule, OfCampaign):
    """Give pairs of unreliable annotators, or the least certain ones, to the best who have not seen them, as a round.

    The low ratings stay in the table but no longer vote. Exit code 1 where no annotator is good enough: then nothing is
    assigned, and each low rating is a reject.
    """

    unfinished: bool = False
    """Judge annotators although first-round pairs are still open, which are void once ratings are replaced."""

    dry_run: bool = False
    """Only say what would happen."""

    seed: int = 1
    """Seed of the order and sides of the new assignments."""


def main(arguments: Arguments) -> None:
    """Append the new round's assignments; run again it finds the low ratings replaced and adds nothing."""
    campaign = Campaign(arguments)
    campaign.require_ratings()
    rule, seed = campaign.with_vote_rule(settings(arguments, ReassignRule)), arguments.seed
    with campaign.alone():
        if not arguments.unfinished:
            _require_finished(campaign, "first")
        require_known(campaign, rule)
        couples = find_couples(campaign)
        able = trusted(campaign, couples)
        ranking = rank_annotators(campaign, rule, able)
        _introduce(ranking, rule)
        for who, what in describe(couples, rule.one_vote):
            say(f"not among the best: {who}: {what}")
        if rule.relabel == "uncertain":
            reassignment = rate_unsure(campaign, ranking, rule, seed)
            say(f"budget: {budget_of(campaign, rule)} further ratings of the pairs least sure by {ON_DOUBT}")
        else:
            reassignment = replace_low(campaign, ranking, rule, seed)
        flagged = rate_flagged(campaign, reassignment, able, seed)
        _explain(reassignment, flagged, "add" if rule.relabel == "uncertain" else "replace")
        new = pd.concat([reassignment.new, flagged.new])
        if not arguments.unfinished and new["supersedes"].notna().any():  # which closes the rounds before
            _require_finished(campaign, "every")
        rejects = pd.concat([reassignment.rejects, flagged.rejects])
        _price(campaign, len(new))
        if arguments.dry_run:
            say("dry run: nothing written")
            return
        counts = {"new": len(new), "replaced": new["supersedes"].nunique(), "rejects": len(rejects)}
        manifest = campaign.manifest("reassign", rule, seed, counts)
        n_open = len(campaign.waiting)
        append_round(campaign, new, manifest)
        campaign.refresh()
        if n_void := n_open + len(new) - len(campaign.waiting):
            say(f"{quantity(n_void, 'open answer is', 'open answers are')} void: the round is over")
        campaign.reject("reassign", rejects, manifest)
    say_steps(campaign.store, campaign.name)
    if NOBODY_QUALIFIES in set(rejects["reason"]):
        raise Findings(_why_nobody(ranking, rule))


def _require_finished(campaign: Campaign, rounds: Literal["first", "every"]) -> None:
    """Raise InputError where an answer of the first round, or of every one, is still open."""
    ballots = by_origin(campaign.ballots)
    asked = ballots[ballots["round"] == 1] if rounds == "first" else ballots
    open_ = asked.loc[(asked["state"] == "open") & asked["replaced_in"].isna(), "annotator"].value_counts()
    if len(open_):
        raise InputError(
            f"campaign {campaign.name}, {rounds} round",
            expected="every assignment rated, flagged or skipped",
            found=f"{open_.sum()} of {len(asked)} open (" + ", ".join(f"{a}: {n}" for a, n in open_.items()) + ")",
            remedy="open and collect first, or judge by the ratings so far: --unfinished",
        )


def _introduce(ranking: Ranking, rule: ReassignRule) -> None:
    """Say who is low and who is best."""
    low, best = (f"kappa < {rule.low_kappa}", f"kappa > {rule.high_kappa}")
    if rule.low_by == "verdict":
        low, best = ("careless; skill", "careful; skill")
    for name, people in ((f"low ({low})", ranking.low), (f"best ({best})", ranking.best)):
        say(f"{name}: " + (", ".join(f"{person} {ranking.measures[person]:.2f}" for person in people) or "none"))
    for person, reason in ranking.one_sided.items():
        say(f"neither low nor best: {person}: {reason}")
    if len(ranking.best) < rule.best:
        say(f"fewer than {rule.best} are good enough: {len(ranking.best)} take the work")


def _explain(part: Reassignment, flagged: Reassignment, verb: str) -> None:
    """Say what becomes of the low or unsure ratings and of pairs with one flag, and what brings rejects back."""
    reasons = part.rejects["reason"].value_counts()
    counts = "".join(f", {n} {reason}" for reason, n in reasons.items())
    n_pairs = part.ratings["pair_id"].nunique()
    say(f"{len(part.ratings)} ratings of {n_pairs} pairs to {verb}: {len(part.new)} new assignments{counts}")
    for reason in reasons.index.intersection(list(REMEDIES)):
        say(f"{reason}: {REMEDIES[reason]}")
    if len(flagged.ratings):
        say(
            f"{quantity(len(flagged.ratings), 'pair')} with one flag: "
            f"{quantity(len(flagged.new), 'gets a further rater', 'get a further rater')}"
        )


def _price(campaign: Campaign, n: int) -> None:
    """Say what `n` labels cost, by the times of those so far."""
    seconds = latest(campaign.ratings)["seconds"].astype("Float64").dropna()
    seconds = seconds[seconds <= IDLE_SECONDS]
    hours = f", about {n * seconds.median() / 3600:.1f} hours at the median of {seconds.median():.1f} s"
    say(f"cost: {n} labels" + (hours if len(seconds) else ""))


def _why_nobody(ranking: Ranking, rule: ReassignRule) -> str:
    if rule.low_by == "verdict":
        return (
            "no annotator is careful by the verdict, so no rating was asked for; see python -m annotation verdict, "
            "discuss the guide over a pilot, or give gold pairs (plan --gold)"
        )
    highest = f"highest: {ranking.measures.max():.2f}" if len(ranking.measures) else "none says anything"
    return (
        f"no annotator's kappa is above {rule.high_kappa} ({highest}), so no rating was "
        "replaced; lower --high-kappa, or discuss the guide and label another campaign"
    )
