"""How good each annotator is, by round and over all: the rows of the table `quality`; pure.

Measures of an annotator (and of `all`, pooled over everybody's ratings):
- `kappa`: Cohen's kappa of the binarised scores with the pair's majority, own vote included (He et al. 2020, 3.4);
- `kappa_left_out`: the same with the majority of the *others*; ties among them decide nothing and are left out;
- `kappa_four_class`: the 0-3 scores with the most frequent score, own included; pairs without one are left out;
- `chance_kappa`: the `kappa` that a coin flipper would reach in the annotator's place;
- `chance_passes`: the share of such coin flippers that would not fall below the threshold of low quality.
Of `all` alone: `mean_kappa` (the paper's 0.65), `mean_kappa_left_out`, `fleiss_kappa` (binary), `alpha` (binary) and
`alpha_scores` (0-3, squared distances), on the votes that stand at the end of the round.
"""

from collections.abc import Iterator
from dataclasses import asdict

import numpy as np
import pandas as pd
from scipy.stats import norm

from annotation import agreement
from annotation.agreement import Agreement
from annotation.config import ALL_ROUNDS, EVERYBODY, QualityRule
from annotation.votes import SCORES, standing

ENOUGH_VOTES = 3
"""Where a majority that contains the own vote can contradict it: of two votes it never does."""


def assess(ballots: pd.DataFrame, rule: QualityRule) -> pd.DataFrame:
    """The measures of `ballots` (see `votes.cast`): columns round, annotator, measure, n, value, low, high, reason.

    A rating is compared with the votes that stood at the end of its round, so what is known of a round does not
    change with later ones. `value` is null where a measure is not defined; `reason` then says why.
    """
    rounds = sorted(ballots["round"].unique())
    judged = {number: _judge(standing(ballots, number), number, rule) for number in rounds}
    judged[ALL_ROUNDS] = pd.concat(judged.values(), ignore_index=True)
    rows = [row for number, ratings in judged.items() for row in _measures(number, ratings, rule)]
    for number in judged:
        rows += list(_joint(number, standing(ballots, number or None), rule))
    return pd.DataFrame(rows).sort_values(["round", "annotator", "measure"], ignore_index=True)


def _judge(ballots: pd.DataFrame, number: int, rule: QualityRule) -> pd.DataFrame:
    """The ratings of one round beside what they are compared with; null where that is not decided."""
    scored = ballots[ballots["state"] == "scored"]
    pairs, scores, votes = _arrays(scored, rule)
    table, four = agreement.counts(pairs, votes, 2), agreement.counts(pairs, scores, len(SCORES))
    several = table.sum(axis=1)[pairs] >= ENOUGH_VOTES
    others = agreement.others(pairs, votes, 2)
    judged = pd.DataFrame(
        {
            "round": scored["round"].to_numpy(dtype="int64"),
            "annotator": scored["annotator"].to_numpy(dtype=object),
            "score": scores,
            "vote": votes,
            "majority": _decided(table[pairs], several),
            "majority_of_others": _decided(others, others.sum(axis=1) > 0),
            "plurality": _decided(four[pairs], several),
            "others_no": others[:, 0],
            "others_yes": others[:, 1],
            "several": several,
        }
    )
    return judged[judged["round"] == number]


def _arrays(scored: pd.DataFrame, rule: QualityRule) -> tuple[agreement.Integers, ...]:
    scores = scored["score"].to_numpy(dtype="int64")
    votes = (scores >= rule.paraphrase_from).astype("int64")
    return pd.factorize(scored["pair_id"], sort=True)[0].astype("int64"), scores, votes


def _decided(table: agreement.Integers, usable: agreement.Mask) -> "pd.Series[int]":
    winner, clear = agreement.consensus(table)
    return pd.Series(winner, dtype="Int64").where(pd.Series(clear & usable))


def _measures(number: int, judged: pd.DataFrame, rule: QualityRule) -> Iterator[dict[str, object]]:
    """The rows of every annotator and of everybody together, for one round."""
    measured = {name: _measure(rows, rule) for name, rows in judged.groupby("annotator")}
    measured[EVERYBODY] = _measure(judged, rule)
    for source in ("kappa", "kappa_left_out"):
        values = [m[source].value for name, m in measured.items() if name != EVERYBODY]
        measured[EVERYBODY][f"mean_{source}"] = _mean([value for value in values if value is not None])
    for name, measures in measured.items():
        yield from (_row(number, str(name), measure, found) for measure, found in measures.items())


def _measure(judged: pd.DataFrame, rule: QualityRule) -> dict[str, Agreement]:
    several = judged[judged["several"]]
    coin = agreement.coin_kappa(several[["others_no", "others_yes"]].to_numpy(dtype="int64"))
    return {
        "kappa": _kappa(judged, "vote", "majority", 2),
        "kappa_left_out": _kappa(judged, "vote", "majority_of_others", 2),
        "kappa_four_class": _kappa(judged, "score", "plurality", len(SCORES)),
        "chance_kappa": coin,
        "chance_passes": _passes(coin, rule.low_kappa),
    }


def _kappa(judged: pd.DataFrame, own: str, reference: str, classes: int) -> Agreement:
    known = judged[judged[reference].notna()]
    return agreement.cohen_kappa(known[own].to_numpy("int64"), known[reference].to_numpy("int64"), classes)


def _passes(coin: Agreement, threshold: float) -> Agreement:
    """The share of coin flippers at or above the threshold, if their kappas are spread as the limits say."""
    if coin.value is None or coin.low is None or coin.high is None or coin.low == coin.high:
        return Agreement(n=coin.n, reason=coin.reason or "a coin flipper's kappa has no spread here")
    deviation = (coin.high - coin.low) / 2 / norm.ppf(0.975)
    return Agreement(n=coin.n, value=float(norm.sf((threshold - coin.value) / deviation)))


def _mean(values: list[float]) -> Agreement:
    if not values:
        return Agreement(n=0, reason="no annotator's kappa is defined")
    return Agreement(n=len(values), value=float(np.mean(values)))


def _joint(number: int, ballots: pd.DataFrame, rule: QualityRule) -> Iterator[dict[str, object]]:
    """The rows of the measures that have no single annotator."""
    pairs, scores, votes = _arrays(ballots[ballots["state"] == "scored"], rule)
    binary, four = agreement.counts(pairs, votes, 2), agreement.counts(pairs, scores, len(SCORES))
    found = {
        "fleiss_kappa": agreement.fleiss_kappa(binary),
        "alpha": agreement.krippendorff_alpha(binary),
        "alpha_scores": agreement.krippendorff_alpha(four, interval=True),
    }
    yield from (_row(number, EVERYBODY, measure, measured) for measure, measured in found.items())


def _row(number: int, annotator: str, measure: str, found: Agreement) -> dict[str, object]:
    return {"round": number, "annotator": annotator, "measure": measure, **asdict(found)}
