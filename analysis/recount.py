"""What single ratings determine: votes, labels and the measures of annotators, counted anew from them alone; pure.

Ratings have the columns of a release's table `ratings` (see `analysis.edition`). Nothing here comes from the room
that made the labels and measures: two ways to count that agree are worth more than one.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import norm
from statsmodels.stats.inter_rater import cohens_kappa

from analysis import votes

CLASSES = 4
EVERYBODY = "all"
ALL_ROUNDS = 0
ENOUGH = 3
"""Votes from which on a majority can contradict the own vote that is in it."""
KEYS = ["round", "annotator", "measure"]
MEASURES = (
    *("kappa", "kappa_left_out", "kappa_four_class", "chance_kappa", "chance_passes", "mean_kappa"),
    *("mean_kappa_left_out", "fleiss_kappa", "gold_accuracy", "trap_accuracy", "self_agreement"),
)
"""The measures of the table `quality` that single ratings determine."""


def last(ratings: pd.DataFrame) -> pd.DataFrame:
    """The last rating of each assignment that has a score, with integer columns; earlier ones are its history."""
    of_assignment = ["pair_id", "annotator", "round", "kind"]
    rows = ratings.sort_values("submitted_at", kind="stable").drop_duplicates(of_assignment, keep="last")
    rows = rows[rows["score"].notna() & ~rows["skipped"].fillna(value=False).astype(bool)]
    return rows.astype({"score": "int64", "round": "int64"})


def standing(ratings: pd.DataFrame, by_round: int | None = None) -> pd.DataFrame:
    """The votes of `last` that count at the end of a round (None: in the end): on work, not replaced by then."""
    work = ratings[ratings["kind"] == "work"]
    if by_round is None:
        return work[work["replaced_in"].isna()]
    return work[(work["round"] <= by_round) & (work["replaced_in"].fillna(by_round + 1) > by_round)]


def label(ratings: pd.DataFrame, paraphrase_from: int) -> pd.DataFrame:
    """By pair_id: votes, n_votes and scores (counts of 0, 1, 2, 3) of the votes that count in the end."""
    counted = standing(last(ratings))
    numbers, pairs = pd.factorize(counted["pair_id"], sort=True)
    scores = _tabulate(numbers, counted["score"].to_numpy("int64"), CLASSES, len(pairs))
    return pd.DataFrame(
        {
            "votes": scores[:, paraphrase_from:].sum(axis=1),
            "n_votes": scores.sum(axis=1),
            "scores": scores.tolist(),
        },
        index=pd.Index(pairs, name="pair_id"),
    )


def measure(ratings: pd.DataFrame, rounds: Iterable[int], paraphrase_from: int, low_kappa: float) -> pd.DataFrame:
    """The rows of MEASURES as the table `quality` has them: round, annotator, measure, n, value.

    For each of `rounds` (at least one) and for all together (0), of each annotator and of all; checks where such were
    planned. A rating is compared with the votes that stood at the end of its round. A value is null where it is not
    defined.
    """
    usable = last(ratings)
    usable = usable.assign(vote=(usable["score"] >= paraphrase_from).astype("int64"))
    judged = {number: _judge(standing(usable, number), number) for number in sorted(rounds)}
    judged[ALL_ROUNDS] = pd.concat(judged.values(), ignore_index=True)
    rows = [
        (number, name, measured, n, value)
        for number, said in judged.items()
        for name, some in [*said.groupby("annotator"), (EVERYBODY, said)]
        for measured, (n, value) in _agree(some, low_kappa).items()
    ]
    rows += [_fleiss(number, standing(usable, number or None)) for number in judged]
    rows += _check(usable, paraphrase_from)
    found = pd.DataFrame(rows, columns=[*KEYS, "n", "value"])
    means = [_mean(found, number, of) for number in judged for of in ("kappa", "kappa_left_out")]
    return pd.concat([found, pd.DataFrame(means, columns=found.columns)], ignore_index=True).astype(
        {"value": "Float64"}
    )


Counts = NDArray[np.int64]


def _tabulate(rows: Counts, values: Counts, classes: int, n_rows: int) -> Counts:
    return np.bincount(rows * classes + values, minlength=n_rows * classes).reshape(n_rows, classes)


def _judge(counted: pd.DataFrame, number: int) -> pd.DataFrame:
    """The votes of one round beside what the others, and all together, said of their pairs; -1 where undecided."""
    numbers, pairs = pd.factorize(counted["pair_id"])
    score, vote = (counted[name].to_numpy("int64") for name in ("score", "vote"))
    yes_no, four = (_tabulate(numbers, one, k, len(pairs))[numbers] for one, k in ((vote, 2), (score, CLASSES)))
    others = yes_no - np.eye(2, dtype="int64")[vote]
    several = yes_no.sum(axis=1) >= ENOUGH
    said = pd.DataFrame(
        {
            "annotator": counted["annotator"].to_numpy(dtype=object),
            "score": score,
            "vote": vote,
            "majority": np.where(several, _winner(yes_no), -1),
            "others": _winner(others),
            "plurality": np.where(several, _winner(four), -1),
            "no": others[:, 0],
            "yes": others[:, 1],
            "several": several,
        }
    )
    mine: pd.DataFrame = said[counted["round"].to_numpy("int64") == number]
    return mine


def _winner(table: Counts) -> Counts:
    """The class with most votes; -1 where several have as many, or none has any."""
    most = table.max(axis=1, keepdims=True, initial=0)
    clear = ((table == most).sum(axis=1) == 1) & (most[:, 0] > 0)
    return np.where(clear, table.argmax(axis=1), -1)


def _agree(said: pd.DataFrame, low_kappa: float) -> dict[str, tuple[int, float | None]]:
    several = said[said["several"]]
    square = np.zeros((2, 2))
    for coin in (0, 1):
        beside = several[["no", "yes"]].to_numpy("int64") + np.eye(2, dtype="int64")[coin]
        winner = _winner(beside)
        square[coin] = votes.COIN * np.bincount(winner[winner >= 0], minlength=2)
    chance = _kappa(square)
    return {
        "kappa": _compare(said, "vote", "majority", 2),
        "kappa_left_out": _compare(said, "vote", "others", 2),
        "kappa_four_class": _compare(said, "score", "plurality", CLASSES),
        "chance_kappa": (len(several), None if chance is None else float(chance.kappa)),
        "chance_passes": (len(several), _passes(chance, low_kappa)),
    }


def _passes(chance: Any, low_kappa: float) -> float | None:
    """The share of coin flippers at or above the threshold, if their kappas are spread as the 95 % limits say."""
    if chance is None or np.isnan(chance.kappa_low):
        return None
    spread = (min(chance.kappa_upp, 1.0) - max(chance.kappa_low, -1.0)) / 2 / norm.ppf(0.975)
    return float(norm.sf((low_kappa - chance.kappa) / spread)) if spread else None


def _compare(said: pd.DataFrame, own: str, reference: str, classes: int) -> tuple[int, float | None]:
    known = said[said[reference] >= 0]
    square = _tabulate(known[own].to_numpy("int64"), known[reference].to_numpy("int64"), classes, classes)
    found = _kappa(square)
    return len(known), None if found is None else float(found.kappa)


def _kappa(square: NDArray[Any]) -> Any:
    """Cohen's kappa of a square table, as statsmodels gives it; None where it is not defined."""
    total = square.sum()
    if total == 0 or square.diagonal().max() == total:
        return None
    with np.errstate(divide="ignore", invalid="ignore"):
        return cohens_kappa(square)


