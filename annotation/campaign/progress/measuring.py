"""The stored measures of a campaign's annotators and the verdicts on them, and how they keep up with the answers."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, TypeVar

from annotation.campaign.campaign import Campaign
from annotation.campaign.progress.judging import judge_campaign, measure_campaign
from annotation.campaign.progress.suspects import record_couples
from annotation.config import JudgeRule
from data.console.messages import quantity, say
from data.contract.base import Table
from data.contract.tables.labels import Quality, Verdicts
from data.contract.vocabulary import CARELESS, UNDECIDED
from data.measures.rules import MeasureRule, VoteRule
from data.storage.stage import Made, run_stage

Rule = TypeVar("Rule", bound=VoteRule)

GROWTH = 0.1
"""By what share the ratings must have changed in number before annotators are measured again: so the work on all
measures of a campaign is about ten times the work on the last."""


def record_measures(campaign: Campaign, rule: MeasureRule, noun: str = "") -> None:
    """Write the campaign's part of the table quality, if it is out of date; the caller is alone in the campaign.

    `noun`: what `run_stage` calls a row; without it, nothing is printed.
    """
    manifest = campaign.manifest("quality", rule, counts={"rows_in": len(campaign.ratings)})
    part = {"noun": noun, "campaign": campaign.name}
    run_stage(campaign.store, Quality, manifest, lambda: Made(rows=measure_campaign(campaign, rule)), **part)


def record_verdicts(campaign: Campaign, rule: JudgeRule, noun: str = "") -> None:
    """Write the campaign's part of the table verdicts, as `record_measures` does."""
    manifest = campaign.manifest("verdict", rule, counts={"rows_in": len(campaign.ratings)})
    part = {"noun": noun, "campaign": campaign.name}
    run_stage(campaign.store, Verdicts, manifest, lambda: Made(rows=judge_campaign(campaign, rule)), **part)


def keep_up(campaign: Campaign, *, is_over: bool) -> None:
    """Measure and judge the annotators where the answers have grown by GROWTH since, or where all is answered.

    By the rules that `quality` and `verdict` were run with last. What was measured of is read from the tables, so that
    a run that was killed is made up for. The caller is alone in the campaign.
    """
    n, before = len(campaign.ratings), _measured_of(campaign)
    if not (is_over or abs(n - before) >= GROWTH * before) or not (campaign.ballots["state"] == "scored").any():
        return
    record_measures(campaign, _rule_before(campaign, Quality, MeasureRule))
    measured = quantity(n, "rating")
    if campaign.question.vote is None:
        say(f"annotators are measured by {measured}")
        return
    rule = _rule_before(campaign, Verdicts, JudgeRule)
    record_verdicts(campaign, rule)
    record_couples(campaign, rule.one_vote)
    verdicts = campaign.store.read(Verdicts, campaign=campaign.name).sort_values("annotator")
    careless = verdicts.loc[verdicts["verdict"] == CARELESS, "annotator"]
    named = f" ({', '.join(careless)})" if len(careless) else ""
    undecided = (verdicts["verdict"] == UNDECIDED).sum()
    say(f"annotators are measured by {measured}: {len(careless)} of {len(verdicts)} are careless{named}, "
        f"{undecided} undecided")  # fmt: skip


def _measured_of(campaign: Campaign) -> int:
    """The number of ratings that measures and verdicts were made of; the smaller one, and 0 for neither."""
    tables = [Quality] if campaign.question.vote is None else [Quality, Verdicts]
    last = [campaign.store.manifest(table, campaign=campaign.name) or {} for table in tables]
    return min(int(one.get("counts", {}).get("rows_in", 0)) for one in last)


def _rule_before(campaign: Campaign, table: type[Table], rule: type[Rule]) -> Rule:
    """The rule that the campaign's part of the table was made by; the default one where there is none."""
    config: Mapping[str, Any] = campaign.store.config(table, campaign=campaign.name)
    known = {part.name: config[part.name] for part in fields(rule) if config.get(part.name) is not None}
    if "one_vote" in known:
        known["one_vote"] = tuple((first, second) for first, second in known["one_vote"])
    chosen = rule(**known)
    return chosen if campaign.question.vote is None else campaign.rule(chosen, rule)
