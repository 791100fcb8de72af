"""What simulated campaigns assume of pairs and people: PARADE's figures, or what a pilot tells; pure."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import pandas as pd

from annotation.simulation.noise import ACCURACY, GOOD, Kind
from data.labelled.metrics import weigh_auc
from data.measures import intervals
from data.measures.agreement import Integers, Mask, Reals
from data.measures.intervals import Groups, Limits

PARAPHRASES = 0.469
"""The share of paraphrases among PARADE's pairs (He et al. 2020, section 4.4)."""

OVERLAP_AUC = 0.758
"""How well Jaccard overlap tells PARADE's paraphrases from the other pairs."""

ONE_GUESSES_OF = 5
"""Of how many people one guesses, where nothing is known of them."""

GUESSES_BELOW = 0.6
"""The chance of a right vote below which an annotator of a pilot counts as one who guesses."""


@dataclass(frozen=True, kw_only=True)
class Assumptions:
    """What pairs are like, and how good people are: each figure is PARADE's where nothing else is known."""

    positive: float = PARAPHRASES
    """The share of pairs that deserve a positive answer, above 0 and below 1."""
    overlap_auc: float = OVERLAP_AUC
    """How well overlap tells them from the others, above 0 and below 1."""
    accuracies: tuple[float, ...] = ()
    """Chances of a right vote, over whose range good annotators spread; empty: over the range in `ACCURACY`."""
    guessing: float | None = None
    """The share of people who guess."""

    def team(self, n: int) -> dict[Kind, int]:
        """How many of `n` people are of which kind."""
        n_guessing = n // ONE_GUESSES_OF if self.guessing is None else round(self.guessing * n)
        return {"good": n - n_guessing, "guessing": n_guessing}

    def accuracy_of(self, kinds: Sequence[Kind], places: Reals) -> Reals:
        """Each annotator's chance of a right vote, by their place (0 to 1) in their kind; NaN for guessers."""
        low, high = (np.array([ACCURACY.get(kind, (np.nan, np.nan))[end] for kind in kinds]) for end in (0, 1))
        usual = low + (high - low) * places
        if not self.accuracies:
            return np.asarray(usual)
        return np.where(np.array(kinds, dtype=object) == GOOD, np.quantile(self.accuracies, places), usual)


AS_IN_PARADE = Assumptions()


@dataclass(frozen=True, kw_only=True)
class PilotFigure:
    """A figure that a pilot tells."""

    value: float
    limits: Limits
    n: int
    """Of how many pairs, or people."""


@dataclass(frozen=True, kw_only=True)
class Told:
    """What a pilot tells; None where it does not."""

    assumptions: Assumptions = AS_IN_PARADE
    positive: PilotFigure | None = None
    overlap_auc: PilotFigure | None = None
    accuracy: PilotFigure | None = None
    """The mean chance of a right vote."""


def learn(pairs: pd.DataFrame, votes: pd.DataFrame) -> Told:
    """What a pilot tells of pairs and people.

    `pairs`, one row per settled pair, at least one: pair_id, binary (0 or 1), overlap (a null is left out), group
    (pairs of one group are alike). `votes`: pair_id, annotator, vote (0 or 1).
    """
    label = (pairs["binary"] == 1).to_numpy(bool)
    positive = _estimate(label, pairs["group"], partial(_share, label))
    known = pairs["overlap"].notna().to_numpy(bool)
    overlap = pairs.loc[known, "overlap"].to_numpy("float64")
    auc = _estimate(label[known], pairs.loc[known, "group"], partial(weigh_auc, label[known], overlap))
    both = votes.merge(pairs[["pair_id", "binary"]], on="pair_id")
    right = (both["vote"] == both["binary"]).groupby(both["annotator"]).agg(["mean", "size"])
    told = Assumptions(positive=_inside(float(label.mean()), len(label)))
    if auc:
        n_couples = label[known].sum() * (~label[known]).sum()
        told = replace(told, overlap_auc=_inside(auc.value, int(n_couples)))
    if right.empty:
        return Told(assumptions=told, positive=positive, overlap_auc=auc, accuracy=None)
    chances = without_chance(right["mean"].to_numpy("float64"), right["size"].to_numpy("int64"))
    looking = chances[chances >= GUESSES_BELOW]
    if len(looking):
        told = replace(told, accuracies=tuple(looking.tolist()), guessing=1 - len(looking) / len(chances))
    else:
        told = replace(told, accuracies=tuple(chances.tolist()), guessing=0.0)
    shares = right["mean"].to_numpy("float64")
    low, high = intervals.mean(shares) or (0.0, 1.0)
    accuracy = PilotFigure(value=float(shares.mean()), limits=(max(low, 0.0), min(high, 1.0)), n=len(right))
    return Told(assumptions=told, positive=positive, overlap_auc=auc, accuracy=accuracy)


def without_chance(shares: Reals, sizes: Integers) -> Reals:
    """The shares of right votes, as far apart as people's chances of one: chance alone drives the shares apart, too.

    `sizes`: of how many votes each.
    """
    mean, spread = shares.mean(), shares.var()
    own = max(spread - float((shares * (1 - shares) / sizes).mean()), 0.0)
    return np.asarray(mean + (shares - mean) * np.sqrt(own / spread if spread else 0.0))


def _share(label: Mask, weights: Reals) -> Reals:
    return np.asarray(weights @ label / weights.sum(axis=1))


def _estimate(label: Mask, group: "pd.Series[str]", measure: Callable[[Reals], Reals]) -> PilotFigure | None:
    """The measure, by weights of shape (draws, pairs), with its limits; None where it is not defined."""
    groups, n = Groups.of(group), len(label)
    value = float(measure(np.ones((1, n)))[0]) if n else np.nan
    if np.isnan(value):
        return None
    draws = measure(groups.weigh()[:, groups.codes])
    return PilotFigure(value=value, limits=intervals.bounded(value, draws, groups.effective) or (0.0, 1.0), n=n)


def _inside(share: float, n: int) -> float:
    """The share of `n`, above 0 and below 1."""
    return (share * n + 0.5) / (n + 1)
