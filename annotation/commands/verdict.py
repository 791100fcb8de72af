"""The verb `verdict`: ratings -> who is careless, and why."""

from dataclasses import dataclass

import pandas as pd

from annotation.campaign.campaign import Campaign, OfCampaign
from annotation.campaign.judging import judge_campaign
from annotation.config import VerdictRule, settings
from annotation.quality.verdict import CAREFUL, CARELESS, UNDECIDED
from data.console import say, say_next
from data.errors import Findings
from data.tables.labels import Verdicts


@dataclass(frozen=True, kw_only=True)
class Verdict(VerdictRule, OfCampaign):
    """Say who is careless, with reasons: skill by what the others, the pilot and gold say, drift, use of overlap alone.

    Exit code 1 where more are careless than careful: then the others are no measure; look at the guide.
    """


def main(arguments: Verdict) -> None:
    """Writes the campaign's part of the table verdicts and prints it."""
    campaign = Campaign(arguments)
    campaign.require_ratings()
    rule = settings(arguments, VerdictRule)
    with campaign.alone():
        manifest = campaign.manifest("verdict", rule)
        if campaign.store.is_current(Verdicts, manifest, campaign=campaign.name):
            say("the table verdicts is up to date")
        else:
            rows = judge_campaign(campaign, rule).assign(campaign=campaign.name)
            version = campaign.store.replace(Verdicts, rows, manifest, campaign=campaign.name)
            say(f"{len(rows)} verdicts written to {campaign.store.root}/verdicts (version {version})")
    verdicts = campaign.store.read(Verdicts, campaign=campaign.name)
    _show(verdicts, rule)
    say_next("python -m annotation reassign", *campaign.flags)
    require_some_careful(verdicts)


def require_some_careful(verdicts: pd.DataFrame) -> None:
    """Raises Findings where more are careless than careful."""
    careless, careful = ((verdicts["verdict"] == one).sum() for one in (CARELESS, CAREFUL))
    if careless > careful:
        raise Findings(
            f"{careless} annotators are careless and {careful} careful by what the others say: where most are, nobody "
            "can be measured by the rest; discuss the guide over a pilot, or give gold pairs (plan --gold)"
        )


def _show(verdicts: pd.DataFrame, rule: VerdictRule) -> None:
    say("annotator       n   skill  95 % interval      doubt  verdict")
    for one in verdicts.sort_values(["skill", "annotator"]).to_dict("records"):
        why = f" ({', '.join(one['reasons'])})" if len(one["reasons"]) else ""
        start = f"{one['annotator']:<9}  {one['n']:>6}  {one['skill']:>6.3f}  {one['low']:>6.3f} to {one['high']:>6.3f}"
        say(f"{start}  {one['doubt']:>5.3f}  {one['verdict']}{why}")
    careless, open_ = ((verdicts["verdict"] == one).sum() for one in (CARELESS, UNDECIDED))
    say(f"{careless} of {len(verdicts)} are careless (skill below {rule.careless_below}), {open_} undecided")
