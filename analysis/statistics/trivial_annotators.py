"""What the alternative annotator test says of coins and constants, and so whether it can tell anything; pure.

Where annotators often disagree, the advantage of a person over a coin is itself below `epsilon`, and the test passes
both. A model that passes beside them may be as blind as they are.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analysis.config import AlternativeRule
from analysis.statistics.alternative_annotator import (
    FDR,
    MIN_WINNING_RATE,
    Floats,
    compare,
    find_p,
    judge_model,
    reject,
)

N_DRAWS = 200
SEED = 1
TOO_FEW_PAIRS = "too_few_pairs"
TRIVIAL_PASSES = "trivial_passes"
COIN_SIDES = 2


def decide(values: pd.DataFrame, model: "pd.Series[float]", binary: bool, rule: AlternativeRule) -> dict[str, Any]:
    """`judge_model`, with `trivial` (rows of `judge_trivial` on the model's pairs) and `reason`.

    `passes` is null where the test cannot tell: `reason` is then TOO_FEW_PAIRS, or TRIVIAL_PASSES where a coin or a
    constant passes.
    """
    judged = judge_model(values, model, binary, rule)
    trivial = judge_trivial(values[values["pair_id"].map(model).notna()], binary, rule)
    reason = TRIVIAL_PASSES if any(row["passes"] for row in trivial) else None
    reason = TOO_FEW_PAIRS if judged["passes"] is None else reason
    return judged | {"trivial": trivial, "reason": reason, "passes": None if reason else judged["passes"]}


def judge_trivial(values: pd.DataFrame, binary: bool, rule: AlternativeRule, seed: int = SEED) -> list[dict[str, Any]]:
    """One row per model that reads nothing: name, winning_rate (null if no annotator can be tested), advantage, passes.

    Each answer given to all pairs, on a scale the mean rating as well; and coins (dice, of more than two answers) that
    fall evenly or as often as the annotators give each answer. Those are means over N_DRAWS, and pass where more of
    the draws do than the test's rate of errors, FDR. `values`: as for `judge_model`.
    """
    rated = values.dropna(subset=["value"])
    return [] if rated.empty else [_judge(*one, rule) for one in _trivial(rated, binary, seed)]


def _trivial(rated: pd.DataFrame, binary: bool, seed: int) -> Iterator[tuple[str, pd.DataFrame, Floats, Floats]]:
    """Name, rows with `annotator`, and the model's and the annotator's wins: shape (rows, draws)."""
    pairs, answers = rated["pair_id"].unique(), np.sort(rated["value"].unique())
    constants = {f"always {answer:g}": float(answer) for answer in answers}
    means = {} if binary else {f"always {rated['value'].mean():.2f}, the mean": float(rated["value"].mean())}
    compared = {name: compare(rated, pd.Series(value, pairs), binary) for name, value in (constants | means).items()}
    for name, rows in compared.items():
        yield name, rows, _column(rows, "model_wins"), _column(rows, "annotator_wins")
    each = [compared[name] for name in constants]
    kind = "coin" if len(answers) == COIN_SIDES else "die"
    shares = rated["value"].value_counts(normalize=True).reindex(answers).to_numpy("float64")
    even = np.full(len(answers), 1 / len(answers))
    for name, chances in {f"fair {kind}": even, f"base-rate {kind}": shares}.items():
        fallen = np.random.default_rng(seed).choice(len(answers), (len(pairs), N_DRAWS), p=chances)
        sides = fallen[pd.Index(pairs).get_indexer(each[0]["pair_id"])]
        yield name, each[0], _select(each, "model_wins", sides), _select(each, "annotator_wins", sides)


def _column(rows: pd.DataFrame, side: str) -> Floats:
    return rows[[side]].to_numpy("float64")


def _select(each: list[pd.DataFrame], side: str, fallen: NDArray[np.int64]) -> Floats:
    """The wins of those who answer as the coin fell."""
    wins = np.column_stack([rows[side].to_numpy("float64") for rows in each])
    selected: Floats = np.take_along_axis(wins, fallen, axis=1)
    return selected


def _judge(name: str, rows: pd.DataFrame, model: Floats, person: Floats, rule: AlternativeRule) -> dict[str, Any]:
    of_each = list(rows.groupby("annotator").indices.values())
    tested = [numbers for numbers in of_each if len(numbers) >= max(2, rule.min_pairs)]
    advantage = float(np.mean([model[numbers].mean() for numbers in of_each])) if of_each else None
    row = {"name": name, "winning_rate": None, "advantage": advantage, "passes": None}
    if not tested:
        return row
    p = np.stack([find_p(person[numbers] - model[numbers], rule.epsilon) for numbers in tested])
    rates = np.array([np.mean(reject(drawn)) for drawn in p.T])
    return row | {"winning_rate": float(rates.mean()), "passes": bool((rates >= MIN_WINNING_RATE).mean() > FDR)}
