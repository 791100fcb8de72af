"""The command `review`: disputed pairs -> assignments of seniors, first blind, then with the votes and comments."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from annotation.assignment import design
from annotation.assignment.reassignment import ALL_HAVE_SEEN_IT, QUOTAS_USED_UP, replace
from annotation.assignment.senior_review import missed_gold, queue
from annotation.campaign.campaign import Campaign, OfCampaign
from annotation.campaign.planning.plan import append_round
from annotation.campaign.planning.sequence import seen
from data.console.commands import require_at_least
from data.console.errors import InputError
from data.console.marks import Limit
from data.console.messages import quantity, say
from data.contract.tables.labels import Inconsistencies
from data.contract.vocabulary import BLIND, INFORMED, LEFT
from data.guidance.next_steps import say_steps
from data.measures.rules import VoteRule

REMEDIES = {
    ALL_HAVE_SEEN_IT: "`annotation resume` a senior who has not, or leave them to the votes",
    QUOTAS_USED_UP: "`annotation resume` a senior with room, or leave them to the votes",
}
"""What to do about pairs without a senior, by the reason."""


@dataclass(frozen=True, kw_only=True)
class Blind(OfCampaign):
    """Give disputed pairs to seniors who have not seen them: as everybody sees them, without the votes."""

    pairs: Limit[int | None] = None
    """How many in all, from the head of the queue (ties, missed gold, broken transitivity, split votes)."""

    dry_run: bool = False
    """Only say which pairs are disputed."""

    seed: int = 1
    """Seed of the order and sides."""


@dataclass(frozen=True, kw_only=True)
class Informed(OfCampaign):
    """Show each senior their own pairs again, with the votes and comments, and ask for a reason.

    Opening it closes the rounds before.
    """

    seed: int = 1
    """Seed of the order and sides."""


def _look_blind(arguments: Blind) -> None:
    campaign = Campaign(arguments)
    require_at_least("--pairs", arguments.pairs, 1)
    campaign.require_ratings()
    rule = campaign.vote_rule
    with campaign.alone():
        disputed = _queue(campaign, rule)
        counts = disputed["reason"].value_counts()
        say(f"{len(disputed)} disputed pairs: " + (", ".join(f"{n} {why}" for why, n in counts.items()) or "none"))
        reviewed = _looks(campaign)["pair_id"]
        wanted = disputed[: arguments.pairs]
        pairs = wanted.loc[~wanted["pair_id"].isin(reviewed), "pair_id"]
        seniors = campaign.room(_require_seniors(campaign))
        ratings = pd.DataFrame({"assignment_id": pairs, "pair_id": pairs}, dtype="object")
        new, rejects = replace(ratings, seen(campaign), seniors, arguments.seed)
        for reason, n in rejects["reason"].value_counts().items():
            say(f"{quantity(n, 'pair')} without a senior: {reason}; {REMEDIES[str(reason)]}")
        say(f"{len(new)} pairs go to {new['annotator'].nunique()} seniors, {len(reviewed)} went before")
        if arguments.dry_run:
            say("dry run: nothing written")
            return
        manifest = campaign.manifest("review-blind", rule, arguments.seed, {"new": len(new)})
        append_round(campaign, new.assign(kind=BLIND, supersedes=None), manifest)
        campaign.reject("review-blind", rejects, campaign.manifest("review-blind", rule, arguments.seed))
    say_steps(campaign.store, campaign.name)


def _look_informed(arguments: Informed) -> None:
    campaign = Campaign(arguments)
    rule = campaign.vote_rule
    with campaign.alone():
        blind = _looks(campaign)
        _require_answered(campaign, blind)
        unseen = blind[~blind["assignment_id"].isin(campaign.assignments["supersedes"])].sort_values("assignment_id")
        looks = unseen[["pair_id", "annotator"]].assign(supersedes=unseen["assignment_id"])
        looks = looks.astype("object").reset_index(drop=True)
        new = design.order(looks, np.random.default_rng([arguments.seed, 9])).assign(kind=INFORMED)
        manifest = campaign.manifest("review-informed", rule, arguments.seed, {"new": len(new)})
        append_round(campaign, new, manifest)
    say(f"{len(new)} pairs are shown again to {new['annotator'].nunique()} seniors, with the votes and comments")
    say_steps(campaign.store, campaign.name)


def _queue(campaign: Campaign, rule: VoteRule) -> pd.DataFrame:
    """The disputed pairs in their order: pair_id, reason."""
    broken = campaign.store.read(Inconsistencies, kind="transitivity")["pair_id"]
    missed = missed_gold(campaign.assignments, campaign.ratings, campaign.gold, rule)
    return queue(campaign.ballots, rule, broken, missed, campaign.classes)


def _looks(campaign: Campaign) -> pd.DataFrame:
    """The assignments of the blind look, except those that seniors left unanswered when they left."""
    blind = campaign.assignments[campaign.assignments["kind"] == BLIND]
    left = campaign.annotators.index[campaign.annotators["state"] == LEFT]
    return blind[~blind["annotator"].isin(left) | blind["assignment_id"].isin(sorted(campaign.answered))]


def _require_seniors(campaign: Campaign) -> list[str]:
    if not campaign.seniors:
        raise InputError(
            f"campaign {campaign.name}",
            expected="active annotators with the role senior",
            found="none",
            remedy="name some in the file of people (plan --annotators FILE, column role)",
        )
    return campaign.seniors


def _require_answered(campaign: Campaign, blind: pd.DataFrame) -> None:
    open_ = blind.loc[~blind["assignment_id"].isin(sorted(campaign.answered)), "annotator"].value_counts()
    if blind.empty or len(open_):
        raise InputError(
            f"campaign {campaign.name}, blind look of the seniors",
            expected="every pair answered",
            found=f"{open_.sum()} of {len(blind)} open" if len(blind) else "none planned",
            remedy="collect first" if len(blind) else "plan it first: python -m annotation review blind",
        )


VERBS = {"blind": _look_blind, "informed": _look_informed}
