"""Who is careless, and why: a verdict on each annotator with the evidence for it; pure.

One rule (`VerdictRule`): careless is whose skill (`skill`: the kappa that the own votes would have with what
is true) more likely than not lies below `careless_below`. What is true is told by the scores of all *others*, by those
of the pilot, and by gold where there is some. Why:

- `guesses`, `one_score`, `weak`: over all of the own work, and the evidence suffices (the skill is known to `spread`,
  or surely not `MARGIN` above the rule's); else the verdict is `undecided`, because of `few_labels`;
- `drifts`: good at first, but no longer in the last third of the own work, by a skill that falls evenly or late;
- `follows_overlap`: lexical overlap tells the own votes far better than it tells what the others make of these pairs.
"""

from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import norm, rankdata

from annotation.config import VerdictRule
from annotation.quality.skill import Skill, evidence, faded, likelihood

CARELESS, CAREFUL, UNDECIDED = "careless", "careful", "undecided"

SURE = 0.95
MARGIN, CHANCE_OF_GOOD = 0.135, 0.01
"""Few labels accuse where the chance of a skill that much above the rule's is lower, which spares the good."""

DRIFT_CERTAINTY = 0.7
"""How sure it must be that the skill has fallen below the rule's."""

CHANCE = 0.01
"""How often a dependence on overlap may be seen where there is none."""

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
    pair_id; without it nobody is asked for it. `gold`: annotator, score, vote, place, truth (0 or 1). `doubt`: the
    chance that the skill is below the rule's. Reasons is a list, empty for the careful.
    """
    if votes.empty:
        return pd.DataFrame(columns=COLUMNS)
    votes = votes.reset_index(drop=True)
    found, share = evidence(votes)
    votes = votes.join(found)
    if overlap is not None:
        votes["overlap"] = overlap.reindex(votes["pair_id"]).to_numpy("float64")
    if gold is not None and len(gold):
        known = gold[gold["annotator"].isin(votes["annotator"])]
        chance = np.where(known["truth"] == 1, GOLD_CHANCE, 1 - GOLD_CHANCE)
        votes = pd.concat([votes, known.drop(columns="truth").assign(chance=chance)])
    votes = votes.sort_values(["annotator", "place"], ignore_index=True)
    rows = [_judge_one(name, rows, rule, share) for name, rows in votes.groupby("annotator")]
    return pd.DataFrame(rows, columns=COLUMNS)


def _judge_one(name: Any, rows: pd.DataFrame, rule: VerdictRule, share: float) -> dict[str, object]:
    """The verdict by the own votes in their order; those on gold have no `others` and no `overlap`."""
    chance, said = rows["chance"].to_numpy("float64"), rows["vote"].to_numpy("int64")
    thirds = [likelihood(chance[part], said[part]) for part in np.array_split(np.arange(len(rows)), 3)]
    skill = Skill(np.sum(thirds, axis=0), share)
    low, high = skill.limits()
    doubt = skill.below(rule.careless_below)
    known = skill.deviation <= rule.spread
    reasons = []
    surely = 1 - skill.below(rule.careless_below + MARGIN) < CHANCE_OF_GOOD
    if doubt > 0.5 and (known or surely):
        one = rows["score"].value_counts(normalize=True).max() >= ONE_SCORE
        reasons.append("one_score" if one else "guesses" if low <= 0 else "weak")
    if known and faded(thirds, share, rule.careless_below) > DRIFT_CERTAINTY:
        reasons.append("drifts")
    if "overlap" in rows and _follows_overlap(rows, rule):
        reasons.append("follows_overlap")
    verdict = CARELESS if reasons else CAREFUL if known or doubt <= 1 - SURE else UNDECIDED
    reasons = ["few_labels"] if verdict == UNDECIDED else reasons
    return dict(
        zip(COLUMNS, [name, rows["others"].count(), skill.mean, low, high, doubt, verdict, reasons], strict=True)
    )


def _follows_overlap(rows: pd.DataFrame, rule: VerdictRule) -> bool:
    rows = rows[rows["overlap"].notna()]
    own, own_error = _auc(rows["overlap"], (rows["vote"] == 1).to_numpy())
    theirs, their_error = _auc(rows["overlap"], (rows["others"] > 0.5).to_numpy())
    return bool(own - theirs - rule.overlap_margin > norm.isf(CHANCE) * np.hypot(own_error, their_error))


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
