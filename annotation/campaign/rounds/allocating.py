"""Further ratings where they help: `assignment.allocation` on a campaign's rows."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from annotation.aggregation.adjudication import tally_states
from annotation.assignment.allocation import Target, need_by_doubt, need_by_majority, pairs_ahead, share_out, stop_rule
from annotation.assignment.design import may_rate
from annotation.campaign.campaign import Campaign
from annotation.campaign.planning.plan import append_further
from annotation.campaign.planning.sequence import seen
from annotation.campaign.progress.judging import gold_votes
from annotation.campaign.progress.suspects import find_couples
from data.console.messages import say
from data.contract.tables.pairs import Pairs
from data.contract.vocabulary import FIXED, MAJORITY_DECIDED, VOTING
from data.measures.agreement import Mask
from data.measures.ballots import count_once, counting, find_copies, latest, votes_of
from data.measures.raters.pooled_dawid_skene import positive_chances, skills
from data.measures.rules import VoteRule


@dataclass(frozen=True, kw_only=True)
class Allocation:
    """How far the pairs are of a campaign that asks for further ratings where they help."""

    finished: int
    """Pairs of which nothing more is asked, whether they get a label (4:1) or none (2:2)."""
    n_ratings: int
    """The finished pairs'."""
    further: int
    """Pairs that get a further rater now."""
    left: float
    """How many more ratings the budget allows; infinity without one."""
    rejects: pd.DataFrame
    """The pairs without an annotator: id, reason, detail."""


def rule_of(campaign: Campaign) -> str:
    """How votes become a label: by the plan, else by the question."""
    planned = campaign.plan["rule"]
    return campaign.question.rule if pd.isna(planned) else str(planned)


def call_where_needed(campaign: Campaign, wait: float | None = None) -> Allocation | None:
    """Assign a further rater to the pairs that need one by the campaign's policy; None where all are asked anyway.

    A pair that waits for an answer gets none, so a second run finds nothing to do. `wait`: the seconds until the next
    run, None where a lead decides on it: where each answer changes what is worth asking next, no annotator gets much
    more than fills that time.
    """
    if campaign.plan["allocate"] == FIXED:
        return None
    needs = weigh(campaign)
    new, rejects = pick_next(campaign, needs, _people(campaign, wait))
    manifest = campaign.manifest("extend", VoteRule(), counts={"new": len(new), "rejects": len(rejects)})
    append_further(campaign, new, manifest)
    campaign.reject("extend", rejects, manifest)
    return Allocation(
        finished=int(needs.finished.sum()),
        n_ratings=needs.n_ratings,
        further=len(new),
        left=needs.left - len(new),
        rejects=rejects,
    )


@dataclass(frozen=True, kw_only=True)
class Needs:
    """What further ratings of a campaign's pairs are worth, and what is known of them."""

    tally: pd.DataFrame
    """By pair_id: votes, against, flagged, waits."""
    worth: "pd.Series[float]"
    """Of a further rating, by pair_id; null for none."""
    skills: "pd.Series[float]"
    """By annotator."""
    left: float
    """How many more ratings the budget allows; infinity without one."""
    copies: list[list[str]]
    """Couples of whom one seems to copy the other: they have one vote."""

    @property
    def finished(self) -> Mask:
        """Whether nothing more is asked of each pair."""
        is_over = self.worth.isna() | (self.left <= 0)
        return np.asarray(is_over & ~self.tally["waits"], dtype=bool)

    @property
    def n_ratings(self) -> int:
        """The ratings of the finished pairs."""
        return int(self.tally.loc[self.finished, ["votes", "against", "flagged"]].to_numpy("int64").sum())


def weigh(campaign: Campaign) -> Needs:
    """What further ratings are worth by the campaign's policy, which is not `fixed`, and the ratings so far."""
    plan, rule = campaign.plan, campaign.vote_rule
    ballots = counting(campaign.ballots)
    votes = votes_of(ballots, rule)
    tally = _tally(ballots, votes)
    copies = find_copies(find_couples(campaign))
    once = votes[count_once(votes, copies)]
    chances, left = positive_chances(once, gold_votes(campaign, rule)), np.inf
    if plan["allocate"] == MAJORITY_DECIDED:
        stop = stop_rule(rule_of(campaign), int(plan["labels_per_pair"]))
        worth = tally["votes"] * np.nan if stop is None else need_by_majority(tally, stop)
    else:
        overlap = campaign.store.read(Pairs, ["pair_id", "overlap"], generator=plan["generator"])
        target = Target(chance=float(plan["target"]), raters=int(plan["labels_per_pair"]))
        worth = need_by_doubt(tally, chances, target, overlap.set_index("pair_id")["overlap"].astype("float64"))
        left = max(int(plan["budget"]) - int(campaign.held["kind"].isin(VOTING).sum()), 0)
    return Needs(tally=tally, worth=worth, skills=skills(once, chances), left=left, copies=copies)


