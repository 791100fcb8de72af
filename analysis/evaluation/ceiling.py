"""The most that any model can reach against majority labels, given how the annotators divide; pure.

An oracle knows for each pair the probability that an annotator votes "paraphrase", but not how the votes fell. The
label is the majority of a few such votes, so chance alone sets how often the oracle is right.
"""

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import beta, betabinom, binom

from analysis.evaluation.comparing import Samples, summarise

Reals = NDArray[np.float64]
POINTS = 400
"""Equally likely probabilities that stand for their distribution; more change the fourth digit."""
AT_ONCE = 2_000
"""Bootstrap samples whose distributions are in memory at once."""
LEAST = 1e-4
"""A kappa so near to 0 or 1 counts as 0 or 1."""
MEASURES = ("accuracy", "f1", "auc")


def find_ceiling(frame: pd.DataFrame, samples: Samples) -> dict[str, Any] | None:
    """What the oracle reaches on these pairs, each of MEASURES {value, low, high}; n, n_votes, kappa, votes, expected.

    `frame`: pairs of a data set (see `data.labelled.frame`); `samples`: of these pairs. The pairs with the most
    frequent odd number of votes count. `kappa` is Fleiss'; the probabilities are taken as beta-distributed with the
    pairs' share of votes and that agreement. Where few distinct probabilities occur, that is up to 0.065 off either
    way. `votes` and `expected` are the pairs by their votes for "paraphrase", as they are and as that distribution has
    them. F1 is at the oracle's best threshold, which may lie below one half. None where there are no such pairs,
    or annotators agree by chance alone or always.
    """
    n_votes = _usual_number(frame)
    if n_votes is None:
        return None
    rows = (frame["n_votes"] == n_votes).to_numpy(dtype=bool)
    is_of_count = frame.loc[rows, "votes"].to_numpy("int64")[:, None] == np.arange(n_votes + 1)
    counts = np.concatenate([sample[:, rows] @ is_of_count for sample in samples.weights()])
    kappas, shares = _agree(counts)
    usable = (kappas > LEAST) & (kappas < 1 - LEAST)
    if not usable[0]:
        return None
    reached = {name: np.full(len(counts), np.nan) for name in MEASURES}
    for part in np.array_split(np.flatnonzero(usable), -(-int(usable.sum()) // AT_ONCE)):
        for name, values in zip(MEASURES, _reach(shares[part], kappas[part], n_votes), strict=True):
            reached[name][part] = values
    return {
        "n": int(counts[0].sum()),
        "n_votes": n_votes,
        "kappa": float(kappas[0]),
        "votes": counts[0].astype(int).tolist(),
        "expected": (
            counts[0].sum() * betabinom.pmf(range(n_votes + 1), n_votes, *_shape(shares, kappas)[:, 0])
        ).tolist(),
        **{name: summarise(name, values, samples.effective) for name, values in reached.items()},
    }


def _usual_number(frame: pd.DataFrame) -> int | None:
    """The most frequent odd number of votes, at least 3; of several the smallest."""
    n_votes = frame.loc[frame["votes"].notna() & (frame["n_votes"] >= 3) & (frame["n_votes"] % 2 == 1), "n_votes"]
    return int(n_votes.mode().min()) if len(n_votes) else None


def _agree(counts: Reals) -> tuple[Reals, Reals]:
    """Fleiss' kappa and the share of votes, for each row of pairs by their votes (0 to n)."""
    n = counts.shape[1] - 1
    votes = np.arange(n + 1)
    pairs = counts.sum(axis=1)
    shares: Reals = counts @ votes / (n * pairs)
    disagreement = counts @ (2 * votes * (n - votes) / (n * (n - 1))) / pairs
    chance = 2 * shares * (1 - shares)
    kappas: Reals = 1 - np.divide(disagreement, chance, out=np.ones_like(chance), where=chance > 0)
    return kappas, shares


def _shape(shares: Reals, kappas: Reals) -> Reals:
    """The two parameters of the beta distribution with that mean and that correlation of two votes on a pair."""
    return np.stack([shares, 1 - shares]) * (1 / kappas - 1)


def _reach(shares: Reals, kappas: Reals, n_votes: int) -> tuple[Reals, Reals, Reals]:
    """The MEASURES of the oracle, for each share and kappa; F1 at its best threshold."""
    places = (np.arange(POINTS) + 0.5) / POINTS
    chances = np.asarray(beta.ppf(places, *_shape(shares, kappas)[..., None]))
    positive = np.asarray(binom.sf(n_votes // 2, n_votes, chances))
    negative, decided = 1 - positive, chances >= 0.5
    hits = (positive * decided).sum(axis=1)
    accuracy: Reals = (hits + (negative * ~decided).sum(axis=1)) / POINTS
    below = np.cumsum(negative, axis=1) - negative / 2
    auc: Reals = (positive * below).sum(axis=1) / (positive.sum(axis=1) * negative.sum(axis=1))
    caught, called = positive[:, ::-1].cumsum(axis=1), np.arange(1, POINTS + 1)
    f1: Reals = (2 * caught / (called + positive.sum(axis=1, keepdims=True))).max(axis=1)
    return accuracy, f1, auc
