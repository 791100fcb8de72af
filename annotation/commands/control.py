"""The command `control`: people outside the field label the experts' pairs, to show what expertise is worth."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import pandas as pd
from tyro.conf import subcommand

from annotation.assignment import control_arm
from annotation.campaign.arms import SamePairs, plan_control
from annotation.campaign.campaign import Campaign, OfCampaign
from annotation.campaign.plan import read_people
from annotation.config import VoteRule
from data.console import demand_at_least, figure, say, say_next
from data.errors import InputError
from data.studies import CONTROL
from data.tables.labels import Labels, Splits


@dataclass(frozen=True, kw_only=True)
class PlanControl(OfCampaign):
    """Give people outside the field the same labelled pairs, after the guide and examples, as campaign NAME-control."""

    annotators: int | Path
    """A number, or a CSV file of people; people who labelled the campaign's work are refused."""

    examples: int = 100
    """The number of pairs shown first, with the experts' labels (He et al. 2020, Table 10: of the training set)."""

    pairs: int = 100
    """The number of pairs that each person labels (He et al. 2020, Table 10: of the test set)."""

    method: str = "majority"
    """The method of the experts' labels."""

    scheme: str = "by-entity"
    """The split scheme: examples are from its train split, pairs from its test split; without it, from all labelled."""

    seed: int = 1
    """Seed of the sample, order and sides."""


@dataclass(frozen=True, kw_only=True)
class Score(VoteRule, OfCampaign):
    """Score the control arm's ratings against the experts' labels."""

    method: str = "majority"
    """The method of the experts' labels."""


@dataclass(frozen=True, kw_only=True)
class Control:
    """Let people outside the field label some of the experts' pairs: their ratings never become labels."""

    action: (
        Annotated[PlanControl, subcommand("plan", prefix_name=False)]
        | Annotated[Score, subcommand("score", prefix_name=False)]
    )


def main(arguments: Control) -> None:
    """Plan the control arm, or score it."""
    actions: dict[type, Any] = {PlanControl: _plan, Score: _score}
    actions[type(arguments.action)](arguments.action)


def _arm(arguments: OfCampaign) -> tuple[Campaign, Campaign]:
    """The campaign, and its control arm."""
    campaign = Campaign(arguments).arm()
    return campaign, campaign.arm(CONTROL)


def _labels(campaign: Campaign, method: str) -> pd.DataFrame:
    columns = ["pair_id", "binary", "stratum"]
    labels = campaign.store.read(Labels, columns=columns, campaign=campaign.name, method=method)
    if labels.empty:
        raise InputError(
            f"labels of {campaign.name} by {method}",
            expected="the experts' labels to compare with",
            found="none",
            remedy="write them first: python -m annotation adjudicate",
        )
    return labels


def _plan(arguments: PlanControl) -> None:
    campaign, arm = _arm(arguments)
    campaign.require_scale("control")
    demand_at_least("--examples", arguments.examples, 1)
    demand_at_least("--pairs", arguments.pairs, 1)
    labels = _labels(campaign, arguments.method)
    splits = campaign.store.read(Splits, columns=["pair_id", "split"], scheme=arguments.scheme)
    examples, chosen = control_arm.draw(labels, splits, arguments.examples, arguments.pairs, arguments.seed)
    if not examples or not chosen:
        raise InputError(
            "--pairs and --examples",
            expected="labelled pairs for both",
            found=f"{len(chosen)} and {len(examples)}",
            remedy="label more, or ask for fewer",
        )
    people = read_people(arguments.annotators, arm.name).assign(role="non_expert")
    pairs = SamePairs(
        pair_ids=chosen,
        generator=campaign.plan["generator"],
        wanted=arguments.pairs,
        show_entity=bool(campaign.plan["show_entity"]),
        question=campaign.question,
        seed=arguments.seed,
    )
    plan_control(campaign, people, pairs, labels.set_index("pair_id").loc[examples].reset_index())
    say(f"{len(people)} people label {len(chosen)} pairs after {len(examples)} examples, as campaign {arm.name}")
    for what, n, wanted in (("pairs", len(chosen), arguments.pairs), ("examples", len(examples), arguments.examples)):
        if n < wanted:
            say(f"{wanted} {what} were asked for: no more are labelled and in the split scheme {arguments.scheme}")
    say_next("python -m annotation open", *arm.flags)


def _score(arguments: Score) -> None:
    campaign, arm = _arm(arguments)
    arm.require_ratings()
    scores = control_arm.score(arm.ballots, _labels(campaign, arguments.method), campaign.rule(arguments, VoteRule))
    say("annotator    n  accuracy  95 % interval     F1  kappa  unanimous  split")
    for row in scores.to_dict("records"):
        unanimous, split, kappa = (figure(row[name], 3) for name in ("unanimous", "split", "kappa"))
        say(
            f"{row['annotator']:<9}  {row['n']:>3}  {row['accuracy']:>8.3f}  {row['low']:.3f} to {row['high']:.3f}  "
            f"{row['f1']:>5.3f}  {kappa:>5}  {unanimous:>9}  {split:>5}"
        )
    say(f"against the labels of {campaign.name} by {arguments.method}; all: the majority of the control arm")
