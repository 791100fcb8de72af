"""Who is careless, and why: a verdict on each annotator with the evidence for it; pure.

*Skill* is Youden's J (1950): the chance to call a paraphrase one, plus that to call another pair none, less one. It is
0 for who guesses or always says the same, whatever the share of paraphrases, 0.2 for who is right in 60 % of both,
1 for who never errs. What is true of a pair is not known, so each vote is held against the chance that it is a
paraphrase by all *other* votes, weighed by how good these raters are (Dawid and Skene 1979, through crowd-kit), and by
gold where there is some. The rule (`VerdictRule`) accuses

- `guesses`, `one_score`, `weak`: the skill lies below `careless_below` with more than `certainty`, and the evidence
  suffices (the skill is known to `spread`, or the certainty is at least `SURE`); else the verdict is `undecided`;
- `drifts`: good at first, but no longer in the last third of the own ratings;
- `follows_overlap`: lexical overlap tells the own votes far better than it tells what the others make of these pairs.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import expit, logit
from scipy.stats import norm, rankdata

from annotation.aggregation import posteriors
from annotation.agreement import Integers, Reals
from annotation.config import VerdictRule

CARELESS, CAREFUL, UNDECIDED = "careless", "careful", "undecided"

SMOOTHING = 4.0
"""Votes of the average annotator added to each one's confusion matrix, so that nobody is known to never err."""

GRID = np.linspace(0.0125, 0.9875, 40)
PRIOR = (2.0, 1.0)
"""Of either chance to be right, as a beta distribution: people mostly do better than chance."""

SURE = 0.95
DRIFT_CERTAINTY = 0.8
CHANCE = 0.01
"""How often a drift, or a dependence on overlap, may be seen where there is none."""

GOLD_CHANCE = 0.99
"""How sure a known pair is."""

ONE_SCORE = 0.95
"""The share of one score from which an annotator uses only that one."""

COLUMNS = ["annotator", "n", "skill", "low", "high", "doubt", "verdict", "reasons"]


def judge(
    votes: pd.DataFrame, rule: VerdictRule, overlap: "pd.Series[float] | None" = None, gold: pd.DataFrame | None = None
) -> pd.DataFrame:
    """One row an annotator, by name: annotator, n (votes), skill with its 95 % limits, doubt, verdict, reasons.

    `votes`: pair_id, annotator, score (0-3), vote (0 or 1), place (in the annotator's own order). `overlap`: by
    pair_id; without it nobody is asked for it. `gold`: annotator, vote, truth (0 or 1). `doubt`: the chance that the
    skill is below the rule's. Reasons is a list, empty for the careful.
    """
    if votes.empty:
        return pd.DataFrame(columns=COLUMNS)
    votes = votes.assign(others=_others(votes)).sort_values(["annotator", "place"], ignore_index=True)
    known = {} if gold is None else dict(iter(gold.groupby("annotator")))
    beside = None if overlap is None else overlap.reindex(votes["pair_id"]).set_axis(votes.index)
    rows = [_judge_one(name, rows, rule, beside, known.get(name)) for name, rows in votes.groupby("annotator")]
    return pd.DataFrame(rows, columns=COLUMNS)


def _others(votes: pd.DataFrame) -> Reals:
    """For each vote, the chance that its pair is a paraphrase by everybody else's votes."""
    chance = posteriors(votes[["pair_id", "annotator", "vote"]], "dawid-skene")
    pairs, ids = pd.factorize(votes["pair_id"])
    raters, names = pd.factorize(votes["annotator"])
    said, yes = votes["vote"].to_numpy("int64"), chance.reindex(ids).to_numpy("float64")[pairs]
    confusion = np.zeros((len(names), 2, 2))  # rater, true, said
    for true, chances in enumerate((1 - yes, yes)):
        np.add.at(confusion[:, true], (raters, said), chances)
    everybody = confusion.sum(axis=0) + 1
    confusion += SMOOTHING * everybody / everybody.sum(axis=1, keepdims=True)
    confusion /= confusion.sum(axis=2, keepdims=True)
    evidence = np.log(confusion[raters, 1, said] / confusion[raters, 0, said])
    share = np.clip(chance.mean(), 0.01, 0.99)
    return np.asarray(expit(logit(share) + np.bincount(pairs, evidence)[pairs] - evidence))


