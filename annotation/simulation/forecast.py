"""What a plan costs, and how good its labels and its quality rules would be, by simulated campaigns; pure."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields

import numpy as np
import pandas as pd

from annotation.assignment.reassignment import FIRST_ROUND, Ranking, low_ratings, rank, rank_by_verdict, replace
from annotation.config import ReassignRule, VerdictRule
from annotation.quality.verdict import judge
from annotation.simulation.assumptions import AS_IN_PARADE, Assumptions
from annotation.simulation.in_memory import Simulated, label_again, simulate
from annotation.simulation.noise import Kind
from data.measures import agreement
from data.measures.annotators import MIN_VOTES
from data.measures.ballots import votes_of
from data.measures.classes import PARADE, Classes
from data.measures.rules import HabitRule, QualityRule

Expected = dict[str, float | None]


@dataclass(frozen=True, kw_only=True)
class ForecastRule(QualityRule, VerdictRule, HabitRule):
    """The quality rules to compare, and which times count."""

    @property
    def reassignment(self) -> ReassignRule:
        """The rule by which `reassign` replaces ratings by default."""
        shared = {field.name for field in fields(ReassignRule)} & {field.name for field in fields(self)}
        return ReassignRule(**{name: getattr(self, name) for name in sorted(shared)})


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
    rule: ForecastRule,
    classes: Classes = PARADE,
    assumed: Assumptions = AS_IN_PARADE,
    by: Iterable[str] = ("paper", "verdict"),
) -> Expected:
    """The outcome of one simulated campaign.

    `right`: the share of majority labels that are right (a tie counts half). `ties`: the share of pairs without a
    majority. For each of the rules `by` (names of RULES), `RULE: KIND`: how many annotators of each kind it accuses;
    and for the reassignment that follows, `RULE: labels`, `RULE: heaviest` (the labels of the busiest annotator),
    `RULE: right` (the share right afterwards) and `RULE: none_fit` (1 where some are low and no annotator is good
    enough). None where a rule does not apply.
    """
    campaign = simulate(
        kinds, n_pairs=n_pairs, labels_per_pair=labels_per_pair, seed=seed, classes=classes, assumed=assumed
    )
    votes = votes_of(campaign.ballots, rule).assign(place=campaign.ballots["position"])
    shares = votes.groupby("pair_id")["vote"].mean().reindex(campaign.truth.index)
    outcome: Expected = {"right": _right(campaign, shares, rule), "ties": float((shares == 0.5).mean())}
    for name in by:
        ranked = RULES[name](votes, rule)
        outcome |= {f"{name}: {what}": value for what, value in _reassigned(campaign, ranked, rule, seed).items()}
    return outcome


def summarise(values: "pd.Series[float]") -> tuple[float, float, float] | None:
    """The mean, lowest and highest value over the campaigns; None where nothing is defined."""
    known = values.dropna().to_numpy("float64")
    if not len(known):
        return None
    return float(known.mean()), float(known.min()), float(known.max())


def _right(campaign: Simulated, shares: "pd.Series[float]", rule: ForecastRule) -> float:
    truth = campaign.truth >= rule.lowest_yes
    return float(np.where(shares == 0.5, 0.5, (shares > 0.5) == truth).mean())


def _reassigned(campaign: Simulated, ranked: Ranking | None, rule: ForecastRule, seed: int) -> Expected:
    """Whom a rule accuses, and the outcome of the reassignment that follows."""
    kinds = campaign.annotators["kind"]
    if ranked is None:
        return dict.fromkeys([*kinds.unique(), "labels", "heaviest", "right", "none_fit"])
    accused = kinds[list(ranked.low)].value_counts().reindex(kinds.unique(), fill_value=0)
    room = pd.Series(np.inf, index=pd.Index(ranked.best, dtype="object"))
    asked = low_ratings(campaign.ballots, ranked.low, rule.reassignment)
    new, _ = replace(asked, campaign.ballots[["pair_id", "annotator"]], room, rule.reassignment, seed)
    new["vote"] = (label_again(campaign, new, seed) >= rule.lowest_yes).astype("int64")
    kept = campaign.ballots[~campaign.ballots["assignment_id"].isin(new["supersedes"])]
    votes = pd.concat([votes_of(kept, rule)[["pair_id", "vote"]], new[["pair_id", "vote"]]])
    shares = votes.groupby("pair_id")["vote"].mean().reindex(campaign.truth.index)
    return {
        **{str(kind): float(n) for kind, n in accused.items()},
        "labels": float(len(new)),
        "heaviest": float(new["annotator"].value_counts().max()) if len(new) else 0.0,
        "right": _right(campaign, shares, rule),
        "none_fit": float(bool(ranked.low) and not ranked.best),
    }


def _by_paper(votes: pd.DataFrame, rule: ForecastRule) -> Ranking | None:
    """The paper's ranking, by kappa with a majority that includes one's own vote (3.4); needs three votes per pair."""
    pairs, given = pd.factorize(votes["pair_id"])[0].astype("int64"), votes["vote"].to_numpy("int64")
    table = agreement.counts(pairs, given, 2)
    if table.sum(axis=1).max() < MIN_VOTES:
        return None
    majority, clear = agreement.consensus(table)
    kappas = _kappas(votes, majority[pairs], clear[pairs])
    rows = pd.DataFrame({"annotator": list(kappas), "value": pd.array(list(kappas.values()), dtype="Float64")})
    return rank(
        rows.assign(round=FIRST_ROUND, measure="kappa", reason=None, detail=None), set(kappas), rule.reassignment
    )


def _by_verdict(votes: pd.DataFrame, rule: ForecastRule) -> Ranking:
    """The ranking by our verdict."""
    return rank_by_verdict(judge(votes, rule), set(votes["annotator"]), rule.reassignment)


def _kappas(votes: pd.DataFrame, majority: agreement.Integers, clear: agreement.Mask) -> dict[str, float | None]:
    given, names = votes["vote"].to_numpy("int64"), votes["annotator"].to_numpy(object)
    own = {str(name): np.flatnonzero((names == name) & clear) for name in np.unique(names)}
    return {name: agreement.cohen_kappa(given[rows], majority[rows]).value for name, rows in own.items()}


RULES: Mapping[str, Callable[[pd.DataFrame, ForecastRule], Ranking | None]] = {
    "paper": _by_paper,
    "verdict": _by_verdict,
}
"""Rules of who is careless, by name: from votes (as for `judge`) to a ranking, None where the rule does not apply."""
