"""The labels that a campaign and its pilot have so far."""

from dataclasses import dataclass

import pandas as pd

from annotation.campaign.campaign import Campaign
from annotation.config import MIN_LABELS, LabelRule
from data.console.errors import InputError
from data.contract.vocabulary import PILOT


@dataclass(frozen=True, eq=False)
class SoFar:
    """The majority's labels, with where they come from."""

    name: str
    """The campaign's."""
    labels: pd.DataFrame
    """pair_id, votes, n_votes, binary: one row per pair; the campaign's where the pilot has one, too."""
    campaigns: list[str]
    """Those that have labels."""
    generators: list[str]
    """Whose pairs they label."""

    def require_enough(self, found: int) -> None:
        """Raise InputError where so few pairs have a label that nothing follows."""
        if found < MIN_LABELS:
            raise InputError(
                f"campaign {self.name}",
                expected=f"at least {MIN_LABELS} labelled pairs",
                found=str(found),
                remedy="label a pilot first: python -m annotation pilot plan",
            )


def labels_so_far(campaign: Campaign) -> SoFar:
    """The labels of the campaign's and its pilot's pairs; raises InputError where neither is planned."""
    from annotation.aggregation.adjudication import adjudicate

    planned = [part for part in (campaign.arm_of_study(PILOT), campaign) if part.is_planned]
    if not planned:
        _ = campaign.assignments  # says which campaigns are planned
    of_label = LabelRule(paraphrase_from=campaign.vote_rule.lowest_yes)
    decided = [adjudicate(part.ballots, of_label, classes=part.classes)[0] for part in planned]
    labels = pd.concat(decided)[["pair_id", "votes", "n_votes", "binary"]].astype({"binary": "int64"})
    return SoFar(
        campaign.name,
        labels.drop_duplicates("pair_id", keep="last", ignore_index=True),
        [part.name for part, rows in zip(planned, decided, strict=True) if len(rows)],
        [part.plan["generator"] for part in planned],
    )
