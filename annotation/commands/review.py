"""The verb `review`: disputed pairs -> assignments of seniors, first blind, then with the votes and comments."""

from dataclasses import dataclass
from typing import Annotated

import numpy as np
import pandas as pd
from tyro.conf import subcommand

from annotation.assignment import design
from annotation.assignment.reassignment import replace
from annotation.assignment.senior_review import missed_gold, queue
from annotation.campaign.campaign import Campaign, OfCampaign
from annotation.campaign.plan import complete
from annotation.config import ReassignRule, VoteRule, settings
from data.console import demand_at_least, say, say_next
from data.errors import InputError
from data.tables.campaign import Assignments
from data.tables.labels import Inconsistencies
from data.vocabulary import BLIND, INFORMED


@dataclass(frozen=True, kw_only=True)
class Blind(VoteRule, OfCampaign):
    """Give disputed pairs to seniors who have not seen them: as everybody sees them, without the votes."""

    pairs: int | None = None
    """So many in all, by the order of the queue (ties, gold that was missed, broken transitivity, splits)."""

    dry_run: bool = False
    """Only say what is disputed."""

    seed: int = 1
    """What order and sides are drawn from."""


@dataclass(frozen=True, kw_only=True)
class Informed(OfCampaign):
    """Show each senior the own pairs again, with the votes and comments; a reason is asked for.

    The rounds before are closed when it is opened.
    """

    seed: int = 1
    """What order and sides are drawn from."""


@dataclass(frozen=True, kw_only=True)
class Review:
    """Let seniors decide what annotators dispute: `blind` first, then `informed`; both verdicts are kept."""

    action: (
        Annotated[Blind, subcommand("blind", prefix_name=False)]
        | Annotated[Informed, subcommand("informed", prefix_name=False)]
    )


def main(arguments: Review) -> None:
    """Appends the assignments of the one look or the other; run again it adds nothing."""
    match arguments.action:
        case Blind():
            _blind(arguments.action)
        case Informed():
            _informed(arguments.action)


def _blind(arguments: Blind) -> None:
    campaign = Campaign(arguments)
    demand_at_least("--pairs", arguments.pairs, 1)
    campaign.require_ratings()
    rule = settings(arguments, VoteRule)
    with campaign.alone():
        rows, ratings = campaign.assignments, campaign.ratings
        broken = campaign.store.read(Inconsistencies, kind="transitivity")["pair_id"]
        missed = missed_gold(rows, ratings, campaign.gold, rule)
        disputed = queue(campaign.ballots, rule, broken, missed)
        given = _looks(campaign)["pair_id"]
        counts = disputed["reason"].value_counts()
        say(f"{len(disputed)} disputed pairs: " + (", ".join(f"{n} {why}" for why, n in counts.items()) or "none"))
        wanted = disputed[: arguments.pairs]
        wanted = wanted[~wanted["pair_id"].isin(given)]
        room = campaign.room(_seniors(campaign))
        asked = pd.DataFrame({"assignment_id": wanted["pair_id"], "pair_id": wanted["pair_id"]}, dtype="object")
        new, rejects = replace(asked, rows, room, ReassignRule(), arguments.seed)
        for reason, n in rejects["reason"].value_counts().items():
            say(f"{n} pairs without a senior: {reason}")
        say(f"{len(new)} pairs go to {new['annotator'].nunique()} seniors, {len(given)} went before")
        if arguments.dry_run:
            say("dry run: nothing written")
            return
        _append(campaign, "review-blind", rule, new.assign(kind=BLIND, supersedes=None), arguments.seed)
        campaign.reject(rejects, campaign.manifest("review-blind", rule, arguments.seed))
    say_next("python -m annotation open", *campaign.flags)


def _informed(arguments: Informed) -> None:
    campaign = Campaign(arguments)
    with campaign.alone():
        rows = campaign.assignments
        blind = _looks(campaign)
        _require_answered(campaign, blind)
        fresh = blind[~blind["assignment_id"].isin(rows["supersedes"])].sort_values("assignment_id")
        again = pd.DataFrame(
            {
                "pair_id": fresh["pair_id"].to_numpy(object),
                "annotator": fresh["annotator"].to_numpy(object),
                "supersedes": fresh["assignment_id"].to_numpy(object),
            }
        )
        new = design.order(again, np.random.default_rng([arguments.seed, 9]))
        _append(campaign, "review-informed", VoteRule(), new.assign(kind=INFORMED), arguments.seed)
    say(f"{len(new)} pairs are shown again to {new['annotator'].nunique()} seniors, with the votes and comments")
    say_next("python -m annotation open", *campaign.flags)


def _looks(campaign: Campaign) -> pd.DataFrame:
    """The assignments of the blind look, without those that seniors who left never answered."""
    blind = campaign.assignments[campaign.assignments["kind"] == BLIND]
    left = set(campaign.annotators.index[campaign.annotators["state"] == "left"])
    return blind[~blind["annotator"].isin(sorted(left)) | blind["assignment_id"].isin(sorted(campaign.answered))]


def _append(campaign: Campaign, verb: str, rule: VoteRule, new: pd.DataFrame, seed: int) -> None:
    if len(new):
        number = int(campaign.assignments["round"].max()) + 1
        manifest = campaign.manifest(verb, rule, seed, {"new": len(new)})
        campaign.store.append(Assignments, complete(campaign, new.assign(round=number)), manifest)
        say(f"round {number} written to {campaign.store.root}/assignments")


def _seniors(campaign: Campaign) -> list[str]:
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
