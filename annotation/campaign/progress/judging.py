"""Measures of a campaign's annotators, verdicts on them, and their pace."""

import numpy as np
import pandas as pd

from annotation.campaign.campaign import Campaign
from annotation.config import MIN_LABELS, JudgeRule
from annotation.simulation import forecast
from annotation.simulation.assumptions import Told, learn
from data.console.messages import quantity
from data.contract.tables.campaign import Assignments, Ratings
from data.contract.tables.generated import GeneratedTexts
from data.contract.tables.labels import Labels
from data.contract.tables.pairs import Pairs
from data.contract.vocabulary import CHECKS, DISCUSSION, PILOT
from data.measures.agreement import Mask
from data.measures.ballots import given, latest, votes_of
from data.measures.rules import MeasureRule, VoteRule
from data.storage.store import Store


def measure_campaign(campaign: Campaign, rule: MeasureRule) -> pd.DataFrame:
    """The measures of all who have not withdrawn, in the columns of `habits.COLUMNS`."""
    from data.measures.quality import measure

    ballots = campaign.every_ballot
    unasked = ballots["kind"].isin(CHECKS) & ballots["annotator"].isin(sorted(campaign.withdrawn))
    answers = None if campaign.question.scale else campaign.answers
    return measure(ballots[~unasked], answers, campaign.question, rule, gold=campaign.gold)


def judge_campaign(campaign: Campaign, rule: JudgeRule, ballots: pd.DataFrame | None = None) -> pd.DataFrame:
    """The verdicts on all who rated work among the ballots (default: all), by that work, the pilot and gold pairs."""
    from annotation.quality.verdict import judge

    votes = votes_with_pilot(campaign, rule, ballots)
    columns = ["pair_id", "first_id", "second_id", "overlap"]
    pairs = campaign.store.read(Pairs, columns=columns, generator=campaign.plan["generator"])
    pairs = pairs[~hold_generated(pairs, campaign.store)]  # made to overlap, which then says nothing
    overlap = pairs.set_index("pair_id")["overlap"].fillna(0).astype("float64")
    return judge(votes, rule, overlap, gold_votes(campaign, rule), rule.one_vote)


def votes_with_pilot(campaign: Campaign, rule: VoteRule, ballots: pd.DataFrame | None = None) -> pd.DataFrame:
    """The votes among the ballots (default: all) and the same people's in the pilot, with times as places."""
    votes = _timed(campaign, campaign.ballots if ballots is None else ballots, rule)
    pilot = campaign.arm_of_study(PILOT)
    if pilot is not campaign and pilot.is_planned:
        earlier = _timed(pilot, pilot.ballots, rule)
        votes = pd.concat([votes, earlier[earlier["annotator"].isin(votes["annotator"])]], ignore_index=True)
    return votes


def _timed(campaign: Campaign, ballots: pd.DataFrame, rule: VoteRule) -> pd.DataFrame:
    """The votes among the ballots, with their times as places."""
    votes = votes_of(ballots, rule)
    times = latest(campaign.ratings).set_index("assignment_id")["submitted_at"]
    return votes.assign(place=ballots.loc[votes.index, "assignment_id"].map(times).to_numpy("datetime64[ns]"))


def gold_votes(campaign: Campaign, rule: VoteRule) -> pd.DataFrame:
    """pair_id, annotator, score, vote, place (the time) and truth of the gold pairs that were given a score."""
    rows = campaign.assignments.query("kind == 'gold'").merge(given(campaign.ratings), on="assignment_id")
    rows = rows.dropna(subset="score")
    truth = rows["pair_id"].map({pair: int(score >= rule.lowest_yes) for pair, score in campaign.gold.items()})
    return pd.DataFrame(
        {
            "pair_id": rows["pair_id"].to_numpy(object),
            "annotator": rows["annotator"].to_numpy(object),
            "score": rows["score"].to_numpy("int64"),
            "vote": (rows["score"] >= rule.lowest_yes).to_numpy("int64"),
            "place": rows["submitted_at"].to_numpy("datetime64[ns]"),
            "truth": np.asarray(truth, dtype="int64"),
        }
    )


def known_pace(campaign: Campaign, idle_seconds: float) -> tuple[float, str] | None:
    """Seconds per label in the campaign, else in its pilot, and where they come from; None where nothing was timed."""
    ratings = campaign.store.read(Ratings, columns=["assignment_id", "seconds"])
    for name in (campaign.name, campaign.arm_of_study(PILOT).name):
        assigned = campaign.store.read(Assignments, columns=["assignment_id"], campaign=name)
        own = ratings[ratings["assignment_id"].isin(assigned["assignment_id"])]
        timed = forecast.pace(own, idle_seconds)
        if timed is not None:
            seconds, n = timed
            return seconds, f"mean of the {n} ratings of {name} timed up to {idle_seconds:g} s"
    return None


def learn_from_pilot(campaign: Campaign) -> tuple[Told, str]:
    """What the settled pairs of the pilot tell of pairs and people, and its name, or why too few do."""
    pilot = campaign.arm_of_study(PILOT)
    settled = campaign.store.read(Labels, campaign=pilot.name, method=DISCUSSION, further=False)
    if settled.empty or not pilot.is_planned:
        return Told(), ""
    if len(settled) < MIN_LABELS:
        return Told(), f"{pilot.name} has {quantity(len(settled), 'settled pair')}, fewer than {MIN_LABELS}"
    pairs = campaign.store.read(Pairs, ["pair_id", "entity", "overlap"], generator=pilot.plan["generator"])
    rows = settled[["pair_id", "binary"]].merge(pairs, on="pair_id")
    rows["group"] = rows["entity"].fillna(rows["pair_id"])
    told = learn(rows, votes_of(pilot.ballots, pilot.vote_rule))
    return told, pilot.name


def hold_generated(pairs: pd.DataFrame, store: Store) -> Mask:
    """Whether either text of each pair (first_id, second_id) was generated: overlap then says nothing of meaning."""
    ids = store.read(GeneratedTexts, columns=["text_id"])["text_id"]
    return (pairs["first_id"].isin(ids) | pairs["second_id"].isin(ids)).to_numpy(bool)
