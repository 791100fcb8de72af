"""How good an annotator is: what the others say of each pair, and the skill that follows from it; pure.

*Skill* is the Cohen's kappa that an annotator's votes would have with what is true: 0 for who guesses, whatever the
habit; 0.2 for who is right in 60 % of the pairs where about half are paraphrases; 1 for who never errs. What is true
is not known, so each vote is held against the chance that its pair is a paraphrase by all *other* scores (Dawid and
Skene 1979, through crowd-kit), each weighed by how often its annotator is right. An annotator is two chances of a
right vote, for paraphrases and for other pairs, and habits of which score goes with a right or a wrong vote.
"""

import numpy as np
import pandas as pd
from scipy.special import expit, logit, logsumexp, softmax

from annotation.aggregation.models import class_chances
from annotation.aggregation.pooled_dawid_skene import weigh
from annotation.ratings.agreement import Integers, Reals

GRID = np.linspace(0.0125, 0.9875, 40)
PRIOR = (2.0, 1.0)
"""Of either chance to be right, as a beta distribution: people mostly do better than chance."""

FALLS = [(0, 0), *((fall, fall) for fall in range(1, 9)), *((0, fall) for fall in range(2, 17, 2))]
"""By how many steps of the grid both chances may fall from the first third of the own work to the second, and from
there to the last: not at all in half of all cases; else evenly or late, all such falls alike."""


def evidence(votes: pd.DataFrame) -> tuple[pd.DataFrame, float]:
    """For each vote the chance that its pair is a paraphrase, and the share of paraphrases among all pairs.

    `votes`: pair_id, annotator, score, vote. Columns: `others`, by everybody else's scores; `chance`, by these and by
    how sure the own score sounds, whichever vote it is: a 3 is a paraphrase more often than a 2.
    """
    start = class_chances(votes, "dawid-skene-scores")
    weighed = weigh(votes, start, passes=1)
    yes, beside = weighed.yes, softmax(weighed.everybody - weighed.own, axis=1)
    own = beside * weighed.habit
    found = {"others": beside[:, yes].sum(axis=1), "chance": own[:, yes].sum(axis=1) / own.sum(axis=1)}
    share = start.to_numpy("float64")[:, yes].sum(axis=1).mean()
    return pd.DataFrame(found, index=votes.index), float(np.clip(share, 0.01, 0.99))


def likelihood(chance: Reals, said: Integers) -> Reals:
    """The log-likelihood of the votes for the chances to be right, of paraphrases (rows) and of others, on the grid.

    `chance`: that each pair is a paraphrase; `said`: the own vote. Alike chances are counted once.
    """
    found = np.zeros((len(GRID), len(GRID)))
    for vote, right, wrong in ((1, GRID, 1 - GRID), (0, 1 - GRID, GRID)):
        steps = np.round(logit(np.clip(chance[said == vote], 1e-4, 1 - 1e-4)) * 8)
        alike, sizes = np.unique(steps, return_counts=True)
        yes = expit(alike / 8)[:, None, None]
        found += np.tensordot(sizes, np.log(yes * right[:, None] + (1 - yes) * wrong), axes=1)
    return found


class Skill:
    """What is known of an annotator's skill: the posterior of both chances to be right, on the grid."""

    def __init__(self, told: Reals, share: float) -> None:
        """`told`: the log-likelihood; `share`: of paraphrases among the pairs."""
        self._weights, self._skills = _posterior(told).ravel(), kappas(share).ravel()
        self.mean = float(self._weights @ self._skills)
        self.deviation = float(np.sqrt(self._weights @ (self._skills - self.mean) ** 2))

    def below(self, skill: float) -> float:
        """The chance that the skill is lower."""
        return float((self._weights @ _part_below(self._skills, skill)).clip(0, 1))

    def limits(self) -> tuple[float, float]:
        """Between which the skill lies with 95 %."""
        order = np.argsort(self._skills, kind="stable")
        low, high = np.searchsorted(np.cumsum(self._weights[order]), [0.025, 0.975])
        return float(self._skills[order][low]), float(self._skills[order][high])


def faded(thirds: list[Reals], share: float, skill: float) -> float:
    """The chance that the skill was at least this in the first third of the own work, and is below it in the last.

    `thirds`: the log-likelihood of each. Both chances to be right fall together, evenly or at the end (`FALLS`).
    """
    size, told = len(GRID), np.full((len(FALLS), len(GRID), len(GRID)), -np.inf)  # of the last third, by the fall
    for shape, (early, late) in enumerate(FALLS):
        above = (early + late, late, 0)
        left = size - above[0]
        parts = [part[steps:, steps:][:left, :left] for part, steps in zip(thirds, above, strict=True)]
        told[shape, :left, :left] = np.sum(parts, axis=0)
    told[1:] -= np.log(len(FALLS) - 1)
    last = kappas(share)
    first = np.stack([np.roll(last, (-sum(fall), -sum(fall)), axis=(0, 1)) for fall in FALLS])
    fell = _posterior(told) * _part_below(last, skill) * (1 - _part_below(first, skill))
    return float(fell[1:].sum().clip(0, 1))


def _part_below(skills: Reals, skill: float) -> Reals:
    """How much of the cell around each point of the grid lies below this skill."""
    return np.asarray(np.clip((skill - skills) / (GRID[1] - GRID[0]) + 0.5, 0, 1))


def _posterior(told: Reals) -> Reals:
    prior = (PRIOR[0] - 1) * np.log(GRID) + (PRIOR[1] - 1) * np.log(1 - GRID)
    told = told + prior[:, None] + prior
    return np.asarray(np.exp(told - logsumexp(told)))


def kappas(share: float) -> Reals:
    """Cohen's kappa with the truth for the chances to be right on the grid, where so many pairs are paraphrases."""
    right_yes, right_no = GRID[:, None], GRID
    yes = share * right_yes + (1 - share) * (1 - right_no)
    skill = 2 * share * (1 - share) * (right_yes + right_no - 1) / (share * (1 - yes) + (1 - share) * yes)
    return np.asarray(skill)
