"""How each annotator works, whatever the answers: speed and use of the scale, as rows of the table `quality`; pure.

Measures of an annotator (and of `all`), by round and over all rounds, over every kind of assignment:
- `seconds`: the median time of a rating, without times above the idle limit, when the annotator had left; its limits
  are the order statistics that enclose the median in at least 95 % of samples, null with fewer than six times;
- `fast_share`: the share of timed ratings made faster than the texts can be read;
- `share`: how often each answer of the vote is given. Limits of shares: Wilson's 95 % interval.
"""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from data.contract.vocabulary import ALL_ROUNDS, EVERYBODY
from data.measures import intervals
from data.measures.classes import PARADE, Classes
from data.measures.rules import HabitRule

COLUMNS = ["round", "annotator", "measure", "control", "answer", "n", "value", "low", "high", "reason", "detail"]


def assess_habits(ballots: pd.DataFrame, rule: HabitRule, classes: Classes | None = PARADE) -> pd.DataFrame:
    """The measures, with COLUMNS, of ballots of any kind. `classes`: the answers of the vote; None without a vote."""
    rows = ballots.loc[ballots["state"] == "scored", ["round", "annotator", "score", "seconds"]]
    rows = rows.astype({"round": "int64", "score": "int64", "annotator": "object"})
    both = pd.concat([rows, rows.assign(round=ALL_ROUNDS)])
    both = pd.concat([both, both.assign(annotator=EVERYBODY)])
    measures = []
    for (number, name), part in both.groupby(["round", "annotator"]):
        about = {"round": number, "annotator": name}
        measures += [about | measure for measure in (*_speed(part["seconds"], rule), *_shares(part["score"], classes))]
    return pd.DataFrame(measures, columns=COLUMNS)


def share(measure: str, right: int, n: int, reason: str) -> dict[str, object]:
    """The share of `right` in n with Wilson's limits; null, with this reason, where n is 0."""
    if n == 0:
        return {"measure": measure, "n": 0, "value": None, "low": None, "high": None, "reason": reason}
    low, high = intervals.share(right, n)
    return {"measure": measure, "n": n, "value": right / n, "low": float(low), "high": float(high), "reason": None}


def _speed(seconds: "pd.Series[float]", rule: HabitRule) -> Iterator[dict[str, object]]:
    timed = np.asarray(seconds[seconds.notna() & (seconds <= rule.idle_seconds)], dtype=np.float64)
    n, reason = len(timed), f"no rating was timed up to {rule.idle_seconds:g} s"
    middle: dict[str, object] = {"value": None, "low": None, "high": None, "reason": reason}
    if n:
        low, high = intervals.median(timed) or (None, None)
        middle = {"value": float(np.median(timed)), "low": low, "high": high, "reason": None}
    yield {"measure": "seconds", "n": n, **middle}
    yield share("fast_share", int((timed < rule.fast_seconds).sum()), n, reason)


def _shares(scores: "pd.Series[int]", classes: Classes | None) -> Iterator[dict[str, object]]:
    for value, number in zip(classes.values, classes.numbers, strict=True) if classes else ():
        yield share("share", int((scores == number).sum()), len(scores), "no score") | {"answer": value}
