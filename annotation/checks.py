"""What the pairs that never vote tell about an annotator: rows of the table `quality`; pure.

Measures of an annotator, and of `all`, over all rounds: `gold_accuracy`, the share of gold pairs whose binarised score
is that of the known one; `trap_accuracy`, the share of traps called no paraphrase; `self_agreement`, the share of
repeated pairs with the same binarised score both times. Limits: Wilson's 95 % interval.
"""

from collections.abc import Mapping

import pandas as pd
from statsmodels.stats.proportion import proportion_confint

from annotation.config import ALL_ROUNDS, EVERYBODY, VoteRule
from annotation.votes import latest

MEASURES = {"gold": "gold_accuracy", "trap": "trap_accuracy", "repeat": "self_agreement"}


def assess_checks(
    assignments: pd.DataFrame, ratings: pd.DataFrame, gold: Mapping[str, int], rule: VoteRule
) -> pd.DataFrame:
    """The measures, with the columns of `quality.assess`; no row for a kind of check that was not planned.

    `gold`: pair id -> known score. A check without a score (open, skipped, flagged) does not count.
    """
    rows = assignments[["assignment_id", "annotator", "pair_id", "kind"]]
    said = latest(ratings)[["assignment_id", "score", "skipped"]]
    said = said[said["score"].notna() & ~said["skipped"].fillna(False).astype("bool")]
    rows = rows.merge(said[["assignment_id", "score"]], on="assignment_id")
    rows = rows.assign(vote=(rows["score"] >= rule.paraphrase_from).astype("int64"))
    work = rows[rows["kind"] == "work"].set_index(["annotator", "pair_id"])["vote"]
    first = pd.MultiIndex.from_frame(rows[["annotator", "pair_id"]]).map(work.to_dict())
    known = rows["pair_id"].map({pair: int(score >= rule.paraphrase_from) for pair, score in gold.items()})
    wanted = {"gold": known, "trap": pd.Series(0, index=rows.index), "repeat": pd.Series(first, index=rows.index)}
    found = []
    for kind, expected in wanted.items():
        asked = rows[(rows["kind"] == kind) & expected.notna()]
        right = asked.assign(right=asked["vote"] == expected[asked.index])
        parts = [(str(name), part["right"]) for name, part in right.groupby("annotator")]
        parts += [(EVERYBODY, right["right"])] if len(right) else []
        found += [_row(name, MEASURES[kind], part) for name, part in parts]
    return pd.DataFrame(found, columns=["round", "annotator", "measure", "n", "value", "low", "high", "reason"])


def _row(annotator: str, measure: str, right: "pd.Series[bool]") -> dict[str, object]:
    low, high = proportion_confint(int(right.sum()), len(right), method="wilson")
    value = {"n": len(right), "value": float(right.mean()), "low": float(low), "high": float(high), "reason": None}
    return {"round": ALL_ROUNDS, "annotator": annotator, "measure": measure, **value}
