"""The command `adjudicate`: ratings -> labels."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import pandas as pd

from annotation.aggregation.models import Method
from annotation.assignment.senior_review import decisions
from annotation.campaign.campaign import Campaign, OfCampaign
from annotation.config import VoteRule
from data.console import demand_at_least, say, say_next
from data.tables.labels import Labels
from data.vocabulary import MAJORITY


@dataclass(frozen=True, kw_only=True)
class MajorityRule(VoteRule):
    """How votes become a label."""

    at_least: int = 1
    """How many votes a majority needs, such as 4 of 5 (Zhang et al. 2019); pairs with fewer get no label by it and are
    rejects with a reason of their own."""


@dataclass(frozen=True, kw_only=True)
class Adjudicate(MajorityRule, OfCampaign):
    """Turn ratings into labels by the majority of the votes that count; pairs that cannot be decided are rejects."""

    method: Method | Literal["all"] = "majority"
    """Or a model of how annotators err, whose labels stand beside the majority's: dawid-skene, dawid-skene-scores (on
    the scores 0-3), dawid-skene-pooled (the same, with annotators drawn towards each other), one-coin, mace; `all`
    writes the labels of every method side by side."""


def main(arguments: Adjudicate) -> None:
    """Write the campaign's part of the table labels, and the undecided pairs as rejects."""
    campaign = Campaign(arguments)
    campaign.require_ratings()
    demand_at_least("--at-least", arguments.at_least, 1)
    rule = campaign.rule(arguments, MajorityRule)
    methods: tuple[Method, ...] = get_args(Method) if arguments.method == "all" else (arguments.method,)
    with campaign.alone():
        decided = decisions(campaign.assignments, campaign.ratings)
        labels = [_label(campaign, rule, method, decided) for method in methods]
    if len(decided):
        changed = int((decided["score"] != decided["blind"]).fillna(True).sum())
        say(f"{len(decided)} pairs decided by seniors, {changed} of them differently than at the blind look")
    if len(methods) > 1:
        _compare(methods, labels)
    say_next("python -m analysis.splits", "--store", campaign.store.root, "--campaign", campaign.name)


def _label(campaign: Campaign, rule: MajorityRule, method: Method, decided: pd.DataFrame) -> pd.DataFrame:
    """Write and return the labels of one method."""
    from annotation.aggregation.adjudication import adjudicate

    labels, rejects = adjudicate(campaign.ballots, rule, method, decided, rule.at_least)
    reasons = rejects["reason"].value_counts().to_dict()
    counts = {"rows_in": len(labels) + len(rejects), "rows_out": len(labels), "rejects": reasons}
    stage = "adjudicate" if method == MAJORITY else f"adjudicate-{method}"
    manifest, scope = campaign.manifest(stage, rule, counts=counts), {"method": method}
    if campaign.store.is_current(Labels, manifest, campaign=campaign.name, **scope):
        say("the table labels is up to date")
    else:
        campaign.reject(rejects, manifest)
        rows = labels.assign(campaign=campaign.name)
        campaign.store.replace(Labels, rows, manifest, campaign=campaign.name, **scope)
    say(
        f"{len(labels)} labels in {campaign.store.root}/labels by {method}: {int(labels['binary'].sum())} "
        f"{campaign.question.yes}, {int((labels['stratum'] == 'split').sum())} by a split vote"
    )
    for reason, n in reasons.items():
        say(f"{n} pairs without a label: {reason}")
    return labels


def _compare(methods: Sequence[str], labels: Sequence[pd.DataFrame]) -> None:
    """Say how many labels of each further method differ from the first one's, the majority's."""
    majority, *others = (rows.set_index("pair_id")["binary"] for rows in labels)
    aligned = (binary.reindex(majority.index) for binary in others)
    counts = (int((binary.notna() & (binary != majority)).sum()) for binary in aligned)
    differences = [f"{n} by {method}" for n, method in zip(counts, methods[1:], strict=True)]
    say(f"of the {len(majority)} labels of the majority, these differ: " + ", ".join(differences))