def pick_next(campaign: Campaign, needs: Needs, people: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Who gets which further pair now, and the pairs that none can have (`share_out`). `people`: quota and room."""
    people = people.assign(skill=needs.skills.reindex(people.index))
    may = may_rate(needs.worth.index, people.index, _barred(campaign, needs.copies))
    return share_out(needs.worth, may, people, needs.left, len(campaign.assignments))


def say_further(progress: Allocation) -> None:
    """Say how many pairs are finished, how many get a further rater, and why others get none."""
    mean = f", with {progress.n_ratings / progress.finished:.2f} ratings each" if progress.finished else ""
    left = "" if progress.left == np.inf else f"; the budget allows {progress.left:,} more"
    say(f"{progress.finished:,} pairs are finished{mean}; {progress.further:,} get a further rater{left}")
    for reason, n in progress.rejects["reason"].value_counts().items():
        say(f"{n:,} unfinished pairs get none: {reason}; raise quotas or add annotators")


def is_finished(campaign: Campaign, progress: Allocation | None) -> bool:
    """Whether no answer is waited for, and none will be asked for."""
    return (progress is None or progress.further == 0) and _waited_for(campaign).empty


def is_short_of_work(campaign: Campaign, progress: Allocation | None) -> bool:
    """Whether someone has no pair to answer who may get one, depending on the answers that are waited for."""
    if progress is None or progress.left == 0:
        return False
    room, busy = campaign.room(sorted(campaign.working())), set(_waited_for(campaign)["annotator"])
    return bool(busy) and not set(room.index[room > 0]) <= busy


def _waited_for(campaign: Campaign) -> pd.DataFrame:
    """The open assignments of work; a pair that was skipped is not waited for."""
    waiting = campaign.waiting[campaign.waiting["kind"].isin(VOTING)]
    return waiting[~waiting["assignment_id"].isin(campaign.ratings["assignment_id"])]


def _tally(ballots: pd.DataFrame, votes: pd.DataFrame) -> pd.DataFrame:
    """The answers of each pair, by pair_id: votes, against, flagged, waits."""
    states = tally_states(ballots).set_index("pair_id")
    positive = votes.groupby("pair_id")["vote"].sum().reindex(states.index, fill_value=0).astype("int64")
    return pd.DataFrame(
        {
            "votes": positive,
            "against": states["n_votes"] - positive,
            "flagged": states["flagged"],
            "waits": states["missing"] > 0,
        }
    )


def _people(campaign: Campaign, wait: float | None) -> pd.DataFrame:
    """The annotators who may get further pairs: quota, what is left of it, and room, how many they can take now."""
    quota = campaign.room(sorted(campaign.working()))
    if campaign.plan["allocate"] == MAJORITY_DECIDED:
        return pd.DataFrame({"quota": quota, "room": quota})
    waiting = campaign.waiting["annotator"].value_counts().reindex(quota.index, fill_value=0)
    by = campaign.assignments.set_index("assignment_id")["annotator"]
    answers = latest(campaign.ratings)
    times = pd.DataFrame({"annotator": answers["assignment_id"].map(by), "seconds": answers["seconds"]})
    room = pairs_ahead(times, quota.index, wait) - waiting
    return pd.DataFrame({"quota": quota, "room": np.minimum(quota, room.clip(lower=0))})


def _barred(campaign: Campaign, couples: list[list[str]]) -> pd.DataFrame:
    """pair_id, annotator of who must not get a pair: they had it, wrote it, or seem to copy from one who had it."""
    had = seen(campaign)[["pair_id", "annotator"]].astype("object")
    both = [*couples, *(couple[::-1] for couple in couples)]
    others = [had[had["annotator"] == first].assign(annotator=second) for first, second in both]
    return pd.concat([had, *others], ignore_index=True)
