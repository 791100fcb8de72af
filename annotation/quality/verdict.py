"""Who is careless, and why: a verdict on each annotator, with the evidence for it; pure.

One rule (`VerdictRule`): an annotator is careless whose skill (`skill`: the kappa that the votes would have with the
truth) more likely than not lies below `careless_below`. What is true is estimated from the ratings of all *others*, in
the work and in the pilot, and known of gold pairs. The reasons:

- `guesses`, `one_score`, `weak`: over all of the annotator's work, where the evidence suffices (the skill is known to
  within `spread`, or is surely not `MARGIN` above the threshold); otherwise the verdict is `undecided` (`few_labels`),
  as it is for anybody of whose votes chance alone would explain nearly all (`one_sided`);
- `drifts`: good at first, but no longer in the last third of the work;
- `follows_overlap`: lexical overlap predicts the annotator's votes far better than it predicts the others'.
"""

from typing import Any

import numpy as np
import pandas as pd
from scipy.special import ndtri

from annotation.config import VerdictRule
from data.contract.vocabulary import CAREFUL, CARELESS, UNDECIDED
from data.labelled.metrics import measure_auc
from data.measures.agreement import Integers, Mask, Reals
from data.measures.annotators import is_one_sided
from data.measures.ballots import Couples
from data.measures.raters.skill import GOLD_CHANCE, Skill, chances_by_others, drift, likelihood

MIN_CERTAINTY = 0.95
"""How certain it must be that a skill is not below the threshold, where few labels call an annotator careful."""

MARGIN, CHANCE_OF_GOOD = 0.135, 0.01
"""Few labels accuse only where the probability of a skill this far above the threshold is lower: it spares the good."""

DRIFT_CERTAINTY = 0.7
"""How certain it must be that the skill has fallen below the threshold."""

FALSE_ALARMS = 0.01
"""How often a dependence on overlap may be seen where there is none."""

ONE_SIDED_REASON = "one_sided"

ONE_SCORE = 0.95
"""The share of one score from which an annotator uses only that one."""

COLUMNS = ["annotator", "n", "skill", "low", "high", "doubt", "verdict", "reasons", "by_gold", "by_others"]


def judge(
    votes: pd.DataFrame,
    rule: VerdictRule,
    overlap: "pd.Series[float] | None" = None,
    gold: pd.DataFrame | None = None,
    couples: Couples = (),
) -> pd.DataFrame:
    """One row per annotator, by name: annotator, n (votes), skill with its 95 % limits, doubt, verdict, reasons.

    `votes`: pair_id, annotator, score (0-3), vote (0 or 1), place (in the order of the annotator's work). `overlap`: by
    pair_id; without it no annotator is accused of following it. `gold`: pair_id, annotator, score, vote, place, truth
    (0 or 1). `couples`: who has one vote together. `doubt`: the probability that the skill is below the threshold.
    `reasons` is a list, empty for the careful. `by_gold` and `by_others`: the skill by the gold pairs alone and by the
    others alone where their limits lie apart; else null.
    """
    if votes.empty:
        return pd.DataFrame(columns=COLUMNS)
    gold = votes[:0].assign(truth=0) if gold is None else gold[gold["annotator"].isin(votes["annotator"])]
    votes = pd.concat([votes, gold.drop(columns="truth")], ignore_index=True)
    is_gold = np.arange(len(votes)) >= len(votes) - len(gold)
    known = gold.groupby("pair_id")["truth"].first()
    chances, share = chances_by_others(votes, known if len(gold) else None, couples)
    truth = votes["pair_id"].map(known)
    certain = truth.map({1: GOLD_CHANCE, 0: 1 - GOLD_CHANCE}).astype("float64")
    votes = votes.assign(others=chances["others"].mask(is_gold), chance=certain.fillna(chances["chance"]))
    votes["overlap"] = (
        np.nan if overlap is None else overlap.reindex(votes["pair_id"]).mask(is_gold).to_numpy("float64")
    )
    votes = votes.sort_values(["annotator", "place"], ignore_index=True)
    evidence = [_evidence(own, rule, share) | {"annotator": name} for name, own in votes.groupby("annotator")]
    return _decide(pd.DataFrame(evidence), rule)[COLUMNS]


