"""How good an annotator is: the chance that each rated pair is a paraphrase, and the skill that follows; pure.

*Skill* is the Cohen's kappa that an annotator's votes would have with the truth: 0 for a guesser, whatever the habit;
0.2 for an annotator who is right in 60 % of the pairs where about half are paraphrases; 1 for one who never errs. The
truth is not known, so each vote is compared with the chance that its pair is a paraphrase, as given by all *other*
ratings (Dawid and Skene 1979), each weighted by how often its annotator is right. An annotator has two chances of a
right vote, one for paraphrases and one for other pairs. docs/formulas.md derives the formulas.
"""

import numpy as np
import pandas as pd
from scipy.special import expit, logit, logsumexp, softmax

from data.measures.agreement import Integers, Reals
from data.measures.ballots import Couples, count_once
from data.measures.raters.dawid_skene import class_chances
from data.measures.raters.pooled_dawid_skene import STRENGTHS, fit

GRID = np.linspace(0.0125, 0.9875, 40)
"""The values that either chance of a right vote can take. Arrays "on the grid" have the chance for paraphrases in the
rows and that for other pairs in the columns."""

PRIOR = (2.0, 1.0)
"""The prior of either chance, as a beta distribution: people mostly do better than chance."""

GOLD_CHANCE = 0.99
"""How certain the answer to a gold pair is."""

FALLS = [(0, 0), *((fall, fall) for fall in range(1, 9)), *((0, fall) for fall in range(2, 17, 2))]
"""By how many steps of the grid both chances fall from the first third of the work to the second, and from there to the
last: not at all, evenly, or late. No fall has the prior probability 1/2; the others share the rest evenly."""


def chances_by_others(
    votes: pd.DataFrame, known: "pd.Series[int] | None" = None, couples: Couples = ()
) -> tuple[pd.DataFrame, float]:
    """For each vote the chance that its pair is a paraphrase, and the share of paraphrases among all pairs.

    `votes`: pair_id, annotator, score, vote; the index is unique. `known`: the votes (0 or 1) that gold pairs deserve,
    by pair_id. `couples`: who has one vote together; neither is measured by the other. Columns: `others`, by everybody
    else's ratings; `chance`, by these and by how sure the annotator's own score sounds, whichever vote it is: a 3 is a
    paraphrase more often than a 2.
    """
    counts = count_once(votes, couples)
    chances, share = _chances(votes[counts], known)
    chances = chances.reindex(votes.index)
    for name in votes.loc[~counts, "annotator"].unique():
        own = [(name, first if second == name else second) for first, second in couples if name in (first, second)]
        others = [couple for couple in couples if name not in couple]
        in_turn, _ = _chances(votes[count_once(votes, [*own, *others])], known)
        silent = ~counts & (votes["annotator"] == name).to_numpy(bool)
        chances[silent] = in_turn.loc[votes.index[silent]]
    return chances, share


def _chances(votes: pd.DataFrame, known: "pd.Series[int] | None") -> tuple[pd.DataFrame, float]:
    start = class_chances(votes, known=known)
    model = fit(votes, known, passes=1, start=start, strength=STRENGTHS[0])
    yes, others = model.is_paraphrase, softmax(model.evidence - model.own_evidence, axis=1)
    own = others * model.habits
    chances = {"others": others[:, yes].sum(axis=1), "chance": own[:, yes].sum(axis=1) / own.sum(axis=1)}
    is_open = np.ones(len(start), dtype=bool) if known is None else ~start.index.isin(known.index)
    share = start.to_numpy("float64")[is_open][:, yes].sum(axis=1).mean()
    return pd.DataFrame(chances, index=votes.index), float(np.clip(share, 0.01, 0.99))


