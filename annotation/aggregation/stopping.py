"""When a pair needs no further rater, since no rating could change its label; pure.

Where only pairs with this many equal votes are kept, such as 4 of 5 in PAWS (Zhang et al. 2019, section 4), a pair is
decided at 4 equal votes and at 2:2: the same pairs are kept, with the same labels, for fewer ratings.
"""

from dataclasses import dataclass
from itertools import product

import numpy as np

from data.measures.agreement import Integers, Mask
from data.measures.raters.finished import FLAGS_TO_REJECT

NOT_KEPT = -1


@dataclass(frozen=True, kw_only=True)
class StopRule:
    """How many ratings a pair gets at most, and how many equal votes keep it."""

    raters: int
    at_least: int

    @property
    def fewest(self) -> int:
        """The number of ratings with which a pair can be decided first."""
        splits = (np.arange(n + 1) for n in range(1, self.raters))
        firsts = (len(votes) - 1 for votes in splits if self.is_decided(votes, votes[::-1], 0 * votes).any())
        return next(firsts, self.raters)

    def outcome(self, votes: Integers, against: Integers, flagged: Integers) -> Integers:
        """The label, 1 or 0, of pairs with these ratings and no others; NOT_KEPT for all that are not kept."""
        lost = (flagged >= FLAGS_TO_REJECT) | (np.maximum(votes, against) < self.at_least) | (votes == against)
        return np.where(lost, NOT_KEPT, votes > against)

    def is_decided(self, votes: Integers, against: Integers, flagged: Integers) -> Mask:
        """Whether the pairs have the same outcome whatever the raters who are left would say."""
        left = np.maximum(self.raters - votes - against - flagged, 0)
        outcome = self.outcome(votes, against, flagged + left)
        decided = np.ones(len(left), dtype=bool)
        for yes, no in product(range(self.raters + 1), repeat=2):
            rest = left - yes - no
            decided &= (rest < 0) | (self.outcome(votes + yes, against + no, flagged + rest) == outcome)
        return decided
