"""What people have worked and are to be paid for."""

import pandas as pd

from annotation.campaign.campaign import Campaign
from annotation.campaign.people.withdrawal import arms
from data.contract.tables.campaign import Worked
from data.measures.rules import IdleRule
from data.recorded.ratings import given, seconds_spent


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
