"""The most that any model can reach against majority labels, given how the annotators divide; pure.

An oracle knows for each pair the probability that an annotator votes for the label, but not how the votes fell. The
label is the majority of a few such votes, so chance alone sets how often the oracle is right.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtr, bdtrc, betaincinv

from data.measures.agreement import Reals

Integers = NDArray[np.int64]

MEASURES = ("accuracy", "f1", "auc")
POINTS = 400
"""Equally likely probabilities that represent their distribution; more change the fourth digit."""
BATCH_DRAWS = 2_000
"""Draws whose distributions are in memory at once."""
KAPPA_MARGIN = 1e-4
"""A kappa nearer to 0 or 1 is taken for this far from it."""


def agree(cells: Integers, counts: Reals) -> tuple[Reals, Reals]:
    """The share of votes and the agreement of two votes on a pair beyond chance, for each draw.

    `cells`: (votes, number of votes) of a kind of pairs; `counts`: how many pairs are of each, shape (draws, cells).
    Where all pairs have as many votes, the agreement is Fleiss' kappa. NaN without a pair with two votes.
    """
    votes, n = cells.T
    several = n > 1
    pairs = counts @ several
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = counts @ np.where(several, votes / n, 0) / pairs
        apart = counts @ np.where(several, 2 * votes * (n - votes) / (n * np.maximum(n - 1, 1)), 0) / pairs
        chance = 2 * shares * (1 - shares)
        kappas = 1 - np.where(chance > 0, apart / chance, 1)
    return np.asarray(shares), np.asarray(kappas)


def shape(shares: Reals, kappas: Reals) -> Reals:
    """The two parameters of the beta distribution with that mean and that correlation of two votes on a pair."""
    return np.stack([shares, 1 - shares]) * (1 / np.clip(kappas, KAPPA_MARGIN, 1 - KAPPA_MARGIN) - 1)


def reach(cells: Integers, counts: Reals) -> dict[str, Reals]:
    """The MEASURES of the oracle for each draw; arguments as in `agree`.

    Probabilities are taken as beta-distributed with the pairs' share of votes and agreement. Where few distinct ones
    occur, that is up to 0.065 off either way. F1 is at the oracle's best threshold, which may lie below one half. Ties
    have no label.
    """
    parts = [_reach(cells, part) for part in np.array_split(counts, -(-len(counts) // BATCH_DRAWS))]
    return {name: np.concatenate([part[place] for part in parts]) for place, name in enumerate(MEASURES)}


def _reach(cells: Integers, counts: Reals) -> tuple[Reals, Reals, Reals]:
    places = (np.arange(POINTS) + 0.5) / POINTS
    alpha, beta = shape(*agree(cells, counts))[..., None]
    chances = np.asarray(betaincinv(alpha, beta, places))
    positive, n_votes = np.zeros_like(chances), cells[:, 1]
    for n in np.unique(n_votes[n_votes > 0]):
        more, less = bdtrc(n // 2, n, chances), bdtr((n - 1) // 2, n, chances)
        weight = counts @ (n_votes == n) / np.maximum(counts @ (n_votes > 0), 1e-12)
        positive += weight[:, None] * more / np.maximum(more + less, 1e-12)
    negative = 1 - positive
    accuracy = np.maximum(positive, negative).mean(axis=1)
    below = np.cumsum(negative, axis=1) - negative / 2
    both = positive.sum(axis=1) * negative.sum(axis=1)
    auc = (positive * below).sum(axis=1) / np.maximum(both, 1e-12)
    caught, called = positive[:, ::-1].cumsum(axis=1), np.arange(1, POINTS + 1)
    f1 = (2 * caught / (called + positive.sum(axis=1, keepdims=True))).max(axis=1)
    return np.asarray(accuracy), np.asarray(f1), np.asarray(auc)
