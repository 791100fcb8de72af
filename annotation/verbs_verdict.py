"""The verb `verdict`: ratings -> who is careless, and why."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from annotation.accounts import PILOT
from annotation.campaign import Campaign, OfCampaign
from annotation.config import VerdictRule, VoteRule, settings
from annotation.verdict import CAREFUL, CARELESS, UNDECIDED, judge
from annotation.votes import given, latest, votes_of
from data import schemas
from data.console import say, say_next
from data.errors import Findings


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
        if campaign.store.is_current(schemas.Verdicts, manifest, campaign=campaign.name):
            say("the table verdicts is up to date")
        else:
            rows = judge_campaign(campaign, rule).assign(campaign=campaign.name)
            version = campaign.store.replace(schemas.Verdicts, rows, manifest, campaign=campaign.name)
            say(f"{len(rows)} verdicts written to {campaign.store.root}/verdicts (version {version})")
    verdicts = campaign.store.read(schemas.Verdicts, campaign=campaign.name)
    _show(verdicts, rule)
    say_next("python -m annotation reassign", *campaign.flags)
    require_some_careful(verdicts)


def judge_campaign(campaign: Campaign, rule: VerdictRule, ballots: pd.DataFrame | None = None) -> pd.DataFrame:
    """The verdicts on all who rated work among these ballots (all if None), by it, by the pilot and by gold pairs."""
    votes = _timed(campaign, campaign.ballots if ballots is None else ballots, rule)
    pilot = campaign.arm(PILOT)
    if pilot.name != campaign.name and pilot.is_planned:
        earlier = _timed(pilot, pilot.ballots, rule)
        votes = pd.concat([votes, earlier[earlier["annotator"].isin(votes["annotator"])]], ignore_index=True)
    pairs = campaign.store.read(schemas.Pairs, columns=["pair_id", "overlap"], generator=campaign.plan["generator"])
    overlap = pairs.set_index("pair_id")["overlap"].fillna(0).astype("float64")
    return judge(votes, rule, overlap, _gold(campaign, rule))


def _timed(campaign: Campaign, ballots: pd.DataFrame, rule: VerdictRule) -> pd.DataFrame:
    """The votes among these ballots with their times as places."""
    votes = votes_of(ballots, rule)
    times = latest(campaign.ratings).set_index("assignment_id")["submitted_at"]
    return votes.assign(place=ballots.loc[votes.index, "assignment_id"].map(times).to_numpy("datetime64[ns]"))


def require_some_careful(verdicts: pd.DataFrame) -> None:
    """Raises Findings where more are careless than careful."""
    careless, careful = ((verdicts["verdict"] == one).sum() for one in (CARELESS, CAREFUL))
    if careless > careful:
        raise Findings(
            f"{careless} annotators are careless and {careful} careful by what the others say: where most are, nobody "
            "can be measured by the rest; discuss the guide over a pilot, or give gold pairs (plan --gold)"
        )


def _gold(campaign: Campaign, rule: VoteRule) -> pd.DataFrame:
    """annotator, score, vote, place (the time) and truth of the gold pairs that have a score."""
    known = campaign.plan.get("gold", {})
    rows = campaign.assignments.query("kind == 'gold'").merge(given(campaign.ratings), on="assignment_id")
    rows = rows.dropna(subset="score")
    truth = rows["pair_id"].map({pair: int(score >= rule.paraphrase_from) for pair, score in known.items()})
    return pd.DataFrame(
        {
            "annotator": rows["annotator"].to_numpy(object),
            "score": rows["score"].to_numpy("int64"),
            "vote": (rows["score"] >= rule.paraphrase_from).to_numpy("int64"),
            "place": rows["submitted_at"].to_numpy("datetime64[ns]"),
            "truth": np.asarray(truth, dtype="int64"),
        }
    )


def _show(verdicts: pd.DataFrame, rule: VerdictRule) -> None:
    say("annotator       n   skill  95 % interval      doubt  verdict")
    for one in verdicts.sort_values(["skill", "annotator"]).to_dict("records"):
        why = f" ({', '.join(one['reasons'])})" if len(one["reasons"]) else ""
        start = f"{one['annotator']:<9}  {one['n']:>6}  {one['skill']:>6.3f}  {one['low']:>6.3f} to {one['high']:>6.3f}"
        say(f"{start}  {one['doubt']:>5.3f}  {one['verdict']}{why}")
    careless, open_ = ((verdicts["verdict"] == one).sum() for one in (CARELESS, UNDECIDED))
    say(f"{careless} of {len(verdicts)} are careless (skill below {rule.careless_below}), {open_} undecided")
