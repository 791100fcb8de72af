"""`annotation adjudicate`: from ratings to labels."""

from dataclasses import dataclass
from typing import Literal, get_args

import pandas as pd

from annotation.aggregation.models import Method
from annotation.assignment.senior_review import decisions
from annotation.campaign.campaign import Campaign, OfCampaign
from annotation.config import VoteRule, settings
from data.console import say, say_next
from data.tables.labels import Labels
from data.vocabulary import MAJORITY


@dataclass(frozen=True, kw_only=True)
class Adjudicate(VoteRule, OfCampaign):
    """Turn ratings into labels by majority of the votes that stand; pairs that cannot be decided are rejects."""

    method: Method | Literal["all"] = "majority"
    """Or a model of how annotators err, whose labels stand beside the majority's: dawid-skene, dawid-skene-scores (on
    the scores 0-3), dawid-skene-pooled (the same, annotators told apart less), one-coin, mace; `all` makes those of
    every method, side by side."""


def adjudicate(arguments: Adjudicate) -> None:
    """Writes the campaign's part of the table labels, and the undecided pairs as rejects."""
    campaign = Campaign(arguments)
    campaign.require_ratings()
    rule = settings(arguments, VoteRule)
    with campaign.alone():
        decided = decisions(campaign.assignments, campaign.ratings)
        methods: tuple[Method, ...] = get_args(Method) if arguments.method == "all" else (arguments.method,)
        made = [_decide(campaign, rule, method, decided) for method in methods]
    if len(decided):
        changed = int((decided["score"] != decided["blind"]).fillna(True).sum())
        say(f"{len(decided)} pairs decided by seniors, {changed} of them otherwise than blind")
    if len(methods) > 1:
        first = made[0].set_index("pair_id")["binary"]
        others = [one.set_index("pair_id")["binary"].reindex(first.index) for one in made[1:]]
        differ = [
            f"{int((one.notna() & (one != first)).sum())} by {name}"
            for name, one in zip(methods[1:], others, strict=True)
        ]
        say(f"of the {len(first)} labels of the majority others are " + ", ".join(differ))
    say_next("python -m analysis.splits", "--store", campaign.store.root, "--campaign", campaign.name)


def _decide(campaign: Campaign, rule: VoteRule, method: Method, decided: pd.DataFrame) -> pd.DataFrame:
    """Writes and returns the labels of one method."""
    from annotation.aggregation.adjudication import adjudicate as decide

    labels, rejects = decide(campaign.ballots, rule, method, decided)
    refused = rejects["reason"].value_counts().to_dict()
    counts = {"rows_in": len(labels) + len(rejects), "rows_out": len(labels), "rejects": refused}
    verb = "adjudicate" if method == MAJORITY else f"adjudicate-{method}"
    manifest, scope = campaign.manifest(verb, rule, counts=counts), {"method": method}
    if campaign.store.is_current(Labels, manifest, campaign=campaign.name, **scope):
        say("the table labels is up to date")
    else:
        campaign.reject(rejects, manifest)
        rows = labels.assign(campaign=campaign.name)
        campaign.store.replace(Labels, rows, manifest, campaign=campaign.name, **scope)
    say(
        f"{len(labels)} labels in {campaign.store.root}/labels by {method}: {int(labels['binary'].sum())} paraphrases, "
        f"{int((labels['stratum'] == 'split').sum())} by a split vote"
    )
    for reason, n in refused.items():
        say(f"{n} pairs without a label: {reason}")
    return labels
