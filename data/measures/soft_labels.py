"""What more votes would say of a pair: its share of votes, drawn towards the share of all pairs; pure.

Source: the empirical Bayes estimate under a beta-binomial distribution, fitted to all pairs by maximum likelihood
(Griffiths 1973, Biometrics 29: 637-648).
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import betaln

from data.contract.questions import Question
from data.measures.ballots import in_random_part

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

NO_VOTES, NONE_DIVIDED = "no_votes", "none_divided"
MAX_LOG_PARAMETER = 8.0
"""Logarithm of the largest alpha and beta, at which all pairs are alike; of the smallest, -8."""
LIKELIHOOD_TOLERANCE = 1e-11
"""Of the likelihood at MAX_LOG_PARAMETER: a search that asked for more would not end."""


@dataclass(frozen=True, kw_only=True)
class SoftLabels:
    """The beta-binomial distribution of the pairs' votes."""

    pairs: int
    """The number of pairs with votes."""
    alpha: float | None
    beta: float | None
    reason: str | None
    """Why there is none: no votes (or no answer that is a vote), or no pair whose votes differ."""

    def expect(self, votes: Integers, n_votes: Integers) -> "pd.Series[float]":
        """The chance that a further annotator votes for the label; null without votes, or without a distribution."""
        if self.alpha is None or self.beta is None:
            return pd.Series(pd.NA, index=range(len(votes)), dtype="Float64")
        shares = (votes + self.alpha) / (n_votes + self.alpha + self.beta)
        return pd.Series(shares, dtype="Float64").mask(n_votes == 0)


def fit(votes: Integers, n_votes: Integers) -> SoftLabels:
    """The distribution under which this many votes of this many are likeliest; one element per pair.

    Where no pair's votes differ, they would say of each pair that no further vote will: there is none.
    alpha and beta have four digits: every processor gives the same, and readers can compute with what the card shows.
    """
    votes, n_votes = votes[n_votes > 0], n_votes[n_votes > 0]
    if not ((votes > 0) & (votes < n_votes)).any():
        reason = NONE_DIVIDED if len(votes) else NO_VOTES
        return SoftLabels(pairs=len(votes), alpha=None, beta=None, reason=reason)
    cells, counts = np.unique(np.column_stack([votes, n_votes]), axis=0, return_counts=True)

    def misfit(logs: Floats) -> float:
        """The negative log-likelihood per pair, but for the binomial coefficients, which are constant."""
        alpha, beta = np.exp(logs)
        chances = betaln(cells[:, 0] + alpha, cells[:, 1] - cells[:, 0] + beta) - betaln(alpha, beta)
        return -float(counts @ chances) / len(votes)

    found = minimize(
        misfit, np.zeros(2), method="Nelder-Mead", bounds=[(-MAX_LOG_PARAMETER, MAX_LOG_PARAMETER)] * 2,
        options={"xatol": 1e-7, "fatol": LIKELIHOOD_TOLERANCE, "maxiter": 5_000},
    )  # fmt: skip
    alpha, beta = (float(f"{value:.4g}") for value in np.exp(found.x))
    return SoftLabels(pairs=len(votes), alpha=alpha, beta=beta, reason=None)


def of_pairs(
    pairs: pd.DataFrame, question: Question, part: pd.DataFrame | None = None
) -> tuple[SoftLabels, "pd.Series[float]"]:
    """The distribution of the pairs' votes, and the column `expected_share`.

    `part`: the votes of the random part (`ballots.count_at_random`), where elsewhere the number of votes depends on
    what they say: the distribution is fitted there alone. What it then expects of a pair by its own votes holds
    for whatever reason it got this many votes (Bayes' rule). Where no answer to the question is a vote, `votes` are
    those for the answer that won, and there is neither.
    """
    votes, n_votes = (pairs[name].to_numpy("int64") for name in ("votes", "n_votes"))
    if question.vote is None:
        n_votes = np.zeros_like(n_votes)
    if part is None:
        found = fit(votes, n_votes)
    else:
        kept = in_random_part(pairs[["pair_id", *part]], part)
        found = fit(*(kept[name].to_numpy("int64") for name in ("votes", "n_votes")))
    return found, found.expect(votes, n_votes).set_axis(pairs.index)