def _evidence(votes: pd.DataFrame, rule: VerdictRule, share: float) -> dict[str, Any]:
    """What an annotator's votes show, in their order; those on gold pairs have neither `others` nor `overlap`."""
    parts = np.array_split(np.arange(len(votes)), 3)
    chances, given = votes["chance"].to_numpy("float64"), votes["vote"].to_numpy("int64")
    thirds = [likelihood(chances[part], given[part]) for part in parts]
    skill = Skill(np.sum(thirds, axis=0), share)
    low, high = skill.limits()
    yes = float(given.mean())
    by_gold, by_others = _contradict(chances, given, votes["others"].isna().to_numpy(bool), share)
    return {
        "n": votes["others"].count(),
        "skill": skill.mean,
        "deviation": skill.deviation,
        "low": low,
        "high": high,
        "doubt": skill.below(rule.careless_below),
        "is_good": 1 - skill.below(rule.careless_below + MARGIN),
        "is_one_sided": is_one_sided(len(votes), share * yes + (1 - share) * (1 - yes)),
        "top_score": votes["score"].value_counts(normalize=True).max(),
        "drift": drift(thirds, share, rule.careless_below),
        "follows_overlap": _follows_overlap(votes[votes["overlap"].notna()], rule),
        "by_gold": by_gold,
        "by_others": by_others,
    }


def _contradict(
    chances: Reals, given: Integers, is_gold: Mask, share: float
) -> tuple[float, float] | tuple[None, None]:
    """The skill by gold pairs and by the others, where there are both and the 95 % limits of the two lie apart."""
    if is_gold.all() or not is_gold.any():
        return None, None
    by_gold, by_others = (Skill(likelihood(chances[part], given[part]), share) for part in (is_gold, ~is_gold))
    (low, high), (other_low, other_high) = by_gold.limits(), by_others.limits()
    return (by_gold.mean, by_others.mean) if low > other_high or high < other_low else (None, None)


def _decide(evidence: pd.DataFrame, rule: VerdictRule) -> pd.DataFrame:
    """The evidence with the columns verdict and reasons: each reason is one case of the table below."""
    is_known = evidence["deviation"] <= rule.spread
    one_sided = evidence["is_one_sided"].astype(bool)
    is_low = ~one_sided & (evidence["doubt"] > 0.5) & (is_known | (evidence["is_good"] < CHANCE_OF_GOOD))
    one_score, at_chance = evidence["top_score"] >= ONE_SCORE, evidence["low"] <= 0
    cases = {
        "one_score": is_low & one_score,
        "guesses": is_low & ~one_score & at_chance,
        "weak": is_low & ~one_score & ~at_chance,
        "drifts": ~one_sided & is_known & (evidence["drift"] > DRIFT_CERTAINTY),
        "follows_overlap": evidence["follows_overlap"],
    }
    is_careless = pd.DataFrame(cases).any(axis=1)
    cases[ONE_SIDED_REASON] = ~is_careless & one_sided
    cases["few_labels"] = ~is_careless & ~one_sided & ~is_known & (evidence["doubt"] > 1 - MIN_CERTAINTY)
    verdicts = np.select([is_careless, one_sided | cases["few_labels"]], [CARELESS, UNDECIDED], CAREFUL)
    holds = pd.DataFrame(cases).to_numpy(bool)
    reasons = [[reason for reason, applies in zip(cases, row, strict=True) if applies] for row in holds]
    return evidence.assign(verdict=verdicts, reasons=pd.Series(reasons, dtype="object"))


def _follows_overlap(votes: pd.DataFrame, rule: VerdictRule) -> bool:
    own, own_error = _auc(votes["overlap"], (votes["vote"] == 1).to_numpy())
    others, others_error = _auc(votes["overlap"], (votes["others"] > 0.5).to_numpy())
    return bool(own - others - rule.overlap_margin > -ndtri(FALSE_ALARMS) * np.hypot(own_error, others_error))


def _auc(overlap: "pd.Series[float]", yes: Mask) -> tuple[float, float]:
    """The chance that a yes has more overlap than a no, and its standard error (Hanley and McNeil 1982).

    Where there is no yes or no no: one half, with an infinite error, so that nothing follows from it.
    """
    n_yes, n_no = int(yes.sum()), int((~yes).sum())
    auc = measure_auc(yes, np.asarray(overlap, dtype=np.float64))
    if auc is None:
        return 0.5, np.inf
    of_yes, of_no = auc / (2 - auc), 2 * auc**2 / (1 + auc)
    spread = auc * (1 - auc) + (n_yes - 1) * (of_yes - auc**2) + (n_no - 1) * (of_no - auc**2)
    return auc, float(np.sqrt(spread / (n_yes * n_no)))