def _fleiss(number: int, counted: pd.DataFrame) -> tuple[int, str, str, int, float | None]:
    by_pair = counted.groupby("pair_id")["vote"].agg(["sum", "size"])
    found = votes.agree(by_pair.set_axis(["votes", "n_votes"], axis="columns"))
    return number, EVERYBODY, "fleiss_kappa", found["pairs"], found["fleiss_kappa"]


def _mean(found: pd.DataFrame, number: int, of: str) -> tuple[int, str, str, int, float | None]:
    single = found[(found["round"] == number) & (found["measure"] == of) & (found["annotator"] != EVERYBODY)]
    known = single["value"].dropna()
    return number, EVERYBODY, f"mean_{of}", len(known), float(known.mean()) if len(known) else None


def _check(usable: pd.DataFrame, paraphrase_from: int) -> list[tuple[int, str, str, int, float]]:
    """The shares of right answers on pairs that never vote."""
    work = usable[usable["kind"] == "work"].drop_duplicates(["annotator", "pair_id"], keep="last")
    own = usable[["annotator", "pair_id"]].merge(work[["annotator", "pair_id", "vote"]], how="left")["vote"].to_numpy()
    known = usable["known_score"].astype("Float64")
    wanted = {
        ("gold", "gold_accuracy"): (known >= paraphrase_from).astype("Float64").where(known.notna()),
        ("trap", "trap_accuracy"): pd.Series(0.0, index=usable.index, dtype="Float64"),
        ("repeat", "self_agreement"): pd.Series(own, index=usable.index, dtype="Float64"),
    }
    rows = []
    for (kind, measured), expected in wanted.items():
        asked = (usable["kind"] == kind) & expected.notna()
        right = (usable["vote"] == expected)[asked].astype(bool)
        for name, some in [*right.groupby(usable.loc[asked, "annotator"]), (EVERYBODY, right)]:
            if len(some):
                rows.append((ALL_ROUNDS, str(name), measured, len(some), float(some.mean())))
    return rows