def _judge_one(
    name: Any,
    rows: pd.DataFrame,
    rule: VerdictRule,
    overlap: "pd.Series[float] | None",
    gold: pd.DataFrame | None,
) -> dict[str, object]:
    others, said = rows["others"].to_numpy("float64"), rows["vote"].to_numpy("int64")
    if gold is not None:
        others = np.concatenate([others, np.where(gold["truth"] == 1, GOLD_CHANCE, 1 - GOLD_CHANCE)])
        said = np.concatenate([said, gold["vote"].to_numpy("int64")])
    skill = Skill(others, said)
    low, high = skill.limits()
    doubt = skill.below(rule.careless_below)
    known = skill.deviation <= rule.spread
    reasons = []
    if doubt > rule.certainty and (known or doubt >= SURE):
        one = rows["score"].value_counts(normalize=True).max() >= ONE_SCORE
        reasons.append("one_score" if one else "guesses" if low <= 0 else "weak")
    reasons += list(_habits(rows, rule, None if overlap is None else overlap[rows.index]))
    verdict = CARELESS if reasons else CAREFUL if known or doubt <= 1 - SURE else UNDECIDED
    return dict(zip(COLUMNS, [name, len(rows), skill.mean, low, high, doubt, verdict, reasons], strict=True))


def _habits(rows: pd.DataFrame, rule: VerdictRule, overlap: "pd.Series[float] | None") -> Iterator[str]:
    """What an annotator does whose skill alone would not show it."""
    others, said = rows["others"].to_numpy("float64"), rows["vote"].to_numpy("int64")
    third = len(rows) // 3
    first, last = Skill(others[:third], said[:third]), Skill(others[-third:], said[-third:])
    fall = (first.mean - last.mean) / np.hypot(first.deviation, last.deviation)
    if third and fall > norm.isf(CHANCE) and last.below(rule.careless_below) > DRIFT_CERTAINTY:
        yield "drifts"
    if overlap is not None:
        own, own_error = _auc(overlap, said == 1)
        theirs, their_error = _auc(overlap, others > 0.5)
        if own - theirs - rule.overlap_margin > norm.isf(CHANCE) * np.hypot(own_error, their_error):
            yield "follows_overlap"


class Skill:
    """What is known of an annotator's skill: the posterior of both chances to be right, on a grid."""

    def __init__(self, others: Reals, said: Integers) -> None:
        """`others`: the chance that each pair is a paraphrase; `said`: the own vote. Alike chances are counted once."""
        prior = (PRIOR[0] - 1) * np.log(GRID) + (PRIOR[1] - 1) * np.log(1 - GRID)
        density = prior[:, None] + prior
        for vote, right, wrong in ((1, GRID, 1 - GRID), (0, 1 - GRID, GRID)):
            steps = np.round(logit(np.clip(others[said == vote], 1e-4, 1 - 1e-4)) * 8)
            alike, sizes = np.unique(steps, return_counts=True)
            chance = expit(alike / 8)[:, None, None]
            density += np.tensordot(sizes, np.log(chance * right[:, None] + (1 - chance) * wrong), axes=1)
        weights = np.exp(density - density.max())
        self._weights = (weights / weights.sum()).ravel()
        self._skills = np.add.outer(GRID, GRID).ravel() - 1
        self.mean = float(self._weights @ self._skills)
        self.deviation = float(np.sqrt(self._weights @ (self._skills - self.mean) ** 2))

    def below(self, skill: float) -> float:
        """The chance that the skill is lower."""
        return float(self._weights[self._skills < skill].sum().clip(0, 1))

    def limits(self) -> tuple[float, float]:
        """Between which the skill lies with 95 %."""
        order = np.argsort(self._skills, kind="stable")
        low, high = np.searchsorted(np.cumsum(self._weights[order]), [0.025, 0.975])
        return float(self._skills[order][low]), float(self._skills[order][high])


def _auc(overlap: "pd.Series[float]", yes: Any) -> tuple[float, float]:
    """The chance that a yes has more overlap than a no, and its standard error (Hanley and McNeil 1982).

    Without both a yes and a no: a half, and an error that lets nothing be concluded.
    """
    n_yes, n_no = int(yes.sum()), int((~yes).sum())
    if not n_yes or not n_no:
        return 0.5, np.inf
    auc = (rankdata(overlap)[yes].sum() - n_yes * (n_yes + 1) / 2) / (n_yes * n_no)
    of_yes, of_no = auc / (2 - auc), 2 * auc**2 / (1 + auc)
    spread = auc * (1 - auc) + (n_yes - 1) * (of_yes - auc**2) + (n_no - 1) * (of_no - auc**2)
    return float(auc), float(np.sqrt(spread / (n_yes * n_no)))
