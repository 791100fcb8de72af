"""Whether a model may replace an annotator: the alternative annotator test; pure.

Each annotator is left out in turn: on every pair, is the model or the annotator closer to the others? The test asks
whether the model's advantage is at most `epsilon` below the annotator's (Calderon, Reichart and Dror, ACL 2025).
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats
from sklearn.isotonic import IsotonicRegression
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.power import TTestPower

from analysis.config import AlternativeRule

Floats = NDArray[np.float64]

MIN_WINNING_RATE = 0.5
"""The winning rate from which a model may replace an annotator (section 3)."""
POWER = 0.8
FDR = 0.05
"""The false discovery rate over the annotators (Benjamini-Yekutieli)."""


def judge_model(values: pd.DataFrame, model: "pd.Series[float]", binary: bool, rule: AlternativeRule) -> dict[str, Any]:
    """Winning rate, mean advantage and one row for each annotator.

    `values`: one row per pair and annotator: pair_id, annotator, value; `model`: the model's value by pair_id, in the
    same unit; pairs without one, or with a single annotator, are left out. Binary values are close where they are
    equal, others by the root mean square of their differences. Returns `winning_rate` (null if no annotator can be
    tested), `passes`, `advantage` (mean over all annotators with a pair), `epsilon`, `min_pairs`, `n_pairs`,
    `annotators`: rows of annotator, n, advantage, own (the annotator's), p, rejected (p after correction allows it;
    null if not tested), needed (pairs from which a test of this annotator alone has a power of 0.8 at this difference;
    null where the difference is on the wrong side).
    """
    rows = compare(values, model, binary)
    people = [_test(str(name), some, rule) for name, some in rows.groupby("annotator", sort=True)]
    tested = [person for person in people if person["p"] is not None]
    if tested:
        rejected = reject(np.array([person["p"] for person in tested]))
        for person, is_rejected in zip(tested, rejected.tolist(), strict=True):
            person["rejected"] = is_rejected
    rate = float(np.mean([person["rejected"] for person in tested])) if tested else None
    return {
        "winning_rate": rate,
        "passes": None if rate is None else rate >= MIN_WINNING_RATE,
        "advantage": float(np.mean([person["advantage"] for person in people])) if people else None,
        "epsilon": rule.epsilon,
        "min_pairs": rule.min_pairs,
        "n_pairs": int(rows["pair_id"].nunique()),
        "annotators": people,
    }


def compare(values: pd.DataFrame, model: "pd.Series[float]", binary: bool) -> pd.DataFrame:
    """One row per pair and annotator who can be left out: pair_id, annotator, model_wins, annotator_wins.

    Arguments as for `judge_model`. Where both are equally close, both win.
    """
    rows = values.assign(model=values["pair_id"].map(model).astype("float64")).dropna(subset=["value", "model"])
    by_pair = rows.groupby("pair_id")["value"]
    rows = rows.assign(n=by_pair.transform("size") - 1)[by_pair.transform("size") > 1]
    close = {
        name: _agreement(rows, rows[name]) if binary else -_distance(rows, rows[name]) for name in ("model", "value")
    }
    return rows[["pair_id", "annotator"]].assign(
        model_wins=(close["model"] >= close["value"] - 1e-12).astype("int64"),
        annotator_wins=(close["value"] >= close["model"] - 1e-12).astype("int64"),
    )


def _agreement(rows: pd.DataFrame, given: "pd.Series[float]") -> Floats:
    """The share of the other annotators of the pair whose value is the given one."""
    counted = rows.groupby(["pair_id", "value"]).size().rename("same").reset_index()
    wanted = rows[["pair_id"]].assign(value=given.to_numpy())
    same = wanted.merge(counted, on=["pair_id", "value"], how="left")["same"].fillna(0).to_numpy("float64")
    own = (rows["value"] == given).to_numpy("float64")
    shares: Floats = (same - own) / rows["n"].to_numpy("float64")
    return shares


def _distance(rows: pd.DataFrame, given: "pd.Series[float]") -> Floats:
    """The root mean square difference between the given value and the other annotators' values of the pair."""
    own, others = rows["value"].to_numpy("float64"), rows["n"].to_numpy("float64")
    totals = [
        (rows["value"] ** power).groupby(rows["pair_id"]).transform("sum").to_numpy("float64") - own**power
        for power in (1, 2)
    ]
    value = given.to_numpy("float64")
    squares = value**2 - 2 * value * totals[0] / others + totals[1] / others
    distances: Floats = np.sqrt(np.maximum(squares, 0))
    return distances


def _test(name: str, rows: pd.DataFrame, rule: AlternativeRule) -> dict[str, Any]:
    lead = (rows["annotator_wins"] - rows["model_wins"]).to_numpy("float64")
    person: dict[str, Any] = {
        "annotator": name,
        "n": len(rows),
        "advantage": float(rows["model_wins"].mean()),
        "own": float(rows["annotator_wins"].mean()),
        "p": None,
        "rejected": None,
        "needed": None,
    }
    if len(rows) < max(2, rule.min_pairs):
        return person
    mean, spread = float(lead.mean()), float(lead.std(ddof=1))
    p = float(find_p(lead[:, None], rule.epsilon)[0])
    return person | {"p": p, "needed": _count_needed((rule.epsilon - mean) / spread) if spread else None}


def find_p(leads: Floats, epsilon: float) -> Floats:
    """For each column of an annotator's leads over a model (1, 0 or -1), the p of "the mean is at least epsilon"."""
    p = np.where(leads.mean(axis=0) < epsilon, 0.0, 1.0)
    varied = leads.std(axis=0) > 0
    p[varied] = stats.ttest_1samp(leads[:, varied], epsilon, alternative="less").pvalue
    return p


def reject(p: Floats) -> NDArray[np.bool_]:
    """Which of the annotators' hypotheses are rejected at the false discovery rate FDR."""
    rejected: NDArray[np.bool_] = multipletests(p, alpha=FDR, method="fdr_by")[0]
    return rejected


def _count_needed(effect: float) -> int | None:
    """Pairs from which a one-sided t-test finds the effect with POWER; null for none."""
    if effect <= 0:
        return None
    if effect > 2:
        return 5  # a few pairs are enough; the solver fails for effects this large
    return int(np.ceil(TTestPower().solve_power(effect_size=effect, alpha=FDR, power=POWER, alternative="larger")))


def to_scale(
    scores: "pd.Series[float]", ratings: "pd.Series[float]"
) -> "Callable[[pd.Series[float]], pd.Series[float]]":
    """What turns a model's scores into values on the annotators' scale: isotonic regression on pairs that have both.

    `scores`, `ratings` (mean of the annotators): by pair_id. Fit it on other pairs than those that are tested.
    """
    both = pd.concat([scores.rename("score"), ratings.rename("rating")], axis=1, join="inner").dropna()
    fitted = IsotonicRegression(out_of_bounds="clip").fit(both["score"], both["rating"])
    return lambda others: pd.Series(fitted.predict(others), index=others.index)
