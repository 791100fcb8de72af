"""The command `verdict`: ratings -> who is careless, and why."""

from dataclasses import dataclass

import pandas as pd

from annotation.campaign.campaign import Campaign, OfCampaign
from annotation.campaign.progress.measuring import record_verdicts
from annotation.campaign.progress.suspects import record_couples, require_known
from annotation.config import JudgeRule, VerdictRule, settings
from data.console.errors import Findings
from data.console.messages import say
from data.contract.tables.labels import Verdicts
from data.contract.vocabulary import CAREFUL, CARELESS, UNDECIDED
from data.guidance.next_steps import say_steps


@dataclass(frozen=True, kw_only=True)
class Arguments(JudgeRule, OfCampaign):
    """Find out who is careless, and why: by skill against the other annotators, the pilot and gold, drift and overlap.

    Exit code 1 where more are careless than careful: then the others are no standard for anyone; look at the guide.
    """


def main(arguments: Arguments) -> None:
    """Write the campaign's part of the table verdicts and print it."""
    campaign = Campaign(arguments)
    campaign.require_ratings()
    rule = campaign.with_vote_rule(settings(arguments, JudgeRule))
    require_known(campaign, rule)
    with campaign.alone():
        record_verdicts(campaign, rule, "verdict")
        record_couples(campaign, rule.one_vote)
    verdicts = campaign.store.read(Verdicts, campaign=campaign.name)
    _show(verdicts, rule)
    say_steps(campaign.store, campaign.name)
    _require_some_careful(verdicts)


def _show(verdicts: pd.DataFrame, rule: VerdictRule) -> None:
    say("the 95 % interval of the skill holds if all pairs are equally hard; if not, the truth is more often outside")
    say("annotator       n   skill  95 % interval      doubt  verdict")
    for row in verdicts.sort_values(["skill", "annotator"]).to_dict("records"):
        why = f" ({', '.join(row['reasons'])})" if len(row["reasons"]) else ""
        skill = f"{row['skill']:>6.3f}  {row['low']:>6.3f} to {row['high']:>6.3f}  {row['doubt']:>5.3f}"
        say(f"{row['annotator']:<9}  {row['n']:>6}  {skill}  {row['verdict']}{why}")
    for row in verdicts[verdicts["by_gold"].notna()].sort_values("annotator").to_dict("records"):
        say(f"{row['annotator']}: gold says {row['by_gold']:z.2f}, colleagues say {row['by_others']:z.2f}: gold knows")
    careless, undecided = ((verdicts["verdict"] == verdict).sum() for verdict in (CARELESS, UNDECIDED))
    say(f"{careless} of {len(verdicts)} are careless (skill below {rule.careless_below}), {undecided} undecided")


def _require_some_careful(verdicts: pd.DataFrame) -> None:
    """Raises Findings where more are careless than careful."""
    careless, careful = ((verdicts["verdict"] == verdict).sum() for verdict in (CARELESS, CAREFUL))
    if careless > careful:
        raise Findings(
            f"{careless} annotators are careless and {careful} careful by what the others say: where most are, none "
            "can be measured by the rest; discuss the guide over a pilot, or give gold pairs (plan --gold)"
        )