def likelihood(chances: Reals, votes: Integers) -> Reals:
    """The log-likelihood of an annotator's votes on the grid.

    `chances`: that each pair is a paraphrase. Chances that are nearly the same count as one, which saves time.
    """
    total = np.zeros((len(GRID), len(GRID)))
    for vote, if_paraphrase, if_not in ((1, GRID, 1 - GRID), (0, 1 - GRID, GRID)):
        steps = np.round(logit(np.clip(chances[votes == vote], 1e-4, 1 - 1e-4)) * 8)
        similar, sizes = np.unique(steps, return_counts=True)
        yes = expit(similar / 8)[:, None, None]
        total += np.tensordot(sizes, np.log(yes * if_paraphrase[:, None] + (1 - yes) * if_not), axes=1)
    return total


def marginals(log_likelihood: Reals) -> list[tuple[float, float, float]]:
    """Of both chances of a right vote, that for paraphrases first: the mean and the limits of 95 %."""
    joint, ends = _posterior(log_likelihood), GRID + (GRID[1] - GRID[0]) / 2
    parts = [joint.sum(axis=1 - side) for side in (0, 1)]
    limits = [np.interp([0.025, 0.975], np.cumsum(part), ends) for part in parts]
    return [(float(part @ GRID), float(low), float(high)) for part, (low, high) in zip(parts, limits, strict=True)]


class Skill:
    """An annotator's skill: its posterior distribution."""

    def __init__(self, log_likelihood: Reals, share: float) -> None:
        """`log_likelihood`: on the grid. `share`: of paraphrases among the pairs."""
        self._weights, self._skills = _posterior(log_likelihood).ravel(), kappas(share).ravel()
        self.mean = float(self._weights @ self._skills)
        self.deviation = float(np.sqrt(self._weights @ (self._skills - self.mean) ** 2))

    def below(self, skill: float) -> float:
        """The probability of a lower skill."""
        return float((self._weights @ _part_below(self._skills, skill)).clip(0, 1))

    def limits(self) -> tuple[float, float]:
        """The limits between which the skill lies with a probability of 95 %."""
        order = np.argsort(self._skills, kind="stable")
        low, high = np.searchsorted(np.cumsum(self._weights[order]), [0.025, 0.975])
        return float(self._skills[order][low]), float(self._skills[order][high])


def drift(thirds: list[Reals], share: float, skill: float) -> float:
    """The probability that the skill was at least `skill` in the first third of the work and is below it in the last.

    `thirds`: the log-likelihood of each third on the grid. `share`: of paraphrases among the pairs. Both chances of a
    right vote fall together (`FALLS`).
    """
    first, second, last = thirds
    cases = [_raised(first, early + late) + _raised(second, late) + last for early, late in FALLS]
    log_likelihood = np.stack(cases)  # by the fall and the chances in the last third
    log_likelihood[1:] -= np.log(len(FALLS) - 1)
    at_last = kappas(share)
    at_first = np.stack([_raised(at_last, early + late) for early, late in FALLS])
    fell = _posterior(log_likelihood) * _part_below(at_last, skill) * (1 - _part_below(at_first, skill))
    return float(fell[1:].sum().clip(0, 1))


def _raised(values: Reals, steps: int) -> Reals:
    """The values on the grid where both chances are this many steps higher; -inf beyond its edge."""
    raised, size = np.full_like(values, -np.inf), len(values) - steps
    raised[:size, :size] = values[steps:, steps:]
    return raised


def _part_below(skills: Reals, skill: float) -> Reals:
    """The part of the cell around each of these skills that lies below `skill`."""
    return np.asarray(np.clip((skill - skills) / (GRID[1] - GRID[0]) + 0.5, 0, 1))


def _posterior(log_likelihood: Reals) -> Reals:
    prior = (PRIOR[0] - 1) * np.log(GRID) + (PRIOR[1] - 1) * np.log(1 - GRID)
    joint = log_likelihood + prior[:, None] + prior
    return np.asarray(np.exp(joint - logsumexp(joint)))


def kappas(share: float) -> Reals:
    """Cohen's kappa with the truth on the grid, where this share of the pairs are paraphrases."""
    right_yes, right_no = GRID[:, None], GRID
    yes = share * right_yes + (1 - share) * (1 - right_no)
    skill = 2 * share * (1 - share) * (right_yes + right_no - 1) / (share * (1 - yes) + (1 - share) * yes)
    return np.asarray(skill)
