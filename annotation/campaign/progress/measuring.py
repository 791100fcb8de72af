"""The stored measures of a campaign's annotators and the verdicts on them, and how they keep up with the answers."""

from collections.abc import Callable, Collection, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, fields
from functools import partial
from typing import Any, TypeVar

import pandas as pd

from annotation.campaign.campaign import Campaign
from annotation.campaign.progress.judging import judge_campaign, measure_campaign
from annotation.campaign.progress.suspects import couples_manifest, find_couples, say_couples
from annotation.config import JudgeRule
from data.console.messages import quantity, say
from data.contract.base import Table
from data.contract.tables.labels import Copying, Quality, Verdicts
from data.contract.vocabulary import CARELESS, UNDECIDED
from data.measures.rules import MeasureRule, VoteRule
from data.storage.manifest import Manifest
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


@dataclass(frozen=True, kw_only=True)
class Due:
    """What is to be measured again, of the campaign as it was at one moment."""

    campaign: Campaign
    before: list[dict[str, Any]]
    """The manifests of the parts as they are."""
    parts: list[tuple[type[Table], Manifest, Callable[[], pd.DataFrame]]]
    """The tables, in the order in which they are written, and what makes their rows."""
    one_vote: Collection[tuple[str, str]] = ()

    def compute(self) -> list[pd.DataFrame]:
        """The rows of each part. Nothing is written, and no lock is needed."""
        return [make() for _, _, make in self.parts]


def find_due(campaign: Campaign, *, is_over: bool) -> Due | None:
    """What to measure and judge again: where the answers have grown by GROWTH since, or where all is answered.

    By the rules that `quality` and `verdict` were run with last. What was measured of is read from the tables, so that
    a run that was killed is made up for. The caller is alone in the campaign.
    """
    n, measured = len(campaign.ratings), _measured_of(campaign)
    grown = is_over or abs(n - measured) >= GROWTH * measured
    if not grown or not (campaign.ballots["state"] == "scored").any():
        return None
    now, counts = copy(campaign), {"rows_in": n}
    _ = now.answers, now.withdrawn, now.gold  # all that may change is read now
    rule = _rule_before(campaign, Quality, MeasureRule)
    parts: list[tuple[type[Table], Manifest, Callable[[], pd.DataFrame]]] = [
        (Quality, campaign.manifest("quality", rule, counts=counts), lambda: measure_campaign(now, rule))
    ]
    one_vote: Collection[tuple[str, str]] = ()
    if campaign.question.vote is not None:
        judging = _rule_before(campaign, Verdicts, JudgeRule)
        verdicts, copying = campaign.manifest("verdict", judging, counts=counts), couples_manifest(campaign)
        parts += [
            (Copying, copying, lambda: find_couples(now)),
            (Verdicts, verdicts, lambda: judge_campaign(now, judging)),
        ]
        one_vote = judging.one_vote
    stale = [part for part in parts if not campaign.store.is_current(part[0], part[1], campaign=campaign.name)]
    return Due(campaign=now, before=_manifests(campaign), parts=stale, one_vote=one_vote) if stale else None


def record(campaign: Campaign, due: Due, rows: Sequence[pd.DataFrame]) -> None:
    """Write what was computed and say what it says of the annotators; the caller is alone in the campaign.

    Nothing where others have measured or an annotator has withdrawn in the meantime: it is then due again.
    """
    if due.before != _manifests(campaign) or due.campaign.withdrawn != campaign.withdrawn:
        return
    for (table, manifest, _), made in zip(due.parts, rows, strict=True):
        run_stage(campaign.store, table, manifest, partial(Made, rows=made), campaign=campaign.name)
    measured = quantity(len(due.campaign.ratings), "rating")
    if campaign.question.vote is None:
        say(f"annotators are measured by {measured}")
        return
    say_couples(campaign, due.one_vote)
    verdicts = campaign.store.read(Verdicts, campaign=campaign.name).sort_values("annotator")
    careless = verdicts.loc[verdicts["verdict"] == CARELESS, "annotator"]
    named = f" ({', '.join(careless)})" if len(careless) else ""
    undecided = (verdicts["verdict"] == UNDECIDED).sum()
    say(f"annotators are measured by {measured}: {len(careless)} of {len(verdicts)} are careless{named}, "
        f"{undecided} undecided")  # fmt: skip


def _measured_of(campaign: Campaign) -> int:
    """The number of ratings that measures and verdicts were made of; the smaller one, and 0 for neither."""
    return min(int(one.get("counts", {}).get("rows_in", 0)) for one in _manifests(campaign))


def _manifests(campaign: Campaign) -> list[dict[str, Any]]:
    """The manifests of the campaign's measures and, where it has votes, verdicts; empty where there are none."""
    tables = [Quality] if campaign.question.vote is None else [Quality, Verdicts]
    return [campaign.store.manifest(table, campaign=campaign.name) or {} for table in tables]


def _rule_before(campaign: Campaign, table: type[Table], rule: type[Rule]) -> Rule:
    """The rule that the campaign's part of the table was made by; the default one where there is none."""
    config: Mapping[str, Any] = campaign.store.config(table, campaign=campaign.name)
    known = {part.name: config[part.name] for part in fields(rule) if config.get(part.name) is not None}
    if "one_vote" in known:
        known["one_vote"] = tuple((first, second) for first, second in known["one_vote"])
    return campaign.with_vote_rule(rule(**known))
