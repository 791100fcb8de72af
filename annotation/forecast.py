"""What a plan costs, and what its labels and its rules of quality would be worth, by simulated campaigns; pure."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from annotation import agreement
from annotation.aggregation import Method, posteriors
from annotation.campaigns import Simulated, simulate
from annotation.config import HabitRule, Kind, QualityRule, VerdictRule
from annotation.quality import ENOUGH_VOTES
from annotation.verdict import CARELESS, judge
from annotation.votes import votes_of

MODEL: Method = "one-coin"
"""The model of how annotators err whose labels are forecast beside the majority's."""


@dataclass(frozen=True, kw_only=True)
class ForecastRule(QualityRule, VerdictRule, HabitRule):
    """The rules of quality that are compared, and which times count."""


@dataclass(frozen=True, kw_only=True)
class Cost:
    """What a plan asks of people."""

    labels: int
    hours: float
    hours_each: float
    """Of whoever gets most."""
    days: float
    """Until the last one is done, at so many hours a day."""
    pay: float | None


def cost(n_labels: int, n_annotators: int, *, seconds: float, hours_a_day: float, pay: float | None) -> Cost:
    """Of so many labels, spread evenly; `seconds` for each, `pay` an hour."""
    each = -(-n_labels // n_annotators) * seconds / 3600
    hours = n_labels * seconds / 3600
    return Cost(
        labels=n_labels,
        hours=hours,
        hours_each=each,
        days=each / hours_a_day,
        pay=None if pay is None else hours * pay,
    )


def pace(ratings: pd.DataFrame, idle_seconds: float) -> float | None:
    """The mean seconds of a rating, what took longer than `idle_seconds` left out; None where nothing was timed."""
    timed = ratings["seconds"].astype("Float64").dropna()
    timed = timed[(timed > 0) & (timed <= idle_seconds)]
    return float(timed.mean()) if len(timed) else None


def expect(
    kinds: Mapping[Kind, int], seeds: Iterable[int], *, n_pairs: int, labels_per_pair: int, rule: ForecastRule
) -> pd.DataFrame:
    """A row a simulated campaign (index: seed).

    Columns: `majority` and MODEL (the share of labels that are right; a tie is right half the time), `ties` (the
    share of pairs without a majority), and for each of RULES and each kind of annotator there is `RULE: KIND`, the
    share of them whom the rule accuses (null where it cannot be applied).
    """
    found = {}
    for seed in seeds:
        campaign = simulate(kinds, n_pairs=n_pairs, labels_per_pair=labels_per_pair, seed=seed)
        found[seed] = _worth(campaign, rule) | _accusations(campaign, rule)
    return pd.DataFrame.from_dict(found, orient="index").astype("Float64")


def limits(values: "pd.Series[float]") -> tuple[float, float, float] | None:
    """Mean, and the 2.5 and 97.5 % points over the campaigns; None where it is never defined."""
    known = values.dropna().to_numpy("float64")
    if not len(known):
        return None
    low, high = np.percentile(known, (2.5, 97.5))
    return float(known.mean()), float(low), float(high)


def _worth(campaign: Simulated, rule: ForecastRule) -> dict[str, float | None]:
    votes = _votes(campaign, rule)
    truth = campaign.truth >= rule.paraphrase_from
    shares = votes.groupby("pair_id")["vote"].mean().reindex(truth.index)
    chances = posteriors(votes[["pair_id", "annotator", "vote"]], MODEL).reindex(truth.index)
    worth = {name: _right(said, truth) for name, said in (("majority", shares), (MODEL, chances))}
    return {**worth, "ties": float((shares == 0.5).mean())}


def _right(chance: "pd.Series[float]", truth: "pd.Series[bool]") -> float:
    return float(np.where(chance == 0.5, 0.5, (chance > 0.5) == truth).mean())


def _votes(campaign: Simulated, rule: ForecastRule) -> pd.DataFrame:
    ballots = campaign.ballots
    votes = votes_of(ballots, rule)
    return votes.assign(place=ballots.loc[votes.index, "position"])


def _accusations(campaign: Simulated, rule: ForecastRule) -> dict[str, float | None]:
    votes = _votes(campaign, rule)
    kinds = campaign.annotators["kind"]
    found: dict[str, float | None] = {}
    for name, accuse in RULES.items():
        accused = accuse(votes, rule)
        for kind in kinds.unique():
            own = kinds.index[kinds == kind]
            found[f"{name}: {kind}"] = None if accused is None else float(own.isin(accused).mean())
    return found


def _by_paper(votes: pd.DataFrame, rule: ForecastRule) -> set[str] | None:
    """Below `low_kappa` with the majority that holds the own vote (He et al. 2020, 3.4); needs three votes a pair."""
    pairs, said = pd.factorize(votes["pair_id"])[0].astype("int64"), votes["vote"].to_numpy("int64")
    table = agreement.counts(pairs, said, 2)
    if table.sum(axis=1).max() < ENOUGH_VOTES:
        return None
    majority, clear = agreement.consensus(table)
    kappas = _kappas(votes, majority[pairs], clear[pairs])
    return {name for name, found in kappas.items() if found.value is not None and found.value < rule.low_kappa}


def _by_verdict(votes: pd.DataFrame, rule: ForecastRule) -> set[str] | None:
    """Whom our `verdict` calls careless."""
    found = judge(votes, rule)
    return set(found.loc[found["verdict"] == CARELESS, "annotator"])


def _kappas(votes: pd.DataFrame, majority: agreement.Integers, clear: agreement.Mask) -> dict[str, agreement.Agreement]:
    said, names = votes["vote"].to_numpy("int64"), votes["annotator"].to_numpy(object)
    own = {str(name): np.flatnonzero((names == name) & clear) for name in np.unique(names)}
    return {name: agreement.cohen_kappa(said[rows], majority[rows]) for name, rows in own.items()}


RULES: Mapping[str, Callable[[pd.DataFrame, ForecastRule], set[str] | None]] = {
    "paper": _by_paper,
    "verdict": _by_verdict,
}
"""Rules of who is careless, by name: votes (as `judge` takes them) -> the accused, None where one cannot apply."""
