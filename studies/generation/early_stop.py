"""Ratings per kept pair with early stop, by PAWS' own vote shares: `python -m studies.generation.early_stop`.

Five raters judge a pair, and 4 equal votes keep it. With early stop the same pairs are kept with the same labels (a law
over all orders of votes, in the tests); the number of ratings is the mean over all orders, which are equally likely.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean

import numpy as np

from annotation.aggregation.stopping import StopRule
from data.console.messages import say

VOTE_SHARES = {"wiki": (0.808, 0.115, 0.077), "qqp": (0.698, 0.186, 0.116)}
"""Shares of pairs with 5, 4 and 3 equal votes of five: what the kept shares and agreements of PAWS, Table 3, imply."""


@dataclass(frozen=True, kw_only=True)
class Forecast:
    """Ratings with early stop and without."""

    by_minority: tuple[float, ...]
    """Mean ratings of pairs with 0, 1, 2 votes in the minority."""
    per_pair: float
    per_kept: float
    without: float
    """Per kept pair where all raters are asked."""


def forecast_stop(shares: Sequence[float], rule: StopRule) -> Forecast:
    """The ratings of pairs with these shares of 0, 1, 2, … votes in the minority."""
    by_minority = tuple(_mean_ratings(n, rule) for n in range(len(shares)))
    per_pair = sum(share * ratings for share, ratings in zip(shares, by_minority, strict=True))
    kept = sum(share for n, share in enumerate(shares) if rule.raters - n >= rule.at_least)
    return Forecast(
        by_minority=by_minority, per_pair=per_pair, per_kept=per_pair / kept, without=rule.raters / kept
    )  # fmt: skip


def _mean_ratings(n_minority: int, rule: StopRule) -> float:
    """The mean number of ratings until a pair is decided, over all orders of its votes."""
    return fmean(_count_ratings(places, rule) for places in combinations(range(rule.raters), n_minority))


def _count_ratings(minority: tuple[int, ...], rule: StopRule) -> int:
    given = np.arange(1, rule.raters + 1)
    against = np.array([sum(place < n for place in minority) for n in given])
    return int(given[np.argmax(rule.is_decided(given - against, against, 0 * given))])


def main() -> None:
    """Print the forecast for each corpus."""
    for corpus, shares in VOTE_SHARES.items():
        found = forecast_stop(shares, StopRule(raters=5, at_least=4))
        say(
            f"{corpus}: {found.per_pair:.2f} ratings per pair, {found.per_kept:.2f} per kept pair; "
            f"{found.without:.2f} without early stop"
        )


if __name__ == "__main__":
    main()
