"""The command `pay`: ratings and their times -> what each annotator has earned."""

from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from annotation.campaign.campaign import Campaign, OfCampaign
from annotation.campaign.people.withdrawal import arms
from annotation.config import settings
from data.console.errors import InputError
from data.console.messages import say
from data.contract.tables.campaign import Worked
from data.files.whole import PRIVATE, PUBLIC, write_whole
from data.guidance.next_steps import say_steps
from data.measures.ballots import given, seconds_spent
from data.measures.rules import IdleRule


@dataclass(frozen=True, kw_only=True)
class Arguments(IdleRule, OfCampaign):
    """Write what each annotator has earned, pilot and control arm included: pseudonyms, ratings, hours and amounts."""

    out: Path
    """The CSV file."""

    per_hour: float = 0.0
    """Pay per hour of labelling; a pause longer than --idle-seconds counts as that many."""

    per_label: float = 0.0
    """Pay per rating; skips do not count."""

    names: bool = False
    """Add e-mail addresses: then the file is readable by you alone."""


def main(arguments: Arguments) -> None:
    """Write the list again from the ratings; people who withdrew are on it with what they had worked until then."""
    if arguments.per_hour <= 0 and arguments.per_label <= 0:
        raise InputError(
            "--per-hour", expected="--per-hour or --per-label above 0", found="neither", remedy="say what is paid"
        )
    campaign = Campaign(arguments)
    _ = campaign.assignments  # a mistyped name is reported
    rows = earned(campaign, settings(arguments, IdleRule))
    if rows.empty:
        campaign.require_ratings()
    rows["amount"] = (rows["hours"] * arguments.per_hour + rows["ratings"] * arguments.per_label).round(2)
    if arguments.names:
        rows.insert(1, "email", rows["annotator"].map(campaign.emails()))
    table = rows.assign(hours=rows["hours"].round(3)).to_csv(index=False)
    write_whole(arguments.out, table, mode=PRIVATE if arguments.names else PUBLIC)
    total = f"{rows['hours'].sum():.1f} hours, {rows['amount'].sum():.2f} to pay in total"
    say(f"{rows['annotator'].nunique()} annotators, {total}")
    say(f"the list: {arguments.out}" + (" (readable by you alone)" if arguments.names else ", by pseudonym"))
    say_steps(campaign.store, campaign.name)


def earned(campaign: Campaign, rule: IdleRule) -> pd.DataFrame:
    """Per annotator of the campaign, its pilot and its control arm: annotator, campaign, ratings, hours.

    Ratings that were deleted in any withdrawal are included.
    """
    parts = [row for part in arms(campaign) for row in _earned_in(part, rule)]
    rows = pd.DataFrame(parts, columns=["annotator", "campaign", "ratings", "hours"])
    return rows.groupby(["campaign", "annotator"], as_index=False, sort=False).sum()[list(rows)]


def _earned_in(campaign: Campaign, rule: IdleRule) -> list[tuple[str, str, int, float]]:
    deleted = campaign.store.read(Worked, campaign=campaign.name).to_dict("records")
    rows = [(str(row["annotator"]), campaign.name, row["ratings"], row["seconds"] / 3600) for row in deleted]
    answers = given(campaign.ratings).merge(campaign.assignments[["assignment_id", "annotator"]], on="assignment_id")
    rows += [
        (str(name), campaign.name, len(part), seconds_spent(part, rule.idle_seconds) / 3600)
        for name, part in answers.groupby("annotator")
    ]
    return sorted(rows)
