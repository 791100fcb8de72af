"""A campaign's couples who seem to have copied: found, stored, put into words, and told apart from typing errors."""

from collections.abc import Collection, Iterator

import pandas as pd

from annotation.campaign.campaign import Campaign
from annotation.campaign.progress.judging import votes_with_pilot
from annotation.quality.copying import COLUMNS, find_copying
from data.console.errors import InputError
from data.console.messages import say
from data.contract.tables.labels import Copying
from data.measures.rules import OneVoteRule, VoteRule
from data.storage.manifest import Manifest
from data.storage.stage import Made, run_stage


def find_couples(campaign: Campaign) -> pd.DataFrame:
    """The couples, as in `find_copying`, by all their answers in the work and the pilot; none without votes."""
    if campaign.question.vote is None:
        return pd.DataFrame(columns=COLUMNS)
    return find_copying(votes_with_pilot(campaign, campaign.vote_rule))


def record_couples(campaign: Campaign, one_vote: Collection[tuple[str, str]] = ()) -> None:
    """Write the campaign's part of the table copying, and print a line for each couple."""
    manifest = couples_manifest(campaign)
    run_stage(campaign.store, Copying, manifest, lambda: Made(rows=find_couples(campaign)), campaign=campaign.name)
    say_couples(campaign, one_vote)


def couples_manifest(campaign: Campaign) -> Manifest:
    """The manifest of the campaign's part of the table copying."""
    return campaign.manifest("copying", VoteRule())


def say_couples(campaign: Campaign, one_vote: Collection[tuple[str, str]] = ()) -> None:
    """Print a line for each couple of the table copying."""
    for who, what in describe(campaign.store.read(Copying, campaign=campaign.name), one_vote):
        say(f"worth a look: {who}: {what}")


def describe(couples: pd.DataFrame, one_vote: Collection[tuple[str, str]] = ()) -> Iterator[tuple[str, str]]:
    """For each couple the names, and what they share and what follows. `one_vote`: who has one vote already."""
    for row in couples.to_dict("records"):
        first, second = row["first"], row["second"]
        others = "" if pd.isna(row["same_others"]) else f", either with others in {row['same_others']:.0%}"
        figures = f"the same answer in {row['same']:.0%} of {row['n']} pairs{others}"
        kappas = f"kappa {row['kappa']:.2f}, expected {row['expected']:.2f}"
        why = kappas if row["is_clear"] else "with three people, copying looks like being good"
        done = {first, second} in [set(couple) for couple in one_vote]
        follows = "they have one vote" if done else f"did one copy? Ask, then --one-vote {first} {second}"
        yield f"{first} and {second}", f"{figures} ({why}); {follows}"


def trusted(campaign: Campaign, couples: pd.DataFrame) -> set[str]:
    """The annotators who may take over the work of others: all who work, but for these couples."""
    return campaign.working() - {*couples["first"], *couples["second"]}


def require_known(campaign: Campaign, rule: OneVoteRule) -> None:
    """Raises InputError where --one-vote names an annotator twice in a couple, or one who is not in the campaign."""
    known = set(campaign.assignments["annotator"])
    for couple in rule.one_vote:
        if len(set(couple)) == 1 or not known >= set(couple):
            raise InputError(
                "--one-vote",
                expected="two of the annotators " + ", ".join(sorted(known)),
                found=" ".join(couple),
                remedy="name those that `python -m annotation quality` names",
            )
