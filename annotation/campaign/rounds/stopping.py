"""Further raters for the pairs of a campaign that stops early, where the answers so far decide nothing."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from annotation.aggregation.adjudication import tally_states
from annotation.aggregation.stopping import StopRule
from annotation.assignment.reassignment import replace
from annotation.campaign.campaign import Campaign
from annotation.campaign.planning.plan import append_round
from annotation.campaign.planning.sequence import seen
from annotation.config import ReassignRule
from data.measures.ballots import counting, votes_of
from data.measures.rules import VoteRule


@dataclass(frozen=True, kw_only=True)
class StoppingProgress:
    """How far the pairs of a campaign that stops early are."""

    finished: int
    """Pairs of which nothing more is asked, whether they get a label (4:1) or none (2:2)."""
    n_ratings: int
    """The finished pairs'."""
    further: int
    """Pairs that get a further rater."""
    rejects: pd.DataFrame
    """The ones without an annotator: id, reason, detail."""


def stop_rule(campaign: Campaign) -> StopRule | None:
    """When its pairs need no further rater; None where all raters are asked."""
    at_least = campaign.plan["stop_early"]
    if pd.isna(at_least):
        return None
    return StopRule(raters=int(campaign.plan["labels_per_pair"]), at_least=int(at_least))


def call_where_open(campaign: Campaign, rule: StopRule) -> StoppingProgress:
    """Assign a further rater, in a new round, to each pair that all its raters have answered and that is not decided.

    A pair that waits for an answer gets none, so a second run finds nothing to do.
    """
    ballots = counting(campaign.ballots)
    tally = tally_states(ballots).set_index("pair_id")
    votes = votes_of(ballots, campaign.rule(VoteRule(), VoteRule))
    positive = votes.groupby("pair_id")["vote"].sum().reindex(tally.index, fill_value=0).to_numpy("int64")
    n_votes, flagged = tally["n_votes"].to_numpy("int64"), tally["flagged"].to_numpy("int64")
    decided = rule.is_decided(positive, n_votes - positive, flagged)
    waits = (tally["missing"] > 0).to_numpy(bool)
    pairs = tally.index[~decided & ~waits & (n_votes + flagged < rule.raters)].to_numpy(object)
    wanted = pd.DataFrame({"assignment_id": pairs, "pair_id": pairs}, dtype="object")
    room = campaign.room(sorted(campaign.working()))
    new, rejects = replace(wanted, seen(campaign), room, ReassignRule(), int(campaign.plan["seed"]))
    manifest = campaign.manifest("extend", VoteRule(), counts={"new": len(new), "rejects": len(rejects)})
    append_round(campaign, new.assign(supersedes=None), manifest)
    campaign.reject("extend", rejects, manifest)
    campaign.refresh()
    finished = decided & ~waits
    n_ratings = int(np.sum((n_votes + flagged)[finished]))
    return StoppingProgress(finished=int(finished.sum()), n_ratings=n_ratings, further=len(new), rejects=rejects)
