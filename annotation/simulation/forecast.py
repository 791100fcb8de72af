"""What a plan costs, and how good its labels and its quality rules would be, by simulated campaigns; pure."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from annotation.assignment.reassignment import low_ratings, rank_by_verdict, replace
from annotation.config import ReassignRule, VerdictRule
from annotation.quality.verdict import judge
from annotation.simulation.assumptions import AS_IN_PARADE, Assumptions
from annotation.simulation.in_memory import Simulated, label_again, simulate
from annotation.simulation.noise import Kind
from data.measures.ballots import votes_of
from data.measures.classes import PARADE, Classes

Expected = dict[str, float]


@dataclass(frozen=True, kw_only=True)
class Cost:
    """What a plan costs."""

    labels: float
    hours: float
    hours_each: float
    """For the annotator with most labels."""
    days: float
    """Until the last label is done, at this many hours per day."""
    pay: float | None


def cost(n_labels: float, n_heaviest: float, *, seconds: float, hours_a_day: float, pay: float | None) -> Cost:
    """The cost of `n_labels`, of which one person gives `n_heaviest`, at `seconds` each and `pay` per hour."""
    hours, each = n_labels * seconds / 3600, n_heaviest * seconds / 3600
    return Cost(
        labels=n_labels,
        hours=hours,
        hours_each=each,
        days=each / hours_a_day,
        pay=None if pay is None else hours * pay,
    )


def pace(ratings: pd.DataFrame, idle_seconds: float) -> tuple[float, int] | None:
    """The mean seconds per rating, and of how many: those timed up to `idle_seconds`; None where nothing was timed."""
    timed = ratings["seconds"].astype("Float64").dropna()
    timed = timed[(timed > 0) & (timed <= idle_seconds)]
    return (float(timed.mean()), len(timed)) if len(timed) else None


def expect(  # noqa: PLR0913 - all but the kinds and the seed by name
    kinds: Mapping[Kind, int],
    seed: int,
    *,
    n_pairs: int,
    labels_per_pair: int,
    rule: VerdictRule,
    classes: Classes = PARADE,
    assumed: Assumptions = AS_IN_PARADE,
) -> Expected:
    """The outcome of one simulated campaign.

    `right`: the share of majority labels that are right (a tie counts half). By kind: how many of its annotators the
    verdict calls careless. `reassigned`: the share right once others have replaced their labels.
    """
    campaign = simulate(
        kinds, n_pairs=n_pairs, labels_per_pair=labels_per_pair, seed=seed, classes=classes, assumed=assumed
    )
    votes = votes_of(campaign.ballots, rule).assign(place=campaign.ballots["position"])
    shares = votes.groupby("pair_id")["vote"].mean().reindex(campaign.truth.index)
    return {"right": _right(campaign, shares, rule)} | _reassigned(campaign, votes, rule, seed)


def summarise(values: "pd.Series[float]") -> tuple[float, float, float] | None:
    """The mean, lowest and highest value over the campaigns; None where nothing is defined."""
    known = values.dropna().to_numpy("float64")
    if not len(known):
        return None
    return float(known.mean()), float(known.min()), float(known.max())


def _right(campaign: Simulated, shares: "pd.Series[float]", rule: VerdictRule) -> float:
    truth = campaign.truth >= rule.lowest_yes
    return float(np.where(shares == 0.5, 0.5, (shares > 0.5) == truth).mean())


def _reassigned(campaign: Simulated, votes: pd.DataFrame, rule: VerdictRule, seed: int) -> Expected:
    """How many of each kind the verdict calls careless, and the share of right labels after reassignment."""
    usual = ReassignRule()
    ranked = rank_by_verdict(judge(votes, rule), set(votes["annotator"]), usual)
    kinds = campaign.annotators["kind"]
    accused = kinds[list(ranked.low)].value_counts().reindex(kinds.unique(), fill_value=0)
    room = pd.Series(np.inf, index=pd.Index(ranked.best, dtype="object"))
    asked = low_ratings(campaign.ballots, ranked.low, usual)
    new, _ = replace(asked, campaign.ballots[["pair_id", "annotator"]], room, seed)
    new["vote"] = (label_again(campaign, new, seed) >= rule.lowest_yes).astype("int64")
    kept = campaign.ballots[~campaign.ballots["assignment_id"].isin(new["supersedes"])]
    after = pd.concat([votes_of(kept, rule)[["pair_id", "vote"]], new[["pair_id", "vote"]]])
    shares = after.groupby("pair_id")["vote"].mean().reindex(campaign.truth.index)
    return {str(kind): float(n) for kind, n in accused.items()} | {"reassigned": _right(campaign, shares, rule)}
